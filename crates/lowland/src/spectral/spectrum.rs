//! Eigenpairs of the normalized kernel, what to do with negative ones, and the coordinates they make.

use super::FURTHER_EIGENVALUES;
use crate::model::Warning;
use crate::{choices, matrix::to_array};
use lowland_base::{Result, Run};
use lowland_linalg::{Eigenpairs, Operator, Request, Which, eigen};
use ndarray::Array2;

choices! {
    /// What is done with negative eigenvalues, which no kernel of real features has.
    pub enum Negative {
        /// They are left out: components beyond the positive ones are zero, and the share is reported.
        Drop = "drop",
        /// They count as zero, silently.
        Clip = "clip",
        /// The spectrum is shifted up until none is left: a constant is added to all squared distances (Lingoes 1971).
        Shift = "shift" | "constant",
        /// The largest by magnitude are taken, whatever their sign (Bengio, section 6).
        Magnitude = "magnitude",
    }
}

/// Eigenpairs turned into coordinates.
#[derive(Debug, Clone)]
pub(crate) struct Spectrum {
    /// The eigenvalues kept, zero where a component is.
    pub values: Vec<f64>,
    /// Their true residuals.
    pub residuals: Vec<f64>,
    /// The coordinates of the training points, one a row.
    pub coordinates: Array2<f64>,
    /// Takes a normalized row to coordinates: `v scale / l` (Bengio eq. 23, with the scaling).
    pub map: Array2<f64>,
    /// The sign of each eigenvalue, 0 where the component is: see [`super::ComponentModel`].
    pub weights: Vec<f64>,
    /// The eigenvalues after those, roughly; none where negative ones were kept or a shift makes others of all.
    pub further: Vec<f64>,
    /// What was added to every eigenvalue.
    pub shift: f64,
    /// Warnings for the report.
    pub warnings: Vec<Warning>,
}

/// Which pairs, and what becomes of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pairs {
    pub count: usize,
    pub negative: Negative,
    /// Whether the kernel is centered by the plain mean: then the eigenvalue of the vector of ones is not shifted with the others.
    pub centered: bool,
    /// What the entries of the kernel are rounded from: their size before they were centered.
    pub entries: f64,
}

/// The leading pairs of a normalized kernel as coordinates.
pub(crate) fn decompose(op: &dyn Operator<f64>, wanted: Pairs, run: &Run) -> Result<Spectrum> {
    let which = if wanted.negative == Negative::Magnitude { Which::LargestMagnitude } else { Which::Largest };
    let request = Request::new(wanted.count, which);
    if wanted.negative != Negative::Shift {
        let (pairs, further) = eigen::solve_with_further(op, &request, FURTHER_EIGENVALUES, run)?;
        return Ok(coordinates(pairs, further, op.order(), wanted, 0.0));
    }
    let shift = (-eigen::solve(op, &Request::new(1, Which::Smallest), run)?.values[0]).max(0.0);
    let depth = if wanted.centered { shift } else { 0.0 };
    let more = if shift == 0.0 { FURTHER_EIGENVALUES } else { 0 };
    let (pairs, further) = eigen::solve_with_further(&Deflated { inner: op, depth }, &request, more, run)?;
    Ok(coordinates(pairs, further, op.order(), wanted, shift))
}

/// `A - depth 1 1' / n`: moves the eigenvalue of the vector of ones, an eigenvector of a centered kernel, from 0 to
/// `-depth`, so that a shift of all eigenvalues by `depth` brings it back to 0.
struct Deflated<'a> {
    inner: &'a dyn Operator<f64>,
    depth: f64,
}

impl Operator<f64> for Deflated<'_> {
    fn order(&self) -> usize {
        self.inner.order()
    }

    fn apply(&self, x: faer::MatRef<'_, f64>, mut out: faer::MatMut<'_, f64>, run: &Run) -> Result<()> {
        self.inner.apply(x, out.as_mut(), run)?;
        for v in 0..x.ncols() {
            let mean = x.col(v).iter().sum::<f64>() / self.order().max(1) as f64;
            out.as_mut().col_mut(v).iter_mut().for_each(|out| *out -= self.depth * mean);
        }
        Ok(())
    }
}

/// Values below this are rounding: of the largest, or of entries that canceled when centered.
pub(crate) fn resolution(values: &[f64], entries: f64, n: usize) -> f64 {
    let largest = values.iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
    n as f64 * f64::EPSILON * (10.0 * largest).max(entries)
}

fn coordinates(pairs: Eigenpairs<f64>, further: Vec<f64>, n: usize, wanted: Pairs, shift: f64) -> Spectrum {
    let negative = wanted.negative;
    let count = pairs.len();
    let floor = resolution(&pairs.values, wanted.entries, n);
    let sound = |value: f64| match negative {
        Negative::Magnitude => value.abs() > floor,
        _ => value > floor,
    };
    let shifted: Vec<f64> = pairs.values.iter().map(|value| value + shift).collect();
    let kept: Vec<bool> = shifted.iter().map(|&value| sound(value)).collect();
    let vectors: Array2<f64> = to_array(pairs.vectors.as_ref());
    let column = |j: usize, factor: f64| vectors.column(j).mapv(|entry| entry * factor);
    let (mut coordinates, mut map) = (Array2::zeros((n, count)), Array2::zeros((n, count)));
    for j in (0..count).filter(|&j| kept[j]) {
        // Inner products are kept: sqrt(l) v (Bengio 2.1, 2.2, 2.5).
        let factor = shifted[j].abs().sqrt();
        coordinates.column_mut(j).assign(&column(j, factor));
        map.column_mut(j).assign(&column(j, factor / shifted[j]));
    }
    let weights = (0..count).map(|j| if kept[j] { shifted[j].signum() } else { 0.0 }).collect();
    let rank = kept.iter().filter(|&&kept| kept).count();
    let mut warnings = Vec::new();
    if rank < count {
        let negatives = pairs.values.iter().filter(|&&value| value < -floor);
        let share = negatives.clone().map(|value| -value).sum::<f64>()
            / pairs.values.iter().map(|value| value.abs()).sum::<f64>().max(f64::MIN_POSITIVE);
        if negatives.count() > 0 && negative == Negative::Drop {
            warnings.push(Warning::NegativeEigenvalues { asked: count, positive: rank, share });
        } else if negative != Negative::Clip {
            warnings.push(Warning::RankDeficient { asked: count, rank, remedy: String::new() });
        }
    }
    Spectrum {
        values: (0..count).map(|j| if kept[j] { shifted[j] } else { 0.0 }).collect(),
        residuals: (0..count).map(|j| if kept[j] { pairs.residuals[j] } else { 0.0 }).collect(),
        coordinates,
        map,
        weights,
        further: if rank == count && pairs.values.iter().all(|&value| value > 0.0) {
            further
        } else {
            Vec::new()
        },
        shift,
        warnings,
    }
}
