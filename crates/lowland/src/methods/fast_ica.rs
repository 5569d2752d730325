//! Independent component analysis (Hyvärinen 1999, Bell and Sejnowski 1995; Burges 1): the projections that are least
//! Gaussian, which are the sources where the data are a linear mixture of independent ones.
//!
//! points -> whiten -> fixed-point iteration of a contrast, or ascent of a likelihood -> unmix

use super::{at_least, at_most, covariance_bytes, smaller};
use crate::input::on_points;
use crate::matrix::Element;
use crate::method::{Capabilities, Entry, Fit, Forecast, Training};
use crate::model::{Archive, Form, Part, Quantity, Report, Warning};
use crate::parameters::{Described, Kind};
pub use crate::projective::ica::{Contrast, IcaAlgorithm};
use crate::projective::ica::{Iteration, Unmixed};
use crate::projective::inverse::inverse;
use crate::projective::signs::fix_rows_with;
use crate::projective::whitened::{Whitened, with_zero_rows};
use crate::projective::{LinearModel, Map};
use crate::{Shape, parameters};
use lowland_base::{Result, Run};
use ndarray::{Array1, ArrayView2, Axis};

/// FastICA in the registry.
pub static FAST_ICA: Entry = Entry {
    name: "fast-ica",
    aliases: &["ica", "independent-component-analysis"],
    title: "Independent component analysis",
    summary: "Takes linear mixtures apart: the directions whose projections are as independent, and as far from \
              Gaussian, as possible. For signals that were added up, not for compact pictures of data.",
    citation: "A. Hyvärinen, Fast and robust fixed-point algorithms for independent component analysis, 1999; A. J. \
               Bell, T. J. Sejnowski, An information-maximization approach to blind separation and blind \
               deconvolution, 1995; T.-W. Lee, M. Girolami, T. J. Sejnowski, Independent component analysis using an \
               extended infomax algorithm for mixed subgaussian and supergaussian sources, 1999",
    capabilities: Capabilities { inverse: true, random: true, local_optimum: true, ..Capabilities::PLAIN },
    ..Entry::of::<FastIca>()
};

const PARTS: &[Part] = &[
    (
        "components",
        "The unmixing matrix, one component a row: it maps centered rows to sources.",
        Form::Matrix,
    ),
    ("mixing", "The mixing matrix: it maps sources to centered rows.", Form::Matrix),
    ("mean", "The mean of each column of the data.", Form::Vector),
    ("negentropy", "How far each component is from Gaussian, by the contrast.", Form::Vector),
    ("n_iter", "The steps of the iteration with all rows.", Form::Count),
];

parameters! {
    /// Independent component analysis: the parameters.
    pub struct FastIca {
        /// How many components: at most the smaller of rows and columns; `auto` takes all directions of the data.
        n_components: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: i64::MAX }] };
        /// How the components are found.
        algorithm: IcaAlgorithm = IcaAlgorithm::Parallel;
        /// What measures the distance from a Gaussian.
        fun: Contrast = Contrast::Logcosh;
        /// The iteration ends when no direction changes by more: 1 less the cosine.
        tol: f64 = 1e-8, in Kind::Real { min: 0.0, max: 1.0, open: true };
        /// The most steps (for each component, where they are found one after the other).
        max_iter: usize = 500, in Kind::Integer { min: 1, max: 1_000_000 };
    }
}

impl FastIca {
    fn map<T: Element>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<Map> {
        let z = Whitened::new(x, self.n_components, run)?;
        let k = z.rank;
        let (algorithm, contrast) = (self.algorithm, self.fun);
        let iteration = Iteration { algorithm, contrast, tolerance: self.tol, steps: self.max_iter };
        let Unmixed { directions, steps, change, mut losses } = iteration.solve(&z, run)?;
        let mut warnings = z.warnings.clone();
        if change > self.tol {
            let way =
                if self.algorithm.is_orthogonal() { "the fixed-point iteration" } else { "the likelihood" };
            let (what, steps) = (way.into(), self.max_iter);
            warnings.push(Warning::NotConverged { what, steps, change, tolerance: self.tol });
        }
        // The least Gaussian first.
        let sums = z.sums(&directions, |y, sums| self.fun.add_up(y, sums, k), run)?;
        let negentropies: Vec<f64> = sums.iter().map(|sum| self.fun.negentropy(sum / z.n as f64)).collect();
        if self.algorithm.is_orthogonal() {
            // The loss after the last step.
            let (last, total) =
                (losses.last().map_or(0, |(step, _)| step + 1), negentropies.iter().sum::<f64>());
            losses.push((last, -total));
        }
        let mut order: Vec<usize> = (0..k).collect();
        order.sort_by(|&a, &b| negentropies[b].total_cmp(&negentropies[a]));
        let mut directions = directions.select(Axis(0), &order);
        let mut components = directions.dot(&z.forward.t());
        fix_rows_with(&mut components, &mut directions);
        // Back by the inverse, whose transpose orthogonal directions are.
        let back = if self.algorithm.is_orthogonal() { None } else { inverse(&directions) };
        let back = back.map_or(directions, |(inverse, _)| inverse.reversed_axes());
        let asked = self.n_components.unwrap_or(k);
        let (components, backward) =
            (with_zero_rows(components, asked), with_zero_rows(back.dot(&z.backward), asked));
        let negentropy: Array1<f64> =
            (0..asked).map(|j| order.get(j).map_or(0.0, |&own| negentropies[own])).collect();
        let objective = vec![Quantity { name: "negentropy".into(), value: negentropy.sum() }];
        let found = vec![
            components.clone().into(),
            backward.t().to_owned().into(),
            Array1::from(z.center.clone()).into(),
            negentropy.into(),
            steps.into(),
        ];
        Ok(Map {
            center: z.center,
            forward: components.reversed_axes().as_standard_layout().into_owned(),
            backward: Some(backward),
            density: None,
            found,
            report: Report { objective, losses, warnings, ..Report::default() },
        })
    }
}

impl Fit for FastIca {
    type Model = LinearModel;

    const ENTRY: &'static Entry = &FAST_ICA;

    fn check(&self, shape: &Shape) -> Result<()> {
        let (n, d) = (shape.rows, shape.columns);
        at_least(n, 2, "the variance that whitening needs")?;
        at_most(self.n_components, n.min(d), &smaller(n, d))
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d) = (shape.rows as f64, shape.columns as f64);
        let k = self.n_components.map_or(n.min(d), |count| count as f64);
        Forecast {
            bytes: (covariance_bytes(shape).min(8.0 * (7.0 * n * d + 6.0 * n.min(d).powi(2)))
                + 8.0 * (2.0 * n * k + n * n.min(d).min(2.0 * k) + 4.0 * d * k)) as u64,
            flops: n * d * d + 2.0 * n * d * k + 50.0 * n * k * (4.0 * k + 30.0),
            remedy: "select fewer columns first".into(),
        }
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<LinearModel> {
        let map = on_points!(data.input, x => self.map(x, run))?;
        LinearModel::new(&FAST_ICA, PARTS, self.settings(), map).embedded(data.input, run)
    }

    fn load(&self, archive: &Archive) -> Result<LinearModel> {
        LinearModel::load(&FAST_ICA, PARTS, self.settings(), archive)
    }
}
