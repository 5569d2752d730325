//! A tree over the points of a layout, for Barnes and Hut's repulsion: the points in Morton order, the nodes in preorder
//! with a way past each. Built in parallel by halves that do not depend on the number of threads.

use crate::layout::order::{BITS, Coded};
use lowland_base::Scalar;
use std::ops::Range;

/// The most points a leaf has, unless they are at one position.
const LEAF: usize = 16;
/// Ranges longer than this are built in parallel.
const LONG: usize = 4096;

/// A box with points in it.
#[derive(Debug, Clone)]
pub struct Node<T, const D: usize> {
    /// The mean of its points.
    pub center: [T; D],
    /// The corners of the smallest box around its points.
    pub low: [T; D],
    pub high: [T; D],
    /// The square of that box's longest side.
    pub squared_width: T,
    /// Its points, in the tree's order.
    pub points: Range<u32>,
    /// How many nodes further the next one is that is not inside this one.
    pub skip: u32,
}

impl<T: Scalar, const D: usize> Node<T, D> {
    /// Whether it has no children.
    pub fn is_leaf(&self) -> bool {
        self.skip == 1
    }

    /// How many points it has.
    pub fn mass(&self) -> T {
        T::of(self.points.len() as f64)
    }

    fn of(sorted: &[[T; D]], points: Range<usize>) -> Self {
        let mut sum = [0.0; D];
        let (mut low, mut high) = (sorted[points.start], sorted[points.start]);
        for y in &sorted[points.clone()] {
            for c in 0..D {
                sum[c] += y[c].wide();
                low[c] = if y[c] < low[c] { y[c] } else { low[c] };
                high[c] = if y[c] > high[c] { y[c] } else { high[c] };
            }
        }
        Self::with(sum.map(|s| T::of(s / points.len() as f64)), low, high, points)
    }

    fn with(center: [T; D], low: [T; D], high: [T; D], points: Range<usize>) -> Self {
        let width = (0..D).fold(T::zero(), |width, c| width.max(high[c] - low[c]));
        // One position is one point, wherever rounding puts the mean.
        let center = if width > T::zero() { center } else { low };
        let points = points.start as u32..points.end as u32;
        Self { center, low, high, squared_width: width * width, points, skip: 1 }
    }

    fn around(children: &[Self], points: Range<usize>) -> Self {
        let (mut low, mut high, mut sum) = (children[0].low, children[0].high, [0.0; D]);
        let mut index = 0;
        while index < children.len() {
            let child = &children[index];
            for c in 0..D {
                sum[c] += child.center[c].wide() * child.points.len() as f64;
                low[c] = if child.low[c] < low[c] { child.low[c] } else { low[c] };
                high[c] = if child.high[c] > high[c] { child.high[c] } else { high[c] };
            }
            index += child.skip as usize;
        }
        Self::with(sum.map(|s| T::of(s / points.len() as f64)), low, high, points)
    }
}

/// The nodes in preorder. `sorted` are the points in the order of `codes`.
pub fn build<T: Scalar, const D: usize>(codes: &[Coded], sorted: &[[T; D]]) -> Vec<Node<T, D>> {
    if sorted.is_empty() { Vec::new() } else { branch(codes, sorted, 0..sorted.len(), 0) }
}

/// The nodes of the points in `range`, which agree in the first `level` digits of their codes.
fn branch<T: Scalar, const D: usize>(
    codes: &[Coded],
    sorted: &[[T; D]],
    range: Range<usize>,
    mut level: usize,
) -> Vec<Node<T, D>> {
    let levels = BITS / D;
    let digit = |i: usize, level: usize| codes[i].0 >> (D * (levels - 1 - level)) & ((1 << D) - 1);
    // Past the levels at which all of them are in one cell.
    while level < levels && digit(range.start, level) == digit(range.end - 1, level) {
        level += 1;
    }
    if range.len() <= LEAF || level == levels {
        return vec![Node::of(sorted, range)];
    }
    let mut cuts = vec![range.start];
    while let Some(&begin) = cuts.last()
        && begin < range.end
    {
        let here = digit(begin, level);
        let rest = &codes[begin..range.end];
        let shift = D * (levels - 1 - level);
        cuts.push(begin + rest.partition_point(|code| code.0 >> shift & ((1 << D) - 1) <= here));
    }
    let parts: Vec<Range<usize>> = cuts.windows(2).map(|cut| cut[0]..cut[1]).collect();
    let children = several(codes, sorted, &parts, level + 1);
    let mut root = Node::around(&children, range);
    root.skip = children.len() as u32 + 1;
    let mut nodes = Vec::with_capacity(children.len() + 1);
    nodes.push(root);
    nodes.extend(children);
    nodes
}

/// The nodes of several ranges, one after the other.
fn several<T: Scalar, const D: usize>(
    codes: &[Coded],
    sorted: &[[T; D]],
    parts: &[Range<usize>],
    level: usize,
) -> Vec<Node<T, D>> {
    match parts {
        [] => Vec::new(),
        [part] => branch(codes, sorted, part.clone(), level),
        _ => {
            let (left, right) = parts.split_at(parts.len() / 2);
            let left = || several(codes, sorted, left, level);
            let right = || several(codes, sorted, right, level);
            let points = parts[parts.len() - 1].end - parts[0].start;
            let (mut left, right) = if points > LONG { rayon::join(left, right) } else { (left(), right()) };
            left.extend(right);
            left
        }
    }
}
