//! Whitened points, with mean 0 and variance 1 in every direction: the space in which independent components and
//! projection pursuit look for directions.

use super::Affine;
use crate::Input;
use crate::matrix::{Element, faer_view};
use crate::methods::Pca;
use crate::model::Warning;
use crate::parameters::Components;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use lowland_base::parallel::{fold_in_order, map_chunks};
use lowland_base::{Error, Result, Run};
use ndarray::{Array1, Array2, ArrayView2};
use std::ops::Range;

/// The whitened rows, and the way there and back.
pub(crate) struct Whitened {
    pub n: usize,
    /// How many directions there are.
    pub rank: usize,
    /// One point after another; each direction has mean 0 and variance 1 (divisor n).
    pub rows: Vec<f64>,
    pub center: Vec<f64>,
    /// Columns of the data x directions.
    pub forward: Array2<f64>,
    /// Directions x columns of the data.
    pub backward: Array2<f64>,
    pub warnings: Vec<Warning>,
}

/// Rows of a chunk.
const CHUNK: usize = 256;

impl Whitened {
    /// The leading `count` directions (at most as many as the data have), or all.
    pub fn new<T: Element>(x: ArrayView2<'_, T>, count: Option<usize>, run: &Run) -> Result<Self> {
        let (n, d) = x.dim();
        let n_components = count.map_or(Components::All, Components::Count);
        let spectrum = Pca { n_components, ..Pca::default() }.spectrum(x, run)?;
        let sound = |&&v: &&f64| v > spectrum.resolution && v > 0.0;
        let rank = spectrum.variances.iter().take_while(sound).count();
        if rank == 0 {
            return Err(Error::Constant { what: "data" });
        }
        let asked = count.unwrap_or(rank);
        let mut warnings = Vec::new();
        if rank < asked {
            warnings.push(Warning::RankDeficient { asked, rank, remedy: String::new() });
        }
        let rank = rank.min(asked);
        let spread: Vec<f64> =
            (0..rank).map(|j| (spectrum.variances[j] * (n - 1) as f64 / n as f64).sqrt()).collect();
        let forward = Array2::from_shape_fn((d, rank), |(i, j)| spectrum.directions[(i, j)] / spread[j]);
        let backward = Array2::from_shape_fn((rank, d), |(j, i)| spectrum.directions[(i, j)] * spread[j]);
        let center = spectrum.mean;
        let map = Affine { center: Some(&center), matrix: forward.view(), offset: None };
        let rows = T::erase(map.apply(Input::Points(x), run)?).into_f64().into_raw_vec_and_offset().0;
        Ok(Self { n, rank, rows, center, forward, backward, warnings })
    }

    /// For every chunk of rows: its projections on the rows of `w` (one direction each), to be changed into what
    /// the rows are weighted with; the sum of `weight' x row` over all (a row for each direction), and so many sums that
    /// `change` has added up.
    pub fn weighted_sums(
        &self,
        w: &Array2<f64>,
        sums: usize,
        change: impl Fn(&mut [f64], &mut [f64]) + Sync,
        run: &Run,
    ) -> Result<(Array2<f64>, Vec<f64>)> {
        let (k, r) = w.dim();
        let (mut sum, mut more) = (Array2::zeros((k, r)), vec![0.0; sums]);
        let scratch = || (Chunk::new(k, sums), vec![0.0; k * r]);
        let work = |index: usize, (chunk, part): &mut (Chunk, Vec<f64>)| {
            let (block, y) = chunk.project(self, index, w);
            chunk.more.fill(0.0);
            change(&mut chunk.y[y.clone()], &mut chunk.more);
            matmul(
                MatMut::from_row_major_slice_mut(part, k, r),
                Accum::Replace,
                MatRef::from_row_major_slice(&chunk.y[y], block.nrows(), k).transpose(),
                block,
                1.0,
                Par::Seq,
            );
        };
        let fold = |_, (), (chunk, part): &mut (Chunk, Vec<f64>)| {
            sum.iter_mut().zip(&*part).for_each(|(sum, part)| *sum += part);
            more.iter_mut().zip(&chunk.more).for_each(|(more, part)| *more += part);
        };
        fold_in_order(run, self.n.div_ceil(CHUNK), scratch, work, fold)?;
        Ok((sum, more))
    }

    /// What `add_up` adds up over the projections of all rows on the rows of `w`, one sum for each direction.
    pub fn sums(
        &self,
        w: &Array2<f64>,
        add_up: impl Fn(&mut [f64], &mut [f64]) + Sync,
        run: &Run,
    ) -> Result<Vec<f64>> {
        let mut sums = vec![0.0; w.nrows()];
        let work = |index: usize, chunk: &mut Chunk| {
            let (_, y) = chunk.project(self, index, w);
            chunk.more.fill(0.0);
            add_up(&mut chunk.y[y], &mut chunk.more);
        };
        let fold =
            |_, (), chunk: &mut Chunk| sums.iter_mut().zip(&chunk.more).for_each(|(sum, part)| *sum += part);
        fold_in_order(run, self.n.div_ceil(CHUNK), || Chunk::new(w.nrows(), w.nrows()), work, fold)?;
        Ok(sums)
    }

    /// The projections of all rows on one direction.
    pub fn project(&self, direction: &[f64], run: &Run) -> Result<Vec<f64>> {
        let r = self.rank;
        let parts = map_chunks(run, self.n, CHUNK, |rows| {
            let dot = |row: &[f64]| row.iter().zip(direction).map(|(x, u)| x * u).sum::<f64>();
            self.rows[rows.start * r..rows.end * r].chunks_exact(r).map(dot).collect::<Vec<f64>>()
        })?;
        Ok(parts.concat())
    }

    /// The sum of all rows, each with its weight.
    pub fn combine(&self, weights: &[f64], run: &Run) -> Result<Vec<f64>> {
        let r = self.rank;
        let parts = map_chunks(run, self.n, CHUNK, |rows| {
            let mut sum = vec![0.0; r];
            for (row, weight) in self.rows[rows.start * r..rows.end * r].chunks_exact(r).zip(&weights[rows]) {
                sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += weight * x);
            }
            sum
        })?;
        let mut sum = vec![0.0; r];
        for part in parts {
            sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        }
        Ok(sum)
    }

    /// Some of the rows, drawn without replacement and whitened again, as their own covariance is not exactly 1. `None`
    /// where they do not span all directions.
    pub fn sample(&self, count: usize, rng: &mut impl rand::Rng, run: &Run) -> Result<Option<Self>> {
        let mut drawn = rand::seq::index::sample(rng, self.n, count).into_vec();
        drawn.sort_unstable();
        let rows = Array2::from_shape_fn((count, self.rank), |(i, j)| self.rows[drawn[i] * self.rank + j]);
        match Self::new::<f64>(rows.view(), None, run) {
            Err(Error::Constant { .. }) => Ok(None),
            found => Ok(Some(found?).filter(|found| found.rank == self.rank)),
        }
    }

    /// Gaussian noise of this shape, whitened: what nothing looks like.
    pub fn noise(&self, rng: &mut impl rand::Rng, run: &Run) -> Result<Self> {
        use rand_distr::{Distribution, StandardNormal};
        let drawn = Array2::from_shape_fn((self.n, self.rank), |_| StandardNormal.sample(rng));
        Self::new::<f64>(drawn.view(), None, run)
    }
}

/// The work space of one chunk of rows.
struct Chunk {
    /// Projections, one row after another.
    y: Vec<f64>,
    /// What is added up: a sum for each direction, or more.
    more: Vec<f64>,
}

impl Chunk {
    fn new(directions: usize, sums: usize) -> Self {
        Self { y: vec![0.0; CHUNK * directions], more: vec![0.0; sums] }
    }

    /// The rows of a chunk, and where their projections on the rows of `w` now are.
    fn project<'z>(
        &mut self,
        z: &'z Whitened,
        index: usize,
        w: &Array2<f64>,
    ) -> (MatRef<'z, f64>, Range<usize>) {
        let rows = index * CHUNK..((index + 1) * CHUNK).min(z.n);
        let (height, r, k) = (rows.len(), z.rank, w.nrows());
        let block = MatRef::from_row_major_slice(&z.rows[rows.start * r..rows.end * r], height, r);
        let y = MatMut::from_row_major_slice_mut(&mut self.y[..height * k], height, k);
        matmul(y, Accum::Replace, block, faer_view(w.view()).transpose(), 1.0, Par::Seq);
        (block, 0..height * k)
    }
}

/// So many rows: directions that the data do not have are zero.
pub(crate) fn with_zero_rows(found: Array2<f64>, count: usize) -> Array2<f64> {
    let mut all = Array2::zeros((count, found.ncols()));
    all.slice_mut(ndarray::s![..found.nrows(), ..]).assign(&found);
    all
}

/// The unit vector along what is left of `w` beside the rows found.
pub(crate) fn orthogonal(mut w: Array1<f64>, found: &Array2<f64>) -> Array1<f64> {
    for _ in 0..2 {
        for row in found.rows() {
            let along = row.dot(&w);
            w.scaled_add(-along, &row);
        }
        let length = w.dot(&w).sqrt();
        if length > 0.0 {
            w /= length;
        }
    }
    w
}

/// `(W W')^-1/2 W`: the nearest rows that are orthonormal. By products where `W` is well conditioned; by eigenpairs
/// else, whose error the products take away.
pub(crate) fn decorrelated(w: &Array2<f64>, run: &Run) -> Result<Array2<f64>> {
    let gram = w.dot(&w.t());
    // No singular value is above the fourth root of the sum of their fourth powers.
    let bound = gram.iter().map(|g| g * g).sum::<f64>().powf(0.25);
    if let Some(found) = to_orthonormal(w / bound.max(f64::MIN_POSITIVE)) {
        return Ok(found);
    }
    let (values, vectors) = crate::mixture::eigen_of_small(&gram, run)?;
    let largest = values.first().copied().unwrap_or(0.0);
    let root = |value: f64| 1.0 / value.max(1e-30 * largest).max(f64::MIN_POSITIVE).sqrt();
    let scaled = Array2::from_shape_fn(vectors.dim(), |(i, j)| vectors[(i, j)] * root(values[j]));
    let near = scaled.dot(&vectors.t()).dot(w);
    Ok(to_orthonormal(near.clone()).unwrap_or(near))
}

/// Newton's iteration, which leads singular values above 0 and up to 1 to 1, if it gets there soon.
fn to_orthonormal(mut x: Array2<f64>) -> Option<Array2<f64>> {
    for _ in 0..NEWTON_STEPS {
        let mut error = x.dot(&x.t());
        error.diag_mut().mapv_inplace(|g| g - 1.0);
        x = &x - 0.5 * error.dot(&x);
        // The next error is this one's square.
        if error.iter().all(|e| e.abs() < 1e-8) {
            return Some(x);
        }
    }
    None
}

/// Enough for condition numbers of some hundreds.
const NEWTON_STEPS: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    /// The polar factor `Q` of `W = P Q`: orthonormal rows, and `P = W Q'` is symmetric and positive.
    #[test]
    fn the_nearest_orthonormal_rows_by_products_and_by_eigenpairs() {
        let run = Run::new();
        for (seed, k) in [2, 3, 8, 30].into_iter().enumerate() {
            let mut rng = run.clone().with_seed(seed as u64).rng("test");
            let random = Array2::from_shape_fn((k, k), |_| rng.sample::<f64, _>(rand_distr::StandardNormal));
            let turn = decorrelated(&random, &run).unwrap();
            // The error of eigenpairs grows with the square of the condition.
            for (ratio, error) in [(1.0, 1e-14), (0.01, 1e-13), (1e-4f64, 1e-7)] {
                let values = |i: usize| 3.7 * ratio.powf(i as f64 / (k - 1) as f64);
                let stretch = Array2::from_shape_fn((k, k), |(i, j)| if i == j { values(i) } else { 0.0 });
                let w = turn.t().dot(&stretch).dot(&turn).dot(&turn);
                let q = decorrelated(&w, &run).unwrap();
                let off = |a: Array2<f64>, b: Array2<f64>| (a - b).iter().fold(0.0f64, |m, e| m.max(e.abs()));
                assert!(off(q.dot(&q.t()), Array2::eye(k)) < 1e-15 * k as f64, "{k} {ratio}");
                assert!(off(q, turn.clone()) < error * k as f64, "{k} {ratio}");
            }
        }
        // No rows that could be made orthonormal: zeros stay finite.
        assert!(decorrelated(&Array2::zeros((3, 3)), &run).unwrap().iter().all(|x| x.is_finite()));
    }
}
