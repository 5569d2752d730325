//! Whether classes stay apart.

use crate::cloud::Cloud;
use crate::estimate::{self, Estimate};
use lowland_base::parallel::map_chunks;
use lowland_base::{Error, Result, Run};
use std::collections::BTreeMap;

/// The leave-one-out error of the vote of the `k` nearest (of `stored` a row, nearest first). Of classes with equally
/// many votes, the one with the nearest point wins.
pub fn vote_error(
    rows: &[u32],
    neighbors: &[u32],
    stored: usize,
    k: usize,
    labels: &[i64],
) -> Result<Estimate> {
    let wrong = |(&row, near): (&u32, &[u32])| {
        let mut votes: BTreeMap<i64, usize> = BTreeMap::new();
        near[..k].iter().for_each(|&j| *votes.entry(labels[j as usize]).or_default() += 1);
        let most = votes.values().copied().max().unwrap_or(0);
        let winner = near[..k].iter().map(|&j| labels[j as usize]).find(|label| votes[label] == most);
        if winner == Some(labels[row as usize]) { 0.0 } else { 1.0 }
    };
    shares(rows, neighbors, stored, k, labels, wrong)
}

/// The mean share of the `k` nearest that have the label of their point.
pub fn neighborhood_hit(
    rows: &[u32],
    neighbors: &[u32],
    stored: usize,
    k: usize,
    labels: &[i64],
) -> Result<Estimate> {
    let hits = |(&row, near): (&u32, &[u32])| {
        let same = near[..k].iter().filter(|&&j| labels[j as usize] == labels[row as usize]);
        same.count() as f64 / k as f64
    };
    shares(rows, neighbors, stored, k, labels, hits)
}

fn shares(
    rows: &[u32],
    neighbors: &[u32],
    stored: usize,
    k: usize,
    labels: &[i64],
    share: impl Fn((&u32, &[u32])) -> f64,
) -> Result<Estimate> {
    estimate::check_k(k, stored + 1)?;
    let each: Vec<f64> = rows.iter().zip(neighbors.chunks_exact(stored)).map(share).collect();
    Ok(Estimate::of_mean(&each, labels.len()).within(0.0, 1.0))
}

/// The mean silhouette of the classes, -1 to 1, over at most `most` points; a class of one point counts 0. `None` where
/// there is a single class.
pub fn silhouette(cloud: &dyn Cloud, labels: &[i64], most: usize, run: &Run) -> Result<Option<Estimate>> {
    let n = cloud.len();
    check_labels(labels, n)?;
    let mut numbers = BTreeMap::new();
    for label in labels {
        let next = numbers.len();
        numbers.entry(label).or_insert(next);
    }
    let classes = numbers.len();
    if classes < 2 {
        return Ok(None);
    }
    let class: Vec<usize> = labels.iter().map(|label| numbers[label]).collect();
    let mut sizes = vec![0_usize; classes];
    class.iter().for_each(|&c| sizes[c] += 1);
    let rows = estimate::sample(n, most.max(2), "silhouette", run);
    let stage = run.stage("silhouette", Some(rows.len() as u64));
    let each = map_chunks(run, rows.len(), 32, |range| {
        let mut sums = vec![0.0; classes];
        let of_row = |row: usize| {
            sums.fill(0.0);
            (0..n).for_each(|j| sums[class[j]] += cloud.distance(row, j));
            let own = class[row];
            if sizes[own] == 1 {
                return 0.0;
            }
            let inside = sums[own] / (sizes[own] - 1) as f64;
            let means = (0..classes).filter(|&c| c != own).map(|c| sums[c] / sizes[c] as f64);
            let outside = means.fold(f64::INFINITY, f64::min);
            let larger = inside.max(outside);
            if larger > 0.0 { (outside - inside) / larger } else { 0.0 }
        };
        let each: Vec<f64> = rows[range].iter().map(|&row| row as usize).map(of_row).collect();
        stage.advance(each.len() as u64)?;
        Ok(each)
    })?;
    let each = each.into_iter().collect::<Result<Vec<_>>>()?.concat();
    Ok(Some(Estimate::of_mean(&each, n).within(-1.0, 1.0)))
}

/// One label a row.
pub(crate) fn check_labels(labels: &[i64], rows: usize) -> Result<()> {
    if labels.len() == rows { Ok(()) } else { Err(Error::LabelCount { labels: labels.len(), rows }) }
}
