//! The affinities of one connected graph, their sums, and the smallest pairs of its Laplacian.

use crate::spectral::FURTHER_EIGENVALUES;
use faer::Mat;
use lowland_base::simd::vectorized;
use lowland_base::{Csr, Result, Run, parallel};
use lowland_linalg::operator::Packed;
use lowland_linalg::{Eigenpairs, Operator, Request, Which, eigen};

/// The affinities of one connected graph.
pub(super) enum Weights {
    Sparse(Csr<f64>),
    Dense(Packed<f64>),
}

/// The pairs of a Laplacian, and the matrix they belong to.
pub(super) struct Found {
    pub pairs: Eigenpairs<f64>,
    /// The eigenvalues that follow.
    pub further: Vec<f64>,
    pub matrix: Matrix,
}

pub(super) enum Matrix {
    /// The Laplacian itself.
    Sparse(Csr<f64>),
    /// The Laplacian, or `D^-1/2 W D^-1/2` where `negated`.
    Dense { matrix: Packed<f64>, negated: bool },
}

/// The share of pairs with an affinity below which a matrix is sparse.
const SPARSE: f64 = 0.1;
/// A Gaussian affinity below this share of that of a point with itself does not change a sum.
const NOTHING: f64 = f64::EPSILON * f64::EPSILON;

impl Weights {
    /// The affinities of all pairs: sparse where a small width leaves few of them, for there the eigenvalues crowd at the
    /// end that is looked for, and a factorization finds them where products of a dense matrix would take very many.
    pub fn of_dense(matrix: Packed<f64>) -> Result<Self> {
        let n = matrix.order();
        let most = (SPARSE * (n * n) as f64) as usize;
        let mut count = 0;
        for i in 0..n {
            count += 2 * (0..i).filter(|&j| matrix.get(i, j) > NOTHING).count() + 1;
            if count > most {
                return Ok(Self::Dense(matrix));
            }
        }
        let mut rows: Vec<(Vec<u32>, Vec<f64>)> = vec![Default::default(); n];
        for i in 0..n {
            for j in (0..=i).filter(|&j| j == i || matrix.get(i, j) > NOTHING) {
                let weight = matrix.get(i, j);
                rows[i].0.push(j as u32);
                rows[i].1.push(weight);
                if j < i {
                    rows[j].0.push(i as u32);
                    rows[j].1.push(weight);
                }
            }
        }
        let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for (to, weights) in rows {
            columns.extend(to);
            values.extend(weights);
            offsets.push(columns.len());
        }
        Ok(Self::Sparse(Csr::new(n, n, offsets, columns, values)?))
    }

    /// The sums of the rows of `F W F`, `F` the diagonal matrix of these factors.
    pub fn sums(&self, factors: &[f64], run: &Run) -> Result<Vec<f64>> {
        let parts = match self {
            Self::Sparse(w) => parallel::map_chunks(run, w.nrows(), 4096, |rows| {
                let sum = |i: usize| {
                    let (to, weights) = w.row(i);
                    let products = to.iter().zip(weights).map(|(&j, weight)| weight * factors[j as usize]);
                    factors[i] * products.sum::<f64>()
                };
                rows.map(sum).collect::<Vec<_>>()
            })?,
            Self::Dense(w) => {
                let sums = w.times(Mat::from_fn(factors.len(), 1, |i, _| factors[i]).as_ref(), run)?;
                vec![sums.col(0).iter().zip(factors).map(|(sum, factor)| factor * sum).collect()]
            }
        };
        Ok(parts.concat())
    }

    /// The smallest pairs of `D - F W F`, or of `I - D^-1/2 F W F D^-1/2`. The degrees are those of `F W F`.
    pub fn smallest(
        self,
        factors: &[f64],
        degrees: &[f64],
        plain: bool,
        count: usize,
        run: &Run,
    ) -> Result<Found> {
        let factors: Vec<f64> = if plain {
            factors.to_vec()
        } else {
            let over_root = |(f, &d): (&f64, &f64)| if d > 0.0 { f / d.sqrt() } else { 0.0 };
            factors.iter().zip(degrees).map(over_root).collect()
        };
        match self {
            Self::Sparse(w) => {
                let matrix = laplacian(&w, &factors, plain.then_some(degrees))?;
                drop(w);
                let request = Request::new(count, Which::Smallest);
                let (pairs, further) =
                    eigen::solve_with_further(&matrix, &request, FURTHER_EIGENVALUES, run)?;
                Ok(Found { pairs, further, matrix: Matrix::Sparse(matrix) })
            }
            Self::Dense(mut matrix) => {
                matrix.update(run, |i, row| {
                    scale(row, if plain { -factors[i] } else { factors[i] }, &factors);
                    row[i] += if plain { degrees[i] } else { 0.0 };
                })?;
                let which = if plain { Which::Smallest } else { Which::Largest };
                let more = if plain { 0 } else { FURTHER_EIGENVALUES };
                let request = Request::new(count, which);
                let (mut pairs, mut further) = eigen::solve_with_further(&matrix, &request, more, run)?;
                if !plain {
                    pairs.values.iter_mut().chain(&mut further).for_each(|value| *value = 1.0 - *value);
                }
                Ok(Found { pairs, further, matrix: Matrix::Dense { matrix, negated: !plain } })
            }
        }
    }
}

/// `w_j` times `one other_j`.
fn scale(row: &mut [f64], one: f64, others: &[f64]) {
    vectorized(
        #[inline(always)]
        || row.iter_mut().zip(others).for_each(|(weight, other)| *weight *= one * other),
    );
}

/// `D - F W F` with these degrees, or `I - F W F` without; the diagonal is stored.
fn laplacian(w: &Csr<f64>, factors: &[f64], degrees: Option<&[f64]>) -> Result<Csr<f64>> {
    let n = w.nrows();
    let entries = w.nnz() + n;
    let (mut offsets, mut columns, mut values) =
        (Vec::with_capacity(n + 1), Vec::with_capacity(entries), Vec::with_capacity(entries));
    offsets.push(0);
    for i in 0..n {
        let (to, weights) = w.row(i);
        let before = to.partition_point(|&j| (j as usize) < i);
        let looped = to.get(before) == Some(&(i as u32));
        let diagonal = if looped { weights[before] } else { 0.0 };
        // The product of the factors first: it is the same for the mirrored entry, to the bit.
        let entry = |(&j, &weight): (&u32, &f64)| -weight * (factors[i] * factors[j as usize]);
        let after = before + usize::from(looped);
        columns.extend_from_slice(&to[..before]);
        values.extend(to[..before].iter().zip(&weights[..before]).map(entry));
        columns.push(i as u32);
        values.push(degrees.map_or(1.0, |degrees| degrees[i]) - diagonal * (factors[i] * factors[i]));
        columns.extend_from_slice(&to[after..]);
        values.extend(to[after..].iter().zip(&weights[after..]).map(entry));
        offsets.push(columns.len());
    }
    Csr::new(n, n, offsets, columns, values)
}

/// `D - W` of a symmetric matrix of weights.
pub(crate) fn plain_laplacian(weights: &Csr<f64>) -> Result<Csr<f64>> {
    let n = weights.nrows();
    let degrees: Vec<f64> = (0..n).map(|i| weights.row(i).1.iter().sum()).collect();
    laplacian(weights, &vec![1.0; n], Some(&degrees))
}
