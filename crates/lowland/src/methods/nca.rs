//! Neighborhood components analysis (Goldberger, Roweis, Hinton and Salakhutdinov 2004): the linear map in which each
//! row most probably picks a neighbor of its own class.
//!
//! rows with labels -> start (LDA, PCA or the identity) -> maximize the expected number of correctly classified rows -> project

use super::lda::Lda;
use super::{at_least, at_most};
use crate::input::on_points;
use crate::matrix::Element;
use crate::method::{Capabilities, Entry, Fit, Forecast, Training};
use crate::methods::Pca;
use crate::model::{Archive, Form, Part, Quantity, Report, Warning};
use crate::optimize::lbfgs::{self, Stop};
use crate::parameters::{Components, Described, Field, Kind};
use crate::projective::classes::{classes, several};
use crate::projective::nca::{Points, order, principal_components};
use crate::projective::{LinearModel, Map};
use crate::{Shape, choices, parameters};
use lowland_base::units::count;
use lowland_base::{Error, Result, Run};
use lowland_linalg::rows::centering;
use ndarray::{Array1, Array2, ArrayView2};

/// Neighborhood components analysis in the registry.
pub static NCA: Entry = Entry {
    name: "nca",
    aliases: &["neighborhood-components-analysis", "neighbourhood-components-analysis"],
    title: "Neighborhood components analysis",
    summary: "The linear map after which a row's nearest neighbors are most often of its own class: a metric learned from \
              labels. Its cost grows with the square of the rows.",
    citation: "J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov, Neighborhood components analysis, 2004",
    capabilities: Capabilities { labels: true, local_optimum: true, ..Capabilities::PLAIN },
    ..Entry::of::<Nca>()
};

const PARTS: &[Part] = &[
    ("components", "The map, one component a row.", Form::Matrix),
    (
        "expected_accuracy",
        "The expected share of rows that pick a neighbor of their own class.",
        Form::Number,
    ),
    ("mean", "The mean of each column of the data: a row is measured from there.", Form::Vector),
    ("n_iter", "The steps taken.", Form::Count),
];

choices! {
    /// Where the search starts.
    pub enum NcaInit {
        /// Linear discriminants where they suffice, then principal components, then the identity.
        Auto = "auto",
        /// Linear discriminants.
        Lda = "lda",
        /// Principal components.
        Pca = "pca",
        /// The first columns as they are.
        Identity = "identity",
    }
}

parameters! {
    /// Neighborhood components analysis: the parameters.
    pub struct Nca {
        /// How many components: at most the number of columns; `auto` takes as many as there are columns.
        n_components: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: i64::MAX }] };
        /// Where the search starts.
        init: NcaInit = NcaInit::Auto;
        /// The search ends when a step improves the expected number of correctly classified rows by less, relative to it.
        tol: f64 = 1e-5, in Kind::Real { min: 0.0, max: 1.0, open: true };
        /// The most steps that the search takes.
        max_iter: usize = 50, in Kind::Integer { min: 1, max: 100_000 };
    }
}

impl Nca {
    fn map<T: Element>(&self, x: ArrayView2<'_, T>, labels: &[i64], run: &Run) -> Result<Map> {
        // The objective has many local maxima, and the last digits of a sum can decide among them: double precision and
        // an order of its own make the result the same, however the rows are stored and sorted.
        let order = order(x, labels);
        let x = Array2::from_shape_fn(x.dim(), |(i, j)| x[(order[i], j)].wide());
        let labels: Vec<i64> = order.iter().map(|&row| labels[row]).collect();
        run.check()?;
        let (x, labels) = (x.view(), &labels[..]);
        let (n, d) = x.dim();
        let k = self.n_components.unwrap_or(d);
        let (of_row, sizes) = classes(labels);
        several(sizes.len())?;
        if sizes.len() == n {
            let problem = format!("{n} classes for {n} rows: no row has another of its class");
            return Err(Error::conflict("labels", problem, "give labels that repeat"));
        }
        let center = centering(crate::matrix::faer_view(x), run)?;
        let scale = center.scale;
        let rows: Vec<f64> =
            x.indexed_iter().map(|((_, j), value)| (value - center.mean[j]) * scale).collect();
        let points = Points { n, d, rows, of_row };
        let (start, init) = self.start(x, labels, k, run)?;
        let stage = run.stage("neighborhood components", Some(self.max_iter as u64));
        let stop = Stop { gradient: 1e-7, decrease: self.tol, steps: self.max_iter };
        let objective = |map: &[f64], gradient: &mut [f64]| Ok(-points.objective(map, k, gradient, run)?);
        let each = |_: usize, loss: f64| stage.advance_with_loss(loss);
        let end = lbfgs::minimize(start.iter().map(|x| x / scale).collect(), stop, objective, each, run)?;
        drop(stage);
        let forward = Array2::from_shape_vec((d, k), end.point).map_err(|e| Error::shape("map", &e))? * scale;
        let (forward, used) = principal_components(forward, &points, scale, run)?;
        let steps = end.history.len() - 1;
        let mut warnings = Vec::new();
        if !end.converged {
            let change = end.history[steps - 1] - end.history[steps];
            let what = "the search".into();
            warnings.push(Warning::NotConverged { what, steps, change, tolerance: self.tol });
        }
        if used < k {
            let advice = if used > 0 { format!("ask for {used}") } else { "give rows that differ".into() };
            let reason = format!("the rows vary in {} of the map; {advice}", count(used, "direction"));
            warnings.push(Warning::ZeroComponents { asked: k, zero: k - used, reason });
        }
        let accuracy = -end.value / n as f64;
        let objective = vec![Quantity { name: "expected share of right neighbors".into(), value: accuracy }];
        let found = vec![
            forward.t().to_owned().into(),
            accuracy.into(),
            Array1::from(center.mean.clone()).into(),
            steps.max(1).into(),
        ];
        let losses = end.history.into_iter().enumerate().collect();
        let resolved = [("init".to_owned(), init.to_value())].into();
        let report = Report { objective, warnings, losses, resolved, ..Report::default() };
        Ok(Map { center: center.mean, forward, backward: None, density: None, found, report })
    }

    /// Columns of the data x components, and how they were found.
    fn start<T: Element>(
        &self,
        x: ArrayView2<'_, T>,
        labels: &[i64],
        k: usize,
        run: &Run,
    ) -> Result<(Array2<f64>, NcaInit)> {
        let (n, d) = x.dim();
        let groups = classes(labels).1.len();
        let by_lda = k <= d.min(groups.saturating_sub(1)) && groups < n;
        let init = match self.init {
            NcaInit::Auto if by_lda => NcaInit::Lda,
            NcaInit::Auto if k < d.min(n) => NcaInit::Pca,
            NcaInit::Auto => NcaInit::Identity,
            other => other,
        };
        match init {
            NcaInit::Lda => match (Lda { n_components: Some(k), ..Lda::default() }).map(x, labels, run) {
                Ok(map) => Ok((map.forward, init)),
                // Classes without any extent: no discriminant, and none is needed to begin.
                Err(Error::Constant { .. }) if self.init == NcaInit::Auto => {
                    Self { init: NcaInit::Pca, ..self.clone() }.start(x, labels, k, run)
                }
                Err(error) => Err(error),
            },
            NcaInit::Pca => {
                let pca = Pca { n_components: Components::Count(k), ..Pca::default() };
                let spectrum = pca.spectrum(x, run)?;
                Ok((Array2::from_shape_fn((d, k), |(i, j)| spectrum.directions[(i, j)]), init))
            }
            _ => Ok((Array2::from_shape_fn((d, k), |(i, j)| f64::from(i == j)), init)),
        }
    }
}

impl Fit for Nca {
    type Model = LinearModel;

    const ENTRY: &'static Entry = &NCA;

    fn check(&self, shape: &Shape) -> Result<()> {
        at_least(shape.rows, 2, "a neighbor to pick")?;
        at_most(self.n_components, shape.columns, "the number of columns")
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d) = (shape.rows as f64, shape.columns as f64);
        let k = self.n_components.map_or(d, |count| count as f64);
        let start = Lda::default().forecast(shape);
        Forecast {
            bytes: start.bytes + (8.0 * (2.0 * n * d + 4.0 * n * k + 2.0 * (64.0 * n) + 24.0 * d * k)) as u64,
            flops: start.flops + 60.0 * (n * n * (6.0 * k + 20.0) + 4.0 * n * d * k),
            remedy: "take fewer rows, or lda".into(),
        }
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<LinearModel> {
        let map = on_points!(data.input, x => self.map(x, data.labels, run))?;
        LinearModel::new(&NCA, PARTS, self.settings(), map).embedded(data.input, run)
    }

    fn load(&self, archive: &Archive) -> Result<LinearModel> {
        LinearModel::load(&NCA, PARTS, self.settings(), archive)
    }
}
