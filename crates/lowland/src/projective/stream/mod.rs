//! Principal directions that follow a stream of rows, in memory for a few rows.

pub(crate) mod simple;

use super::signs::fix_columns;
use crate::choices;
use crate::chunks::Known;
use crate::matrix::{Element, faer_view, to_array};
use faer::Mat;
use lowland_base::{Error, Result, Run};
use lowland_linalg::{orthonormalize, svd};
use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate};
use rand::RngExt;
use rand_distr::StandardNormal;

choices! {
    /// By which rule the directions follow the rows.
    pub enum SimplePcaAlgorithm {
        /// Blocks of rows are merged into a few directions by singular values.
        Merge = "merge" | "incremental",
        /// Oja's rule with a memory: the directions move toward what the covariance of each block makes of them.
        Oja = "oja",
        /// One direction after the other, each the sum of the rows on its positive side: all rows are needed at once.
        Simple = "simple" | "spca",
    }
}

/// Directions, one a row, and what belongs to them.
pub(crate) struct Directions {
    pub components: Array2<f64>,
    /// The variance (divisor n - 1) along each.
    pub variances: Array1<f64>,
    pub mean: Vec<f64>,
}

impl Directions {
    /// By descending variance, the entry of largest magnitude of each positive.
    pub fn sorted(self) -> Self {
        let mut order: Vec<usize> = (0..self.components.nrows()).collect();
        order.sort_by(|&a, &b| self.variances[b].total_cmp(&self.variances[a]));
        let mut columns = self.components.select(Axis(0), &order).reversed_axes();
        fix_columns(&mut columns);
        let variances = self.variances.select(Axis(0), &order);
        Self { components: columns.reversed_axes(), variances, mean: self.mean }
    }
}

/// In double precision and row after row, whatever the layout was.
pub(crate) fn wide<T: Element>(block: ArrayView2<'_, T>) -> Array2<f64> {
    Array2::from_shape_fn(block.dim(), |cell| block[cell].wide())
}

/// The principal directions of the rows so far (Ross et al. 2008).
#[derive(Clone)]
pub(crate) struct IncrementalPca {
    algorithm: SimplePcaAlgorithm,
    /// How many directions are carried along.
    keep: usize,
    /// The rows seen.
    pub rows: usize,
    /// The first row: means are relative to it, so that an offset costs no digits.
    origin: Vec<f64>,
    /// The mean less the origin.
    shift: Array1<f64>,
    /// For `merge`: directions times singular values, one a row. For `oja`: the covariance times the directions.
    carried: Array2<f64>,
    blocks: usize,
}

impl IncrementalPca {
    /// No rows yet.
    pub fn new(algorithm: SimplePcaAlgorithm, keep: usize) -> Self {
        let (origin, shift, carried) = (Vec::new(), Array1::zeros(0), Array2::zeros((0, 0)));
        Self { algorithm, keep, rows: 0, origin, shift, carried, blocks: 0 }
    }

    /// The state after the rows of a model, as far as it knows them, which came in blocks of this size.
    pub fn resume(&mut self, known: Known, block: usize) {
        let freedom = (known.rows.max(2) - 1) as f64;
        self.carried = known.components;
        for (mut row, variance) in self.carried.rows_mut().into_iter().zip(known.variances) {
            row *= if self.algorithm == SimplePcaAlgorithm::Merge {
                (variance * freedom).sqrt()
            } else {
                variance
            };
        }
        self.shift = Array1::zeros(known.mean.len());
        (self.rows, self.origin) = (known.rows, known.mean);
        self.blocks = known.rows.div_ceil(block.max(1));
    }

    /// The number of columns, once there is a row.
    pub fn columns(&self) -> usize {
        self.origin.len()
    }

    /// Takes a block. Rows that were seen before do not move the mean.
    pub fn take(&mut self, mut block: Array2<f64>, new: bool, run: &Run) -> Result<()> {
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
        if self.algorithm == SimplePcaAlgorithm::Merge {
            block -= &own;
            let between = (&step * (before * m as f64 / all).sqrt()).insert_axis(Axis(0));
            self.merge(block.view(), between.view(), run)?;
        }
        if new {
            self.shift.scaled_add(m as f64 / all, &step);
            self.rows += m;
        }
        if self.algorithm == SimplePcaAlgorithm::Oja {
            block -= &self.shift;
            self.oja(block.view(), run)?;
        }
        Ok(())
    }

    /// The leading singular vectors of what was carried, of the block about its own mean, and of the step of the mean.
    fn merge(&mut self, block: ArrayView2<'_, f64>, between: ArrayView2<'_, f64>, run: &Run) -> Result<()> {
        let stacked = concatenate(Axis(0), &[self.carried.view(), block, between])
            .map_err(|e| Error::shape("chunk", &e))?;
        let svd = svd::thin(faer_view(stacked.view()), run)?;
        let keep = self.keep.min(svd.values.len());
        self.carried =
            Array2::from_shape_fn((keep, block.ncols()), |(i, j)| svd.values[i] * svd.right[(j, i)]);
        Ok(())
    }

    /// Oja's rule for a block, with a rate of 1 over the number of blocks: `V <- (1 - 1/t) V + (1/t) C U`, `U` the
    /// orthonormal directions of `V` (Weng's and Yang's form, which needs no other rate).
    fn oja(&mut self, block: ArrayView2<'_, f64>, run: &Run) -> Result<()> {
        let (m, d) = block.dim();
        if self.blocks == 0 {
            let mut rng = run.rng("simple-pca");
            let shape = (self.keep.min(d), d);
            self.carried = Array2::from_shape_fn(shape, |_| rng.sample::<f64, _>(StandardNormal));
        }
        self.blocks += 1;
        let directions = orthonormal_columns(&self.carried, run)?;
        let moved = block.dot(&directions).t().dot(&block) / m as f64;
        let rate = 1.0 / self.blocks as f64;
        // The random start has no variance of its own: it does not count.
        self.carried = if self.blocks == 1 { moved } else { &self.carried * (1.0 - rate) + moved * rate };
        Ok(())
    }

    /// The leading `count` directions of the rows so far; zero where there are fewer.
    pub fn directions(&self, count: usize, run: &Run) -> Result<Directions> {
        let d = self.columns();
        let mean = self.origin.iter().zip(&self.shift).map(|(origin, shift)| origin + shift).collect();
        let mut components = Array2::zeros((count, d));
        let mut variances = Array1::zeros(count);
        let svd = svd::thin(faer_view(self.carried.view()), run)?;
        let first = svd.values.first().copied().unwrap_or(0.0);
        let sound = svd.values.iter().take_while(|&&v| v > 1e-13 * first && v > 0.0).count();
        let right: Array2<f64> = to_array(svd.right.as_ref());
        for j in 0..count.min(sound) {
            components.row_mut(j).assign(&right.column(j));
            variances[j] = match self.algorithm {
                SimplePcaAlgorithm::Merge => svd.values[j].powi(2) / (self.rows.max(2) - 1) as f64,
                // The rows of what is carried are C u: their lengths are variances.
                _ => svd.values[j],
            };
        }
        Ok(Directions { components, variances, mean })
    }
}

/// Orthonormal columns that span the rows.
fn orthonormal_columns(rows: &Array2<f64>, run: &Run) -> Result<Array2<f64>> {
    let columns = Mat::from_fn(rows.ncols(), rows.nrows(), |i, j| rows[(j, i)]);
    Ok(to_array(orthonormalize(columns, run)?.as_ref()))
}
