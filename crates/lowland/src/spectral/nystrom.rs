//! Nyström's method (Burges 2.1, Mohri exercise 15.4): the eigenpairs of a kernel matrix from the columns of a
//! few landmarks. Nothing of order n x n is built.
//!
//! With `W` the kernel between landmarks and `C` the columns of all points to them, the kernel is taken to be
//! `C W^+ C'`: exact when its rank is at most that of `W` (Burges eq. 1.24).

use super::kernel::Function;
use super::landmarks::{self, Choice};
use super::{FunctionAnchors, Negative, Pairs, decompose};
use crate::{Input, check, choices};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef};
use lowland_base::{Error, Result, Run, parallel};
use lowland_linalg::operator::{Dense, Packed};
use lowland_linalg::{Operator, Request, Solver, Which, eigen, symmetric};
use ndarray::{Array2, ArrayView2, s};
use std::ops::Range;

choices! {
    /// Which eigenvectors Nyström's method makes.
    pub enum Variant {
        /// Those of the approximate kernel itself: orthogonal, and the exact ones where the rank allows.
        Orthogonal = "orthogonal" | "orthogonalized" | "one-shot",
        /// Those of the landmarks, extended to all points (Bengio eq. 23): cheaper, not orthogonal.
        Plain = "plain" | "extended",
    }
}

/// Rows at a time.
const CHUNK: usize = 1024;

/// Approximate eigenpairs of a kernel matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Nystrom {
    /// The landmarks, ascending.
    pub landmarks: Vec<usize>,
    /// The eigenvalues of the n x n kernel, descending.
    pub values: Vec<f64>,
    /// The eigenvectors, one a column: of unit length where they are orthogonal.
    pub vectors: Array2<f64>,
    /// The trace of `K - C W^+ C'`, the Schur complement: what the landmarks do not explain. 0 means exact.
    pub error: f64,
    /// The same as a share of the trace of `K`.
    pub relative_error: f64,
}

/// The settings of an approximation.
#[derive(Debug, Clone)]
pub struct Approximation {
    /// How many landmarks.
    pub landmarks: usize,
    /// How they are chosen.
    pub choice: Choice,
    /// How many eigenpairs.
    pub rank: usize,
    /// Which kind.
    pub variant: Variant,
}

/// The leading eigenpairs of the kernel matrix of points, from landmarks.
pub fn eigenpairs(
    kernel: &Function,
    points: ArrayView2<'_, f64>,
    request: &Approximation,
    run: &Run,
) -> Result<Nystrom> {
    check::finite("points", points)?;
    let points = points.as_standard_layout();
    let n = points.nrows();
    run.reserve_rows("the kernel between points and landmarks", n, request.landmarks)?;
    let chosen =
        landmarks::choose(Input::Points(points.view()), kernel, request.landmarks, request.choice, run)?;
    let m = chosen.len();
    if request.rank > m {
        let bound = format!("at most {m}, the number of landmarks");
        return Err(Error::parameter("rank", request.rank, bound, "ask for fewer pairs"));
    }
    let anchors = FunctionAnchors::new(kernel.clone(), landmarks::rows(points.view(), &chosen), run)?;
    let inner = anchors.matrix(run)?;
    let rows = |range: Range<usize>| anchors.block(points.slice(s![range, ..]), run);
    let features = features(&inner, run)?;
    let whole: f64 = anchors.self_kernels(points.view()).iter().sum();
    let gathered = gather(&features, n, &rows, run)?;
    let explained: f64 = (0..features.ncols()).map(|j| gathered.scatter[(j, j)]).sum();
    let error = (whole - explained).max(0.0);
    let (values, vectors) = match request.variant {
        Variant::Orthogonal => {
            let found = directions(&gathered.scatter, request.rank.min(features.ncols()), run)?;
            let map = product(features.view(), found.vectors.as_ref(), run);
            let vectors = extend(&map, n, &rows, run)?;
            scaled(vectors, &found.values)
        }
        Variant::Plain => {
            let pairs =
                Pairs { count: request.rank, negative: Negative::Drop, centered: false, entries: 0.0 };
            let found = decompose(&inner, pairs, run)?;
            let vectors = extend(&found.map, n, &rows, run)?;
            // K v = l v on the landmarks; of all points there are n/m times as many.
            let values: Vec<f64> = found.values.iter().map(|value| value * n as f64 / m as f64).collect();
            scaled(vectors, &values)
        }
    };
    let relative_error = if whole > 0.0 { error / whole } else { 0.0 };
    Ok(Nystrom { landmarks: chosen, values, vectors, error, relative_error })
}

/// The Frobenius norm of `K - C W^+ C'` with these landmarks, and the same as a share of that of `K`: what the trace of the
/// Schur complement bounds. All pairs are looked at, some rows at a time.
pub fn frobenius_error(
    kernel: &Function,
    points: ArrayView2<'_, f64>,
    landmarks: &[usize],
    run: &Run,
) -> Result<(f64, f64)> {
    check::finite("points", points)?;
    let points = points.as_standard_layout();
    let n = points.nrows();
    run.reserve_rows("the kernel between points and landmarks", n, landmarks.len())?;
    if let Some(&row) = landmarks.iter().find(|&&row| row >= n) {
        let bound = format!("below {n}, the number of rows");
        return Err(Error::parameter("landmarks", row, bound, "name rows of the points"));
    }
    let all = FunctionAnchors::new(kernel.clone(), points.to_owned(), run)?;
    let anchors = FunctionAnchors::new(kernel.clone(), landmarks::rows(points.view(), landmarks), run)?;
    let features = features(&anchors.matrix(run)?, run)?;
    let images =
        extend(&features, n, &|range: Range<usize>| anchors.block(points.slice(s![range, ..]), run), run)?;
    let (mut error, mut whole) = (0.0, 0.0);
    for range in parallel::chunks(n, CHUNK) {
        run.check()?;
        let block = all.block(points.slice(s![range.clone(), ..]), run)?;
        let explained = product(images.slice(s![range, ..]), view(&images).transpose(), run);
        whole += block.iter().map(|k| k * k).sum::<f64>();
        error += block.iter().zip(&explained).map(|(k, other)| (k - other).powi(2)).sum::<f64>();
    }
    let relative = if whole > 0.0 { (error / whole).sqrt() } else { 0.0 };
    Ok((error.sqrt(), relative))
}

/// Coordinates `sqrt(l) v` back to `v`.
fn scaled(mut vectors: Array2<f64>, values: &[f64]) -> (Vec<f64>, Array2<f64>) {
    for (mut column, &value) in vectors.columns_mut().into_iter().zip(values) {
        let factor = if value > 0.0 { 1.0 / value.sqrt() } else { 0.0 };
        column.mapv_inplace(|entry| entry * factor);
    }
    (values.to_vec(), vectors)
}

/// `Q L^-1/2` for `W = Q L Q'`, directions that are rounding left out: a row of `C` times it is a point in the
/// feature space that the landmarks span.
pub(crate) fn features(inner: &Packed<f64>, run: &Run) -> Result<Array2<f64>> {
    let m = inner.order();
    let pairs = eigen::solve(inner, &Request::new(m, Which::Largest).by(Solver::Dense), run)?;
    let floor = 10.0 * m as f64 * f64::EPSILON * pairs.values.first().copied().unwrap_or(0.0).max(0.0);
    let rank = pairs.values.iter().take_while(|&&value| value > floor).count();
    Ok(Array2::from_shape_fn((m, rank), |(i, j)| pairs.vectors[(i, j)] / pairs.values[j].sqrt()))
}

/// Sums over all points in the feature space.
pub(crate) struct Gathered {
    /// The mean of each feature.
    pub mean: Vec<f64>,
    /// The sum of `phi phi'`.
    pub scatter: Mat<f64>,
}

/// One pass over the points, a chunk at a time.
pub(crate) fn gather(
    features: &Array2<f64>,
    n: usize,
    rows: &dyn Fn(Range<usize>) -> Result<Array2<f64>>,
    run: &Run,
) -> Result<Gathered> {
    let stage = run.stage("landmark features", Some(n as u64));
    let r = features.ncols();
    let (mut sums, mut scatter) = (vec![0.0; r], Mat::zeros(r, r));
    for chunk in parallel::chunks(n, CHUNK) {
        let size = chunk.len();
        let part = rows(chunk)?;
        let part = product(part.view(), view(features), run);
        for row in part.rows() {
            sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        }
        let part = view(&part);
        run.install(|| matmul(scatter.as_mut(), Accum::Add, part.transpose(), part, 1.0, parallel::FAER));
        stage.advance(size as u64)?;
    }
    let mean = sums.iter().map(|sum| sum / n.max(1) as f64).collect();
    Ok(Gathered { mean, scatter })
}

/// The leading directions of a scatter matrix.
pub(crate) fn directions(
    scatter: &Mat<f64>,
    count: usize,
    run: &Run,
) -> Result<lowland_linalg::Eigenpairs<f64>> {
    let even = symmetric::mean(scatter.as_ref());
    eigen::solve(&Dense::new(even.as_ref())?, &Request::new(count, Which::Largest), run)
}

/// All rows times a map, a chunk at a time.
pub(crate) fn extend(
    map: &Array2<f64>,
    n: usize,
    rows: &dyn Fn(Range<usize>) -> Result<Array2<f64>>,
    run: &Run,
) -> Result<Array2<f64>> {
    let mut out = Array2::zeros((n, map.ncols()));
    for chunk in parallel::chunks(n, CHUNK) {
        run.check()?;
        let part = rows(chunk.clone())?;
        out.slice_mut(s![chunk, ..]).assign(&product(part.view(), view(map), run));
    }
    Ok(out)
}

/// A product as an array whose rows lie one after the other.
pub(crate) fn product(a: ArrayView2<'_, f64>, b: MatRef<'_, f64>, run: &Run) -> Array2<f64> {
    let (rows, columns) = (a.nrows(), b.ncols());
    let mut out = vec![0.0; rows * columns];
    let target = faer::MatMut::from_row_major_slice_mut(&mut out, rows, columns);
    run.install(|| matmul(target, Accum::Replace, crate::matrix::faer_view(a), b, 1.0, parallel::FAER));
    Array2::from_shape_fn((rows, columns), |(i, j)| out[i * columns + j])
}

/// A matrix for faer.
pub(crate) fn view(matrix: &Array2<f64>) -> MatRef<'_, f64> {
    crate::matrix::faer_view(matrix.view())
}
