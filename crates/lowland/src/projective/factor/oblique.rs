//! Oblique rotations: factors `g = T'f` of variance 1 that may be correlated. With the loadings `A` of uncorrelated
//! factors, the pattern is `L = A (T')^-1`, the correlations of the factors are `T'T`, the structure is `L T'T = A T`, and
//! `L T'T L' = A A'`: the density is the same.

use super::rotation::{Rotation, turn};
use crate::mixture::Gaussian;
use crate::optimize::backtrack;
use crate::projective::inverse::inverse;
use lowland_base::{Result, Run};
use lowland_linalg::signs::leading_is_negative;
use ndarray::{Array1, Array2, s};

/// The power of promax: that of Hendrickson and White.
const POWER: i32 = 4;
/// Steps of the gradient projection, and halvings of one.
const STEPS: usize = 2000;
const HALVINGS: usize = 20;
/// The gradient at the end, where loadings are at most 1.
const FLAT: f64 = 1e-10;

/// Factors that are those of a density times a matrix.
pub(crate) struct Oblique {
    /// `T`, its columns of length 1.
    pub turn: Array2<f64>,
    /// `T^-1`.
    pub back: Array2<f64>,
    /// `L`: columns of the data x factors.
    pub pattern: Array2<f64>,
}

impl Oblique {
    /// The factors of the density themselves.
    pub fn none(loadings: Array2<f64>) -> Self {
        let unit = Array2::eye(loadings.ncols());
        Self { turn: unit.clone(), back: unit, pattern: loadings }
    }

    /// The first `used` factors, rotated. The criteria are those of the loadings in units of the columns' deviations, so
    /// that a column in other units has the same factors.
    pub fn of(density: &Gaussian, used: usize, rotation: Rotation, run: &Run) -> Result<Self> {
        let all = Self::none(density.loadings.clone());
        let loadings = density.loadings.slice(s![.., ..used]);
        let deviations: Array1<f64> = loadings
            .rows()
            .into_iter()
            .zip(&density.noise)
            .map(|(w, noise)| (w.dot(&w) + noise).sqrt())
            .collect();
        let unit = Array2::from_shape_fn(loadings.dim(), |(j, a)| {
            if deviations[j] > 0.0 { loadings[(j, a)] / deviations[j] } else { 0.0 }
        });
        if used < 2 {
            return Ok(all);
        }
        let orthogonal = turn(&unit, Rotation::Varimax, run)?;
        let simple = unit.dot(&orthogonal);
        let found = match rotation {
            Rotation::Promax => promax(&simple),
            _ => oblimin(&simple, run)?,
        };
        let mut own = orthogonal.dot(&found.unwrap_or_else(|| Array2::eye(used)));
        let Some((mut back, _)) = inverse(&own) else { return Ok(all) };
        // The sign of a factor is that of its pattern's largest entry.
        let pattern = loadings.dot(&back.t());
        for (a, column) in pattern.columns().into_iter().enumerate() {
            if leading_is_negative(column.iter().copied()) {
                own.column_mut(a).mapv_inplace(|x| -x);
                back.row_mut(a).mapv_inplace(|x| -x);
            }
        }
        let mut oblique = all;
        oblique.pattern.slice_mut(s![.., ..used]).assign(&loadings.dot(&back.t()));
        oblique.turn.slice_mut(s![..used, ..used]).assign(&own);
        oblique.back.slice_mut(s![..used, ..used]).assign(&back);
        Ok(oblique)
    }

    /// `T'T`, its diagonal 1.
    pub fn correlation(&self) -> Array2<f64> {
        let mut correlation = self.turn.t().dot(&self.turn);
        correlation.diag_mut().fill(1.0);
        correlation
    }

    /// `L T'T`.
    pub fn structure(&self) -> Array2<f64> {
        self.pattern.dot(&self.correlation())
    }
}

/// The least-squares fit `U` of the loadings to themselves with the small ones smaller, `V |V|^3`: the pattern is `V U`,
/// its factors scaled to variance 1. The result is `T = (U')^-1`.
fn promax(simple: &Array2<f64>) -> Option<Array2<f64>> {
    let target = simple.mapv(|v| v * v.abs().powi(POWER - 1));
    let (gram, _) = inverse(&simple.t().dot(simple))?;
    let fit = gram.dot(&simple.t().dot(&target));
    let (back, _) = inverse(&fit)?;
    Some(unit_columns(&back.reversed_axes()))
}

/// Jennrich's gradient projection (2002) of `sum over pairs of factors of l_a^2 l_b^2 / 4`, from the loadings themselves.
fn oblimin(simple: &Array2<f64>, run: &Run) -> Result<Option<Array2<f64>>> {
    let value_at = |t: &Array2<f64>| {
        let (back, _) = inverse(t)?;
        let pattern = simple.dot(&back.t());
        let squares = pattern.mapv(|l| l * l);
        let sums = squares.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1));
        // The squares of the other factors.
        let others = &sums - &squares;
        let value = 0.25 * (&squares * &others).sum();
        // -(L' dQ T^-1)'
        let gradient = -pattern.t().dot(&(&pattern * &others)).dot(&back).reversed_axes();
        Some((value, gradient))
    };
    let mut t: Array2<f64> = Array2::eye(simple.ncols());
    let Some((mut value, mut gradient)) = value_at(&t) else { return Ok(None) };
    let mut size = 1.0;
    for _ in 0..STEPS {
        run.check()?;
        let along = (&t * &gradient).sum_axis(ndarray::Axis(0));
        let projected = &gradient - &(&t * &along);
        let square = projected.iter().map(|g| g * g).sum::<f64>();
        if square.sqrt() < FLAT {
            break;
        }
        let falls = |size: f64| {
            let next = unit_columns(&(&t - &(size * &projected)));
            let found = value_at(&next).filter(|(below, _)| value - below > 0.5 * square * size);
            Ok(found.map(|(below, slope)| (next, below, slope)))
        };
        let Some((taken, next)) = backtrack(2.0 * size, HALVINGS, falls)? else { break };
        size = taken;
        (t, value, gradient) = next;
    }
    Ok(Some(t))
}

fn unit_columns(matrix: &Array2<f64>) -> Array2<f64> {
    let mut unit = matrix.clone();
    for mut column in unit.columns_mut() {
        let length = column.dot(&column).sqrt();
        if length > 0.0 {
            column.mapv_inplace(|x| x / length);
        }
    }
    unit
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// Beside a computation with numpy: promax as R's `stats` has it, and quartimin by trying all pairs of angles.
    #[test]
    fn patterns_and_correlations_are_those_of_an_independent_computation() {
        let unit =
            array![[0.8, 0.3], [0.7, 0.25], [0.75, 0.4], [0.6, -0.4], [0.5, -0.55], [0.55, -0.5], [0.3, 0.6]];
        let promax = array![
            [0.811527994803, 0.143672319258],
            [0.701421280381, 0.13680454035],
            [0.843131788307, 0.029325819803],
            [0.175360242523, 0.66231728945],
            [-0.004072192472, 0.744179598544],
            [0.068312594882, 0.725430965997],
            [0.642285885843, -0.378682059283]
        ];
        let quartimin = array![
            [0.8104780514, 0.135645970244],
            [0.700233246164, 0.129934093873],
            [0.844706136887, 0.020351332962],
            [0.161106098025, 0.663927973162],
            [-0.020619097694, 0.748167056068],
            [0.052373402545, 0.728535254435],
            [0.652396172884, -0.387643687633]
        ];
        let cases = [
            // Both stop where the criterion no longer grows, so that angles are right to the root of its rounding.
            (Rotation::Promax, promax, 0.217766483653, 1e-6),
            (Rotation::Oblimin, quartimin, 0.24889236804, 1e-6),
        ];
        for (rotation, expected, correlation, tolerance) in cases {
            // In any units, and with a factor that is not used.
            for units in
                [array![1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0], array![1.0, 2.0, 0.5, 10.0, 1.0, 3.0, 0.1]]
            {
                let mut loadings = Array2::zeros((7, 3));
                let noise =
                    unit.rows().into_iter().zip(&units).map(|(w, u)| (1.0 - w.dot(&w)) * u * u).collect();
                loadings
                    .slice_mut(s![.., ..2])
                    .assign(&(&unit * &units.view().insert_axis(ndarray::Axis(1))));
                let density = Gaussian { mean: vec![0.0; 7], loadings, noise };
                let found = Oblique::of(&density, 2, rotation, &Run::new()).unwrap();
                let pattern = &found.pattern.slice(s![.., ..2]) / &units.view().insert_axis(ndarray::Axis(1));
                // The factors in either order.
                let swapped = pattern[(0, 0)].abs() < pattern[(0, 1)].abs();
                let pattern = if swapped { pattern.select(ndarray::Axis(1), &[1, 0]) } else { pattern };
                let off = (&pattern - &expected).iter().fold(0.0f64, |m, e| m.max(e.abs()));
                assert!(off < tolerance, "{rotation:?}: {off:e}");
                let phi = found.correlation();
                assert!((phi[(0, 1)] - correlation).abs() < tolerance && phi[(2, 2)] == 1.0, "{phi}");
                let product = found.pattern.dot(&phi).dot(&found.pattern.t());
                let same = density.loadings.dot(&density.loadings.t());
                assert!((product - same).iter().all(|e| e.abs() < 1e-12));
                assert!(
                    (found.structure() - density.loadings.dot(&found.turn)).iter().all(|e| e.abs() < 1e-12)
                );
            }
        }
    }
}
