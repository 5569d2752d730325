//! The distance of an embedding from a known truth, whatever its position, size and orientation.

use crate::neighborhoods::same_rows;
use faer::{Mat, MatRef};
use lowland_base::parallel::map_chunks;
use lowland_base::{Result, Run, Scalar};
use lowland_linalg::svd;

/// What is left of the truth when the embedding has been moved, turned, mirrored and scaled onto it as well as possible,
/// as a share of the truth's own spread: 0 to 1 (SciPy's disparity). The widths may differ; the narrower gets columns of
/// zeros. Where both are single points it is 0, where one is, 1.
pub fn procrustes<T: Scalar, U: Scalar>(
    truth: MatRef<'_, T>,
    embedding: MatRef<'_, U>,
    run: &Run,
) -> Result<f64> {
    same_rows(truth.nrows(), embedding.nrows())?;
    let (truth, embedding) = (standard(truth), standard(embedding));
    let (Some(truth), Some(embedding)) = (&truth, &embedding) else {
        return Ok(if truth.is_none() && embedding.is_none() { 0.0 } else { 1.0 });
    };
    let (p, q) = (truth.ncols(), embedding.ncols());
    let parts = map_chunks(run, truth.nrows(), 1024, |range| {
        let dot = |a: usize, b: usize| range.clone().map(|i| truth[(i, a)] * embedding[(i, b)]).sum::<f64>();
        Mat::from_fn(p, q, dot)
    })?;
    let joint = parts
        .into_iter()
        .fold(Mat::zeros(p, q), |sum, part| Mat::from_fn(p, q, |i, j| sum[(i, j)] + part[(i, j)]));
    let found = svd::thin(joint.as_ref(), run)?;
    let sum: f64 = found.values.iter().sum();
    // The residual itself, for 1 - sum^2 has no digits left where it is small.
    let turn = |a: usize, b: usize| {
        (0..found.values.len()).map(|s| found.left[(a, s)] * found.right[(b, s)]).sum::<f64>()
    };
    let turn = Mat::from_fn(p, q, turn);
    let rest = map_chunks(run, truth.nrows(), 1024, |range| {
        let miss = |i: usize, a: usize| {
            truth[(i, a)] - sum * (0..q).map(|b| turn[(a, b)] * embedding[(i, b)]).sum::<f64>()
        };
        range.map(|i| (0..p).map(|a| miss(i, a).powi(2)).sum::<f64>()).sum::<f64>()
    })?;
    // What of the embedding lies across the truth's space, if it is wider, counts as missed too.
    let inside: f64 = rest.into_iter().sum();
    let across = if q > p { sum * sum * across(&turn, embedding) } else { 0.0 };
    Ok((inside + across).clamp(0.0, 1.0))
}

/// The square of the part of the rows outside the row space of an orthonormal map.
fn across(turn: &Mat<f64>, rows: &Mat<f64>) -> f64 {
    let (p, q) = turn.shape();
    let image = |i: usize, a: usize| (0..q).map(|b| turn[(a, b)] * rows[(i, b)]).sum::<f64>();
    let rest = |i: usize, b: usize| rows[(i, b)] - (0..p).map(|a| turn[(a, b)] * image(i, a)).sum::<f64>();
    (0..rows.nrows()).map(|i| (0..q).map(|b| rest(i, b).powi(2)).sum::<f64>()).sum()
}

/// Centered and of unit norm; `None` for a single point.
fn standard<T: Scalar>(points: MatRef<'_, T>) -> Option<Mat<f64>> {
    let (n, width) = points.shape();
    let wide = |i: usize, j: usize| points[(i, j)].wide();
    // Differences from the first row: an offset costs no digits, and equal rows leave exact zeros.
    let shifted = Mat::from_fn(n, width, |i, j| wide(i, j) - wide(0, j));
    let largest = (0..width).flat_map(|j| shifted.col(j).iter().map(|x| x.abs())).fold(0.0, f64::max);
    if largest == 0.0 || !largest.is_finite() {
        return None;
    }
    let mean: Vec<f64> =
        (0..width).map(|j| shifted.col(j).iter().map(|x| x / largest).sum::<f64>() / n as f64).collect();
    let mut centered = Mat::from_fn(n, width, |i, j| shifted[(i, j)] / largest - mean[j]);
    let norm = (0..width).map(|j| centered.col(j).iter().map(|x| x * x).sum::<f64>()).sum::<f64>().sqrt();
    for j in 0..width {
        centered.col_mut(j).iter_mut().for_each(|x| *x /= norm);
    }
    Some(centered)
}
