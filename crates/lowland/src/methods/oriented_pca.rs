//! Oriented principal component analysis (Diamantaras and Kung 1996; Burges 1.4): directions along which the signals
//! vary much and their distorted versions differ little.
//!
//! rows with labels -> signals and differences -> covariance, noise correlation -> generalized eigenvectors

use super::{at_least, at_most, covariance_bytes};
use crate::fingerprint::Fingerprint;
use crate::input::on_points;
use crate::matrix::Element;
use crate::method::{self, Capabilities, Entry, Fit, Forecast, Given, Training};
use crate::model::{Archive, Form, Part, Quantity, Report};
use crate::parameters::{Described, Field, Kind};
use crate::projective::oriented::{self, Moments, Versions};
use crate::projective::{LinearModel, Map};
use crate::{AnyInput, Shape, check, choices, parameters};
use lowland_base::{Error, Result, Run};
use ndarray::{Array1, ArrayView2, Axis};

/// Oriented principal component analysis in the registry.
pub static ORIENTED_PCA: Entry = Entry {
    name: "oriented-pca",
    aliases: &["opca", "oriented-principal-component-analysis"],
    title: "Oriented principal component analysis",
    summary: "Directions that keep what distinguishes signals and ignore how each may be distorted. A label names \
              the signal that a row belongs to: its first row is the signal, the others are its distorted versions.",
    citation: "K. I. Diamantaras, S. Y. Kung, Principal component neural networks, 1996; C. J. C. Burges, J. C. Platt, \
               S. Jana, Distortion discriminant analysis for audio fingerprinting, 2003",
    capabilities: Capabilities { labels: true, ..Capabilities::PLAIN },
    ..Entry::of::<OrientedPca>()
};

const PARTS: &[Part] = &[
    (
        "components",
        "The directions, one unit row each, by descending ratio of signal to noise.",
        Form::Matrix,
    ),
    (
        "signal_to_noise",
        "The variance of the signal over the mean square of the noise along each direction.",
        Form::Vector,
    ),
    ("mean", "The mean of the signals.", Form::Vector),
    ("n_signals", "The number of signals.", Form::Count),
    ("n_versions", "The number of distorted versions.", Form::Count),
];

choices! {
    /// What the directions maximize.
    pub enum Criterion {
        /// The variance of the signal over the mean square of the noise: no units matter.
        Quotient = "quotient",
        /// The first less the second (Burges 1.4): the directions are orthogonal.
        Difference = "difference",
    }
}

parameters! {
    /// Oriented principal component analysis: the parameters.
    pub struct OrientedPca {
        /// How many directions: at most the number of columns; `auto` takes all.
        n_components: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: i64::MAX }] };
        /// What the directions maximize.
        criterion: Criterion = Criterion::Quotient;
        /// For `quotient`: what is added to the diagonal of the noise, relative to its mean; `auto` adds something only where the
        /// noise is singular, with a warning.
        regularization: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 0.0, max: 1e6, open: false }] };
    }
}

impl OrientedPca {
    fn map<T: Element>(&self, x: ArrayView2<'_, T>, labels: &[i64], run: &Run) -> Result<Map> {
        let sorted = Versions::new(labels)?;
        let stage = run.stage("signal and noise", None);
        let (signals, noise) = oriented::split(x, &sorted);
        let mean = signals.mean_axis(Axis(0)).unwrap_or_default();
        let (c, r) = (oriented::covariance(signals.view(), run)?, oriented::correlation(noise.view(), run)?);
        drop(stage);
        self.oriented(&c, &r, mean.to_vec(), (sorted.signals.len(), sorted.versions.len()), run)
    }

    /// From a covariance of signals and a correlation of noise that are known, and the mean of the signals. The model has no
    /// embedding: transform rows with it.
    pub fn fit_covariances(
        &self,
        signal: ArrayView2<'_, f64>,
        noise: ArrayView2<'_, f64>,
        mean: &[f64],
        run: &Run,
    ) -> Result<LinearModel> {
        let d = mean.len();
        let check = |hash: &mut Fingerprint| {
            oriented::admit_mean(d, signal.ncols(), noise.ncols())?;
            let row = ArrayView2::from_shape((1, d), mean).map_err(|e| Error::shape("mean", &e))?;
            check::finite("mean", row)?;
            for (what, matrix) in [("signal covariance", signal), ("noise correlation", noise)] {
                oriented::admit(what, matrix, d)?;
                hash.add(matrix.into(), false, run)?;
            }
            Ok(())
        };
        let moments = |matrix: ArrayView2<'_, f64>| Moments {
            matrix: faer::Mat::from_fn(d, d, |i, j| 0.5 * (matrix[(i, j)] + matrix[(j, i)])),
            scale: 1.0,
            rows: d,
        };
        let fit = || {
            let map = self.oriented(&moments(signal), &moments(noise), mean.to_vec(), (0, 0), run)?;
            Ok(LinearModel::new(&ORIENTED_PCA, PARTS, self.settings(), map))
        };
        // Of so many rows at least would such matrices be.
        let shape = Shape { rows: d.max(2), ..AnyInput::from(signal).shape() };
        method::fit_given(self, Given::Other(shape), check, fit, run)
    }

    fn oriented(
        &self,
        signal: &Moments,
        noise: &Moments,
        mean: Vec<f64>,
        (signals, versions): (usize, usize),
        run: &Run,
    ) -> Result<Map> {
        let count = self.n_components.unwrap_or(mean.len());
        let (found, values, name) = match self.criterion {
            Criterion::Quotient => {
                let found = oriented::solve(signal, noise, count, self.regularization, run)?;
                let values = found.quotients.clone();
                (found, values, "largest ratio of signal to noise")
            }
            Criterion::Difference => {
                let (found, values) = oriented::difference(signal, noise, count, run)?;
                (found, values, "largest difference of signal and noise")
            }
        };
        let objective = vec![Quantity { name: name.into(), value: values.first().copied().unwrap_or(0.0) }];
        let resolved = found.ridge.map(|ridge| ("regularization".to_owned(), ridge.to_value()));
        let report = Report {
            objective,
            eigenvalues: values,
            further_eigenvalues: found.further,
            residuals: found.residuals,
            warnings: found.warnings,
            resolved: resolved.into_iter().collect(),
            ..Report::default()
        };
        let parts = vec![
            found.directions.t().to_owned().into(),
            Array1::from(found.quotients).into(),
            Array1::from(mean.clone()).into(),
            signals.into(),
            versions.into(),
        ];
        Ok(Map {
            center: mean,
            forward: found.directions,
            backward: None,
            density: None,
            found: parts,
            report,
        })
    }
}

impl Fit for OrientedPca {
    type Model = LinearModel;

    const ENTRY: &'static Entry = &ORIENTED_PCA;

    fn check(&self, shape: &Shape) -> Result<()> {
        at_least(shape.rows, 2, "signals and their versions")?;
        at_most(self.n_components, shape.columns, "the number of columns")
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d) = (shape.rows as f64, shape.columns as f64);
        let k = self.n_components.map_or(d, |count| count as f64);
        Forecast {
            bytes: (covariance_bytes(shape) + 8.0 * (4.0 * d * d + n * d + n * k)) as u64,
            flops: 2.0 * n * d * d + 20.0 * d * d * d + 2.0 * n * d * k,
            remedy: "reduce the columns with pca first".into(),
        }
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<LinearModel> {
        let map = on_points!(data.input, x => self.map(x, data.labels, run))?;
        LinearModel::new(&ORIENTED_PCA, PARTS, self.settings(), map).embedded(data.input, run)
    }

    fn load(&self, archive: &Archive) -> Result<LinearModel> {
        LinearModel::load(&ORIENTED_PCA, PARTS, self.settings(), archive)
    }
}
