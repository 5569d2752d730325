//! Neighborhood components analysis (Goldberger, Roweis, Hinton and Salakhutdinov 2004): the linear map in which each
//! row most probably picks a neighbor of its own class.
//!
//! rows with labels -> start (LDA, PCA or the identity) -> climb the expected number of right picks -> project

use super::lda::{Lda, classes, several};
use super::{at_least, at_most};
use crate::functions::exp;
use crate::matrix::{Element, to_array};
use crate::method::{Capabilities, Entry, Fit, Forecast, Training};
use crate::methods::Pca;
use crate::model::{Archive, Quantity, Report, Warning};
use crate::parameters::{Components, Described, Kind};
use crate::projective::lbfgs::{self, Stop};
use crate::projective::{Affine, Form, LinearModel, Map, Part, em};
use crate::{AnyInput, Input, Shape, choices, parameters};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use lowland_base::parallel::{fold_in_order, map_chunks};
use lowland_base::simd::vectorized;
use lowland_base::{Error, Result, Run};
use lowland_linalg::rows::centering;
use ndarray::{Array1, Array2, ArrayView2, s};

/// Neighborhood components analysis in the registry.
pub static NCA: Entry = Entry {
    name: "nca",
    aliases: &["neighborhood-components-analysis", "neighborhood-components-analysis"],
    title: "Neighborhood components analysis",
    summary: "The linear map after which a row's nearest neighbors are most often of its own class: a metric learnt from \
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
    pub enum NcaStart {
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
        init: NcaStart = NcaStart::Auto;
        /// The search ends when a step gains less, relative to the expected number of right picks.
        tol: f64 = 1e-5, in Kind::Real { min: 0.0, max: 1.0, open: true };
        /// The most steps that the search takes.
        max_iter: usize = 50, in Kind::Integer { min: 1, max: 100_000 };
    }
}

/// Rows compared with all others at a time.
const CHUNK: usize = 64;

impl Nca {
    fn solve(&self, input: AnyInput<'_>, labels: &[i64], run: &Run) -> Result<LinearModel> {
        let map = on_points!(input, x => self.map(x, labels, run))?;
        LinearModel::new(&NCA, PARTS, self.settings(), map).embedded(input, run)
    }

    fn map<T: Element>(&self, x: ArrayView2<'_, T>, labels: &[i64], run: &Run) -> Result<Map> {
        // The search climbs a function with many summits, and the last digits of a sum can lead it to another one: double
        // precision and an order of its own make the result that of the data, however their rows are stored and sorted.
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
            let problem = "every row is a class of its own: no other row is a right neighbor".into();
            return Err(Error::Malformed { what: "set of labels", problem });
        }
        let center = centering(crate::matrix::faer_view(x), run)?;
        let scale = center.scale;
        let rows: Vec<f64> =
            x.indexed_iter().map(|((_, j), value)| (value - center.mean[j]) * scale).collect();
        let points = Points { n, d, rows, of_row };
        let start = self.start(x, labels, k, run)? / scale;
        let stage = run.stage("neighborhood components", Some(self.max_iter as u64));
        let stop = Stop { gradient: 1e-7, gain: self.tol, steps: self.max_iter };
        let f = |map: &[f64], gradient: &mut [f64]| {
            stage.advance(0)?;
            let value = points.picks(map, k, gradient, run)?;
            Ok(-value)
        };
        let end = lbfgs::minimize(start.iter().copied().collect(), stop, f)?;
        drop(stage);
        let forward = Array2::from_shape_vec((d, k), end.point)
            .map_err(|e| lowland_base::Error::Malformed { what: "map", problem: e.to_string() })?
            * scale;
        let (forward, used) = principal(forward, &points, scale, run)?;
        let steps = end.history.len() - 1;
        let mut warnings = Vec::new();
        if !end.converged {
            let gained = end.history[steps - 1] - end.history[steps];
            warnings.push(Warning::NotConverged {
                what: "the search".into(),
                steps,
                change: gained,
                tolerance: self.tol,
            });
        }
        if used < k {
            let advice = if used > 0 { format!("; ask for {used}") } else { String::new() };
            let reason = format!("the rows vary in {used} directions of the map{advice}");
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
        let report = Report { objective, warnings, ..Report::default() };
        Ok(Map { center: center.mean, forward, backward: None, density: None, found, report })
    }

    /// Columns of the data x components.
    fn start<T: Element>(
        &self,
        x: ArrayView2<'_, T>,
        labels: &[i64],
        k: usize,
        run: &Run,
    ) -> Result<Array2<f64>> {
        let (n, d) = x.dim();
        let groups = classes(labels).1.len();
        let by_lda = k <= d.min(groups.saturating_sub(1)) && groups < n;
        let init = match self.init {
            NcaStart::Auto if by_lda => NcaStart::Lda,
            NcaStart::Auto if k < d.min(n) => NcaStart::Pca,
            NcaStart::Auto => NcaStart::Identity,
            other => other,
        };
        match init {
            NcaStart::Lda => match (Lda { n_components: Some(k), ..Lda::default() }).map(x, labels, run) {
                Ok(map) => Ok(map.forward),
                // Classes without any extent: no discriminant, and none is needed to begin.
                Err(Error::Constant { .. }) if self.init == NcaStart::Auto => {
                    Self { init: NcaStart::Pca, ..self.clone() }.start(x, labels, k, run)
                }
                Err(error) => Err(error),
            },
            NcaStart::Pca => {
                let pca = Pca { n_components: Components::Count(k), ..Pca::default() };
                let spectrum = pca.spectrum(x, run)?;
                Ok(Array2::from_shape_fn((d, k), |(i, j)| spectrum.directions[(i, j)]))
            }
            _ => Ok(Array2::from_shape_fn((d, k), |(i, j)| f64::from(i == j))),
        }
    }
}

/// The rows by their values, and those that are equal by their labels.
fn order<T: Element>(x: ArrayView2<'_, T>, labels: &[i64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..x.nrows()).collect();
    order.sort_by(|&a, &b| {
        let mut places = x.row(a).into_iter().zip(x.row(b)).map(|(a, b)| a.wide().total_cmp(&b.wide()));
        places.find(|order| order.is_ne()).unwrap_or_else(|| labels[a].cmp(&labels[b]))
    });
    order
}

/// The same map, turned so that its components are uncorrelated, the widest first: distances stay as they are. Those
/// along which no row differs are zero; also how many are not.
fn principal(forward: Array2<f64>, points: &Points, scale: f64, run: &Run) -> Result<(Array2<f64>, usize)> {
    let k = forward.ncols();
    let rows = ArrayView2::from_shape((points.n, points.d), &points.rows)
        .map_err(|e| lowland_base::Error::Malformed { what: "table", problem: e.to_string() })?;
    let map = Affine { center: None, matrix: forward.view(), offset: None };
    let y = map.apply(Input::Points(rows), run)? / scale;
    let pca = Pca { n_components: Components::Count(k.min(points.n)), ..Pca::default() };
    let spectrum = pca.spectrum(y.view(), run)?;
    if spectrum.directions.ncols() < k {
        return Ok((forward, k));
    }
    let used = spectrum.variances.iter().take_while(|&&v| v > spectrum.resolution && v > 0.0).count();
    let mut turned = forward.dot(&to_array::<f64, f64>(spectrum.directions.as_ref()));
    turned.slice_mut(s![.., used..]).fill(0.0);
    em::fix_signs(&mut turned);
    Ok((turned, used))
}

/// The rows, about their mean and in units of their size, and their classes.
struct Points {
    n: usize,
    d: usize,
    rows: Vec<f64>,
    of_row: Vec<usize>,
}

impl Points {
    /// The expected number of rows that pick a neighbor of their own class, and minus its gradient (`d x k`).
    fn picks(&self, map: &[f64], k: usize, gradient: &mut [f64], run: &Run) -> Result<f64> {
        let (n, d) = (self.n, self.d);
        let map = MatRef::from_row_major_slice(map, d, k);
        let parts = map_chunks(run, n, 256, |rows| {
            let mut y = vec![0.0; rows.len() * k];
            matmul(
                MatMut::from_row_major_slice_mut(&mut y, rows.len(), k),
                Accum::Replace,
                MatRef::from_row_major_slice(&self.rows[rows.start * d..rows.end * d], rows.len(), d),
                map,
                1.0,
                Par::Seq,
            );
            y
        })?;
        let y = parts.concat();
        let squares: Vec<f64> = y.chunks_exact(k).map(|y| y.iter().map(|y| y * y).sum()).collect();
        // With p the pick probabilities, P_i their sum over the own class and w_ij = p_ij ([own] - P_i), the gradient
        // is 2 sum_ij w_ij (x_i - x_j)(y_i - y_j)' with its sign turned: a Laplacian of w + w' between x and y.
        let (mut total, mut pull) = (0.0, vec![0.0; n * k]);
        let scratch = || (vec![0.0; CHUNK * n], vec![0.0; n * k], 0.0f64);
        let work = |index: usize, (weights, pull, value): &mut (Vec<f64>, Vec<f64>, f64)| {
            let rows = index * CHUNK..((index + 1) * CHUNK).min(n);
            let height = rows.len();
            let own = MatRef::from_row_major_slice(&y[rows.start * k..rows.end * k], height, k);
            let all = MatRef::from_row_major_slice(&y, n, k);
            let weights = &mut weights[..height * n];
            matmul(
                MatMut::from_row_major_slice_mut(weights, height, n),
                Accum::Replace,
                own,
                all.transpose(),
                -2.0,
                Par::Seq,
            );
            *value = 0.0;
            for (row, weights) in rows.clone().zip(weights.chunks_exact_mut(n)) {
                *value += self.weigh(row, weights, &squares);
            }
            // pull_j of this chunk: sum_i w_ij (y_j - y_i) for all j, and for the own rows sum_j w_ij (y_i - y_j).
            let weights = MatRef::from_row_major_slice(&*weights, height, n);
            let mut of_all = MatMut::from_row_major_slice_mut(pull, n, k);
            matmul(of_all.as_mut(), Accum::Replace, weights.transpose(), own, -1.0, Par::Seq);
            let mut of_own = vec![0.0; height * k];
            matmul(
                MatMut::from_row_major_slice_mut(&mut of_own, height, k),
                Accum::Replace,
                weights,
                all,
                -1.0,
                Par::Seq,
            );
            for j in 0..n {
                let sum: f64 = weights.col(j).iter().sum();
                pull[j * k..(j + 1) * k].iter_mut().zip(&y[j * k..]).for_each(|(pull, y)| *pull += sum * y);
            }
            for (at, row) in rows.clone().enumerate() {
                // The weights of a row sum to zero but for rounding.
                let sum: f64 = weights.row(at).iter().sum();
                for a in 0..k {
                    pull[row * k + a] += of_own[at * k + a] + sum * y[row * k + a];
                }
            }
        };
        let fold = |_, (), scratch: &mut (Vec<f64>, Vec<f64>, f64)| {
            total += scratch.2;
            pull.iter_mut().zip(&scratch.1).for_each(|(sum, part)| *sum += part);
        };
        fold_in_order(run, n.div_ceil(CHUNK), scratch, work, fold)?;
        gradient.fill(0.0);
        let parts = map_chunks(run, n, 1024, |rows| {
            let mut part = vec![0.0; d * k];
            matmul(
                MatMut::from_row_major_slice_mut(&mut part, d, k),
                Accum::Replace,
                MatRef::from_column_major_slice(&self.rows[rows.start * d..rows.end * d], d, rows.len()),
                MatRef::from_row_major_slice(&pull[rows.start * k..rows.end * k], rows.len(), k),
                2.0,
                Par::Seq,
            );
            part
        })?;
        for part in parts {
            gradient.iter_mut().zip(part).for_each(|(gradient, part)| *gradient += part);
        }
        Ok(total)
    }

    /// Turns `-2 y_i'y_j` of one row into `w_ij`; the probability that the row picks its own class.
    fn weigh(&self, row: usize, weights: &mut [f64], squares: &[f64]) -> f64 {
        weights.iter_mut().zip(squares).for_each(|(w, square)| *w += square);
        weights[row] = f64::INFINITY;
        let nearest = weights.iter().fold(f64::INFINITY, |least, &w| if w < least { w } else { least });
        vectorized(
            #[inline(always)]
            || weights.iter_mut().for_each(|w| *w = exp(nearest - *w)),
        );
        weights[row] = 0.0;
        let all: f64 = weights.iter().sum();
        let class = self.of_row[row];
        let own: f64 =
            weights.iter().zip(&self.of_row).filter(|&(_, &other)| other == class).map(|(w, _)| w).sum();
        let (share, unit) = (own / all, 1.0 / all);
        for (w, &other) in weights.iter_mut().zip(&self.of_row) {
            *w *= unit * (f64::from(other == class) - share);
        }
        share
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
        self.solve(data.input, data.labels, run)
    }

    fn load(&self, archive: &Archive) -> Result<LinearModel> {
        LinearModel::load(&NCA, PARTS, self.settings(), archive)
    }
}
