//! The weights that best reconstruct a point from its neighbors (Bengio section 2.6).

use super::differences::power_of_two;
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
        small::gram(&self.differences.rows, list.len(), &mut self.gram);
        self.solve(list.len(), reg)
    }

    /// The same of objects that are known by their distances `between` each other and `to` the object that is
    /// reconstructed, in the order of `list`: the inner products of the differences are
    /// `(d_ia^2 + d_ib^2 - d_ab^2) / 2`.
    pub fn weights_by_distances(
        &mut self,
        between: &ArrayView2<'_, f64>,
        list: &[u32],
        to: &[f64],
        reg: f64,
    ) -> &[f64] {
        let k = list.len();
        let pairs = list.iter().enumerate().flat_map(|(a, &i)| list[..a].iter().map(move |&j| (i, j)));
        let between_them = pairs.map(|(i, j)| between[(i as usize, j as usize)]);
        let unit = 1.0 / power_of_two(to.iter().copied().chain(between_them).fold(0.0, f64::max));
        self.gram.clear();
        self.gram.resize(k * k, 0.0);
        for (a, (&i, &x)) in list.iter().zip(to).enumerate() {
            for (b, (&j, &y)) in list[..a].iter().zip(to).enumerate() {
                let (x, y, z) = (unit * x, unit * y, unit * between[(i as usize, j as usize)]);
                // By the difference of squares: `x^2 - z^2` would cancel where the two are alike.
                self.gram[a * k + b] = 0.5 * (y * y + (x - z) * (x + z));
            }
            self.gram[a * k + a] = (unit * x).powi(2);
        }
        self.solve(k, reg)
    }

    /// `(G + ridge I) w = 1`, then divided by the sum.
    fn solve(&mut self, k: usize, reg: f64) -> &[f64] {
        self.weights.clear();
        self.weights.resize(k, 1.0 / k as f64);
        let trace: f64 = (0..k).map(|a| self.gram[a * k + a]).sum();
        if trace == 0.0 {
            return &self.weights;
        }
        let rounding = k as f64 * f64::EPSILON * trace;
        // More than any eigenvalue: distances that are not those of points may have negative ones.
        let most: f64 = self.gram.iter().map(|value| 2.0 * value.abs()).sum();
        let mut ridge = reg * trace;
        loop {
            self.work.clone_from(&self.gram);
            (0..k).for_each(|a| self.work[a * k + a] += ridge);
            if small::solve_for_ones(&mut self.work, k, rounding, &mut self.weights) || ridge > most {
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
