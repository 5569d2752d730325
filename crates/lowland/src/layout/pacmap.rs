//! PaCMAP (Wang, Huang, Rudin and Shaposhnik 2021): pairs of near points attract strongly, mid-near pairs hold the
//! large shape at first and are then let go, pairs of far ones push. All pairs are drawn before the descent begins, which
//! follows the full gradient by Adam.

mod pairs;
#[cfg(test)]
mod tests;
pub mod transform;

use super::attraction::{difference, squared_norm};
use super::initial_layout::InitialLayout;
use super::outcome::Layout;
use super::points::{from_matrix, to_matrix, with_components};
use crate::optimize::adam::Adam;
use faer::{Mat, MatRef};
use lowland_base::parallel::map_rows;
use lowland_base::simd::vectorized;
use lowland_base::{Result, Run, Verdict};

pub use pairs::{Counts, EXTRA, Pairs};

/// How many iterations each of the three phases has, and the length of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Phases {
    /// The iterations in which the weight of mid-near pairs falls, in which it is constant, and in which it is 0.
    pub iterations: [usize; 3],
    /// The length of a step.
    pub learning_rate: f64,
}

impl Default for Phases {
    fn default() -> Self {
        Self { iterations: [100, 100, 250], learning_rate: 1.0 }
    }
}

/// The weights of near, mid-near and further pairs.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Weights([f32; 3]);

impl Phases {
    /// Table 1 of the paper.
    fn weights(&self, iteration: usize) -> Weights {
        let [first, second, _] = self.iterations;
        if iteration < first {
            let passed = iteration as f32 / first as f32;
            Weights([2.0, 1000.0 * (1.0 - passed) + 3.0 * passed, 1.0])
        } else if iteration < first + second {
            Weights([3.0, 3.0, 1.0])
        } else {
            Weights([1.0, 0.0, 1.0])
        }
    }

    /// All iterations.
    pub fn total(&self) -> usize {
        self.iterations.iter().sum()
    }
}

/// Points a chunk.
const CHUNK: usize = 256;
/// Pairs at a time.
const LANES: usize = 16;
/// Iterations between two checks of the loss.
const CHECK: usize = 50;

/// The layout of pairs from a start.
pub fn descend<'a>(
    pairs: &Pairs,
    start: impl Into<InitialLayout<'a>>,
    phases: &Phases,
    run: &Run,
) -> Result<Layout> {
    let start: InitialLayout<'_> = start.into();
    start.check(pairs.len())?;
    let components = start.layout.ncols();
    run.whole(|| with_components!(components, descend_in(pairs, start, phases, run)))
}

fn descend_in<const D: usize>(
    pairs: &Pairs,
    start: InitialLayout<'_>,
    phases: &Phases,
    run: &Run,
) -> Result<Layout> {
    let width = start.layout.ncols();
    let mut layout: Vec<[f32; D]> = from_matrix(start.layout);
    let mut gradient = vec![[0.0_f32; D]; layout.len()];
    let total = phases.total();
    let (mut history, mut iteration) = (start.history(), start.iteration(total, "third_iter")?);
    let mut adam = match start.memory(&[width, width])? {
        None => Adam::new(layout.len() * D),
        Some(memory) => {
            let flat = |values: &Mat<f64>| from_matrix::<f32, D>(values.as_ref()).as_flattened().to_vec();
            Adam::remembering(
                flat(&memory[0]),
                flat(&memory[1]),
                u32::try_from(iteration).unwrap_or(u32::MAX),
            )
        }
    };
    let stage = run.stage_from("layout", iteration as u64, Some(total as u64));
    while iteration < total {
        let weights = phases.weights(iteration);
        slopes(pairs, &layout, weights, &mut gradient, run)?;
        adam.step(layout.as_flattened_mut(), gradient.as_flattened(), phases.learning_rate, run)?;
        iteration += 1;
        stage.advance(1)?;
        let observed = stage.wants_layout();
        if iteration % CHECK == 0 || observed {
            let value = loss(pairs, &layout, weights, run)?;
            if iteration % CHECK == 0 {
                history.push((iteration, value));
            }
            stage.loss(value);
            let so_far = || {
                let memory = adam.moments().map(|values| to_matrix::<f32, D>(values.as_chunks().0, width));
                start.checkpoint((iteration, value), &history, &layout, memory.to_vec())
            };
            if observed && stage.show(so_far()) == Verdict::Stop {
                break;
            }
        }
    }
    let loss = loss(pairs, &layout, phases.weights(total), run)?;
    Ok(Layout::finished(to_matrix(&layout, width), loss, history, iteration, iteration < total))
}

/// The gradient of `sum w d / (10 + d)` over near pairs, of `sum w d / (10000 + d)` over mid-near ones and of
/// `sum w / (1 + d)` over far ones, where `d = 1 + |y_i - y_j|^2`. Each point sums over all pairs it is in.
fn slopes<const D: usize>(
    pairs: &Pairs,
    layout: &[[f32; D]],
    Weights([near, middle, far]): Weights,
    gradient: &mut [[f32; D]],
    run: &Run,
) -> Result<()> {
    map_rows(run, gradient, 1, CHUNK, |range, gradient| {
        vectorized(
            #[inline(always)]
            || {
                for (i, slope) in range.zip(gradient) {
                    *slope = [0.0; D];
                    add(slope, layout, i, pairs.near.of(i), |d| 20.0 * near / ((10.0 + d) * (10.0 + d)));
                    if middle > 0.0 {
                        let factor = |d: f32| 20_000.0 * middle / ((10_000.0 + d) * (10_000.0 + d));
                        add(slope, layout, i, pairs.middle.of(i), factor);
                    }
                    add(slope, layout, i, pairs.far.of(i), |d| -2.0 * far / ((1.0 + d) * (1.0 + d)));
                }
            },
        );
    })
    .map(drop)
}

/// Adds `factor(d) (y_i - y_j)` over all partners `j` of a point.
#[inline(always)]
fn add<const D: usize>(
    slope: &mut [f32; D],
    layout: &[[f32; D]],
    i: usize,
    partners: &[u32],
    factor: impl Fn(f32) -> f32,
) {
    let at = layout[i];
    let (whole, rest) = partners.as_chunks::<LANES>();
    let mut sums = [[0.0_f32; LANES]; D];
    for partners in whole {
        let mut apart = [[0.0_f32; LANES]; D];
        for lane in 0..LANES {
            let other = layout[partners[lane] as usize];
            for c in 0..D {
                apart[c][lane] = at[c] - other[c];
            }
        }
        let mut d = [1.0_f32; LANES];
        for c in 0..D {
            for lane in 0..LANES {
                d[lane] += apart[c][lane] * apart[c][lane];
            }
        }
        for c in 0..D {
            for lane in 0..LANES {
                sums[c][lane] += factor(d[lane]) * apart[c][lane];
            }
        }
    }
    for c in 0..D {
        slope[c] += sums[c].iter().sum::<f32>();
    }
    for &partner in rest {
        let apart = difference(at, layout[partner as usize]);
        let factor = factor(1.0 + squared_norm(apart));
        for c in 0..D {
            slope[c] += factor * apart[c];
        }
    }
}

/// The loss a point.
fn loss<const D: usize>(
    pairs: &Pairs,
    layout: &[[f32; D]],
    Weights([near, middle, far]): Weights,
    run: &Run,
) -> Result<f64> {
    let parts = lowland_base::parallel::map_chunks(run, layout.len(), CHUNK, |range| {
        let mut sum = 0.0;
        for i in range {
            let d = |j: &u32| 1.0 + f64::from(squared_norm(difference(layout[i], layout[*j as usize])));
            let over =
                |partners: &[u32], f: &dyn Fn(f64) -> f64| partners.iter().map(|j| f(d(j))).sum::<f64>();
            sum += f64::from(near) * over(pairs.near.of(i), &|d| d / (10.0 + d));
            sum += f64::from(middle) * over(pairs.middle.of(i), &|d| d / (10_000.0 + d));
            sum += f64::from(far) * over(pairs.far.of(i), &|d| 1.0 / (1.0 + d));
        }
        sum
    })?;
    // Every pair was met at both of its points.
    Ok(parts.into_iter().sum::<f64>() / (2 * layout.len().max(1)) as f64)
}

/// The loss of a finished layout, a point.
pub fn value(pairs: &Pairs, layout: MatRef<'_, f64>, phases: &Phases, run: &Run) -> Result<f64> {
    fn go<const D: usize>(
        pairs: &Pairs,
        layout: MatRef<'_, f64>,
        weights: Weights,
        run: &Run,
    ) -> Result<f64> {
        loss::<D>(pairs, &from_matrix(layout), weights, run)
    }
    with_components!(layout.ncols(), go(pairs, layout, phases.weights(phases.total()), run))
}
