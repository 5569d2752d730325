//! Repulsion by interpolation on a grid, linear in the number of points (after Linderman et al. 2019).
//!
//! Repulsion is the slope of a potential: `sum_j w u (y - y_j) = -dof / (dof + 1) grad phi(y)` with
//! `phi(y) = sum_j w(y - y_j)`, and `Z = sum_i phi(y_i) - n`. So one convolution is enough, of one charge a point: the
//! points are spread on a grid by cubic B-splines, the grid is convolved with the kernel, and the potential and its slope
//! are read off by the same splines, as in the smooth particle mesh of Essmann et al. 1995. Dividing the kernel's
//! transform by that of the splines makes the whole exact on the grid lines. Between them a point is pushed by its own
//! charge too, which no point is in truth: that part is known from where in its cell the point is, and taken off.

mod convolution;
mod fft;

use super::Repulsion;
use crate::layout::kernel::Kernel;
use crate::layout::order::bounds;
use convolution::{Convolution, PAIR};
use fft::smooth;
use lowland_base::parallel::{map_chunks, map_rows};
use lowland_base::simd::vectorized;
use lowland_base::{Result, Run, Scalar};

/// The usual distance of two grid lines, in units of the kernel's width. Forces are right to 1 %. With 4 % of noise, as at 0.5,
/// layouts expand more slowly, and have a divergence that is 2 to 3 % higher after the same iterations.
pub const SPACING: f64 = 0.35;
/// The fewest cells along the longest side of a layout, however small it is.
const FEWEST: f64 = 24.0;
/// The most cells along the longest side, however large it is. Beyond, the grid gets coarser.
const MOST: f64 = 3000.0;
/// Nodes between the farthest distance that counts and the one where the padded kernel folds back.
const MARGIN: usize = 8;
/// Points a chunk.
const CHUNK: usize = 1024;
/// Rows of the grid that are filled by one thread.
const STRIP: usize = 16;
/// The nodes that a cubic spline reaches.
const REACH: usize = 4;

/// Repulsion by interpolation, in one or two dimensions.
#[derive(Debug, Clone)]
pub struct Interpolation<T> {
    kernel: Kernel,
    spacing: f64,
    plan: Option<Plan<T>>,
}

/// What depends on the grid's shape and spacing only, and outlasts many iterations.
#[derive(Debug, Clone)]
struct Plan<T> {
    step: f64,
    padded: (usize, usize),
    shape: (usize, usize),
    /// The kernel at the far corner, taken off it: a constant pushes nowhere, and without it a layout of any width keeps
    /// its digits in single precision.
    floor: f64,
    /// The potential of one charge at a node, that many rows and columns away.
    near: [[T; REACH]; REACH],
    convolution: Convolution<T>,
}

impl<T: Scalar> Interpolation<T> {
    /// `spacing` is the distance of two grid lines, in units of the kernel's width.
    pub fn new(kernel: Kernel, spacing: f64) -> Self {
        Self { kernel, spacing, plan: None }
    }

    /// The potential of a layout on a grid that reaches `around` beyond it.
    pub fn field<const D: usize>(
        &mut self,
        layout: &[[T; D]],
        around: f64,
        run: &Run,
    ) -> Result<Field<T, D>> {
        let (mut low, mut high) = bounds(layout, run)?;
        for c in 0..D {
            low[c] = T::of(low[c].wide() - around);
            high[c] = T::of(high[c].wide() + around);
        }
        let plan = self.plan(low, high, run)?;
        let mut field = Field {
            low,
            step: T::of(plan.step),
            over_step: T::of(1.0 / plan.step),
            shape: plan.shape,
            floor: plan.floor,
            charges: layout.len() as f64,
            near: plan.near,
            values: Vec::new(),
        };
        field.values = field.spread(layout, run)?;
        plan.convolution.apply(&mut field.values, run)?;
        Ok(field)
    }

    fn plan<const D: usize>(&mut self, low: [T; D], high: [T; D], run: &Run) -> Result<&mut Plan<T>> {
        let kernel = self.kernel;
        let spans: [f64; D] = std::array::from_fn(|c| high[c].wide() - low[c].wide());
        let span = spans.iter().fold(0.0_f64, |a, &b| a.max(b));
        let usual = self.spacing * kernel.dof().sqrt().min(1.0);
        let step = if span > MOST * usual {
            span / MOST
        } else if span > 0.0 && span < FEWEST * usual {
            // In halves of octaves, so that the plan lasts for a while.
            usual * 2f64.powf(-(2.0 * (FEWEST * usual / span).log2()).ceil() / 2.0)
        } else {
            usual
        };
        let nodes = |c: usize| (spans[c] / step) as usize + REACH + 1;
        let padded_rows = smooth(2 * (nodes(0) + MARGIN));
        let (columns, padded_columns) = if D > 1 {
            let columns = (smooth(2 * (nodes(1) + MARGIN)) / 2 - MARGIN).next_multiple_of(PAIR);
            (columns, smooth(2 * (columns + MARGIN)))
        } else {
            (PAIR, 2 * PAIR)
        };
        let (padded, shape) = ((padded_rows, padded_columns), (padded_rows / 2 - MARGIN, columns));
        let fits = |plan: &Plan<T>| plan.step == step && plan.padded == padded && plan.shape == shape;
        let plan = match self.plan.take() {
            Some(plan) if fits(&plan) => plan,
            _ => {
                let width = if D > 1 { step } else { 0.0 };
                let squared = |i: usize, j: usize| (i as f64 * step).powi(2) + (j as f64 * width).powi(2);
                let far = squared(padded.0 / 2, padded.1 / 2);
                let response = |k: f64, l: f64| {
                    // The transform of a cubic spline at the nodes, once for spreading and once for reading.
                    let spline = |angle: f64| ((2.0 + angle.cos()) / 3.0).powi(2);
                    spline(k) * if D > 1 { spline(l) } else { 1.0 }
                };
                let above = |i: usize, j: usize| kernel.above(squared(i, j), far);
                let mut convolution = Convolution::new(shape, padded, above, response, run)?;
                let mut single = vec![T::zero(); shape.0 * shape.1];
                single[0] = T::one();
                convolution.apply(&mut single, run)?;
                let near = std::array::from_fn(|i| std::array::from_fn(|j| single[i * shape.1 + j]));
                Plan { step, padded, shape, floor: kernel.weight(far), near, convolution }
            }
        };
        Ok(self.plan.insert(plan))
    }
}

impl<T: Scalar, const D: usize> Repulsion<T, D> for Interpolation<T> {
    fn forces(&mut self, layout: &[[T; D]], forces: &mut [[T; D]], run: &Run) -> Result<f64> {
        let slope = T::of(-1.0 / self.kernel.slope());
        let field = self.field(layout, 0.0, run)?;
        let parts = map_rows(run, forces, 1, CHUNK, |range, forces| {
            vectorized(
                #[inline(always)]
                || {
                    let mut sum = 0.0;
                    for (&y, force) in layout[range].iter().zip(forces) {
                        let ((value, gradient), (own, own_gradient)) = (field.read(y), field.own(y));
                        sum += (value - own).wide();
                        *force = std::array::from_fn(|c| (gradient[c] - own_gradient[c]) * slope);
                    }
                    sum
                },
            )
        })?;
        let n = layout.len() as f64;
        Ok(parts.into_iter().sum::<f64>() + n * (n - 1.0) * field.floor)
    }
}

/// The potential of a layout, on a grid.
#[derive(Debug, Clone)]
pub struct Field<T, const D: usize> {
    low: [T; D],
    step: T,
    over_step: T,
    shape: (usize, usize),
    floor: f64,
    charges: f64,
    near: [[T; REACH]; REACH],
    values: Vec<T>,
}

impl<T: Scalar, const D: usize> Field<T, D> {
    /// The potential at a position inside the grid, and its gradient.
    pub fn at(&self, y: [T; D]) -> (f64, [T; D]) {
        let (value, gradient) = self.read(y);
        (value.wide() + self.charges * self.floor, gradient)
    }

    /// The nearest position inside the grid.
    pub fn clamp(&self, y: [T; D]) -> [T; D] {
        let mut out = y;
        for c in 0..D {
            let nodes = if c == 0 { self.shape.0 } else { self.shape.1 };
            let high = self.low[c] + self.step * T::of((nodes - REACH - 1) as f64);
            out[c] = y[c].max(self.low[c]).min(high);
        }
        out
    }

    /// The first node that a coordinate reaches and how far it is from there to the next.
    #[inline(always)]
    fn cell_of(&self, y: [T; D], c: usize) -> (usize, T) {
        let nodes = if c == 0 { self.shape.0 } else { self.shape.1 };
        let x = (y[c] - self.low[c]) * self.over_step;
        // As 32 bits: there is no vector instruction for 64.
        let cell = (x.wide() as i32).clamp(0, (nodes - REACH) as i32);
        (cell as usize, x - T::of(f64::from(cell)))
    }

    #[inline(always)]
    fn column(&self, y: [T; D]) -> (usize, [T; REACH], [T; REACH]) {
        if D > 1 {
            let (first, t) = self.cell_of(y, 1);
            (first, spline(t), spline_slope(t))
        } else {
            let (zero, one) = (T::zero(), T::one());
            (0, [one, zero, zero, zero], [zero; REACH])
        }
    }

    #[inline(always)]
    fn read(&self, y: [T; D]) -> (T, [T; D]) {
        let (first_row, t) = self.cell_of(y, 0);
        let (weights, slopes) = (spline(t), spline_slope(t));
        let (first, across, across_slopes) = self.column(y);
        let (mut value, mut down, mut right) = (T::zero(), T::zero(), T::zero());
        let rows = self.values[first_row * self.shape.1..].chunks_exact(self.shape.1);
        for (k, row) in rows.take(REACH).enumerate() {
            let row = &row[first..first + REACH];
            let (mut sum, mut slope) = (T::zero(), T::zero());
            for m in 0..REACH {
                sum += across[m] * row[m];
                slope += across_slopes[m] * row[m];
            }
            value += weights[k] * sum;
            down += slopes[k] * sum;
            right += weights[k] * slope;
        }
        let mut gradient = [T::zero(); D];
        gradient[0] = down * self.over_step;
        if D > 1 {
            gradient[1] = right * self.over_step;
        }
        (value, gradient)
    }

    /// What [`Self::read`] finds of a point's own charge.
    #[inline(always)]
    fn own(&self, y: [T; D]) -> (T, [T; D]) {
        let (_, t) = self.cell_of(y, 0);
        let weights = spline(t);
        let (down, down_slopes) = (lags(weights, weights), lags(spline_slope(t), weights));
        let (_, weights, slopes) = self.column(y);
        let (across, across_slopes) = (lags(weights, weights), lags(slopes, weights));
        let (mut value, mut gradient) = (T::zero(), [T::zero(); D]);
        for (k, near) in self.near.iter().enumerate() {
            let (mut sum, mut slope) = (T::zero(), T::zero());
            for m in 0..REACH {
                sum += across[m] * near[m];
                slope += across_slopes[m] * near[m];
            }
            value += down[k] * sum;
            gradient[0] += down_slopes[k] * sum * self.over_step;
            if D > 1 {
                gradient[1] += down[k] * slope * self.over_step;
            }
        }
        (value, gradient)
    }

    /// A charge of 1 for each point, spread on the grid. Strips of rows have their points, in order, and a few rows of
    /// overlap that are added afterward.
    fn spread(&self, layout: &[[T; D]], run: &Run) -> Result<Vec<T>> {
        let (rows, columns) = self.shape;
        let strips = rows.div_ceil(STRIP);
        let strip_of = |y: [T; D]| self.cell_of(y, 0).0 / STRIP;
        let mut offsets = vec![0_usize; strips + 1];
        let of: Vec<u16> = map_chunks(run, layout.len(), CHUNK, |range| {
            layout[range].iter().map(|&y| strip_of(y) as u16).collect::<Vec<u16>>()
        })?
        .concat();
        of.iter().for_each(|&strip| offsets[strip as usize + 1] += 1);
        for strip in 0..strips {
            offsets[strip + 1] += offsets[strip];
        }
        let (mut next, mut order) = (offsets.clone(), vec![0_u32; layout.len()]);
        for (i, &strip) in of.iter().enumerate() {
            order[next[strip as usize]] = i as u32;
            next[strip as usize] += 1;
        }
        let parts = map_chunks(run, strips, 1, |strip| {
            let mut part = vec![T::zero(); (STRIP + REACH) * columns];
            let first_row = strip.start * STRIP;
            vectorized(
                #[inline(always)]
                || {
                    for &i in &order[offsets[strip.start]..offsets[strip.end]] {
                        let y = layout[i as usize];
                        let (row, t) = self.cell_of(y, 0);
                        let down = spline(t);
                        let (column, across, _) = self.column(y);
                        let begin = (row - first_row) * columns;
                        for (k, row) in part[begin..].chunks_exact_mut(columns).take(REACH).enumerate() {
                            let row = &mut row[column..column + REACH];
                            for m in 0..REACH {
                                row[m] += down[k] * across[m];
                            }
                        }
                    }
                },
            );
            part
        })?;
        let mut grid = vec![T::zero(); rows * columns];
        for (strip, part) in parts.iter().enumerate() {
            let begin = strip * STRIP * columns;
            let end = (begin + part.len()).min(grid.len());
            grid[begin..end].iter_mut().zip(part).for_each(|(g, p)| *g += *p);
        }
        Ok(grid)
    }
}

/// The weights of the four nodes around a position that is `t` behind the second.
#[inline(always)]
fn spline<T: Scalar>(t: T) -> [T; REACH] {
    let (one, sixth) = (T::one(), T::of(1.0 / 6.0));
    let (s, three) = (one - t, T::of(3.0));
    let middle = |t: T| (three * t * t * (t - T::of(2.0)) + T::of(4.0)) * sixth;
    [s * s * s * sixth, middle(t), middle(s), t * t * t * sixth]
}

/// Their derivatives.
#[inline(always)]
fn spline_slope<T: Scalar>(t: T) -> [T; REACH] {
    let half = T::of(0.5);
    let s = T::one() - t;
    let middle = |t: T| t * (T::of(1.5) * t - T::of(2.0));
    [-(s * s) * half, middle(t), -middle(s), t * t * half]
}

/// The sums of `a[i] b[j]` over all `i` and `j` with a distance of 0, 1, 2 and 3.
#[inline(always)]
fn lags<T: Scalar>(a: [T; REACH], b: [T; REACH]) -> [T; REACH] {
    let mut sums = [T::zero(); REACH];
    for i in 0..REACH {
        for j in 0..REACH {
            sums[i.abs_diff(j)] += a[i] * b[j];
        }
    }
    sums
}
