//! LTSA: each neighborhood's embedding is to be an affine image of its tangent coordinates (Maaten eq. 19, as
//! corrected: the `d` leading left singular vectors of the centered neighborhood).

use super::alignment::{self, Penalties};
use super::neighborhood::{self, Differences, Neighborhoods};
use super::small::{LeftVectors, dot};
use faer::MatRef;
use lowland_base::{Csr, Error, Result, Run, Scalar};
use ndarray::{ArrayView1, ArrayView2};

/// The slope along a direction in which the neighbors spread less than this, relative to their widest, is not
/// determined by them.
const UNDETERMINED: f64 = 1e-7;

/// The fewest neighbors, and the formula they come from.
pub(super) fn least(d: usize) -> (usize, &'static str) {
    (d + 2, "n_components + 2")
}

/// The alignment matrix: the sum over all neighborhoods of `I - [1/sqrt k, V][1/sqrt k, V]'`, with `V` the
/// orthonormal tangent coordinates in `d` dimensions, or in fewer where the neighborhood has fewer.
///
/// With `k = d + 1` every term would vanish, so `k` must be at least `d + 2`.
///
/// # Errors
/// Too small a neighborhood; more dimensions than columns; neighborhoods of other points; cancellation.
pub fn alignment<T: Scalar>(
    points: ArrayView2<'_, T>,
    lists: &dyn Neighborhoods,
    d: usize,
    run: &Run,
) -> Result<Csr<f64>> {
    let n = points.nrows();
    check_dimensions(&points, d)?;
    neighborhood::check(n, lists, least(d))?;
    let orphan = alignment::orphans(lists);
    let local = |range: std::ops::Range<usize>, penalties: &mut Penalties| {
        let (mut tangent, mut list) = (Tangent::default(), Vec::new());
        for i in range {
            alignment::with_orphan(lists, &orphan, i, &mut list);
            tangent.of(&points, &list, points.row(i), d);
            penalties.push(list.iter().copied(), list.len(), &tangent.affine(), &[]);
        }
    };
    let penalties = alignment::collect(n, local, run)?;
    alignment::sum(n, &penalties, run)
}

/// The image of a new point: its tangent coordinates among its neighbors, carried over by the affine map that
/// best takes the neighbors' coordinates to their images (the rows of `embedding`). Hessian LLE extends to new
/// points in the same way.
pub fn image_of_new_point<T: Scalar>(
    points: ArrayView2<'_, T>,
    embedding: MatRef<'_, f64>,
    list: &[u32],
    point: ArrayView1<'_, T>,
    d: usize,
) -> Vec<f64> {
    let mut weights = Vec::new();
    Tangent::default().weights(&points, list, point, d, &mut weights);
    let image = |c: usize| list.iter().zip(&weights).map(|(&j, w)| w * embedding[(j as usize, c)]).sum();
    (0..embedding.ncols()).map(image).collect()
}

pub(super) fn check_dimensions<T>(points: &ArrayView2<'_, T>, d: usize) -> Result<()> {
    if d == 0 || d > points.ncols() {
        let bound = format!("from 1 to the number of columns, {}", points.ncols());
        return Err(Error::parameter("n_components", d, bound, "ask for fewer dimensions"));
    }
    Ok(())
}

/// The tangent coordinates of one neighborhood, with room that is used again.
#[derive(Debug, Default)]
pub(super) struct Tangent {
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
