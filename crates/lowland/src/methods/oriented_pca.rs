//! Oriented principal component analysis (Diamantaras and Kung 1996; Burges 1.4): directions along which the signals
//! vary much and their distorted versions differ little.
//!
//! rows with labels -> signals and differences -> covariance, noise correlation -> generalized eigenvectors

use super::{at_least, at_most, covariance_bytes};
use crate::input::on_points;
use crate::matrix::Element;
use crate::method::{Capabilities, Entry, Fit, Forecast, Training};
use crate::model::{Archive, Quantity, Report};
use crate::parameters::{Described, Kind};
use crate::projective::oriented::{self, Versions};
use crate::projective::{Form, LinearModel, Map, Part};
use crate::{AnyInput, Shape, parameters};
use lowland_base::{Result, Run};
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
        "quotients",
        "The variance of the signal over the mean square of the noise along each direction.",
        Form::Vector,
    ),
    ("mean", "The mean of the signals.", Form::Vector),
    ("n_signals", "The number of signals.", Form::Count),
    ("n_versions", "The number of distorted versions.", Form::Count),
];

parameters! {
    /// Oriented principal component analysis: the parameters.
    pub struct OrientedPca {
        /// How many directions: at most the number of columns; `auto` takes all.
        n_components: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: i64::MAX }] };
        /// What is added to the diagonal of the noise, relative to its mean; `auto` adds something only where the
        /// noise is singular, with a warning.
        regularization: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 0.0, max: 1e6, open: false }] };
    }
}

impl OrientedPca {
    fn solve(&self, input: AnyInput<'_>, labels: &[i64], run: &Run) -> Result<LinearModel> {
        let map = on_points!(input, x => self.map(x, labels, run))?;
        LinearModel::new(&ORIENTED_PCA, PARTS, self.settings(), map).embedded(input, run)
    }

    fn map<T: Element>(&self, x: ArrayView2<'_, T>, labels: &[i64], run: &Run) -> Result<Map> {
        let sorted = Versions::new(labels)?;
        let stage = run.stage("signal and noise", None);
        let (signals, noise) = oriented::split(x, &sorted);
        let mean = signals.mean_axis(Axis(0)).unwrap_or_default();
        let (c, r) = (oriented::covariance(signals.view(), run)?, oriented::correlation(noise.view(), run)?);
        drop(stage);
        let count = self.n_components.unwrap_or(x.ncols());
        let found = oriented::solve(&c, &r, count, self.regularization, run)?;
        let objective = vec![Quantity {
            name: "largest ratio of signal to noise".into(),
            value: found.quotients.first().copied().unwrap_or(0.0),
        }];
        let report = Report {
            objective,
            eigenvalues: found.quotients.clone(),
            residuals: found.residuals,
            warnings: found.warnings,
            ..Report::default()
        };
        let parts = vec![
            found.directions.t().to_owned().into(),
            Array1::from(found.quotients).into(),
            mean.clone().into(),
            sorted.signals.len().into(),
            sorted.versions.len().into(),
        ];
        Ok(Map {
            center: mean.to_vec(),
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
        self.solve(data.input, data.labels, run)
    }

    fn load(&self, archive: &Archive) -> Result<LinearModel> {
        LinearModel::load(&ORIENTED_PCA, PARTS, self.settings(), archive)
    }
}
