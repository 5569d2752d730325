//! The sum of the penalties of all neighborhoods, as a sparse matrix.
//!
//! Each penalty is kept as `E - F F' + G G'` on the points it concerns, with `E` the identity on the first few of
//! them and a few columns in `F` and `G`: much less than the square block. A row of the sum is then made from all
//! penalties that concern its point, in the order of the penalties; so is its mirror image, hence the sum is
//! symmetric to the bit.

use super::neighborhood::Neighborhoods;
use lowland_base::{Csr, Result, RowSums, Run, parallel};
use std::hint::black_box;
use std::ops::Range;

/// Neighborhoods that one task looks at.
const POINTS: usize = 256;

/// Numbers of penalties that are read ahead: no more than the nearest caches hold.
const AHEAD: usize = 1 << 13;

/// The penalties of some neighborhoods, one after another.
#[derive(Debug, Default)]
pub(super) struct Penalties {
    shapes: Vec<Shape>,
    points: Vec<u32>,
    /// For each point of a penalty its row of `[F, G]`.
    factors: Vec<f64>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Shape {
    points: usize,
    factors: usize,
    count: u32,
    identity: u32,
    minus: u32,
    width: u32,
}

impl Penalties {
    /// Adds the penalty `E - F F' + G G'` on `points`, with `E` the identity on the first `identity` of them;
    /// `minus` and `plus` hold the columns of `F` and `G`, one after another.
    pub fn push(
        &mut self,
        points: impl IntoIterator<Item = u32>,
        identity: usize,
        minus: &[f64],
        plus: &[f64],
    ) {
        let start = self.points.len();
        self.points.extend(points);
        let count = self.points.len() - start;
        let width = (minus.len() + plus.len()) / count.max(1);
        self.shapes.push(Shape {
            points: start,
            factors: self.factors.len(),
            count: count as u32,
            identity: identity as u32,
            minus: (minus.len() / count.max(1)) as u32,
            width: width as u32,
        });
        let columns = || minus.chunks_exact(count.max(1)).chain(plus.chunks_exact(count.max(1)));
        self.factors.reserve(minus.len() + plus.len());
        for point in 0..count {
            columns().for_each(|column| self.factors.push(column[point]));
        }
    }

    fn append(&mut self, other: Self) {
        let (points, factors) = (self.points.len(), self.factors.len());
        self.shapes.extend(other.shapes.into_iter().map(|shape| Shape {
            points: shape.points + points,
            factors: shape.factors + factors,
            ..shape
        }));
        self.points.extend(other.points);
        self.factors.extend(other.factors);
    }
}

impl Shape {
    fn points(self) -> Range<usize> {
        self.points..self.points + self.count as usize
    }

    fn factors(self, penalties: &Penalties) -> &[f64] {
        &penalties.factors[self.factors..][..self.count as usize * self.width as usize]
    }

    /// Reads a number of each cache line, so that they are at hand when the row is added. Returns how many numbers there are.
    fn touch(self, penalties: &Penalties) -> usize {
        let factors = self.factors(penalties);
        let points = &penalties.points[self.points()];
        let read = factors.iter().step_by(8).sum::<f64>();
        black_box((read, points.iter().step_by(16).fold(0, |read, point| read ^ point)));
        factors.len()
    }

    /// Row `a` of the penalty, added to the sums of its points.
    fn add_row(self, a: usize, penalties: &Penalties, sums: &mut RowSums<f64>) {
        // Those of tangents (d + 1) and of Hessians (d (d + 1) / 2) in two and three dimensions have loops of a known length.
        match self.width {
            3 => self.add_row_of_width(a, 3, penalties, sums),
            4 => self.add_row_of_width(a, 4, penalties, sums),
            6 => self.add_row_of_width(a, 6, penalties, sums),
            width => self.add_row_of_width(a, width as usize, penalties, sums),
        }
    }

    #[inline(always)]
    fn add_row_of_width(self, a: usize, width: usize, penalties: &Penalties, sums: &mut RowSums<f64>) {
        let (minus, identity) = (self.minus as usize, self.identity as usize);
        let factors = self.factors(penalties);
        let mine = &factors[a * width..][..width];
        let points = &penalties.points[self.points()];
        for (b, (&point, other)) in points.iter().zip(factors.chunks_exact(width.max(1))).enumerate() {
            let mut value = if a == b && b < identity { 1.0 } else { 0.0 };
            for c in 0..width {
                let product = mine[c] * other[c];
                value += if c < minus { -product } else { product };
            }
            sums.add(point, value);
        }
    }
}

/// The penalties of all `n` neighborhoods: `local` adds those of a range.
pub(super) fn collect(
    n: usize,
    local: impl Fn(Range<usize>, &mut Penalties) + Send + Sync,
    run: &Run,
) -> Result<Penalties> {
    let mut all = Penalties::default();
    let work = |c: usize, (): &mut ()| {
        let mut some = Penalties::default();
        local(c * POINTS..((c + 1) * POINTS).min(n), &mut some);
        some
    };
    parallel::fold_in_order(run, n.div_ceil(POINTS), || (), work, |_, some, ()| all.append(some))?;
    Ok(all)
}

/// Their sum.
pub(super) fn sum(n: usize, penalties: &Penalties, run: &Run) -> Result<Csr<f64>> {
    // For each point the penalties that concern it, in their order, and its position there.
    let mut starts = vec![0usize; n + 1];
    for &point in &penalties.points {
        starts[point as usize + 1] += 1;
    }
    for point in 0..n {
        starts[point + 1] += starts[point];
    }
    let mut next = starts.clone();
    let mut concerned = vec![(0u32, 0u32); penalties.points.len()];
    for (p, shape) in penalties.shapes.iter().enumerate() {
        for (a, &point) in penalties.points[shape.points()].iter().enumerate() {
            let at = &mut next[point as usize];
            concerned[*at] = (p as u32, a as u32);
            *at += 1;
        }
    }
    drop(next);
    let sum = |row: usize, sums: &mut RowSums<f64>| {
        let concerned = &concerned[starts[row]..starts[row + 1]];
        // They lie apart in memory: asked for together, they are not waited for one by one.
        let mut ahead = 0;
        for &(p, _) in concerned {
            if ahead < AHEAD {
                ahead += penalties.shapes[p as usize].touch(penalties);
            }
        }
        for &(p, a) in concerned {
            penalties.shapes[p as usize].add_row(a as usize, penalties, sums);
        }
    };
    Csr::from_sums(n, sum, run)
}

/// Which points are in no neighborhood. No penalty would concern such a point, and any image of it would cost nothing; so
/// it joins the neighborhood that is described from it.
pub(super) fn orphans(lists: &dyn Neighborhoods) -> Vec<bool> {
    let mut orphan = vec![true; lists.count()];
    for point in 0..lists.count() {
        lists.of(point).iter().for_each(|&j| orphan[j as usize] = false);
    }
    orphan
}

/// The neighbors of a point, and the point itself if it is an orphan.
pub(super) fn with_orphan(lists: &dyn Neighborhoods, orphan: &[bool], point: usize, out: &mut Vec<u32>) {
    out.clear();
    out.extend_from_slice(lists.of(point));
    if orphan[point] {
        out.push(point as u32);
    }
}
