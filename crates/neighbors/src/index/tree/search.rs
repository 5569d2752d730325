//! The search: a leaf of queries at a time walks down the tree of points. Queries of a leaf are neighbors,
//! so they share the walk and the cache.

use super::layout::{LEAF, Layout};
use super::norm::Norm;
use crate::metric::kernel::SHORT;
use crate::nearest::Nearest;
use crate::{Metric, Rows};
use lowland_base::Scalar;

/// What receives the points found.
pub(super) trait Found<T> {
    /// The distance beyond which the query in this position of the leaf wants nothing more.
    fn limit(&self, position: usize) -> T;
    /// A point for the query in this position, not beyond its limit.
    fn take(&mut self, position: usize, distance: T, point: u32);
}

impl<T: Scalar> Found<T> for Vec<Nearest<T>> {
    #[inline(always)]
    fn limit(&self, position: usize) -> T {
        self[position].limit()
    }

    #[inline(always)]
    fn take(&mut self, position: usize, distance: T, point: u32) {
        self[position].push(distance, point);
    }
}

/// All within a radius: (position, point, distance).
pub(super) struct Within<T> {
    pub(super) radius: T,
    pub(super) found: Vec<(u32, u32, T)>,
}

impl<T: Scalar> Found<T> for Within<T> {
    #[inline(always)]
    fn limit(&self, _place: usize) -> T {
        self.radius
    }

    #[inline(always)]
    fn take(&mut self, position: usize, distance: T, point: u32) {
        self.found.push((position as u32, point, distance));
    }
}

/// Two trees and a norm. Where the queries are the points, a point does not find itself.
pub(super) struct Search<'a, T, N> {
    pub(super) metric: Metric,
    pub(super) norm: N,
    pub(super) points: &'a Layout<T>,
    pub(super) point_rows: &'a Rows<'a, T>,
    pub(super) queries: &'a Layout<T>,
    pub(super) query_rows: &'a Rows<'a, T>,
    pub(super) same: bool,
}

impl<T: Scalar, N: Norm<T>> Search<'_, T, N> {
    /// Finds the neighbors of the queries of one leaf.
    #[inline(always)]
    pub(super) fn leaf(&self, leaf: usize, found: &mut impl Found<T>, stack: &mut Vec<(usize, T)>) {
        let count = self.queries.points(leaf).len();
        // The box of a wide point is added up in another order than its distance: by that much, and for the
        // rounding of the limit itself.
        let slack = T::one() + T::of(4.0 * (self.points.width + 16) as f64) * T::EPSILON;
        let mut limits = [-T::one(); LEAF];
        for (position, limit) in limits[..count].iter_mut().enumerate() {
            *limit = self.norm.limit(found.limit(position), slack);
        }
        let first_leaf = self.points.leaves - 1;
        if self.same {
            self.visit(leaf, leaf, &mut limits, slack, found);
        }
        let query_node = self.queries.leaves - 1 + leaf;
        stack.clear();
        stack.push((0, T::zero()));
        while let Some((node, gap)) = stack.pop() {
            if gap > limits.iter().fold(limits[0], |most, &l| if l > most { l } else { most }) {
                continue;
            }
            if node >= first_leaf {
                if !(self.same && node - first_leaf == leaf) {
                    self.visit(leaf, node - first_leaf, &mut limits, slack, found);
                }
                continue;
            }
            let (left, right) = (2 * node + 1, 2 * node + 2);
            let (a, b) = (self.box_gap(query_node, left), self.box_gap(query_node, right));
            if a <= b {
                stack.extend([(right, b), (left, a)]);
            } else {
                stack.extend([(left, a), (right, b)]);
            }
        }
    }

    /// The sum for the gap between two boxes.
    #[inline(always)]
    fn box_gap(&self, query_node: usize, node: usize) -> T {
        let (low, high) = self.queries.bounds(query_node);
        let (other_low, other_high) = self.points.bounds(node);
        let mut sum = T::zero();
        for d in 0..low.len() {
            sum = self.norm.add(sum, gap(other_low[d] - high[d], low[d] - other_high[d]));
        }
        sum
    }

    /// Compares the queries of a leaf with the points of a leaf.
    #[inline(always)]
    fn visit(&self, from: usize, to: usize, limits: &mut [T; LEAF], slack: T, found: &mut impl Found<T>) {
        let queries = self.queries.coordinates(from);
        let (low, high) = self.points.bounds(self.points.leaves - 1 + to);
        let mut gaps = [T::zero(); LEAF];
        for (d, x) in queries.iter().enumerate() {
            for l in 0..LEAF {
                gaps[l] = self.norm.add(gaps[l], gap(low[d] - x[l], x[l] - high[d]));
            }
        }
        let members = self.points.points(to);
        for (position, &query) in self.queries.points(from).iter().enumerate() {
            if gaps[position] > limits[position] {
                continue;
            }
            let measure = |point: u32| {
                let (a, b) = (self.query_rows.row(query as usize), self.point_rows.row(point as usize));
                self.metric.between_inline(a, b)
            };
            let own = |point: u32| self.same && point == query;
            if self.points.width > SHORT {
                for &point in members.iter().filter(|&&point| !own(point)) {
                    let distance = measure(point);
                    if distance <= found.limit(position) {
                        found.take(position, distance, point);
                    }
                }
            } else {
                let mut sums = [T::zero(); LEAF];
                for (y, x) in self.points.coordinates(to).iter().zip(queries) {
                    for l in 0..LEAF {
                        sums[l] = self.norm.add(sums[l], x[position] - y[l]);
                    }
                }
                for (l, &point) in members.iter().enumerate() {
                    if sums[l] <= limits[position] && !own(point) {
                        let distance = match self.norm.distance(sums[l]) {
                            Some(distance) => distance,
                            None => self.metric.between(
                                self.query_rows.row(query as usize),
                                self.point_rows.row(point as usize),
                            ),
                        };
                        if distance <= found.limit(position) {
                            found.take(position, distance, point);
                        }
                    }
                }
            }
            limits[position] = self.norm.limit(found.limit(position), slack);
        }
    }
}

/// The distance to an interval, from the distances below and above it.
#[inline(always)]
fn gap<T: Scalar>(below: T, above: T) -> T {
    let outside = if below > above { below } else { above };
    if outside > T::zero() { outside } else { T::zero() }
}
