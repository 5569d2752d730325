//! Points in the order of a balanced k-d tree: leaves of at most sixteen points, stored coordinate by
//! coordinate so that a leaf is compared at once, and the bounding box of every node.

use crate::Rows;
use crate::nearest::by_distance;
use lowland_base::{Result, Run, Scalar};

/// The positions of a leaf. Between half and all of them are taken.
pub(super) const LEAF: usize = 16;

/// Nodes are numbered as in a heap: the children of `v` are `2v + 1` and `2v + 2`; the leaves come last.
pub(super) struct Layout<T> {
    pub(super) width: usize,
    pub(super) leaves: usize,
    /// Leaf by leaf, the numbers of the points.
    pub(super) order: Vec<u32>,
    /// Where each leaf begins in `order`, and the end.
    pub(super) starts: Vec<usize>,
    /// Leaf by leaf, coordinate by coordinate, sixteen positions; those not taken hold infinity.
    coordinates: Vec<T>,
    /// Node by node: the least, then the greatest of each coordinate.
    boxes: Vec<T>,
}

impl<T: Scalar> Layout<T> {
    pub(super) fn new(rows: &Rows<'_, T>, run: &Run) -> Result<Self> {
        let (n, width) = (rows.len(), rows.width());
        let leaves = n.div_ceil(LEAF).next_power_of_two();
        let mut order: Vec<u32> = (0..n as u32).collect();
        let mut keys = vec![(T::zero(), 0); n];
        run.install(|| split(rows, &mut order, &mut keys, leaves, run))?;
        let mut starts = Vec::with_capacity(leaves + 1);
        push_starts(0, n, leaves, &mut starts);
        starts.push(n);
        let mut layout = Self {
            width,
            leaves,
            starts,
            coordinates: vec![T::infinity(); leaves * width * LEAF],
            boxes: vec![T::zero(); (2 * leaves - 1) * 2 * width],
            order,
        };
        for leaf in 0..leaves {
            let points = &layout.order[layout.starts[leaf]..layout.starts[leaf + 1]];
            let positions = &mut layout.coordinates[leaf * width * LEAF..(leaf + 1) * width * LEAF];
            for (position, &point) in points.iter().enumerate() {
                for (d, &x) in rows.row(point as usize).iter().enumerate() {
                    positions[d * LEAF + position] = x;
                }
            }
            let node = leaves - 1 + leaf;
            bounds(rows, points, &mut layout.boxes[node * 2 * width..(node + 1) * 2 * width]);
        }
        for node in (0..leaves - 1).rev() {
            for d in 0..width {
                let side = |child: usize, d: usize| layout.boxes[child * 2 * width + d];
                let (left, right) = (2 * node + 1, 2 * node + 2);
                let least = side(left, d).min(side(right, d));
                let greatest = side(left, width + d).max(side(right, width + d));
                layout.boxes[node * 2 * width + d] = least;
                layout.boxes[node * 2 * width + width + d] = greatest;
            }
        }
        Ok(layout)
    }

    /// The numbers of a leaf's points.
    #[inline(always)]
    pub(super) fn points(&self, leaf: usize) -> &[u32] {
        &self.order[self.starts[leaf]..self.starts[leaf + 1]]
    }

    /// A leaf's coordinates.
    #[inline(always)]
    pub(super) fn coordinates(&self, leaf: usize) -> &[[T; LEAF]] {
        let size = self.width * LEAF;
        self.coordinates[leaf * size..(leaf + 1) * size].as_chunks().0
    }

    /// The least and the greatest coordinates of a node's points.
    #[inline(always)]
    pub(super) fn bounds(&self, node: usize) -> (&[T], &[T]) {
        self.boxes[node * 2 * self.width..(node + 1) * 2 * self.width].split_at(self.width)
    }
}

/// The bounding box of some points; an empty one is turned inside out.
fn bounds<T: Scalar>(rows: &Rows<'_, T>, points: &[u32], out: &mut [T]) {
    let (low, high) = out.split_at_mut(rows.width());
    low.fill(T::infinity());
    high.fill(T::neg_infinity());
    for &point in points {
        for (d, &x) in rows.row(point as usize).iter().enumerate() {
            low[d] = if x < low[d] { x } else { low[d] };
            high[d] = if x > high[d] { x } else { high[d] };
        }
    }
}

/// Halves the points at the median of their widest coordinate, ties by number, until there are `leaves`
/// parts. By count and not by value: equal points do no harm.
fn split<T: Scalar>(
    rows: &Rows<'_, T>,
    order: &mut [u32],
    keys: &mut [(T, u32)],
    leaves: usize,
    run: &Run,
) -> Result<()> {
    if leaves == 1 {
        return Ok(());
    }
    run.check()?;
    let mut sides = vec![T::zero(); 2 * rows.width()];
    bounds(rows, order, &mut sides);
    let extent = |d: usize| sides[rows.width() + d] - sides[d];
    let widest = (1..rows.width()).fold(0, |best, d| if extent(d) > extent(best) { d } else { best });
    for (key, &point) in keys.iter_mut().zip(order.iter()) {
        *key = (rows.row(point as usize)[widest], point);
    }
    let half = order.len() / 2;
    if half < order.len() {
        keys.select_nth_unstable_by(half, by_distance);
    }
    for (point, key) in order.iter_mut().zip(keys.iter()) {
        *point = key.1;
    }
    let (left, right) = order.split_at_mut(half);
    let (left_keys, right_keys) = keys.split_at_mut(half);
    let one = |part: &mut [u32], keys: &mut [(T, u32)]| split(rows, part, keys, leaves / 2, run);
    if leaves >= 64 {
        let (a, b) = rayon::join(|| one(left, left_keys), || one(right, right_keys));
        a.and(b)
    } else {
        one(left, left_keys).and_then(|()| one(right, right_keys))
    }
}

/// The starts of the parts that `split` makes.
fn push_starts(start: usize, len: usize, leaves: usize, starts: &mut Vec<usize>) {
    if leaves == 1 {
        starts.push(start);
        return;
    }
    let half = len / 2;
    push_starts(start, half, leaves / 2, starts);
    push_starts(start + half, len - half, leaves / 2, starts);
}
