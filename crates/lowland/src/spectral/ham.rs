//! The Gram matrices with which kernel PCA becomes Laplacian eigenmaps or LLE (Ham, Lee, Mika and Schölkopf 2004, sections
//! 4-5). Small matrices made explicit, for pictures and for methods that take a kernel or distances; the methods
//! `commute-time` and `heat-kernel` do the same without forming them.

use super::nystrom::view;
use faer::MatRef;
use lowland_base::{Csr, Error, Result, Run, parallel};
use lowland_linalg::eigen::SparseFactor;
use lowland_linalg::operator::Dense;
use lowland_linalg::{Eigenpairs, Request, Which, eigen};
use lowland_neighbors::Graph;
use ndarray::Array2;

/// Right-hand sides solved for at a time.
const BLOCK: usize = 8;

/// Some columns of the pseudo-inverse of a symmetric positive semidefinite matrix whose null vectors are the constant
/// ones: `L^+` of a connected graph (Ham 4.2), `M^+` of LLE's `(I - W)'(I - W)` (Ham 5). By sparse solves: with vertex
/// 0 grounded the rest is definite, and `P G P` is the pseudo-inverse, `P` the centering.
pub fn pseudo_inverse_columns(matrix: &Csr<f64>, columns: &[usize], run: &Run) -> Result<Array2<f64>> {
    let n = matrix.nrows();
    if let Some(&column) = columns.iter().find(|&&column| column >= n) {
        return Err(Error::parameter(
            "column",
            column,
            format!("below {n}"),
            "the matrix has no such column",
        ));
    }
    if n <= 1 {
        return Ok(Array2::zeros((n, columns.len())));
    }
    let mut factor = SparseFactor::new(&grounded(matrix)?, run)?;
    let mut out = Array2::zeros((n, columns.len()));
    for range in parallel::chunks(columns.len(), BLOCK) {
        let width = range.len();
        let mean = 1.0 / n as f64;
        let mut right = vec![-mean; (n - 1) * width];
        for (w, &column) in columns[range.clone()].iter().enumerate() {
            if column > 0 {
                right[(column - 1) * width + w] += 1.0;
            }
        }
        let solved = factor.solve(&right, width, run)?;
        for (w, c) in range.enumerate() {
            let total: f64 = (0..n - 1).map(|i| solved[i * width + w]).sum::<f64>() * mean;
            out[(0, c)] = -total;
            for i in 1..n {
                out[(i, c)] = solved[(i - 1) * width + w] - total;
            }
        }
    }
    Ok(out)
}

/// The pseudo-inverse as a whole: see [`pseudo_inverse_columns`].
pub fn pseudo_inverse(matrix: &Csr<f64>, run: &Run) -> Result<Array2<f64>> {
    let n = matrix.nrows();
    let bytes = 16 * (n as u64) * n as u64;
    run.reserve("a pseudo-inverse", bytes, "ask for some of its columns, or use the method commute-time")?;
    let all: Vec<usize> = (0..n).collect();
    let x = pseudo_inverse_columns(matrix, &all, run)?;
    Ok(Array2::from_shape_fn((n, n), |(i, j)| 0.5 * (x[(i, j)] + x[(j, i)])))
}

/// `D - W` of the weights of a connected graph.
pub fn laplacian(weights: &Graph<f64>) -> Result<Csr<f64>> {
    let sizes = weights.connected_components().sizes_descending();
    if sizes.len() > 1 {
        return Err(Error::disconnected(sizes));
    }
    super::graph::plain_laplacian(weights.distances())
}

/// The mean time of a random walk from one vertex to another and back: `vol (l_ii + l_jj - 2 l_ij)` with `l` the
/// entries of `L^+`. Its square root is a Euclidean distance: classical scaling of it is `commute-time`.
pub fn commute_times(weights: &Graph<f64>, run: &Run) -> Result<Array2<f64>> {
    let inverse = pseudo_inverse(&laplacian(weights)?, run)?;
    let volume: f64 = weights.distances().values().iter().sum();
    Ok(Array2::from_shape_fn(inverse.dim(), |(i, j)| {
        if i == j {
            return 0.0;
        }
        volume * (inverse[(i, i)] + inverse[(j, j)] - 2.0 * inverse[(i, j)]).max(0.0)
    }))
}

/// The heat kernel `exp(-t L)` (Ham 4.1), from all eigenpairs.
pub fn heat_kernel(weights: &Graph<f64>, t: f64, run: &Run) -> Result<Array2<f64>> {
    if !(t >= 0.0 && t.is_finite()) {
        return Err(Error::parameter("t", t, "0 or more, and finite", "the usual value is 1"));
    }
    let laplacian = laplacian(weights)?;
    let n = laplacian.nrows();
    run.reserve("a heat kernel", 40 * (n as u64) * n as u64, "use the method heat-kernel")?;
    let dense = lowland_linalg::Operator::to_dense(&laplacian, run)?;
    function_of(dense.as_ref(), |m| (-t * m.max(0.0)).exp(), run)
}

/// `f(M) = sum f(m) v v'` of a dense symmetric matrix, from all eigenpairs; `f` must not be negative.
pub(super) fn function_of(matrix: MatRef<'_, f64>, f: impl Fn(f64) -> f64, run: &Run) -> Result<Array2<f64>> {
    let n = matrix.nrows();
    let pairs = all_pairs(matrix, run)?;
    let half = Array2::from_shape_fn((n, n), |(i, j)| pairs.vectors[(i, j)] * f(pairs.values[j]).sqrt());
    Ok(super::nystrom::product(half.view(), view(&half).transpose(), run))
}

/// The pseudo-inverse of a dense semidefinite matrix: what is zero to rounding stays zero.
pub(super) fn pseudo_inverse_of(matrix: MatRef<'_, f64>, run: &Run) -> Result<Array2<f64>> {
    let zero = largest_eigenvalue(matrix, run)?.abs() * f64::EPSILON * matrix.nrows() as f64;
    function_of(matrix, |m| if m > zero { 1.0 / m } else { 0.0 }, run)
}

/// The largest eigenvalue of a dense symmetric matrix.
pub(super) fn largest_eigenvalue(matrix: MatRef<'_, f64>, run: &Run) -> Result<f64> {
    if matrix.nrows() == 0 {
        return Ok(0.0);
    }
    Ok(eigen::solve(&Dense::new(matrix)?, &Request::new(1, Which::Largest), run)?.values[0])
}

fn all_pairs(matrix: MatRef<'_, f64>, run: &Run) -> Result<Eigenpairs<f64>> {
    let request = Request::new(matrix.nrows(), Which::Smallest).by(lowland_linalg::Solver::Dense);
    eigen::solve(&Dense::new(matrix)?, &request, run)
}

/// The matrix without its first row and column.
fn grounded(matrix: &Csr<f64>) -> Result<Csr<f64>> {
    let n = matrix.nrows();
    let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 1..n {
        let (to, entries) = matrix.row(i);
        for (&j, &entry) in to.iter().zip(entries).filter(|entry| *entry.0 > 0) {
            columns.push(j - 1);
            values.push(entry);
        }
        offsets.push(columns.len());
    }
    Csr::new(n - 1, n - 1, offsets, columns, values)
}
