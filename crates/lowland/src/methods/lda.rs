//! Linear discriminant analysis as a reducer (Fisher 1936, Rao 1948): the directions that part the means of classes
//! most, in units of the spread within classes.
//!
//! rows with labels -> scatter within classes -> whiten it -> singular vectors of the class means -> project

use super::{at_least, at_most, covariance_bytes};
use crate::matrix::{Element, faer_view, to_array};
use crate::method::{Capabilities, Entry, Fit, Forecast, Training};
use crate::model::{Archive, Quantity, Report, Warning};
use crate::parameters::{Described, Kind};
use crate::projective::{Form, LinearModel, Map, Part, em};
use crate::{AnyInput, Shape, parameters};
use faer::Mat;
use lowland_base::{Error, Result, Run};
use lowland_linalg::operator::Dense;
use lowland_linalg::rows::{Center, Rows, centering};
use lowland_linalg::{Request, Which, eigen, gram, svd};
use ndarray::{Array1, Array2, ArrayView2, s};
use std::collections::BTreeMap;

/// Linear discriminant analysis in the registry.
pub static LDA: Entry = Entry {
    name: "lda",
    aliases: &["linear-discriminant-analysis", "fisher-discriminant-analysis"],
    title: "Linear discriminant analysis",
    summary: "The linear views in which labeled classes lie furthest apart, measured by their own spread. Has at most one \
              component less than there are classes.",
    citation: "R. A. Fisher, The use of multiple measurements in taxonomic problems, 1936; C. R. Rao, The utilization of \
               multiple measurements in problems of biological classification, 1948",
    capabilities: Capabilities { labels: true, ..Capabilities::PLAIN },
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
];

parameters! {
    /// Linear discriminant analysis: the parameters.
    pub struct Lda {
        /// How many components: at most the smaller of columns and classes less one; `auto` takes all.
        n_components: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: i64::MAX }] };
        /// How far the spread within classes is drawn towards a sphere, from 0 (not) to 1 (in full): for few rows.
        shrinkage: f64 = 0.0, in Kind::Real { min: 0.0, max: 1.0, open: false };
        /// Directions within classes whose deviation, relative to that of the columns, is below this are left out.
        tol: f64 = 1e-4, in Kind::Real { min: 0.0, max: 1.0, open: true };
    }
}

/// More than one class.
pub(super) fn several(classes: usize) -> Result<()> {
    if classes > 1 {
        return Ok(());
    }
    let problem = "there is only one class: give at least two".into();
    Err(Error::Malformed { what: "set of labels", problem })
}

/// Which class each row belongs to, numbered in the order of the labels, and how many rows each has.
pub(super) fn classes(labels: &[i64]) -> (Vec<usize>, Vec<usize>) {
    let mut numbers: BTreeMap<i64, usize> = labels.iter().map(|&label| (label, 0)).collect();
    numbers.values_mut().enumerate().for_each(|(number, value)| *value = number);
    let of_row: Vec<usize> = labels.iter().map(|label| numbers[label]).collect();
    let mut sizes = vec![0; numbers.len()];
    of_row.iter().for_each(|&class| sizes[class] += 1);
    (of_row, sizes)
}

impl Lda {
    fn solve(&self, input: AnyInput<'_>, labels: &[i64], run: &Run) -> Result<LinearModel> {
        let map = on_points!(input, x => self.map(x, labels, run))?;
        LinearModel::new(&LDA, PARTS, self.settings(), map).embedded(input, run)
    }

    pub(super) fn map<T: Element>(&self, x: ArrayView2<'_, T>, labels: &[i64], run: &Run) -> Result<Map> {
        let (n, d) = x.dim();
        let (of_row, sizes) = classes(labels);
        let groups = sizes.len();
        several(groups)?;
        if groups >= n {
            let problem = "every row is a class of its own: give several rows of each class".into();
            return Err(Error::Malformed { what: "set of labels", problem });
        }
        at_most(
            self.n_components,
            (groups - 1).min(d),
            &format!("the smaller of {groups} classes less one and {d} columns"),
        )?;
        let asked = self.n_components.unwrap_or((groups - 1).min(d));

        let stage = run.stage("scatter", None);
        let view = faer_view(x);
        let c = centering(view, run)?;
        let means = class_means(x, &c.mean, &of_row, &sizes, run)?;
        let scatter = gram(Rows { x: view, center: Center::Columns(&c.mean), scale: c.scale }, run)?;
        let weighted =
            Array2::from_shape_fn((groups, d), |(g, j)| means[(g, j)] * c.scale * (sizes[g] as f64).sqrt());
        let between = gram(Rows::plain(faer_view(weighted.view())), run)?;
        drop(stage);
        let stage = run.stage("directions", None);
        let freedom = n as f64;
        // The scatter within classes is the whole less that between the means (both about the mean of all), unless
        // the classes are so far apart that the subtraction would cost digits.
        let cancels = |j: usize| scatter[(j, j)] - between[(j, j)] < 1e-4 * scatter[(j, j)];
        let mut within = if (0..d).any(cancels) {
            let own = Array2::from_shape_fn((n, d), |(i, j)| {
                (x[(i, j)].wide() - c.mean[j]) - means[(of_row[i], j)]
            });
            let own = gram(Rows { x: faer_view(own.view()), center: Center::None, scale: c.scale }, run)?;
            Mat::from_fn(d, d, |i, j| own[(i, j)] / freedom)
        } else {
            Mat::from_fn(d, d, |i, j| (scatter[(i, j)] - between[(i, j)]) / freedom)
        };
        let mean = (0..d).map(|j| within[(j, j)]).sum::<f64>() / d as f64;
        let rounding = 1e-14 * (0..d).map(|j| scatter[(j, j)]).fold(0.0, f64::max) / freedom;
        if self.shrinkage > 0.0 {
            for j in 0..d {
                for i in 0..d {
                    within[(i, j)] *= 1.0 - self.shrinkage;
                }
                within[(j, j)] += self.shrinkage * mean;
            }
        }
        // In units of each column's own deviation within classes.
        let deviations: Vec<f64> =
            (0..d).map(|j| if within[(j, j)] > rounding { within[(j, j)].sqrt() } else { 0.0 }).collect();
        let safe = |j: usize| if deviations[j] > 0.0 { 1.0 / deviations[j] } else { 0.0 };
        let correlation = Mat::from_fn(d, d, |i, j| within[(i, j)] * safe(i) * safe(j));
        let pairs = eigen::solve(&Dense::new(correlation.as_ref())?, &Request::new(d, Which::Largest), run)?;
        let first = pairs.values.first().copied().unwrap_or(0.0);
        let rank = pairs
            .values
            .iter()
            .take_while(|&&v| v > self.tol * self.tol && v > 1e-13 * d as f64 * first)
            .count();
        if rank == 0 {
            return Err(Error::Constant { what: "rows of each class" });
        }
        let whiten = Array2::from_shape_fn((d, rank), |(i, j)| {
            pairs.vectors[(i, j)] * safe(i) / pairs.values[j].sqrt()
        });
        // The means of the classes, weighted, in these units; their singular vectors are the directions.
        let seen = (weighted.dot(&whiten)) / ((groups - 1) as f64).sqrt();
        let parted = svd::thin(faer_view(seen.view()), run)?;
        drop(stage);
        let sound = parted.values.iter().take_while(|&&v| v > 1e-10 * parted.values[0] && v > 0.0).count();
        let count = asked.min(sound);
        let turn: Array2<f64> = to_array(parted.right.as_ref().subcols(0, count));
        let mut forward = Array2::zeros((d, asked));
        let mut directions = whiten.dot(&turn) * c.scale;
        em::fix_signs(&mut directions);
        forward.slice_mut(s![.., ..count]).assign(&directions);
        let mut warnings = Vec::new();
        if count < asked {
            warnings.push(Warning::RankDeficient { asked, rank: count, remedy: String::new() });
        }
        let squares: Vec<f64> = parted.values.iter().map(|v| v * v).collect();
        let total: f64 = squares.iter().sum();
        let ratio: Array1<f64> =
            (0..asked).map(|j| if j < count && total > 0.0 { squares[j] / total } else { 0.0 }).collect();
        let kept: f64 = squares.iter().take(count).sum();
        let objective = vec![
            Quantity { name: "variance between classes over that within".into(), value: kept },
            Quantity { name: "share of the variance between classes".into(), value: ratio.sum() },
        ];
        let all_means = Array2::from_shape_fn((groups, d), |(g, j)| means[(g, j)] + c.mean[j]);
        let found =
            vec![forward.clone().into(), ratio.into(), all_means.into(), Array1::from(c.mean.clone()).into()];
        let report = Report { objective, warnings, ..Report::default() };
        Ok(Map { center: c.mean, forward, backward: None, density: None, found, report })
    }
}

/// The mean of each class less the mean of all.
fn class_means<T: Element>(
    x: ArrayView2<'_, T>,
    mean: &[f64],
    of_row: &[usize],
    sizes: &[usize],
    run: &Run,
) -> Result<Array2<f64>> {
    let d = x.ncols();
    let mut means = Array2::<f64>::zeros((sizes.len(), d));
    // Columns are independent: their sums can be made at the same time, each in the order of the rows.
    let parts = lowland_base::parallel::map_chunks(run, d, 64, |columns| {
        let mut sums = vec![0.0; sizes.len() * columns.len()];
        let part = x.slice(s![.., columns.clone()]);
        for (row, &class) in part.rows().into_iter().zip(of_row) {
            let sum = &mut sums[class * columns.len()..][..columns.len()];
            for ((sum, value), mean) in sum.iter_mut().zip(row).zip(&mean[columns.clone()]) {
                *sum += value.wide() - mean;
            }
        }
        (columns, sums)
    })?;
    for (columns, sums) in parts {
        for (class, sums) in sums.chunks_exact(columns.len()).enumerate() {
            for (j, sum) in columns.clone().zip(sums) {
                means[(class, j)] = sum / sizes[class] as f64;
            }
        }
    }
    Ok(means)
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
        self.solve(data.input, data.labels, run)
    }

    fn load(&self, archive: &Archive) -> Result<LinearModel> {
        LinearModel::load(&LDA, PARTS, self.settings(), archive)
    }
}
