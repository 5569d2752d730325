//! Few coordinates in place of many: the projection onto an orthonormal basis of the directions in which the
//! data vary most. A projection never lengthens a difference, so distances between coordinates are lower
//! bounds of the true ones: they rank candidates cheaply, and they can rule points out for certain.

use super::kernel::{self, LANES, Lane, Pack, TILE, Values};
use super::rows::{BLOCK, Reader};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef};
use lowland_base::{Result, Run, Scalar, parallel};
use rand::RngExt;

/// Up to here the data's own columns serve as coordinates.
const PLAIN: usize = 64;
/// The most coordinates a projection keeps.
const MOST: usize = 128;
/// The share of the variance that the projection should keep.
const ENERGY: f64 = 0.9;
/// With less than this share the bounds rule out too little: the columns themselves are cheaper in the end.
const LEAST_ENERGY: f64 = 0.7;
/// Rounds of orthogonal iteration: the basis need not be the principal one, only near it.
const ROUNDS: usize = 3;

/// The center and the basis.
#[derive(Debug)]
pub struct Frame {
    mean: Vec<f64>,
    /// The basis in panels of `LANES` vectors; none when the coordinates are the centered columns.
    basis: Option<Vec<Lane>>,
    /// How many coordinates a point has.
    pub dims: usize,
}

/// Coordinates of some rows, one after the other, and the length of each whole centered row.
pub struct Coordinates {
    pub values: Vec<f32>,
    pub lengths: Vec<f64>,
}

impl Frame {
    /// How many rows the basis is learned from: enough to see the main directions, at most about 32 MB of them
    /// in single precision.
    pub fn sample_rows(n: usize, width: usize) -> usize {
        (8_000_000 / width.max(1)).clamp(64, (4 * width).max(2048)).min(n)
    }

    /// Learns the center and the basis from a sample of the rows.
    pub fn new<T: Scalar>(data: MatRef<'_, T>, reader: &Reader<T>, run: &Run) -> Result<Self> {
        let (n, width) = (data.nrows(), reader.width());
        let count = Self::sample_rows(n, width);
        let mut rng = run.rng("approximate index: basis");
        // One row at random from each of `count` equal stretches: distinct, and fair to sorted data.
        let picked: Vec<usize> = (0..count)
            .map(|i| rng.random_range(i * n / count..((i + 1) * n / count).max(i * n / count + 1)))
            .collect();
        let mut rows = vec![T::zero(); count * width];
        reader.read(data, picked.iter().copied(), &mut rows)?;
        let mut mean = vec![0.0; width];
        for row in rows.chunks_exact(width) {
            for (m, x) in mean.iter_mut().zip(row) {
                *m += x.wide();
            }
        }
        mean.iter_mut().for_each(|m| *m /= count as f64);
        let plain = Self { mean, basis: None, dims: width };
        if width <= PLAIN || count < 2 {
            return Ok(plain);
        }
        let sample =
            Mat::<f32>::from_fn(count, width, |i, j| (rows[i * width + j].wide() - plain.mean[j]) as f32);
        drop(rows);
        let total: f64 =
            (0..width).map(|j| sample.col(j).iter().map(|x| x.wide().powi(2)).sum::<f64>()).sum();
        if total == 0.0 {
            return Ok(plain);
        }
        let tried = MOST.min(width).min(count / 2);
        let mut basis = Mat::<f64>::from_fn(width, tried, |_, _| rng.random_range(-1.0..1.0));
        let mut energies = Vec::new();
        let (mut scores, mut image) = (Mat::<f32>::zeros(count, tried), Mat::<f32>::zeros(width, tried));
        for _ in 0..ROUNDS {
            run.check()?;
            orthonormalize(&mut basis, run)?;
            let narrow = Mat::<f32>::from_fn(width, tried, |i, j| basis[(i, j)] as f32);
            run.install(|| {
                matmul(&mut scores, Accum::Replace, &sample, &narrow, 1.0, parallel::FAER);
                matmul(&mut image, Accum::Replace, sample.transpose(), &scores, 1.0, parallel::FAER);
            });
            energies = (0..tried)
                .map(|j| scores.col(j).iter().map(|x| x.wide().powi(2)).sum::<f64>())
                .collect::<Vec<_>>();
            basis = Mat::from_fn(width, tried, |i, j| image[(i, j)].wide() / total);
        }
        orthonormalize(&mut basis, run)?;
        let mut kept = 0.0;
        let enough = energies.iter().position(|e| {
            kept += e;
            kept >= ENERGY * total
        });
        let dims = enough.map_or(tried, |last| (last + 1).next_multiple_of(LANES).min(tried));
        // Little to save, or little to see.
        if dims * 3 >= width * 2 || (enough.is_none() && kept < LEAST_ENERGY * total) {
            return Ok(plain);
        }
        let panels = (0..dims.div_ceil(LANES))
            .flat_map(|p| {
                let basis = &basis;
                (0..width).map(move |i| {
                    std::array::from_fn(|l| {
                        let j = p * LANES + l;
                        if j < dims { basis[(i, j)] as f32 } else { 0.0 }
                    })
                })
            })
            .collect();
        Ok(Self { basis: Some(panels), dims, ..plain })
    }

    /// How far a distance between coordinates may exceed the true one by rounding, for rows no longer than
    /// `longest`. A coordinate is a sum of `width` products in single precision of a row with a unit vector: its
    /// error is at most `(width + 2) u` of the row's length, in each of `dims` coordinates of both points; the
    /// basis itself is rounded, by `u` an entry. Without a basis only the columns are rounded.
    pub fn slack(&self, longest: f64) -> f64 {
        let unit = f64::from(f32::EPSILON);
        match self.basis {
            Some(_) => unit * (self.mean.len() as f64 + 4.0) * (self.dims as f64).sqrt() * longest,
            None => 2.0 * unit * longest,
        }
    }

    /// The factor that the rounding of a sum of `dims` squares in single precision may put on a squared distance.
    pub fn stretch(&self) -> f64 {
        1.0 + 2.0 * f64::from(f32::EPSILON) * (self.dims as f64 + 4.0)
    }

    /// The coordinates of rows in the index's form. A row's result does not depend on the others.
    pub fn coordinates<T: Scalar>(&self, rows: &[T]) -> Coordinates {
        let width = self.mean.len();
        let count = rows.len() / width;
        let mut values = vec![0.0_f32; count * self.dims];
        let mut lengths = Vec::with_capacity(count);
        let mut pack: Vec<Pack> = vec![[0.0; TILE]; width];
        let mut out: Vec<Values> = vec![[[0.0; LANES]; TILE]; self.dims.div_ceil(LANES)];
        for (tile, group) in rows.chunks(TILE * width).enumerate() {
            for (lane, row) in group.chunks_exact(width).enumerate() {
                let mut square = 0.0;
                for ((slot, x), mean) in pack.iter_mut().zip(row).zip(&self.mean) {
                    let centered = x.wide() - mean;
                    square += centered * centered;
                    slot[lane] = centered as f32;
                }
                lengths.push(square.sqrt());
            }
            let live = group.len() / width;
            let target = &mut values[tile * TILE * self.dims..][..live * self.dims];
            match &self.basis {
                None => {
                    for (lane, row) in target.chunks_exact_mut(self.dims).enumerate() {
                        row.iter_mut().zip(&pack).for_each(|(x, slot)| *x = slot[lane]);
                    }
                }
                Some(basis) => {
                    kernel::products(&pack, basis, &mut out);
                    for (lane, row) in target.chunks_exact_mut(self.dims).enumerate() {
                        for (piece, panel) in row.chunks_mut(LANES).zip(&out) {
                            piece.copy_from_slice(&panel[lane][..piece.len()]);
                        }
                    }
                }
            }
        }
        Coordinates { values, lengths }
    }

    /// The coordinates of all rows of a matrix.
    pub fn coordinates_of<T: Scalar>(
        &self,
        data: MatRef<'_, T>,
        reader: &Reader<T>,
        run: &Run,
    ) -> Result<Coordinates> {
        let n = data.nrows();
        let parts = parallel::map_chunks(run, n, BLOCK, |range| {
            let mut block = vec![T::zero(); range.len() * reader.width()];
            reader.read(data, range, &mut block)?;
            Ok(self.coordinates(&block))
        })?;
        let mut all =
            Coordinates { values: Vec::with_capacity(n * self.dims), lengths: Vec::with_capacity(n) };
        for part in parts {
            let part = part?;
            all.values.extend_from_slice(&part.values);
            all.lengths.extend_from_slice(&part.lengths);
        }
        Ok(all)
    }
}

/// Gram-Schmidt, twice for good measure. A column that depends on those before it becomes zero, which only
/// costs the lower bound one coordinate.
fn orthonormalize(basis: &mut Mat<f64>, run: &Run) -> Result<()> {
    let mut done: Vec<Vec<f64>> = Vec::with_capacity(basis.ncols());
    for j in 0..basis.ncols() {
        let mut column: Vec<f64> = basis.col(j).iter().copied().collect();
        let before = dot(&column, &column).sqrt();
        for _ in 0..2 {
            for other in &done {
                let along = dot(&column, other);
                column.iter_mut().zip(other).for_each(|(x, y)| *x -= along * y);
            }
        }
        let after = dot(&column, &column).sqrt();
        let factor = if after > 1e-10 * before { 1.0 / after } else { 0.0 };
        column.iter_mut().for_each(|x| *x *= factor);
        basis.col_mut(j).iter_mut().zip(&column).for_each(|(x, y)| *x = *y);
        done.push(column);
        run.check()?;
    }
    Ok(())
}

/// Eight sums side by side, so that the additions need not wait for each other.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a_chunks, b_chunks) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a_chunks.remainder().iter().zip(b_chunks.remainder()).map(|(x, y)| x * y).sum();
    let mut sums = [0.0; 8];
    for (x, y) in a_chunks.zip(b_chunks) {
        for l in 0..8 {
            sums[l] += x[l] * y[l];
        }
    }
    sums.iter().sum::<f64>() + rest
}
