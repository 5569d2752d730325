//! The error of classes on rows that a method has not seen: the only fair one for a method that learns from labels.

use super::model::Table;
use super::{Estimate, Evaluator};
use crate::input::AnyInput;
use crate::method::Method;
use lowland_base::parallel::map_chunks;
use lowland_base::{Result, Run};
use ndarray::Array2;
use rand::seq::index;
use std::collections::BTreeMap;

/// One row in so many is held out, and at most so many rows.
const SHARE: usize = 5;
const MOST: usize = 1_000;

/// The share of held-out rows that the vote of their nearest among the others labels wrongly, in the embedding that was
/// fitted to the others. `None` without labels.
pub fn knn_error_held_out(
    method: &dyn Method,
    data: AnyInput<'_>,
    evaluator: &Evaluator<'_>,
    run: &Run,
) -> Result<Option<Estimate>> {
    let (Some(labels), Some(table)) = (evaluator.labels, Table::of(&data)) else { return Ok(None) };
    let n = table.rows();
    let held = (n / SHARE).clamp(1, MOST);
    let mut new = index::sample(&mut run.rng("held-out rows of classes"), n, held).into_vec();
    new.sort_unstable();
    let kept: Vec<u32> = (0..n as u32).filter(|&row| new.binary_search(&(row as usize)).is_err()).collect();
    let new: Vec<u32> = new.into_iter().map(|row| row as u32).collect();
    let (old_rows, new_rows) = (table.select(&kept), table.select(&new));
    let known: Vec<i64> = kept.iter().map(|&row| labels[row as usize]).collect();
    let model = method.fit_labeled((&old_rows).into(), &known, run)?;
    let old = match model.embedding() {
        Some(embedding) => embedding.to_f64(),
        None => model.transform((&old_rows).into(), run)?.to_f64(),
    };
    let images = model.transform((&new_rows).into(), run)?.to_f64();
    let k = evaluator.size(n).min(kept.len());
    let wrong = map_chunks(run, new.len(), 16, |range| {
        let each = range.map(|at| {
            let vote = vote(&old, &known, images.row(at), k);
            if vote == labels[new[at] as usize] { 0.0 } else { 1.0 }
        });
        each.collect::<Vec<f64>>()
    })?;
    // The rows are a sample of all that could be new.
    let Estimate { value, low, high } = Estimate::of_mean(&wrong.concat(), usize::MAX);
    Ok(Some(Estimate { value, low: low.max(0.0), high: high.min(1.0) }))
}

/// The label of most of the `k` nearest; of several, that of the nearest.
fn vote(rows: &Array2<f64>, labels: &[i64], query: ndarray::ArrayView1<'_, f64>, k: usize) -> i64 {
    let far = |i: usize| rows.row(i).iter().zip(query).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    let mut near: Vec<(f64, usize)> = (0..rows.nrows()).map(|i| (far(i), i)).collect();
    let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    if k < near.len() {
        near.select_nth_unstable_by(k, order);
        near.truncate(k);
    }
    near.sort_by(order);
    let mut votes: BTreeMap<i64, usize> = BTreeMap::new();
    near.iter().for_each(|&(_, i)| *votes.entry(labels[i]).or_default() += 1);
    let most = votes.values().copied().max().unwrap_or(0);
    near.iter().map(|&(_, i)| labels[i]).find(|label| votes[label] == most).unwrap_or_default()
}
