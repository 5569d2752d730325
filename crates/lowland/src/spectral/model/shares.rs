//! Which new rows belong to which connected component.

use super::SpectralModel;
use crate::AnyInput;
use crate::spectral::{ComponentModel, refuse_without_edges, without_edges};
use lowland_base::{Error, Result, Run, parallel};
use ndarray::{Array2, ArrayView2, Axis};
use std::ops::Range;

/// Sparse rows that are dense at a time, and the numbers that they should not be more than.
const SPARSE_ROWS: usize = 1024;
const DENSE: usize = 1 << 24;

/// A component and the new rows that belong to it.
pub(crate) struct Share<'m> {
    pub part: &'m ComponentModel,
    /// Their positions in the batch.
    pub positions: Vec<usize>,
    pub rows: Array2<f64>,
}

impl SpectralModel {
    /// Those of a block of rows that belong to each component: to the one with the nearest point.
    pub(crate) fn shares(
        &self,
        input: AnyInput<'_>,
        block: Range<usize>,
        run: &Run,
    ) -> Result<Vec<Share<'_>>> {
        let start = block.start;
        let relations = || self.connected_components().iter().map(|part| part.formula.relation());
        let Some(first) = relations().next() else { return Ok(Vec::new()) };
        let queries = first.queries(input, block);
        refuse_without_edges(relations(), queries.view(), start)?;
        for part in self.connected_components() {
            part.admit(queries.view(), start)?;
        }
        refuse_without_similarities(self.connected_components(), queries.view(), start)?;
        let mut shares = share_out(self.connected_components(), queries, run)?;
        shares.iter_mut().flat_map(|share| &mut share.positions).for_each(|row| *row += start);
        Ok(shares)
    }
}

/// Refuses rows of similarities that are all 0, where no vertex of the given graph is isolated. The first row is row `start`.
fn refuse_without_similarities(
    components: &[ComponentModel],
    queries: ArrayView2<'_, f64>,
    start: usize,
) -> Result<()> {
    let none = |values: &[f64]| values.iter().all(|&value| value == 0.0);
    for part in components {
        let of_similarities = part.formula.relation().similarities().is_some();
        let Some(affinities) = part.affinities().filter(|_| of_similarities) else { return Ok(()) };
        if (0..affinities.nrows()).any(|vertex| none(affinities.row(vertex).1)) {
            return Ok(());
        }
    }
    match queries.rows().into_iter().position(|row| row.iter().all(|&value| value == 0.0)) {
        None => Ok(()),
        Some(row) => Err(Error::malformed(
            "row of a graph",
            format!(
                "row {} has no similarity above 0, which leaves open where the new vertex is",
                start + row
            ),
            "give it some",
        )),
    }
}

/// The rows that belong to each component: to the one with the nearest point.
pub(crate) fn share_out<'m>(
    components: &'m [ComponentModel],
    queries: Array2<f64>,
    run: &Run,
) -> Result<Vec<Share<'m>>> {
    if let [part] = components {
        return Ok(vec![Share { part, positions: (0..queries.nrows()).collect(), rows: queries }]);
    }
    let isolated = components.iter().any(|part| !part.formula.relation().isolated().is_empty());
    let no_edges = if isolated { without_edges(queries.view()) } else { Vec::new() };
    let mut best = vec![(f64::INFINITY, 0); queries.nrows()];
    for (number, part) in components.iter().enumerate() {
        for (best, distance) in best.iter_mut().zip(part.distances(queries.view(), &no_edges, run)?) {
            if distance < best.0 {
                *best = (distance, number);
            }
        }
    }
    let share = |(number, part)| {
        let positions: Vec<usize> = (0..best.len()).filter(|&row| best[row].1 == number).collect();
        Share { part, rows: queries.select(Axis(0), &positions), positions }
    };
    Ok(components.iter().enumerate().map(share).collect())
}

/// Rows that are taken together: so many, or, where they are sparse, as many as may be dense at a time.
pub(crate) fn blocks(input: &AnyInput<'_>, rows: usize) -> impl Iterator<Item = Range<usize>> + use<> {
    let shape = input.shape();
    let dense = (DENSE / shape.columns.max(1)).clamp(16, SPARSE_ROWS);
    let size = if shape.kind.is_sparse() { dense.min(rows) } else { rows };
    parallel::chunks(shape.rows, size)
}

/// The coordinates of new rows, each by its component. A row that is known to be a training row has the coordinates that
/// this one has in the embedding.
pub(crate) fn extend(
    shares: Vec<Share<'_>>,
    embedding: ArrayView2<'_, f64>,
    out: &mut Array2<f64>,
    run: &Run,
) -> Result<()> {
    // What has no edges may be any of the isolated vertices.
    let isolated = |part: &ComponentModel| part.formula.relation().isolated();
    let members = |part: &ComponentModel| -> Vec<usize> {
        isolated(part).into_iter().map(|vertex| part.members[vertex]).collect()
    };
    let all: Vec<usize> = shares.iter().flat_map(|share| members(share.part)).collect();
    let mean = embedding.select(Axis(0), &all).mean_axis(Axis(0));
    for Share { part, positions, rows } in shares {
        let mut coordinates = part.extend(rows.view(), run)?;
        let known = |vertex: usize| embedding.row(part.members[vertex]);
        part.formula.relation().settle_known(rows.view(), known, coordinates.view_mut());
        if let Some(mean) = mean.as_ref().filter(|_| !isolated(part).is_empty()) {
            without_edges(rows.view()).into_iter().for_each(|row| coordinates.row_mut(row).assign(mean));
        }
        for (row, values) in positions.into_iter().zip(coordinates.rows()) {
            out.row_mut(row).assign(&values);
        }
    }
    Ok(())
}
