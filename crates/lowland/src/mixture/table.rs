//! The expectation step: one pass over the rows for the posteriors of their factors, and the sums that the maximization
//! step needs.

use super::em::{LEAST_NOISE, LEAST_OWN_NOISE, State};
use super::small::{cholesky, inverse_of_factor};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use lowland_base::parallel::{fill_rows, fold_in_order};
use lowland_base::simd::vectorized;
use lowland_base::{Result, Run, Scalar};
use lowland_linalg::rows::power_of_two_below;
use ndarray::ArrayView2;

/// Rows of a chunk.
const CHUNK: usize = 256;

/// The weights of the rows, such as responsibilities: not negative, and not all zero.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weights<'w>(pub Option<&'w [f64]>);

impl Weights<'_> {
    /// Every row counts once.
    pub const ONE: Self = Self(None);

    /// The weight of a row.
    pub fn of(self, row: usize) -> f64 {
        self.0.map_or(1.0, |weights| weights[row])
    }
}

/// The data less the current mean, in units of their size; zero where they are missing.
pub(super) struct Table {
    pub n: usize,
    pub d: usize,
    pub values: Vec<f64>,
    /// The missing columns of each row.
    pub missing: Vec<Vec<u32>>,
    pub observed: Observed,
    pub scale: f64,
    /// Where the zero of the table is, in its units, from the first mean.
    pub offset: Vec<f64>,
}

/// How many cells of each column are observed.
pub(super) struct Observed {
    pub rows: usize,
    pub columns: Vec<usize>,
}

impl Observed {
    /// All cells.
    pub fn all(rows: usize, columns: usize) -> Self {
        Self { rows, columns: vec![rows; columns] }
    }

    /// Whether a column's moments are summed over the rows where it is observed, and not over the others.
    pub fn fewer(&self, column: usize) -> bool {
        2 * self.columns[column] < self.rows
    }
}

/// The sums of one pass over the data, each row with its weight.
pub(super) struct Sums {
    pub log_likelihood: f64,
    /// How many rows these are: the sum of their weights but for those of Student's t.
    pub mass: f64,
    /// `E[ [z 1]'[z 1] ]` over all rows: lower triangle, packed. The last entry is the sum of the weights.
    pub moments: Vec<f64>,
    /// The same for each column, over the rows where it is missing (or, where that is most, observed).
    pub of_column: Vec<f64>,
    /// `x' E[ [z 1] ]`.
    pub products: Vec<f64>,
    /// The squares of each column.
    pub squares: Vec<f64>,
}

/// The work space of a thread.
struct Scratch {
    sums: Sums,
    factors: Vec<f64>,
    right: Vec<f64>,
}

impl Table {
    /// The table, about the weighted mean of each column, and these means. Rows of weight 0 have no say in its units.
    pub fn new<T: Scalar>(x: ArrayView2<'_, T>, weights: Weights<'_>, run: &Run) -> Result<(Self, Vec<f64>)> {
        let (n, d) = x.dim();
        let (mut center, mut observed, mut spread) = (vec![0.0; d], vec![0; d], 0.0f64);
        for (j, column) in x.columns().into_iter().enumerate() {
            run.check()?;
            let cells =
                || column.iter().map(|value| value.wide()).enumerate().filter(|cell| !cell.1.is_nan());
            observed[j] = cells().count();
            let counted = || cells().map(|(row, value)| (weights.of(row), value)).filter(|cell| cell.0 > 0.0);
            let first = counted().next().map_or(0.0, |cell| cell.1);
            let mass: f64 = counted().map(|cell| cell.0).sum();
            let sum: f64 = counted().map(|(weight, value)| weight * (value - first)).sum();
            center[j] = first + sum / if mass > 0.0 { mass } else { 1.0 };
            spread = counted().fold(spread, |most, (_, value)| most.max((value - center[j]).abs()));
        }
        let scale = power_of_two_below(spread);
        let mut values = vec![0.0; n * d];
        fill_rows(run, &mut values, d, CHUNK, |rows, out| {
            for (row, out) in rows.zip(out.chunks_exact_mut(d)) {
                for (j, out) in out.iter_mut().enumerate() {
                    let value = x[(row, j)].wide();
                    *out = if value.is_nan() { 0.0 } else { (value - center[j]) * scale };
                }
            }
        })?;
        let missing_in = |row: usize| {
            let row = x.row(row);
            (0..d).filter(|&j| row[j].is_nan()).map(|j| j as u32).collect()
        };
        let missing = (0..n).map(missing_in).collect();
        let observed = Observed { rows: n, columns: observed };
        Ok((Self { n, d, values, missing, observed, scale, offset: vec![0.0; d] }, center))
    }

    /// The least noise of each column.
    pub fn floors(&self, isotropic: bool, weights: Weights<'_>) -> Vec<f64> {
        let (mut squares, mut mass) = (vec![0.0; self.d], vec![0.0; self.d]);
        for (row, values) in self.values.chunks_exact(self.d).enumerate() {
            let weight = weights.of(row);
            squares.iter_mut().zip(values).for_each(|(sum, v)| *sum += weight * (v * v));
            mass.iter_mut().for_each(|sum| *sum += weight);
            self.missing[row].iter().for_each(|&j| mass[j as usize] -= weight);
        }
        let variances: Vec<f64> =
            squares.iter().zip(&mass).map(|(sum, &mass)| if mass > 0.0 { sum / mass } else { 0.0 }).collect();
        let mean = variances.iter().sum::<f64>() / self.d as f64;
        let least = (LEAST_NOISE * mean).max(f64::MIN_POSITIVE * 1e10);
        if isotropic {
            return vec![least; self.d];
        }
        variances.iter().map(|v| (LEAST_OWN_NOISE * v).max(least)).collect()
    }

    /// The expectation step: the posteriors of the factors of all rows, summed up with the rows' weights.
    pub fn expectations(&self, state: &State, k: usize, weights: Weights<'_>, run: &Run) -> Result<Sums> {
        let (d, width) = (self.d, k + 1);
        let packed = width * (width + 1) / 2;
        let weighted: Vec<f64> =
            (0..d * k).map(|at| state.loadings[at] / state.noise[at / k.max(1)]).collect();
        // What each column adds to the precision of the factors, and to the logarithm of its determinant.
        let mut of_cell = vec![0.0; d * packed];
        let mut all = vec![0.0; packed];
        for j in 0..d {
            let cell = &mut of_cell[j * packed..][..packed];
            for a in 0..k {
                for b in 0..=a {
                    let value = weighted[j * k + a] * state.loadings[j * k + b];
                    cell[a * (a + 1) / 2 + b] = value;
                    all[a * (a + 1) / 2 + b] += value;
                }
            }
        }
        let log_noise: Vec<f64> = state.noise.iter().map(|noise| noise.ln()).collect();
        let inverse: Vec<f64> = state.noise.iter().map(|noise| 1.0 / noise).collect();
        let all_log_noise: f64 = log_noise.iter().sum();
        let complete = posterior_covariance(&all, k);
        let incomplete = !self.missing.iter().all(Vec::is_empty);
        let empty = || Sums::zeros(d, k, incomplete);
        let scratch =
            || Scratch { sums: empty(), factors: vec![0.0; CHUNK * width], right: vec![0.0; CHUNK * k] };
        let work = |index: usize, scratch: &mut Scratch| {
            let rows = index * CHUNK..((index + 1) * CHUNK).min(self.n);
            let height = rows.len();
            let Scratch { sums, factors, right } = scratch;
            sums.clear();
            let values = &self.values[rows.start * d..rows.end * d];
            if k > 0 {
                matmul(
                    MatMut::from_row_major_slice_mut(&mut right[..height * k], height, k),
                    Accum::Replace,
                    MatRef::from_row_major_slice(values, height, d),
                    MatRef::from_row_major_slice(&weighted, d, k),
                    1.0,
                    Par::Seq,
                );
            }
            let mut precision = vec![0.0; packed];
            let mut moments = vec![0.0; packed];
            vectorized(
                #[inline(always)]
                || {
                    for (at, row) in rows.clone().enumerate() {
                        let missing = &self.missing[row];
                        let weight = weights.of(row);
                        let own;
                        let (covariance, log_det, row_log_noise) = if missing.is_empty() {
                            (&complete.0, complete.1, all_log_noise)
                        } else {
                            let mut row_log_noise = all_log_noise;
                            if 2 * missing.len() <= d {
                                precision.copy_from_slice(&all);
                                for &j in missing {
                                    let cell = &of_cell[j as usize * packed..][..packed];
                                    precision.iter_mut().zip(cell).for_each(|(sum, cell)| *sum -= cell);
                                }
                            } else {
                                precision.fill(0.0);
                                let mut rest = missing.iter().peekable();
                                for j in 0..d {
                                    if rest.next_if(|&&other| other as usize == j).is_none() {
                                        let cell = &of_cell[j * packed..][..packed];
                                        precision.iter_mut().zip(cell).for_each(|(sum, cell)| *sum += cell);
                                    }
                                }
                            }
                            missing.iter().for_each(|&j| row_log_noise -= log_noise[j as usize]);
                            own = posterior_covariance(&precision, k);
                            (&own.0, own.1, row_log_noise)
                        };
                        let right = &right[at * k..(at + 1) * k];
                        let z = &mut factors[at * width..(at + 1) * width];
                        for a in 0..k {
                            z[a] = (0..k).map(|b| covariance[a * k + b] * right[b]).sum();
                        }
                        z[k] = 1.0;
                        let explained: f64 = (0..k).map(|a| right[a] * z[a]).sum();
                        let row_values = &values[at * d..(at + 1) * d];
                        let mut square = 0.0;
                        for ((v, inverse), sum) in
                            row_values.iter().zip(&inverse).zip(sums.squares.iter_mut())
                        {
                            square += v * v * inverse;
                            *sum += weight * (v * v);
                        }
                        let constant = (d - missing.len()) as f64 * (2.0 * std::f64::consts::PI).ln();
                        sums.log_likelihood -=
                            weight * (0.5 * (constant + row_log_noise + log_det + square - explained));
                        for a in 0..width {
                            for b in 0..=a {
                                let spread = if a < k { covariance[a * k + b] } else { 0.0 };
                                moments[a * (a + 1) / 2 + b] = weight * (z[a] * z[b] + spread);
                            }
                        }
                        z.iter_mut().for_each(|z| *z *= weight);
                        sums.moments.iter_mut().zip(&moments).for_each(|(sum, m)| *sum += m);
                        if !sums.of_column.is_empty() {
                            let mut rest = missing.iter().peekable();
                            let mut add = |j: usize| {
                                let sum = &mut sums.of_column[j * packed..][..packed];
                                sum.iter_mut().zip(&moments).for_each(|(sum, m)| *sum += m);
                            };
                            missing
                                .iter()
                                .map(|&j| j as usize)
                                .filter(|&j| !self.observed.fewer(j))
                                .for_each(&mut add);
                            for j in (0..d).filter(|&j| self.observed.fewer(j)) {
                                while rest.next_if(|&&other| (other as usize) < j).is_some() {}
                                if rest.peek().is_none_or(|&&other| other as usize != j) {
                                    add(j);
                                }
                            }
                        }
                    }
                },
            );
            matmul(
                MatMut::from_row_major_slice_mut(&mut sums.products, d, width),
                Accum::Replace,
                MatRef::from_column_major_slice(values, d, height),
                MatRef::from_row_major_slice(&factors[..height * width], height, width),
                1.0,
                Par::Seq,
            );
        };
        let mut total = empty();
        let fold = |_, (), scratch: &mut Scratch| total.add(&scratch.sums);
        fold_in_order(run, self.n.div_ceil(CHUNK), scratch, work, fold)?;
        total.mass = total.moments[packed - 1];
        Ok(total)
    }

    /// Moves the zero of the table to the mean, which becomes part of the table's own.
    pub fn move_to(&mut self, state: &mut State, run: &Run) -> Result<()> {
        let (d, missing) = (self.d, &self.missing);
        let step = std::mem::replace(&mut state.mean, vec![0.0; d]);
        self.offset.iter_mut().zip(&step).for_each(|(offset, step)| *offset += step);
        fill_rows(run, &mut self.values, d, CHUNK, |rows, out| {
            for (row, out) in rows.zip(out.chunks_exact_mut(d)) {
                out.iter_mut().zip(&step).for_each(|(value, step)| *value -= step);
                missing[row].iter().for_each(|&j| out[j as usize] = 0.0);
            }
        })
    }
}

impl Sums {
    /// No rows yet.
    pub fn zeros(d: usize, k: usize, incomplete: bool) -> Self {
        let packed = (k + 1) * (k + 2) / 2;
        Self {
            log_likelihood: 0.0,
            mass: 0.0,
            moments: vec![0.0; packed],
            of_column: vec![0.0; if incomplete { d * packed } else { 0 }],
            products: vec![0.0; d * (k + 1)],
            squares: vec![0.0; d],
        }
    }

    pub fn clear(&mut self) {
        (self.log_likelihood, self.mass) = (0.0, 0.0);
        for sum in [&mut self.moments, &mut self.of_column, &mut self.products, &mut self.squares] {
            sum.fill(0.0);
        }
    }

    pub fn add(&mut self, other: &Self) {
        self.log_likelihood += other.log_likelihood;
        self.mass += other.mass;
        for (sum, more) in [
            (&mut self.moments, &other.moments),
            (&mut self.of_column, &other.of_column),
            (&mut self.products, &other.products),
            (&mut self.squares, &other.squares),
        ] {
            sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
    }
}

/// `(1 + P)^-1` for the packed `P`, and the logarithm of the determinant of `1 + P`.
pub(super) fn posterior_covariance(packed: &[f64], k: usize) -> (Vec<f64>, f64) {
    let mut factor = vec![0.0; k * k];
    for a in 0..k {
        for b in 0..=a {
            factor[a * k + b] = packed[a * (a + 1) / 2 + b];
        }
        factor[a * k + a] += 1.0;
    }
    let log_det = cholesky(&mut factor, k);
    (inverse_of_factor(&factor, k), log_det)
}
