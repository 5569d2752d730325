//! UMAP (McInnes, Healy and Melville 2018): attraction along the edges of the fuzzy graph, each as often as it is strong,
//! and repulsion from a few points drawn at random each time.
//!
//! The descent of umap-learn moves both ends of an edge at once and at once for all to see, so that its result depends on
//! the order of the threads. Here each point takes its own steps, one after the other, against the others' places of the
//! last epoch: an edge moves each of its ends as often, and every number of threads gives the same bits.

mod curve;
mod densities;
pub mod place;
mod power;
#[cfg(test)]
mod tests;

use super::attraction::{difference, squared_norm};
use super::chance::Chance;
use super::edges::Edges;
use super::outcome::Layout;
use super::points::{from_matrix, to_matrix, with_components};
use densities::Radii;
use faer::MatRef;
use lowland_base::parallel::{map_chunks, map_rows};
use lowland_base::simd::vectorized;
use lowland_base::{Csr, Error, Result, Run, Verdict};
use power::power;

pub use curve::Curve;
pub use densities::Densities;

/// How a layout is sampled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// The similarity in the layout.
    pub curve: Curve,
    /// How often every edge of full weight pulls.
    pub epochs: usize,
    /// The length of a step at first; it falls to zero.
    pub learning_rate: f64,
    /// How many points push at every pull.
    pub negative_sample_rate: usize,
    /// How strongly they push.
    pub repulsion_strength: f64,
}

/// No coordinate of a gradient counts for more.
const CLIP: f32 = 4.0;
/// Points a chunk.
const CHUNK: usize = 128;
/// Pushes at a time.
const LANES: usize = 8;
/// Epochs between two looks at the loss.
const LOOK: usize = 50;
/// How many random points estimate the repulsive part of the loss at each point.
const DRAWN: usize = 20;
/// What random numbers are for.
const PUSHES: u64 = 1;
const ESTIMATE: u64 = 2;

/// The forces of the curve, in single precision.
#[derive(Debug, Clone, Copy)]
pub(super) struct Forces {
    a: f32,
    b: f32,
    strength: f32,
}

impl Forces {
    pub(super) fn new(sampling: &Sampling) -> Self {
        let Curve { a, b } = sampling.curve;
        Self { a: a as f32, b: b as f32, strength: sampling.repulsion_strength as f32 }
    }

    /// One step along an edge.
    #[inline(always)]
    pub(super) fn pull<const D: usize>(self, at: &mut [f32; D], other: [f32; D], rate: f32) {
        let apart = difference(*at, other);
        let squared = squared_norm(apart);
        if squared > 0.0 {
            let power = power(squared, self.b);
            let factor = -2.0 * self.a * self.b * power / (squared * (self.a * power + 1.0));
            for c in 0..D {
                at[c] += rate * (factor * apart[c]).clamp(-CLIP, CLIP);
            }
        }
    }

    /// Steps away from some points, all from the same place.
    #[inline(always)]
    pub(super) fn push<const D: usize>(self, at: &mut [f32; D], others: &[[f32; LANES]; D], rate: f32) {
        let mut squared = [0.0_f32; LANES];
        let mut apart = [[0.0_f32; LANES]; D];
        for c in 0..D {
            for lane in 0..LANES {
                apart[c][lane] = at[c] - others[c][lane];
                squared[lane] += apart[c][lane] * apart[c][lane];
            }
        }
        let mut factor = [0.0_f32; LANES];
        for lane in 0..LANES {
            let power = power(squared[lane].max(f32::MIN_POSITIVE), self.b);
            let full = 2.0 * self.strength * self.b / ((0.001 + squared[lane]) * (self.a * power + 1.0));
            // Points in the same place push nowhere; nor do lanes without a point, which are put there.
            factor[lane] = if squared[lane] > 0.0 { full } else { 0.0 };
        }
        for c in 0..D {
            let mut step = 0.0;
            for lane in 0..LANES {
                step += (factor[lane] * apart[c][lane]).clamp(-CLIP, CLIP);
            }
            at[c] += rate * step;
        }
    }

    /// Pushes of `count` points drawn from a layout.
    #[inline(always)]
    pub(super) fn draw<const D: usize>(
        self,
        at: &mut [f32; D],
        layout: &[[f32; D]],
        chance: Chance,
        places: std::ops::Range<u64>,
        rate: f32,
    ) {
        let mut place = places.start;
        while place < places.end {
            let mut others = at.map(|x| [x; LANES]);
            for lane in 0..LANES.min((places.end - place) as usize) {
                let other = layout[chance.below(place + lane as u64, layout.len())];
                for c in 0..D {
                    others[c][lane] = other[c];
                }
            }
            self.push(at, &others, rate);
            place += LANES as u64;
        }
    }
}

/// Whether an edge of relative weight `share` pulls in an epoch, counted from 1.
#[inline(always)]
pub(super) fn pulls(share: f32, epoch: usize) -> bool {
    (share * epoch as f32).floor() > (share * (epoch - 1) as f32).floor()
}

/// The layout of a fuzzy graph, a symmetric matrix, from a start.
pub fn descend(
    graph: &Csr<f64>,
    start: MatRef<'_, f64>,
    sampling: &Sampling,
    densities: Option<&Densities>,
    run: &Run,
) -> Result<Layout> {
    if start.nrows() != graph.nrows() {
        let problem = format!("{} rows for {} points", start.nrows(), graph.nrows());
        return Err(Error::Malformed { what: "start of the layout", problem });
    }
    run.install(|| {
        rayon::scope(|_| with_components!(start.ncols(), descend_in(graph, start, sampling, densities, run)))
    })
}

fn descend_in<const D: usize>(
    graph: &Csr<f64>,
    start: MatRef<'_, f64>,
    sampling: &Sampling,
    densities: Option<&Densities>,
    run: &Run,
) -> Result<Layout> {
    let width = start.ncols();
    let edges = shares(graph, sampling.epochs);
    let forces = Forces::new(sampling);
    let mut layout: Vec<[f32; D]> = from_matrix(start);
    let mut next = layout.clone();
    let mut history = Vec::new();
    let mut epoch = 0;
    let stage = run.stage("layout", Some(sampling.epochs as u64));
    while epoch < sampling.epochs {
        let rate = (sampling.learning_rate * (1.0 - epoch as f64 / sampling.epochs as f64)) as f32;
        epoch += 1;
        let radii = match densities {
            Some(densities) if densities.counts(epoch, sampling.epochs) => {
                Some(densities.radii(graph, &layout, sampling.curve, run)?)
            }
            _ => None,
        };
        map_rows(run, &mut next, 1, CHUNK, |range, next| {
            vectorized(
                #[inline(always)]
                || {
                    for (i, next) in range.zip(next) {
                        let radii = radii.as_ref();
                        *next = steps(&edges, forces, &layout, i, epoch, rate, sampling, radii, run.seed());
                    }
                },
            );
        })?;
        std::mem::swap(&mut layout, &mut next);
        stage.advance(1)?;
        let looked_at = stage.wants_layout();
        if epoch % LOOK == 0 || looked_at || epoch == sampling.epochs {
            let value = loss(graph, &layout, sampling, run)?;
            history.push((epoch, value));
            stage.loss(value);
            if looked_at && stage.show(value, to_matrix(&layout, width).as_ref()) == Verdict::Stop {
                break;
            }
        }
    }
    let loss = match history.last() {
        Some(last) => last.1,
        None => loss(graph, &layout, sampling, run)?,
    };
    let embedding = to_matrix(&layout, width);
    Ok(Layout { embedding, loss, history, iterations: epoch, converged: true })
}

/// The edges with their strengths relative to the strongest; those that would never pull are left out.
fn shares(graph: &Csr<f64>, epochs: usize) -> Edges<f32> {
    let strongest = graph.values().iter().fold(0.0_f64, |a, &b| a.max(b));
    let least = strongest / epochs.max(1) as f64;
    Edges::select(graph, |weight| (weight >= least && weight > 0.0).then(|| (weight / strongest) as f32))
}

/// Where a point is after an epoch.
#[inline(always)]
fn steps<const D: usize>(
    edges: &Edges<f32>,
    forces: Forces,
    layout: &[[f32; D]],
    i: usize,
    epoch: usize,
    rate: f32,
    sampling: &Sampling,
    radii: Option<&Radii>,
    seed: u64,
) -> [f32; D] {
    let mut at = layout[i];
    let chance = Chance::new(seed, PUSHES, epoch as u64, i as u64);
    let (neighbors, shares) = edges.of(i);
    let mut drawn = 0;
    for (&neighbor, &share) in neighbors.iter().zip(shares) {
        if pulls(share, epoch) {
            // Once for the edge from here and once for the edge from there.
            let other = layout[neighbor as usize];
            for _ in 0..2 {
                let apart = difference(at, other);
                forces.pull(&mut at, other, rate);
                if let Some(radii) = radii {
                    let slope = radii.slope(i, neighbor as usize, squared_norm(apart), share);
                    for c in 0..D {
                        at[c] += rate * (slope * apart[c]).clamp(-CLIP, CLIP);
                    }
                }
            }
            let end = drawn + sampling.negative_sample_rate as u64;
            forces.draw(&mut at, layout, chance, drawn..end, rate);
            drawn = end;
        }
    }
    at
}

/// The fuzzy cross entropy a point: over the edges in full, over other pairs by a few drawn for each point.
fn loss<const D: usize>(
    graph: &Csr<f64>,
    layout: &[[f32; D]],
    sampling: &Sampling,
    run: &Run,
) -> Result<f64> {
    let n = layout.len();
    let curve = sampling.curve;
    let squared = |i: usize, j: usize| f64::from(squared_norm(difference(layout[i], layout[j])));
    let parts = map_chunks(run, n, CHUNK, |range| {
        let mut sum = 0.0;
        for i in range {
            let (neighbors, weights) = graph.row(i);
            for (&j, &w) in neighbors.iter().zip(weights) {
                sum -= w * curve.similarity(squared(i, j as usize)).max(1e-4).ln();
            }
            let chance = Chance::new(run.seed(), ESTIMATE, 0, i as u64);
            let mut pushed = 0.0;
            for place in 0..DRAWN as u64 {
                let j = chance.below(place, n);
                if j != i {
                    pushed -= (1.0 - curve.similarity(squared(i, j))).max(1e-4).ln();
                }
            }
            sum += pushed * n as f64 / DRAWN as f64;
        }
        sum
    })?;
    Ok(parts.into_iter().sum::<f64>() / n.max(1) as f64)
}

/// The loss of a finished layout.
pub fn value(graph: &Csr<f64>, layout: MatRef<'_, f64>, sampling: &Sampling, run: &Run) -> Result<f64> {
    fn go<const D: usize>(
        graph: &Csr<f64>,
        layout: MatRef<'_, f64>,
        sampling: &Sampling,
        run: &Run,
    ) -> Result<f64> {
        loss::<D>(graph, &from_matrix(layout), sampling, run)
    }
    with_components!(layout.ncols(), go(graph, layout, sampling, run))
}
