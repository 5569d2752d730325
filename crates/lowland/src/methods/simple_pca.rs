//! Principal components by simple rules, for very many columns and for streams (Oja 1982; Partridge and Calvo 1998;
//! Maaten 3.1.1): no covariance matrix, memory for a few rows.
//!
//! blocks of rows -> running mean -> merge into a few directions | Oja's rule | simple PCA -> project

use super::{at_least, at_most};
use crate::matrix::{Element, faer_view, to_array};
use crate::method::{Capabilities, Chunks, Entry, Fit, Forecast, Training};
use crate::model::{Archive, Model, Quantity, Report, Warning};
use crate::parameters::{Described, Kind};
use crate::projective::{Form, LinearModel, Map, Part, em};
use crate::{AnyInput, InputKind, Shape, choices, parameters};
use faer::Mat;
use lowland_base::{Error, Result, Run};
use lowland_linalg::{orthonormalize, svd};
use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate};
use rand::RngExt;
use rand_distr::StandardNormal;

/// Simple principal component analysis in the registry.
pub static SIMPLE_PCA: Entry = Entry {
    name: "simple-pca",
    aliases: &["oja", "incremental-pca", "iterative-pca"],
    title: "Simple principal component analysis",
    summary: "Principal components from one look at each row, in memory for a few rows: for very many columns and for \
              streams. Exact as long as the data have no more directions than are carried along, otherwise approximate.",
    citation: "E. Oja, A simplified neuron model as a principal component analyzer, 1982; M. Partridge, R. Calvo, Fast \
               dimensionality reduction and simple PCA, 1998; D. Ross et al., Incremental learning for robust visual \
               tracking, 2008",
    capabilities: Capabilities { inverse: true, random: true, chunks: true, ..Capabilities::PLAIN },
    ..Entry::of::<SimplePca>()
};

const PARTS: &[Part] = &[
    ("components", "The directions, one a row, by descending variance.", Form::Matrix),
    (
        "explained_variance",
        "The variance (divisor n - 1) along each direction, as far as it was followed.",
        Form::Vector,
    ),
    ("mean", "The mean of each column of the data.", Form::Vector),
    ("n_samples_seen", "The number of rows seen.", Form::Count),
    ("n_iter", "How often the rows were looked at, or the most steps of a direction.", Form::Count),
];

choices! {
    /// By which rule the directions follow the rows.
    pub enum SimplePcaAlgorithm {
        /// Blocks of rows are merged into a few directions by singular values.
        Merge = "merge" | "incremental",
        /// Oja's rule with a memory: the directions move towards what the covariance of each block makes of them.
        Oja = "oja",
        /// One direction after the other, each the sum of the rows on its positive side: all rows are needed at once.
        Simple = "simple" | "spca",
    }
}

parameters! {
    /// Simple principal component analysis: the parameters.
    pub struct SimplePca {
        /// How many components: at most the smaller of rows and columns; `auto` is 2, or fewer where there are not as many.
        n_components: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: i64::MAX }] };
        /// By which rule the directions follow the rows.
        algorithm: SimplePcaAlgorithm = SimplePcaAlgorithm::Merge;
        /// How many directions more than asked for are carried along.
        n_oversamples: usize = 20, in Kind::Integer { min: 0, max: 10_000 };
        /// How many rows are taken at a time.
        batch_size: usize = 256, in Kind::Integer { min: 1, max: 1_000_000 };
        /// For `oja`, how often all rows are looked at, where they are held at once; for `simple`, the most steps of a
        /// direction.
        max_iter: usize = 20, in Kind::Integer { min: 1, max: 100_000 };
    }
}

impl SimplePca {
    fn count(&self, n: usize, d: usize) -> usize {
        self.n_components.unwrap_or(2.min(n).min(d))
    }

    fn solve(&self, input: AnyInput<'_>, run: &Run) -> Result<LinearModel> {
        let model = on_points!(input, x => self.of_all(x, run))?;
        model.embedded(input, run)
    }

    fn of_all<T: Element>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<LinearModel> {
        let stage = run.stage("directions", Some(x.nrows() as u64));
        let mut stream = SimplePcaStream::new(self.clone());
        let passes = match self.algorithm {
            SimplePcaAlgorithm::Merge => 1,
            SimplePcaAlgorithm::Oja => self.max_iter,
            SimplePcaAlgorithm::Simple => {
                let map = self.by_halves(x, run)?;
                return Ok(LinearModel::new(&SIMPLE_PCA, PARTS, self.settings(), map));
            }
        };
        for pass in 0..passes {
            stream.passes = pass + 1;
            for block in x.axis_chunks_iter(Axis(0), self.batch_size) {
                stream.take(wide(block), pass == 0, run)?;
                stage.advance(block.nrows() as u64)?;
            }
        }
        stream.finished(run)
    }

    /// Partridge and Calvo's rule: `u <- sum of the rows with u'x > 0`, then the rows lose their part along `u`.
    fn by_halves<T: Element>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<Map> {
        let (n, d) = x.dim();
        let mean = lowland_linalg::rows::centering(faer_view(x), run)?.mean;
        let mut rest = Array2::from_shape_fn((n, d), |(i, j)| x[(i, j)].wide() - mean[j]);
        let mut components: Array2<f64> = Array2::zeros((self.count(n, d), d));
        let mut most = 1;
        let size = rest.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        for at in 0..components.nrows() {
            // The longest row that is left is a fair start.
            let lengths = rest.rows().into_iter().map(|row| row.dot(&row));
            let longest = lengths.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |found| found.0);
            let mut u = rest.row(longest).to_owned();
            if u.dot(&u).sqrt() <= 1e-12 * size {
                break;
            }
            for step in 1..=self.max_iter {
                most = most.max(step);
                run.check()?;
                let mut sum: Array1<f64> = Array1::zeros(d);
                for row in rest.rows() {
                    if row.dot(&u) > 0.0 {
                        sum += &row;
                    }
                }
                let length = sum.dot(&sum).sqrt();
                if length == 0.0 {
                    break;
                }
                sum /= length;
                let same = (1.0 - sum.dot(&u)).abs() < 1e-14;
                u = sum;
                if same {
                    break;
                }
            }
            for before in components.rows() {
                let along = before.dot(&u);
                u.scaled_add(-along, &before);
            }
            let length = u.dot(&u).sqrt();
            u /= length;
            for mut row in rest.rows_mut() {
                let along = row.dot(&u);
                row.scaled_add(-along, &u);
            }
            components.row_mut(at).assign(&u);
        }
        let mut variances = Array1::zeros(components.nrows());
        for row in x.rows() {
            let centered: Array1<f64> = row.iter().zip(&mean).map(|(x, mean)| x.wide() - mean).collect();
            variances += &components.dot(&centered).mapv(|y| y * y);
        }
        finished(components, variances / (n.max(2) - 1) as f64, mean, n, most)
    }
}

/// The model's map of these directions (rows), turned to descending variance.
fn finished(
    components: Array2<f64>,
    variances: Array1<f64>,
    mean: Vec<f64>,
    rows: usize,
    steps: usize,
) -> Result<Map> {
    let asked = components.nrows();
    let mut order: Vec<usize> = (0..asked).collect();
    order.sort_by(|&a, &b| variances[b].total_cmp(&variances[a]));
    let mut forward = components.select(Axis(0), &order).reversed_axes().as_standard_layout().into_owned();
    em::fix_signs(&mut forward);
    let variances = variances.select(Axis(0), &order);
    let rank = variances.iter().filter(|&&v| v > 0.0).count();
    let mut warnings = Vec::new();
    if rank < asked {
        warnings.push(Warning::RankDeficient { asked, rank, remedy: String::new() });
    }
    let objective = vec![Quantity { name: "explained variance".into(), value: variances.sum() }];
    let components = forward.t().to_owned();
    Ok(Map {
        found: vec![
            components.clone().into(),
            variances.into(),
            Array1::from(mean.clone()).into(),
            rows.into(),
            steps.into(),
        ],
        center: mean,
        forward,
        backward: Some(components),
        density: None,
        report: Report { objective, warnings, ..Report::default() },
    })
}

/// A fit under way.
struct SimplePcaStream {
    method: SimplePca,
    rows: usize,
    /// The first row: means are kept relative to it, so that an offset costs no digits.
    origin: Vec<f64>,
    shift: Array1<f64>,
    /// For `merge`: directions times singular values, one a row. For `oja`: the covariance times the directions.
    carried: Array2<f64>,
    blocks: usize,
    /// How often all rows were looked at.
    passes: usize,
}

impl SimplePcaStream {
    fn new(method: SimplePca) -> Self {
        let (origin, shift) = (Vec::new(), Array1::zeros(0));
        Self { method, rows: 0, origin, shift, carried: Array2::zeros((0, 0)), blocks: 0, passes: 1 }
    }

    /// Takes a block. Rows that were seen before do not move the mean.
    fn take(&mut self, mut block: Array2<f64>, new: bool, run: &Run) -> Result<()> {
        let (m, d) = block.dim();
        if self.rows == 0 {
            self.origin = block.row(0).to_vec();
            self.shift = Array1::zeros(d);
            self.carried = Array2::zeros((0, d));
        }
        block -= &Array1::from(self.origin.clone());
        let before = self.rows as f64;
        let step = block.mean_axis(Axis(0)).unwrap_or_default() - &self.shift;
        let own = &self.shift + &step;
        let all = before + m as f64;
        if self.method.algorithm == SimplePcaAlgorithm::Merge {
            block -= &own;
            let between = (&step * (before * m as f64 / all).sqrt()).insert_axis(Axis(0));
            let stacked = concatenate(Axis(0), &[self.carried.view(), block.view(), between.view()])
                .map_err(|e| Error::Malformed { what: "chunk", problem: e.to_string() })?;
            let keep = self.method.n_components.unwrap_or(2) + self.method.n_oversamples;
            let svd = svd::thin(faer_view(stacked.view()), run)?;
            let keep = keep.min(svd.values.len());
            self.carried = Array2::from_shape_fn((keep, d), |(i, j)| svd.values[i] * svd.right[(j, i)]);
        }
        if new {
            self.shift.scaled_add(m as f64 / all, &step);
            self.rows += m;
        }
        if self.method.algorithm == SimplePcaAlgorithm::Oja {
            block -= &self.shift;
            self.towards(block.view(), run)?;
        }
        Ok(())
    }

    /// Oja's rule for a block, the step falling with the number of blocks: `V <- (1 - 1/t) V + (1/t) C U`, `U` the
    /// orthonormal directions of `V` (Weng's and Yang's form, which needs no rate).
    fn towards(&mut self, block: ArrayView2<'_, f64>, run: &Run) -> Result<()> {
        let (m, d) = block.dim();
        let k = (self.method.count(usize::MAX, d) + self.method.n_oversamples).min(d);
        if self.blocks == 0 {
            let mut rng = run.rng("simple-pca");
            self.carried = Array2::from_shape_fn((k, d), |_| rng.sample::<f64, _>(StandardNormal));
        }
        self.blocks += 1;
        let directions = unit_directions(&self.carried, run)?;
        let moved = block.dot(&directions).t().dot(&block) / m as f64;
        let rate = 1.0 / self.blocks as f64;
        // What was carried is C U of older directions: it counts as long as it has some size.
        self.carried = if self.blocks == 1 { moved } else { &self.carried * (1.0 - rate) + moved * rate };
        Ok(())
    }

    fn finished(&self, run: &Run) -> Result<LinearModel> {
        if self.rows == 0 {
            return Err(Error::Empty { what: "stream", axis: "rows" });
        }
        let d = self.origin.len();
        let shape = Shape {
            rows: self.rows,
            columns: d,
            stored: self.rows * d,
            scalar_bytes: 8,
            kind: InputKind::Points,
        };
        self.method.check(&shape)?;
        let count = self.method.count(self.rows, d);
        let mean = self.origin.iter().zip(&self.shift).map(|(origin, shift)| origin + shift).collect();
        let mut components = Array2::zeros((count, d));
        let mut variances = Array1::zeros(count);
        let svd = svd::thin(faer_view(self.carried.view()), run)?;
        let first = svd.values.first().copied().unwrap_or(0.0);
        let sound = svd.values.iter().take_while(|&&v| v > 1e-13 * first && v > 0.0).count();
        let right: Array2<f64> = to_array(svd.right.as_ref());
        for j in 0..count.min(sound) {
            components.row_mut(j).assign(&right.column(j));
            variances[j] = match self.method.algorithm {
                SimplePcaAlgorithm::Merge => svd.values[j].powi(2) / (self.rows.max(2) - 1) as f64,
                // The rows of what is carried are C u: their lengths are variances.
                _ => svd.values[j],
            };
        }
        let steps = match self.method.algorithm {
            SimplePcaAlgorithm::Oja => self.passes.max(1),
            _ => 1,
        };
        let map = finished(components, variances, mean, self.rows, steps)?;
        Ok(LinearModel::new(&SIMPLE_PCA, PARTS, self.method.settings(), map))
    }
}

/// In double precision and row after row, whatever the layout was.
fn wide<T: Element>(block: ArrayView2<'_, T>) -> Array2<f64> {
    Array2::from_shape_fn(block.dim(), |place| block[place].wide())
}

/// Orthonormal columns that span the rows.
fn unit_directions(rows: &Array2<f64>, run: &Run) -> Result<Array2<f64>> {
    let columns = Mat::from_fn(rows.ncols(), rows.nrows(), |i, j| rows[(j, i)]);
    Ok(to_array(orthonormalize(columns, run)?.as_ref()))
}

impl Chunks for SimplePcaStream {
    fn rows(&self) -> usize {
        self.rows
    }

    fn push(&mut self, chunk: AnyInput<'_>, run: &Run) -> Result<()> {
        let d = chunk.shape().columns;
        if self.rows > 0 && d != self.origin.len() {
            return Err(Error::Width { what: "chunk", expected: self.origin.len(), found: d });
        }
        if chunk.shape().rows == 0 && d > 0 {
            return Ok(());
        }
        chunk.check(run)?;
        let size = self.method.batch_size;
        let blocks: Vec<Array2<f64>> =
            on_points!(chunk, x => Ok::<_, Error>(x.axis_chunks_iter(Axis(0), size).map(wide).collect()))?;
        for block in blocks {
            self.take(block, true, run)?;
        }
        Ok(())
    }

    fn finish(&self, run: &Run) -> Result<Box<dyn Model>> {
        Ok(Box::new(self.finished(run)?))
    }
}

impl Fit for SimplePca {
    type Model = LinearModel;

    const ENTRY: &'static Entry = &SIMPLE_PCA;

    fn check(&self, shape: &Shape) -> Result<()> {
        let (n, d) = (shape.rows, shape.columns);
        at_least(n, 2, "the variance that simple-pca looks for")?;
        at_most(self.n_components, n.min(d), &format!("the smaller of {n} rows and {d} columns"))
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d) = (shape.rows as f64, shape.columns as f64);
        let k = self.count(shape.rows, shape.columns) as f64;
        let held = k + (self.n_oversamples + self.batch_size) as f64 + 1.0;
        let copy = if self.algorithm == SimplePcaAlgorithm::Simple { n * d } else { 0.0 };
        let blocks = (n / self.batch_size as f64).ceil();
        Forecast {
            bytes: (8.0 * (8.0 * held * d + 6.0 * held * held.min(d) + copy)
                + shape.scalar_bytes as f64 * n * k) as u64,
            flops: blocks * 14.0 * held * held.min(d) * d.max(held) + 2.0 * n * d * k,
            remedy: "choose a smaller batch_size or fewer components".into(),
        }
    }

    fn chunks(&self) -> Option<Box<dyn Chunks>> {
        match self.algorithm {
            SimplePcaAlgorithm::Simple => None,
            _ => Some(Box::new(SimplePcaStream::new(self.clone()))),
        }
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<LinearModel> {
        self.solve(data.input, run)
    }

    fn load(&self, archive: &Archive) -> Result<LinearModel> {
        LinearModel::load(&SIMPLE_PCA, PARTS, self.settings(), archive)
    }
}
