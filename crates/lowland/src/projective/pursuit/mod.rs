//! The search for the direction or the plane with the largest projection index in whitened rows (Friedman and Tukey 1974).

mod index;
mod removal;

pub use index::{Deflation, ProjectionIndex};
pub(crate) use removal::remove;

use super::whitened::{Whitened, orthogonal};
use crate::optimize::lbfgs::{self, Stop};
use lowland_base::{Result, Run, Stage};
use ndarray::{Array1, Array2, ArrayView1, Axis};
use rand::RngExt;
use rand_distr::StandardNormal;

/// How the search goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Search {
    pub index: ProjectionIndex,
    /// Random starts, of which the best end counts.
    pub starts: usize,
    /// The most steps from a start.
    pub steps: usize,
}

/// The best direction or plane.
pub(crate) struct Best {
    /// Orthonormal, one a row.
    pub directions: Array2<f64>,
    /// Their index.
    pub value: f64,
    /// The most steps that a start took.
    pub steps: usize,
    /// Minus the index after each step of the search that found it.
    pub losses: Vec<f64>,
}

impl Search {
    /// What has the largest index, orthogonal to the directions found before. Where a plane is wanted and only a line is left,
    /// it is that line, with index 0.
    pub fn best(
        &self,
        z: &Whitened,
        found: &Array2<f64>,
        rng: &mut impl rand::Rng,
        stage: &Stage<'_>,
        run: &Run,
    ) -> Result<Best> {
        let width = self.index.width();
        let stop = Stop { gradient: 1e-8, decrease: 1e-13, steps: self.steps };
        let maximize = |index: ProjectionIndex, start: Array2<f64>| {
            let objective = |w: &[f64], g: &mut [f64]| match width {
                1 => negative_index(index, z, found, w, g, run),
                _ => negative_plane_index(index, z, found, w, g, run),
            };
            let start = start.into_raw_vec_and_offset().0;
            let report = |_, loss| {
                stage.loss(loss);
                Ok(())
            };
            let end = lbfgs::minimize(start, stop, objective, report, run)?;
            let directions = orthonormal(&end.point, z.rank, found);
            let steps = end.history.len() - 1;
            Ok::<_, lowland_base::Error>(Best { directions, value: -end.value, steps, losses: end.history })
        };
        let mut best: Option<Best> = None;
        let mut steps = 1;
        for attempt in 0..self.starts {
            let start: Vec<f64> = (0..z.rank * width).map(|_| rng.sample::<f64, _>(StandardNormal)).collect();
            let mut start = orthonormal(&start, z.rank, found);
            if z.rank < found.nrows() + width {
                let line = start.select(Axis(0), &[0]);
                return Ok(Best { directions: line, value: 0.0, steps, losses: Vec::new() });
            }
            // Far from their maxima these are flat but for noise: every other search starts where a smoother index is largest.
            let smooth = match self.index {
                ProjectionIndex::FriedmanTukey | ProjectionIndex::Holes => Some(ProjectionIndex::Negentropy),
                ProjectionIndex::PlaneHoles => Some(ProjectionIndex::Mardia),
                _ => None,
            };
            if let Some(smooth) = smooth.filter(|_| attempt % 2 == 1) {
                start = maximize(smooth, start)?.directions;
            }
            let end = maximize(self.index, start)?;
            steps = steps.max(end.steps);
            if best.as_ref().is_none_or(|best| end.value > best.value) {
                best = Some(end);
            }
        }
        let none =
            || Best { directions: Array2::zeros((width, z.rank)), value: 0.0, steps, losses: Vec::new() };
        let Best { directions, value, losses, .. } = best.unwrap_or_else(none);
        let directions = if width == 2 { turned(z, directions, run)? } else { directions };
        Ok(Best { directions, value, steps, losses })
    }

    /// An upper bound on the index of Gaussian noise of this shape: the mean over the best projections of so many draws,
    /// and five standard deviations. (The largest of many is about Gumbel's: one in a thousand exceeds it.)
    pub fn noise_level(&self, z: &Whitened, draws: usize, run: &Run) -> Result<f64> {
        if draws == 0 {
            return Ok(0.0);
        }
        let stage = run.stage("noise", Some(draws as u64));
        let mut rng = run.rng("projection-pursuit noise");
        let mut values = Vec::new();
        for _ in 0..draws {
            let noise = z.noise(&mut rng, run)?;
            values.push(self.best(&noise, &Array2::zeros((0, noise.rank)), &mut rng, &stage, run)?.value);
            stage.advance(1)?;
        }
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let square = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        let spread = if values.len() > 1 { (square / (count - 1.0)).sqrt() } else { 0.3 * mean };
        Ok(mean + 5.0 * spread)
    }
}

/// Unit vectors from several, one after the other, each orthogonal to those before and to the rows found.
fn orthonormal(w: &[f64], rank: usize, found: &Array2<f64>) -> Array2<f64> {
    let mut all = found.clone();
    for row in w.chunks_exact(rank) {
        let row = orthogonal(ArrayView1::from(row).to_owned(), &all);
        // Both are as long as the rank.
        let _ = all.push_row(row.view());
    }
    all.slice(ndarray::s![found.nrows().., ..]).to_owned()
}

/// The plane turned so that its first axis is the least Gaussian one, to the degree.
fn turned(z: &Whitened, directions: Array2<f64>, run: &Run) -> Result<Array2<f64>> {
    let (a, b) = (directions.row(0).to_vec(), directions.row(1).to_vec());
    let (ya, yb) = (z.project(&a, run)?, z.project(&b, run)?);
    let mut best = (f64::NEG_INFINITY, 1.0, 0.0);
    for degree in 0..180 {
        let (sine, cosine) = f64::from(degree).to_radians().sin_cos();
        let along: Vec<f64> = ya.iter().zip(&yb).map(|(a, b)| cosine * a + sine * b).collect();
        let value = ProjectionIndex::Negentropy.of(&along).0;
        if value > best.0 {
            best = (value, cosine, sine);
        }
    }
    let (_, cosine, sine) = best;
    Ok(Array2::from_shape_fn(directions.dim(), |(i, j)| match i {
        0 => cosine * a[j] + sine * b[j],
        _ => cosine * b[j] - sine * a[j],
    }))
}

/// Minus the index of the plane of two directions, and its gradient orthogonal to the plane and to the directions found: the
/// index does not depend on the axes of the plane.
fn negative_plane_index(
    index: ProjectionIndex,
    z: &Whitened,
    found: &Array2<f64>,
    w: &[f64],
    gradient: &mut [f64],
    run: &Run,
) -> Result<f64> {
    let (first, second) = w.split_at(z.rank);
    let length = |v: &Array1<f64>| v.dot(v).sqrt().max(f64::MIN_POSITIVE);
    // [first second] = [p q] R, R upper triangular.
    let first = ArrayView1::from(first).to_owned();
    let long = length(&first);
    let p = first / long;
    let mut rest = ArrayView1::from(second).to_owned();
    let shared = p.dot(&rest);
    rest.scaled_add(-shared, &p);
    let wide = length(&rest);
    let q = rest / wide;
    let (ya, yb) = (z.project(&p.to_vec(), run)?, z.project(&q.to_vec(), run)?);
    let (value, slopes) = index.of_plane([&ya, &yb]);
    let ascent = |slope: &[f64]| {
        let mut ascent = Array1::from(z.combine(slope, run)?);
        for row in [p.view(), q.view()].into_iter().chain(found.rows()) {
            let along = row.dot(&ascent);
            ascent.scaled_add(-along, &row);
        }
        Ok::<_, lowland_base::Error>(ascent)
    };
    let (a, b) = (ascent(&slopes[0])?, ascent(&slopes[1])?);
    let (to_first, to_second) = gradient.split_at_mut(z.rank);
    for j in 0..z.rank {
        to_first[j] = -(a[j] - b[j] * shared / wide) / long;
        to_second[j] = -b[j] / wide;
    }
    Ok(-value)
}

/// Minus the index along a direction of any length, and its gradient orthogonal to the directions found.
fn negative_index(
    index: ProjectionIndex,
    z: &Whitened,
    found: &Array2<f64>,
    w: &[f64],
    gradient: &mut [f64],
    run: &Run,
) -> Result<f64> {
    let length = w.iter().map(|w| w * w).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
    let unit: Vec<f64> = w.iter().map(|w| w / length).collect();
    let (value, slope) = index.of(&z.project(&unit, run)?);
    let mut ascent = Array1::from(z.combine(&slope, run)?);
    let unit = Array1::from(unit);
    let along = ascent.dot(&unit);
    ascent.scaled_add(-along, &unit);
    for row in found.rows() {
        let along = row.dot(&ascent);
        ascent.scaled_add(-along, &row);
    }
    gradient.iter_mut().zip(&ascent).for_each(|(gradient, ascent)| *gradient = -ascent / length);
    Ok(-value)
}
