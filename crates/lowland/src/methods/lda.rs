//! Linear discriminant analysis as a reducer (Fisher 1936, Rao 1948): the directions that part the means of classes
//! most, in units of the spread within classes.
//!
//! rows with labels -> scatter within classes -> whiten it -> singular vectors of the class means -> project

use super::{at_least, at_most, covariance_bytes};
use crate::input::on_points;
use crate::matrix::Element;
use crate::method::{Capabilities, Entry, Fit, Forecast, Training};
use crate::model::{Archive, Form, Part, Quantity, Report, Warning};
use crate::parameters::{Described, Kind, Value};
use crate::projective::classes::{classes, several};
use crate::projective::discriminant::{self, Discriminants};
use crate::projective::stream::wide;
use crate::projective::{LinearModel, Map};
use crate::{AnyInput, Input, Shape, parameters};
use lowland_base::{Error, Result, Run, units};
use ndarray::{Array1, Array2, ArrayView2, s};

/// Linear discriminant analysis in the registry.
pub static LDA: Entry = Entry {
    name: "lda",
    aliases: &["linear-discriminant-analysis", "fisher-discriminant-analysis"],
    title: "Linear discriminant analysis",
    summary: "The linear views in which labeled classes lie furthest apart, measured by their own spread. Has at most one \
              component less than there are classes.",
    citation: "R. A. Fisher, The use of multiple measurements in taxonomic problems, 1936; C. R. Rao, The utilization of \
               multiple measurements in problems of biological classification, 1948",
    capabilities: Capabilities { labels: true, any_units: true, ..Capabilities::PLAIN },
    ..Entry::of::<Lda>()
};

const PARTS: &[Part] = &[
    (
        "scalings",
        "The directions, one a column: the variance within classes (divisor n) is 1 along each.",
        Form::Matrix,
    ),
    (
        "explained_variance_ratio",
        "The share of the variance between classes along each direction.",
        Form::Vector,
    ),
    ("means", "The mean of each class, in the order of the labels.", Form::Matrix),
    ("xbar", "The mean of all rows.", Form::Vector),
    ("priors", "The share of each class among the rows, in the order of the labels.", Form::Vector),
];

parameters! {
    /// Linear discriminant analysis: the parameters.
    pub struct Lda {
        /// How many components: at most the smaller of columns and classes less one; `auto` takes all.
        n_components: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: i64::MAX }] };
        /// How far the covariance within classes is shrunk toward a sphere, from 0 (not) to 1 (in full): for few rows.
        /// `auto` is the amount that Ledoit and Wolf 2004 estimate.
        shrinkage: Option<f64> = Some(0.0),
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 0.0, max: 1.0, open: false }] };
        /// Directions within classes whose deviation, relative to that of the columns, is below this are left out.
        tol: f64 = 1e-4, in Kind::Real { min: 0.0, max: 1.0, open: true };
    }
}

impl Lda {
    pub(crate) fn map<T: Element>(&self, x: ArrayView2<'_, T>, labels: &[i64], run: &Run) -> Result<Map> {
        let (n, d) = x.dim();
        let (of_row, sizes) = classes(labels);
        let groups = sizes.len();
        several(groups)?;
        if groups >= n {
            let problem = format!("{groups} classes for {n} rows: every row is a class of its own");
            return Err(Error::malformed("set of labels", problem, "give several rows of each class"));
        }
        at_most(
            self.n_components,
            (groups - 1).min(d),
            &format!("the smaller of {groups} classes less one and {}", units::count(d, "column")),
        )?;
        let asked = self.n_components.unwrap_or((groups - 1).min(d));

        let Discriminants { mean, class_means, directions, squares, shrinkage } =
            discriminant::solve(x, &of_row, &sizes, (self.shrinkage, self.tol), asked, run)?;
        let count = directions.ncols();
        let mut forward = Array2::zeros((d, asked));
        forward.slice_mut(s![.., ..count]).assign(&directions);
        let mut warnings = Vec::new();
        if count < asked {
            warnings.push(Warning::RankDeficient { asked, rank: count, remedy: String::new() });
        }
        let total: f64 = squares.iter().sum();
        let ratio: Array1<f64> =
            (0..asked).map(|j| if j < count && total > 0.0 { squares[j] / total } else { 0.0 }).collect();
        let kept: f64 = squares.iter().take(count).sum();
        let objective = vec![
            Quantity { name: "variance between classes over that within".into(), value: kept },
            Quantity { name: "share of the variance between classes".into(), value: ratio.sum() },
        ];
        let xbar = Array1::from(mean.clone());
        let priors: Array1<f64> = sizes.iter().map(|&size| size as f64 / n as f64).collect();
        let found =
            vec![forward.clone().into(), ratio.into(), class_means.into(), xbar.into(), priors.into()];
        let mut report = Report { objective, warnings, ..Report::default() };
        report.resolved.insert("shrinkage".into(), Value::Real(shrinkage));
        Ok(Map { center: mean, forward, backward: None, density: None, found, report })
    }
}

impl Fit for Lda {
    type Model = LinearModel;

    const ENTRY: &'static Entry = &LDA;

    fn check(&self, shape: &Shape) -> Result<()> {
        at_least(shape.rows, 3, "two classes and some spread within them")?;
        at_most(self.n_components, shape.columns, "the number of columns")
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d) = (shape.rows as f64, shape.columns as f64);
        let k = self.n_components.map_or(d.min(n), |count| count as f64);
        Forecast {
            bytes: (covariance_bytes(shape) + 8.0 * (4.0 * d * d + n * d + n * k.min(100.0))) as u64,
            flops: n * d * d + 15.0 * d * d * d + 2.0 * n * d * k,
            remedy: "reduce the columns with pca first".into(),
        }
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<LinearModel> {
        // Whitening divides by small deviations: in single precision that would cost most of the digits.
        let map = match data.input {
            AnyInput::F32(Input::Points(x)) => self.map(wide(x).view(), data.labels, run)?,
            input => on_points!(input, x => self.map(x, data.labels, run))?,
        };
        LinearModel::new(&LDA, PARTS, self.settings(), map).embedded(data.input, run)
    }

    fn load(&self, archive: &Archive) -> Result<LinearModel> {
        LinearModel::load(&LDA, PARTS, self.settings(), archive)
    }
}
