//! Widths of kernels from the data.

use crate::matrix::faer_view;
use lowland_base::parallel::map_chunks;
use lowland_base::{Result, Run};
use lowland_neighbors::{Metric, index};
use ndarray::{ArrayView2, Axis};
use rand::seq::index::sample;

/// Rows whose distances are looked at.
const SAMPLED: usize = 500;

/// The median of the distances between different points: the usual first guess of a width. Of many rows a
/// sample is looked at. 1 where all points are the same.
pub fn median_distance(points: ArrayView2<'_, f64>, run: &Run) -> Result<f64> {
    let n = points.nrows();
    let rows: Vec<usize> = if n <= SAMPLED {
        (0..n).collect()
    } else {
        let mut rows = sample(&mut run.rng("median distance"), n, SAMPLED).into_vec();
        rows.sort_unstable();
        rows
    };
    let chosen = points.select(Axis(0), &rows);
    let pieces = map_chunks(run, rows.len(), 8, |range| {
        let mut distances = Vec::new();
        for i in range {
            let a = chosen.row(i);
            for b in chosen.rows().into_iter().skip(i + 1) {
                let (Some(a), Some(b)) = (a.to_slice(), b.to_slice()) else { continue };
                let distance = Metric::Euclidean.between(a, b);
                if distance > 0.0 {
                    distances.push(distance);
                }
            }
        }
        distances
    })?;
    let mut distances = pieces.concat();
    if distances.is_empty() {
        return Ok(1.0);
    }
    let middle = distances.len() / 2;
    Ok(*distances.select_nth_unstable_by(middle, f64::total_cmp).1)
}

/// For each query the distance to its `neighbor`-th nearest point at another place, or to the farthest there
/// is; 1 where there is none. Points at the same place do not count, so that a training point gets the same
/// width when it comes again as a new one.
pub(crate) fn local_widths(
    points: ArrayView2<'_, f64>,
    queries: ArrayView2<'_, f64>,
    neighbor: usize,
    run: &Run,
) -> Result<Vec<f64>> {
    let n = points.nrows();
    let index = index::build(faer_view(points), Metric::Euclidean, index::Choice::Auto, run)?;
    let mut widths = vec![0.0; queries.nrows()];
    let mut open: Vec<usize> = (0..queries.nrows()).collect();
    let mut k = (neighbor + 1).min(n);
    // Duplicates take up places: those who have too many look again among more.
    while !open.is_empty() {
        let asked = queries.select(Axis(0), &open);
        let table = index.k_nearest(faer_view(asked.view()), k, run)?;
        let mut still = Vec::new();
        for (row, &query) in open.iter().enumerate() {
            let apart: Vec<f64> =
                table.row(row).1.iter().copied().filter(|&distance| distance > 0.0).collect();
            if apart.len() >= neighbor || k == n {
                widths[query] = apart.get(neighbor - 1).or(apart.last()).copied().unwrap_or(1.0);
            } else {
                still.push(query);
            }
        }
        open = still;
        k = (2 * k).min(n);
    }
    Ok(widths)
}
