//! The tangent coordinates of a neighborhood, and the affine map that carries them over to images (LTSA: Maaten eq. 19).

use super::Differences;
use super::small::{LeftVectors, dot};
use lowland_base::Scalar;
use ndarray::{ArrayView1, ArrayView2};

/// The slope along a direction in which the neighbors spread less than this, relative to their widest, is not
/// determined by them.
const UNDETERMINED: f64 = 1e-7;

/// The tangent coordinates of one neighborhood, with buffers that are used again.
#[derive(Debug, Default)]
pub(crate) struct Tangent {
    /// The centered neighborhood; [`Self::of`] leaves it overwritten.
    centered: Differences,
    /// Its left singular vectors.
    pub vectors: LeftVectors,
    /// The number of coordinates: `d`, or the rank of the neighborhood where that is less.
    pub dimensions: usize,
}

impl Tangent {
    pub fn of<T: Scalar>(
        &mut self,
        points: &ArrayView2<'_, T>,
        list: &[u32],
        origin: ArrayView1<'_, T>,
        d: usize,
    ) {
        self.centered.read(points, list, origin);
        self.centered.center();
        self.vectors.decompose(&mut self.centered.rows, list.len());
        self.dimensions = d.min(self.vectors.rank);
    }

    /// The weights of the neighbors in the image of `point`: affine in the neighbors' coordinates, the fitted map is
    /// linear in their images.
    pub fn weights<T: Scalar>(
        &mut self,
        points: &ArrayView2<'_, T>,
        list: &[u32],
        point: ArrayView1<'_, T>,
        d: usize,
        weights: &mut Vec<f64>,
    ) {
        // Seen from the new point, which is the origin: it lies at minus the mean from the center.
        self.of(points, list, point, d);
        self.centered.read(points, list, point);
        let mean = self.centered.center().to_vec();
        weights.clear();
        weights.resize(list.len(), 1.0 / list.len().max(1) as f64);
        let least = UNDETERMINED * self.vectors.values.first().unwrap_or(&0.0);
        for c in (0..self.dimensions).filter(|&c| self.vectors.values[c] > least) {
            let (vector, value) = (self.vectors.vector(c), self.vectors.values[c]);
            // The singular direction in the space of the points, times its value.
            let rows = self.centered.rows.chunks_exact(mean.len().max(1));
            let along: f64 = rows.zip(vector).map(|(row, v)| v * -dot(row, &mean)).sum();
            let step = along / (value * value);
            weights.iter_mut().zip(vector).for_each(|(weight, v)| *weight += step * v);
        }
    }

    /// The share of the variance beside the coordinates; `None` where nothing varies.
    pub fn outside(&self) -> Option<f64> {
        let squares = |values: &[f64]| values.iter().map(|v| v * v).sum::<f64>();
        let (whole, inside) =
            (squares(&self.vectors.values), squares(&self.vectors.values[..self.dimensions]));
        (whole > 0.0).then(|| (1.0 - inside / whole).max(0.0))
    }

    /// The orthonormal columns of the constant and of the coordinates.
    pub fn affine(&self) -> Vec<f64> {
        let k = self.centered.count;
        let mut columns = vec![1.0 / (k as f64).sqrt(); k];
        columns.extend_from_slice(&self.vectors.vectors[..self.dimensions * k]);
        columns
    }
}
