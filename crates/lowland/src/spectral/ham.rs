//! The Gram matrices of Ham, Lee, Mika and Schölkopf (2004, section 4-5): what kernel PCA is given, to be Laplacian
//! eigenmaps or LLE. Small matrices made explicit, for pictures and for methods that take a kernel or distances; the
//! methods `commute-time` and `heat-kernel` go the same way without any of them.

use super::nystrom::view;
use lowland_base::{Csr, Error, Result, Run, parallel};
use lowland_linalg::eigen::SparseFactor;
use lowland_linalg::operator::Dense;
use lowland_linalg::{Request, Which, eigen};
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
    let sizes = weights.components().sizes_descending();
    if sizes.len() > 1 {
        return Err(Error::Disconnected { sizes });
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
    let request = Request::new(n, Which::Smallest).by(lowland_linalg::Solver::Dense);
    let pairs = eigen::solve(&Dense::new(dense.as_ref())?, &request, run)?;
    let half = Array2::from_shape_fn((n, n), |(i, j)| {
        pairs.vectors[(i, j)] * (-0.5 * t * pairs.values[j].max(0.0)).exp()
    });
    Ok(super::nystrom::product(half.view(), view(&half).transpose(), run))
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
