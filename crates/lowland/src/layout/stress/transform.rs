//! New objects on a finished map: each goes where its own stress is least, with the map frozen. None sees the others of its
//! batch.

use super::disparity::Curve;
use crate::layout::points::{from_matrix, with_components};
use crate::matrix::faer_view;
use lowland_base::parallel::map_chunks;
use lowland_base::{Result, Run};
use ndarray::{Array2, ArrayView2};

/// What new objects get their coordinates from.
pub(crate) struct Frozen<'m> {
    /// The coordinates of the objects that distances lead to.
    pub points: ArrayView2<'m, f64>,
    pub curve: &'m Curve,
    /// Pairs weigh `d^-power`.
    pub power: f64,
}

/// The most steps, and how short the last is, relative to the width of the map.
const STEPS: usize = 500;
const SHORT: f64 = 1e-10;
/// From how many of the nearest a new object tries to start.
const STARTS: usize = 4;

/// One other object: where it is, how far from it the new one should be, and how much that weighs.
struct Pull<const D: usize> {
    at: [f64; D],
    target: f64,
    weight: f64,
}

impl Frozen<'_> {
    /// The coordinates of new objects, from their distances to those of the map; NaN is not known.
    pub fn transform(&self, distances: ArrayView2<'_, f64>, run: &Run) -> Result<Array2<f64>> {
        fn go<const D: usize>(
            frozen: &Frozen<'_>,
            distances: ArrayView2<'_, f64>,
            run: &Run,
        ) -> Result<Array2<f64>> {
            let components = frozen.points.ncols();
            let map: Vec<[f64; D]> = from_matrix(faer_view(frozen.points));
            let width = map.iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
            let parts = map_chunks(run, distances.nrows(), 8, |range| {
                range
                    .map(|row| frozen.minimize(&map, width, distances.row(row).iter().copied()))
                    .collect::<Vec<[f64; D]>>()
            })?;
            let flat = parts.concat();
            Ok(Array2::from_shape_fn((flat.len(), components), |(i, c)| flat[i][c]))
        }
        with_components!(self.points.ncols(), go(self, distances, run))
    }

    fn minimize<const D: usize>(
        &self,
        map: &[[f64; D]],
        width: f64,
        distances: impl Iterator<Item = f64> + Clone,
    ) -> [f64; D] {
        let floor = distances.clone().filter(|d| *d > 0.0).fold(f64::INFINITY, f64::min).min(f64::MAX);
        let mut nearest: Vec<(f64, usize)> = Vec::with_capacity(STARTS + 1);
        let mut pulls = Vec::with_capacity(map.len());
        let mut known: Vec<usize> = Vec::new();
        for (k, d) in distances.enumerate().filter(|entry| !entry.1.is_nan()) {
            if d == 0.0 {
                known.push(k);
            }
            let weight = if self.power == 0.0 { 1.0 } else { (d.max(floor) / floor).powf(-self.power) };
            pulls.push(Pull { at: map[k], target: self.curve.at(d), weight });
            let at = nearest.partition_point(|entry| entry.0 <= d);
            if at < STARTS {
                nearest.insert(at, (d, k));
                nearest.truncate(STARTS);
            }
        }
        // Where an object at distance zero is. Dissimilarities may have several: the one that its own stress is least at.
        let best = |points: &mut dyn Iterator<Item = [f64; D]>| {
            let costs = points.map(|y| (step_and_stress(&pulls, &y).1, y));
            costs.reduce(|best, next| if next.0 < best.0 { next } else { best })
        };
        let first = known.first().map(|&k| map[k]);
        if let Some(first) = first {
            if known.iter().all(|&k| map[k] == first) {
                return first;
            }
            return best(&mut known.iter().map(|&k| map[k])).map_or(first, |found| found.1);
        }
        let count = nearest.len().max(1) as f64;
        let mean: [f64; D] =
            std::array::from_fn(|c| nearest.iter().map(|entry| map[entry.1][c]).sum::<f64>() / count);
        let starts = nearest.iter().map(|entry| map[entry.1]).chain([mean]);
        // Beside each of them, where it is one step on: the position of an object itself may be at rest.
        let mut starts = starts.map(|y| step_and_stress(&pulls, &y).0);
        best(&mut starts).map_or(mean, |found| descend(&pulls, found.1, width))
    }
}

/// The next coordinates by majorization, `sum w (y_k + t (y - y_k) / d) / sum w`, and the stress of this one.
fn step_and_stress<const D: usize>(pulls: &[Pull<D>], y: &[f64; D]) -> ([f64; D], f64) {
    let (mut sum, mut mass, mut loss) = ([0.0; D], 0.0, 0.0);
    for Pull { at, target, weight } in pulls {
        let mut squared = 0.0;
        for c in 0..D {
            squared += (y[c] - at[c]) * (y[c] - at[c]);
        }
        let distance = squared.sqrt();
        let ratio = if distance > 0.0 { target / distance } else { 0.0 };
        for c in 0..D {
            sum[c] += weight * (at[c] + ratio * (y[c] - at[c]));
        }
        mass += weight;
        loss += weight * (target - distance) * (target - distance);
    }
    (if mass > 0.0 { sum.map(|x| x / mass) } else { *y }, loss)
}

/// Steps of twice the length where they lead lower, plain ones elsewhere.
fn descend<const D: usize>(pulls: &[Pull<D>], start: [f64; D], width: f64) -> [f64; D] {
    let mut y = start;
    let (mut next, mut loss) = step_and_stress(pulls, &y);
    for _ in 0..STEPS {
        let length = (0..D).map(|c| (next[c] - y[c]).abs()).fold(0.0, f64::max);
        if length.is_nan() || length <= SHORT * width {
            break;
        }
        let far: [f64; D] = std::array::from_fn(|c| y[c] + 1.9 * (next[c] - y[c]));
        let (after, there) = step_and_stress(pulls, &far);
        if there < loss {
            (y, next, loss) = (far, after, there);
            continue;
        }
        let (after, there) = step_and_stress(pulls, &next);
        if there >= loss {
            break;
        }
        (y, next, loss) = (next, after, there);
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;
    use lowland_base::Run;

    #[test]
    fn a_point_of_the_plane_is_found_by_its_distances() {
        let map = Array2::from_shape_fn((20, 2), |(i, c)| ((i * (3 + 4 * c)) as f64 * 0.9).sin());
        let curve = Curve::default();
        for power in [0.0, 1.0] {
            let frozen = Frozen { points: map.view(), curve: &curve, power };
            let wanted = Array2::from_shape_fn((9, 2), |(i, c)| 0.7 * ((i + 5 * c) as f64 * 1.3).cos());
            let distances = Array2::from_shape_fn((9, 20), |(i, j)| {
                (wanted[(i, 0)] - map[(j, 0)]).hypot(wanted[(i, 1)] - map[(j, 1)])
            });
            let found = frozen.transform(distances.view(), &Run::new()).unwrap();
            let worst = found.iter().zip(&wanted).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(worst < 1e-7, "{power}: {worst}");
            // A distance that is not known changes nothing here; one of zero decides.
            let mut holes = distances.clone();
            holes.column_mut(3).fill(f64::NAN);
            let again = frozen.transform(holes.view(), &Run::new()).unwrap();
            assert!(again.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-7));
            holes[(2, 7)] = 0.0;
            assert_eq!(frozen.transform(holes.view(), &Run::new()).unwrap().row(2), map.row(7));
        }
    }
}
