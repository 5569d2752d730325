//! Normalizations of a kernel, fitted to the training matrix once and applied to the rows of new points alike
//! (Bengio 3: both the matrix and the new row are the same data-dependent kernel).

use crate::model::Archive;
use faer::Mat;
use lowland_base::{Error, Result, Run};
use lowland_linalg::Operator;
use lowland_linalg::operator::Packed;

/// A fitted normalization.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Normalizer {
    /// The kernel as it is.
    None,
    /// `P K P'` with `P = I - 1 c'`: the origin moves to the mean in feature space, weighted by `c` (Bengio
    /// eq. 14; Burges 2.2.1 for general `c`; with `K = -D^2 / 2` the double centering of classical scaling).
    Center {
        /// `c' K`: the weighted mean of each column.
        columns: Vec<f64>,
        /// `c' K c`.
        grand: f64,
        /// `c`, where it is not the same for all.
        weights: Option<Vec<f64>>,
    },
    /// Divided by the degrees, after the densities of points have been divided out to the power `alpha` (Bengio
    /// eq. 12; Coifman and Lafon 2006).
    Divide {
        /// The row sums before the division by densities.
        densities: Vec<f64>,
        /// The power of the densities; 0 leaves them in.
        alpha: f64,
        /// The row sums after it.
        degrees: Vec<f64>,
        /// By what.
        by: Degrees,
    },
}

/// What a row of affinities is divided by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Degrees {
    /// `w / sqrt(d(x) d(y))`: symmetric, largest eigenvalue 1 (Bengio eq. 12).
    Roots,
    /// `w vol / (d(x) d(y))`: the transition probability relative to the stationary one; symmetric.
    Products,
    /// `w / d(x)`: the mean over the neighbors.
    Own,
}

impl Normalizer {
    /// Centers a symmetric matrix in place. `weights` must sum to 1; `None` is the plain mean.
    pub fn center(matrix: &mut Packed<f64>, weights: Option<&[f64]>, run: &Run) -> Result<Self> {
        let _stage = run.stage("center", None);
        let n = matrix.order();
        let factors = Mat::from_fn(n, 1, |i, _| weights.map_or(1.0, |weights| weights[i]));
        let sums = matrix.times(factors.as_ref(), run)?;
        let whole = if weights.is_some() { 1.0 } else { n.max(1) as f64 };
        let columns: Vec<f64> = sums.col(0).iter().map(|sum| sum / whole).collect();
        let grand = mean(&columns, weights);
        matrix.update(run, |i, row| {
            for (value, column) in row.iter_mut().zip(&columns) {
                *value = *value - (columns[i] + column) + grand;
            }
        })?;
        Ok(Self::Center { columns, grand, weights: weights.map(<[f64]>::to_vec) })
    }

    /// The largest mean of a column that centering took off.
    pub fn largest_mean(&self) -> f64 {
        let Self::Center { columns, .. } = self else { return 0.0 };
        columns.iter().fold(0.0, |largest: f64, mean| largest.max(mean.abs()))
    }

    /// Whether rows are divided by sums of themselves.
    pub fn divides(&self) -> bool {
        matches!(self, Self::Divide { .. })
    }

    /// Normalizes the row of a new point.
    pub fn row(&self, row: &mut [f64]) {
        match self {
            Self::None => {}
            Self::Center { columns, grand, weights } => {
                let own = mean(row, weights.as_deref());
                for (value, column) in row.iter_mut().zip(columns) {
                    *value = *value - (own + column) + grand;
                }
            }
            Self::Divide { .. } => self.divide(row.iter_mut().enumerate()),
        }
    }

    /// The same for a row of which only some entries are not zero. A row cannot be centered and stay sparse.
    pub fn sparse_row(&self, row: &mut [(u32, f64)]) {
        self.divide(row.iter_mut().map(|entry| (entry.0 as usize, &mut entry.1)));
    }

    fn divide<'r>(&self, row: impl Iterator<Item = (usize, &'r mut f64)>) {
        let Self::Divide { densities, alpha, degrees, by } = self else { return };
        let mut row: Vec<(usize, &mut f64)> = row.collect();
        if *alpha > 0.0 {
            let own: f64 = row.iter().map(|(_, value)| **value).sum();
            for (place, value) in &mut row {
                **value = thinned(**value, own, densities[*place], *alpha);
            }
        }
        let own: f64 = row.iter().map(|(_, value)| **value).sum();
        let volume: f64 = if *by == Degrees::Products { degrees.iter().sum() } else { 1.0 };
        for (place, value) in row {
            let divisor = match by {
                Degrees::Roots => own.sqrt() * degrees[place].sqrt(),
                Degrees::Products => own * (degrees[place] / volume),
                Degrees::Own => own,
            };
            // A point without any affinity is bound to nobody.
            *value = if divisor > 0.0 { *value / divisor } else { 0.0 };
        }
    }

    /// Into a model file, under names that begin with `prefix`.
    pub fn save(&self, prefix: &str, archive: &mut Archive) {
        if let Self::Divide { densities, alpha, degrees, by } = self {
            archive.put_fact(&format!("{prefix}alpha"), *alpha);
            archive.put_fact(&format!("{prefix}divided_by"), by.name());
            archive.put_vector(&format!("{prefix}densities"), densities);
            archive.put_vector(&format!("{prefix}degrees"), degrees);
        }
        if let Self::Center { columns, grand, weights } = self {
            archive.put_fact(&format!("{prefix}grand_mean"), *grand);
            archive.put_vector(&format!("{prefix}column_means"), columns);
            if let Some(weights) = weights {
                archive.put_vector(&format!("{prefix}centering_weights"), weights);
            }
        }
    }

    /// From a model file.
    pub fn load(prefix: &str, width: usize, archive: &Archive) -> Result<Self> {
        if archive.has_array(&format!("{prefix}degrees")) {
            let word = archive.word(&format!("{prefix}divided_by"))?;
            let by =
                [Degrees::Roots, Degrees::Products, Degrees::Own].into_iter().find(|by| by.name() == word);
            return Ok(Self::Divide {
                densities: archive.vector(&format!("{prefix}densities"), width)?.to_vec(),
                alpha: archive.number(&format!("{prefix}alpha"))?,
                degrees: archive.vector(&format!("{prefix}degrees"), width)?.to_vec(),
                by: by
                    .ok_or_else(|| Error::ModelFile { problem: format!("it divides by unknown '{word}'") })?,
            });
        }
        if !archive.has_array(&format!("{prefix}column_means")) {
            return Ok(Self::None);
        }
        let weights = format!("{prefix}centering_weights");
        Ok(Self::Center {
            columns: archive.vector(&format!("{prefix}column_means"), width)?.to_vec(),
            grand: archive.number(&format!("{prefix}grand_mean"))?,
            weights: if archive.has_array(&weights) {
                Some(archive.vector(&weights, width)?.to_vec())
            } else {
                None
            },
        })
    }
}

impl Degrees {
    fn name(self) -> &'static str {
        match self {
            Self::Roots => "roots",
            Self::Products => "products",
            Self::Own => "own",
        }
    }
}

/// `w / (q(x) q(y))^alpha`.
fn thinned(weight: f64, own: f64, other: f64, alpha: f64) -> f64 {
    // One after the other: the product of two that are tiny would vanish.
    if own > 0.0 && other > 0.0 { weight / own.powf(alpha) / other.powf(alpha) } else { 0.0 }
}

/// The mean, plain or weighted, summed in a fixed order in lanes of its own.
fn mean(values: &[f64], weights: Option<&[f64]>) -> f64 {
    const LANES: usize = 8;
    let mut lanes = [0.0; LANES];
    match weights {
        None => {
            for chunk in values.chunks(LANES) {
                lanes.iter_mut().zip(chunk).for_each(|(lane, value)| *lane += value);
            }
            lanes.iter().sum::<f64>() / values.len().max(1) as f64
        }
        Some(weights) => {
            for (chunk, weights) in values.chunks(LANES).zip(weights.chunks(LANES)) {
                for ((lane, value), weight) in lanes.iter_mut().zip(chunk).zip(weights) {
                    *lane += value * weight;
                }
            }
            lanes.iter().sum()
        }
    }
}
