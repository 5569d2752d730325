//! The weights that best reconstruct a point from its neighbors (Bengio section 2.6).

use super::{Differences, small};
use lowland_base::Scalar;
use ndarray::{ArrayView1, ArrayView2};

/// Solves for the weights, with buffers that are used again.
#[derive(Debug, Default)]
pub(crate) struct Reconstruction {
    differences: Differences,
    gram: Vec<f64>,
    work: Vec<f64>,
    weights: Vec<f64>,
}

impl Reconstruction {
    /// The weights of `list` that best reconstruct `point`.
    pub fn weights<T: Scalar>(
        &mut self,
        points: &ArrayView2<'_, T>,
        list: &[u32],
        point: ArrayView1<'_, T>,
        reg: f64,
    ) -> &[f64] {
        self.differences.read(points, list, point);
        let k = list.len();
        small::gram(&self.differences.rows, k, &mut self.gram);
        self.weights.clear();
        self.weights.resize(k, 1.0 / k as f64);
        let trace: f64 = (0..k).map(|a| self.gram[a * k + a]).sum();
        if trace == 0.0 {
            return &self.weights;
        }
        let rounding = k as f64 * f64::EPSILON * trace;
        let mut ridge = reg * trace;
        loop {
            self.work.clone_from(&self.gram);
            (0..k).for_each(|a| self.work[a * k + a] += ridge);
            if small::solve_for_ones(&mut self.work, k, rounding, &mut self.weights) || ridge > trace {
                break;
            }
            // Singular up to rounding: the smallest ridge that makes it definite.
            ridge = (4.0 * ridge).max(rounding);
        }
        let sum: f64 = self.weights.iter().sum();
        self.weights.iter_mut().for_each(|w| *w /= sum);
        &self.weights
    }
}
