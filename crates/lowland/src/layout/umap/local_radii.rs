//! densMAP (Narayan, Berger and Cho 2021): in the last epochs, the logarithm of each point's radius in the layout is drawn
//! to be correlated with that in the data, so that sparse regions look sparse.

use super::Curve;
use super::power::power;
use crate::layout::attraction::{difference, squared_norm};
use lowland_base::parallel::map_chunks;
use lowland_base::{Csr, Result, Run};
use lowland_neighbors::Table;

/// Added to squared radii before their logarithm.
const LEAST: f64 = 1e-8;
/// Added to the variance of the radii in the layout.
const SHIFT: f64 = 0.1;
/// Points a chunk.
const CHUNK: usize = 256;

/// The local radii of the data, and how much they count.
#[derive(Debug, Clone)]
pub struct LocalRadii {
    /// The logarithms of the squared radii, with mean 0 and variance 1.
    radii: Vec<f64>,
    /// The sum of the weights of all edges.
    total: f64,
    /// The largest weight.
    largest_weight: f64,
    lambda: f64,
    share: f64,
}

/// The radii in the layout at the beginning of an epoch.
#[derive(Debug, Clone)]
pub(super) struct Radii {
    logarithms: Vec<f32>,
    sums: Vec<f32>,
    /// How much each point's radius is to grow.
    pulls: Vec<f32>,
    factor: f32,
    curve: (f32, f32),
}

impl LocalRadii {
    /// `table` has the distances of the graph's edges, in one direction at least.
    pub fn new(graph: &Csr<f64>, table: &Table<f64>, lambda: f64, share: f64) -> Self {
        let n = graph.nrows();
        let distance = |i: usize, j: u32| {
            let listed = |from: usize, to: u32| {
                let (near, distances) = table.row(from);
                near.iter().position(|&other| other == to).map(|at| distances[at])
            };
            let (there, back) = (listed(i, j), listed(j as usize, i as u32));
            there.unwrap_or(0.0).max(back.unwrap_or(0.0))
        };
        let radius = |i: usize| {
            let (columns, weights) = graph.row(i);
            let sum: f64 = weights.iter().sum();
            let squares: f64 = columns.iter().zip(weights).map(|(&j, w)| w * distance(i, j).powi(2)).sum();
            (LEAST + squares / sum.max(f64::MIN_POSITIVE)).ln()
        };
        let mut radii: Vec<f64> = (0..n).map(radius).collect();
        let mean = radii.iter().sum::<f64>() / n as f64;
        let deviation = (radii.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / n as f64).sqrt();
        let unit = if deviation > 0.0 { deviation } else { 1.0 };
        radii.iter_mut().for_each(|r| *r = (*r - mean) / unit);
        let weights = graph.values();
        let largest_weight = weights.iter().fold(0.0_f64, |a, &b| a.max(b));
        Self { radii, total: weights.iter().sum::<f64>() / 2.0, largest_weight, lambda, share }
    }

    /// Whether density counts in an epoch, counted from 1.
    pub(super) fn counts(&self, epoch: usize, epochs: usize) -> bool {
        epoch as f64 / epochs as f64 > 1.0 - self.share
    }

    /// The radii of a layout.
    pub(super) fn radii<const D: usize>(
        &self,
        graph: &Csr<f64>,
        layout: &[[f32; D]],
        curve: Curve,
        run: &Run,
    ) -> Result<Radii> {
        let parts = map_chunks(run, layout.len(), CHUNK, |range| {
            range
                .map(|i| {
                    let (mut sum, mut squares) = (0.0, 0.0);
                    for &j in graph.row(i).0 {
                        let squared = f64::from(squared_norm(difference(layout[i], layout[j as usize])));
                        let similarity = curve.similarity(squared);
                        sum += similarity;
                        squares += similarity * squared;
                    }
                    ((LEAST + squares / f64::max(sum, f64::MIN_POSITIVE)).ln(), 2.0 * sum)
                })
                .collect::<Vec<(f64, f64)>>()
        })?;
        let all = parts.concat();
        let n = all.len() as f64;
        let mean = all.iter().map(|r| r.0).sum::<f64>() / n;
        let variance = all.iter().map(|r| (r.0 - mean).powi(2)).sum::<f64>() / n + SHIFT;
        let covariance =
            all.iter().zip(&self.radii).map(|(r, wanted)| r.0 * wanted).sum::<f64>() / (n - 1.0).max(1.0);
        let pull = |(r, wanted): (&(f64, f64), &f64)| (wanted - covariance * (r.0 - mean) / variance) as f32;
        Ok(Radii {
            logarithms: all.iter().map(|r| r.0 as f32).collect(),
            sums: all.iter().map(|r| r.1 as f32).collect(),
            pulls: all.iter().zip(&self.radii).map(pull).collect(),
            factor: (self.lambda * self.total / (self.largest_weight * variance.sqrt() * n)) as f32,
            curve: (curve.a as f32, curve.b as f32),
        })
    }
}

impl Radii {
    /// The factor of `y_j - y_k` in the slope of the correlation along an edge of relative weight `share`.
    #[inline(always)]
    pub(super) fn slope(&self, j: usize, k: usize, squared: f32, share: f32) -> f32 {
        let (a, b) = self.curve;
        let power = power(squared.max(f32::MIN_POSITIVE), b);
        let similarity = 1.0 / (1.0 + a * power);
        let fall = a * b * power / squared.max(1e-12) * similarity;
        let radius = |of: usize| {
            let share = similarity / self.sums[of].max(f32::MIN_POSITIVE);
            share * ((1.0 - b * (1.0 - similarity)) / self.logarithms[of].exp() + fall)
        };
        2.0 * self.factor / share * (self.pulls[k] * radius(k) + self.pulls[j] * radius(j))
    }
}
