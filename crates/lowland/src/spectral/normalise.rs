//! Normalisations of a kernel, fitted to the training matrix once and applied to the rows of new points alike
//! (Bengio 3: both the matrix and the new row are the same data-dependent kernel).

use crate::model::Archive;
use lowland_base::parallel::{fill_rows, map_chunks};
use lowland_base::{Error, Result, Run};
use ndarray::Array2;

/// Rows worked on at a time.
const BLOCK: usize = 16;

/// A fitted normalisation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Normaliser {
    /// The kernel as it is.
    None,
    /// `P K P'` with `P = I - 1 c'`: the origin moves to the mean in feature space, weighted by `c` (Bengio
    /// eq. 14; Burges 2.2.1 for general `c`; with `K = -D^2 / 2` the double centring of classical scaling).
    Center {
        /// `c' K`: the weighted mean of each column.
        columns: Vec<f64>,
        /// `c' K c`.
        grand: f64,
        /// `c`, where it is not the same for all.
        weights: Option<Vec<f64>>,
    },
}

impl Normaliser {
    /// Centres a symmetric matrix in place. `weights` must sum to 1; `None` is the plain mean.
    pub fn center(matrix: &mut Array2<f64>, weights: Option<&[f64]>, run: &Run) -> Result<Self> {
        let _stage = run.stage("centre", None);
        let n = matrix.nrows();
        let means = {
            let view = matrix.view();
            let parts = map_chunks(run, n, BLOCK, |rows| {
                rows.map(|i| mean(view.row(i).to_slice().unwrap_or_default(), weights)).collect::<Vec<_>>()
            })?;
            parts.concat()
        };
        let grand = mean(&means, weights);
        let center = Self::Center { columns: means, grand, weights: weights.map(<[f64]>::to_vec) };
        let Self::Center { columns, .. } = &center else { return Ok(center) };
        let flat = matrix.as_slice_mut().ok_or_else(|| Error::Malformed {
            what: "kernel matrix",
            problem: "its rows do not lie one after the other".into(),
        })?;
        fill_rows(run, flat, n, BLOCK, |rows, part| {
            for (i, row) in rows.zip(part.chunks_exact_mut(n)) {
                for (value, column) in row.iter_mut().zip(columns) {
                    // The two means first: their sum is the same for the mirrored entry, to the bit.
                    *value = *value - (columns[i] + column) + grand;
                }
            }
        })?;
        Ok(center)
    }

    /// Normalises the row of a new point.
    pub fn row(&self, row: &mut [f64]) {
        if let Self::Center { columns, grand, weights } = self {
            let own = mean(row, weights.as_deref());
            for (value, column) in row.iter_mut().zip(columns) {
                *value = *value - (own + column) + grand;
            }
        }
    }

    /// Into a model file, under names that begin with `prefix`.
    pub fn save(&self, prefix: &str, archive: &mut Archive) {
        if let Self::Center { columns, grand, weights } = self {
            archive.put_fact(&format!("{prefix}grand_mean"), *grand);
            archive.put_vector(&format!("{prefix}column_means"), columns);
            if let Some(weights) = weights {
                archive.put_vector(&format!("{prefix}centring_weights"), weights);
            }
        }
    }

    /// From a model file.
    pub fn load(prefix: &str, width: usize, archive: &Archive) -> Result<Self> {
        if !archive.has_array(&format!("{prefix}column_means")) {
            return Ok(Self::None);
        }
        let weights = format!("{prefix}centring_weights");
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
