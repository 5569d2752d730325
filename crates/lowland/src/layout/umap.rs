//! UMAP (McInnes, Healy and Melville 2018): attraction along the edges of the fuzzy graph, each as often as it is strong,
//! and repulsion from a few points drawn at random each time.
//!
//! The descent of umap-learn moves both ends of an edge at once and at once for all to see, so that its result depends on
//! the order of the threads. Here each point takes four steps an epoch, each along the sum of half its forces in the last
//! layout: an edge moves both of its ends in the same two of them, as often as there, the layouts are as good, and every
//! number of threads gives the same bits.

mod curve;
mod epoch;
mod forces;
mod local_radii;
mod power;
#[cfg(test)]
mod tests;
pub mod transform;

use super::attraction::{difference, squared_norm};
use super::chance::{Chance, below};
use super::edges::Edges;
use super::initial_layout::InitialLayout;
use super::outcome::Layout;
use super::points::{from_matrix, to_matrix, with_components};
use epoch::{CHUNK, Part};
use faer::MatRef;
use forces::Forces;
use lowland_base::parallel::{map_chunks, map_rows};
use lowland_base::simd::vectorized;
use lowland_base::{Csr, Result, Run, Verdict};

pub use curve::Curve;
pub use local_radii::LocalRadii;

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

/// An epoch takes its edges in so many parts: later ones see where the earlier ones have led, and a point overshoots less.
const PARTS: usize = 4;
/// Half of them: an edge pulls in two parts that are so far apart, at both of its ends at once, so that its middle stays.
const HALF: usize = PARTS / 2;
/// Epochs between two checks of the loss.
const CHECK: usize = 50;
/// How many random points estimate the repulsive part of the loss at each point.
const DRAWN: usize = 20;
/// What random numbers are for.
const REPULSION: u64 = 1;
const ESTIMATE: u64 = 2;

/// Whether an edge of relative weight `share` pulls in an epoch, counted from 1.
#[inline(always)]
pub(super) fn pulls(share: f32, epoch: usize) -> bool {
    (share * epoch as f32).floor() > (share * (epoch - 1) as f32).floor()
}

/// The layout of a fuzzy graph, a symmetric matrix, from a start.
pub fn descend<'a>(
    graph: &Csr<f64>,
    start: impl Into<InitialLayout<'a>>,
    sampling: &Sampling,
    local_radii: Option<&LocalRadii>,
    run: &Run,
) -> Result<Layout> {
    let start: InitialLayout<'_> = start.into();
    start.check(graph.nrows())?;
    let components = start.layout.ncols();
    run.whole(|| with_components!(components, descend_in(graph, start, sampling, local_radii, run)))
}

fn descend_in<const D: usize>(
    graph: &Csr<f64>,
    start: InitialLayout<'_>,
    sampling: &Sampling,
    local_radii: Option<&LocalRadii>,
    run: &Run,
) -> Result<Layout> {
    start.memory(&[])?;
    let width = start.layout.ncols();
    let edges: [Edges<f32>; HALF] = std::array::from_fn(|half| shares(graph, sampling.epochs, half));
    let forces = Forces::new(sampling);
    let mut layout: Vec<[f32; D]> = from_matrix(start.layout);
    let mut next = layout.clone();
    let (mut history, mut epoch) = (start.history(), start.iteration(sampling.epochs, "n_epochs")?);
    let stage = run.stage_from("layout", epoch as u64, Some(sampling.epochs as u64));
    while epoch < sampling.epochs {
        let rate = (sampling.learning_rate * (1.0 - epoch as f64 / sampling.epochs as f64)) as f32;
        epoch += 1;
        let radii = match local_radii {
            Some(local_radii) if local_radii.counts(epoch, sampling.epochs) => {
                Some(local_radii.radii(graph, &layout, sampling.curve, run)?)
            }
            _ => None,
        };
        for part in 0..PARTS {
            let now = Part {
                edges: &edges[part % HALF],
                forces,
                layout: &layout,
                epoch,
                part,
                rate,
                pushes: pushes(sampling.negative_sample_rate, part),
                radii: radii.as_ref(),
                seed: run.seed(),
            };
            map_rows(run, &mut next, 1, CHUNK, |range, next| {
                vectorized(
                    #[inline(always)]
                    || now.advance(range, next),
                );
            })?;
            std::mem::swap(&mut layout, &mut next);
        }
        stage.advance(1)?;
        let observed = stage.wants_layout();
        if epoch % CHECK == 0 || observed || epoch == sampling.epochs {
            let value = loss(graph, &layout, sampling, run)?;
            if epoch % CHECK == 0 || epoch == sampling.epochs {
                history.push((epoch, value));
            }
            stage.loss(value);
            let so_far = || start.checkpoint((epoch, value), &history, &layout, Vec::new());
            if observed && stage.show(so_far()) == Verdict::Stop {
                break;
            }
        }
    }
    // The last check may be some epochs ago, where an observer ended it.
    let loss = match history.last() {
        Some(last) if last.0 == epoch => last.1,
        _ => loss(graph, &layout, sampling, run)?,
    };
    let embedding = to_matrix(&layout, width);
    Ok(Layout::finished(embedding, loss, history, epoch, epoch < sampling.epochs))
}

/// The edges of one part of every epoch and of the part [`HALF`] later, with their weights relative to the largest; those
/// that would never pull are left out.
fn shares(graph: &Csr<f64>, epochs: usize, half: usize) -> Edges<f32> {
    let largest_weight = graph.values().iter().fold(0.0_f64, |a, &b| a.max(b));
    let least = largest_weight / epochs.max(1) as f64;
    Edges::select(graph, |i, j, weight| {
        // Of both directions the same.
        let now = below(i.min(j), i.max(j), HALF as u32) as usize == half;
        (now && weight >= least && weight > 0.0).then(|| (weight / largest_weight) as f32)
    })
}

/// How many points push at a pull: of `each` for the two pulls of an edge in an epoch, half in either part, and one more in
/// the first where that does not come out even.
fn pushes(each: usize, part: usize) -> usize {
    if part < HALF { each.div_ceil(2) } else { each / 2 }
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
            // One logarithm for all: 20 factors of at least 1e-4 do not underflow.
            let mut product = 1.0;
            for place in 0..DRAWN as u64 {
                let j = chance.below(place, n);
                if j != i {
                    product *= (1.0 - curve.similarity(squared(i, j))).max(1e-4);
                }
            }
            sum -= f64::ln(product) * n as f64 / DRAWN as f64;
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
