//! The candidates of a block of rows: those that the prefilter cannot leave out yet.

use super::prefilter::{Frame, Prefilter};
use crate::nearest::by_distance;
use crate::{Metric, Rows};
use lowland_base::Scalar;

/// What measures the candidates: the rows that search, the rows that are found.
pub(super) struct Search<'a, T, F> {
    pub(super) metric: Metric,
    pub(super) k: usize,
    pub(super) frame: &'a Frame<T>,
    pub(super) queries: &'a Rows<'a, T>,
    pub(super) points: &'a Rows<'a, T>,
    pub(super) query_prefilter: &'a Prefilter<F>,
    pub(super) point_prefilter: &'a Prefilter<F>,
}

/// The candidates of the rows from `start` on.
pub(super) struct Pool<T, F> {
    start: usize,
    capacity: usize,
    /// `capacity` positions a row, of which `counts` are taken: (score, index).
    entries: Vec<(F, u32)>,
    counts: Vec<u32>,
    /// No pair with a lower score is among the nearest.
    pub(super) floors: Vec<F>,
    /// The nearest so far of those rows where the scores did not suffice: (distance, index).
    verified: Vec<Vec<(T, u32)>>,
}

impl<T: Scalar, F: Scalar> Pool<T, F> {
    pub(super) fn new(start: usize, rows: usize, search: &Search<'_, T, F>) -> Self {
        let capacity = (search.k + (search.k / 2).max(48)).min(search.points.len());
        Self {
            start,
            capacity,
            entries: vec![(F::zero(), 0); rows * capacity],
            counts: vec![0; rows],
            floors: vec![F::neg_infinity(); rows],
            verified: vec![Vec::new(); rows],
        }
    }

    /// Takes a candidate for a row of the block.
    #[inline]
    pub(super) fn push(&mut self, row: usize, score: F, index: u32, search: &Search<'_, T, F>) {
        if score < self.floors[row] {
            return;
        }
        let count = self.counts[row] as usize;
        self.entries[row * self.capacity + count] = (score, index);
        self.counts[row] += 1;
        if count + 1 == self.capacity && self.capacity < search.points.len() {
            self.shrink(row, search);
        }
    }

    /// Makes room: by the scores where they suffice, by measuring where they do not.
    fn shrink(&mut self, row: usize, search: &Search<'_, T, F>) {
        if self.verified[row].is_empty() {
            self.drop_by_score(row, search);
            if (self.counts[row] as usize) <= search.k + (self.capacity - search.k) / 2 {
                return;
            }
        }
        self.verify(row, search);
        if let Some(&(farthest, _)) = self.verified[row].get(search.k - 1) {
            let floor = search.frame.floor(farthest);
            if floor > self.floors[row] {
                self.floors[row] = floor;
            }
        }
    }

    /// Raises the floor to the k-th best sure closeness and drops what is below it.
    fn drop_by_score(&mut self, row: usize, search: &Search<'_, T, F>) {
        let range = row * self.capacity..row * self.capacity + self.counts[row] as usize;
        let entries = &mut self.entries[range];
        if entries.len() < search.k {
            return;
        }
        let own = search.query_prefilter.error[self.start + row];
        let sure =
            |entry: &(F, u32)| Prefilter::sure(entry.0, own + search.point_prefilter.error[entry.1 as usize]);
        let mut bounds: Vec<F> = entries.iter().map(sure).collect();
        let descending = |a: &F, b: &F| b.partial_cmp(a).unwrap_or(std::cmp::Ordering::Equal);
        let (_, &mut floor, _) = bounds.select_nth_unstable_by(search.k - 1, descending);
        if floor > self.floors[row] {
            self.floors[row] = floor;
        }
        let mut kept = 0;
        for e in 0..entries.len() {
            if entries[e].0 >= self.floors[row] {
                entries[kept] = entries[e];
                kept += 1;
            }
        }
        self.counts[row] = kept as u32;
    }

    /// Measures the candidates and keeps the nearest k.
    fn verify(&mut self, row: usize, search: &Search<'_, T, F>) {
        let range = row * self.capacity..row * self.capacity + self.counts[row] as usize;
        let query = search.queries.row(self.start + row);
        let verified = &mut self.verified[row];
        verified.extend(
            self.entries[range]
                .iter()
                .map(|&(_, index)| (search.metric.between(query, search.points.row(index as usize)), index)),
        );
        verified.sort_unstable_by(by_distance);
        verified.truncate(search.k);
        self.counts[row] = 0;
    }

    /// The nearest k of every row, nearest first.
    pub(super) fn finish(mut self, search: &Search<'_, T, F>) -> Vec<(T, u32)> {
        let mut nearest = Vec::with_capacity(self.counts.len() * search.k);
        for row in 0..self.counts.len() {
            if self.verified[row].is_empty() {
                self.drop_by_score(row, search);
            }
            self.verify(row, search);
            nearest.append(&mut self.verified[row]);
        }
        nearest
    }
}
