//! Means, standard deviations, and what is put where a value is missing.

use super::{Missing, Scaling};
use crate::frame::{TableFile, column};
use crate::source::refuse;
use lowland::parameters::Value;
use lowland::units::{count, count_grouped, one_or_many};
use lowland::{AnyMatrix, Model, Result, Run, registry};
use ndarray::{Array2, Axis};

/// Values beyond this, or below its inverse, may not be squared and summed.
const EXTREME: f64 = 1e140;

impl Scaling {
    /// Of every column, without what is missing. A column that does not vary keeps its scale.
    pub fn of(matrix: &AnyMatrix) -> Self {
        let (mean, scale) = (0..matrix.dim().1).map(|j| moments(&column(matrix, j))).unzip();
        Self { mean, scale }
    }

    /// One power of two for all columns, where the squares of the values overflow or vanish, and would not after a division
    /// by it. `None` also where the columns are worlds apart: then no single number mends it.
    pub fn of_extremes(matrix: &AnyMatrix) -> Option<Self> {
        let AnyMatrix::F64(values) = matrix else { return None };
        let largest =
            values.iter().filter(|value| !value.is_nan()).fold(0.0, |most: f64, v| most.max(v.abs()));
        if !largest.is_finite() || largest == 0.0 || (1.0 / EXTREME..=EXTREME).contains(&largest) {
            return None;
        }
        // 2^1023 is the largest power of two, and 2^-1022 the least that divides without a loss.
        let power = 2f64.powi(largest.log2().floor().clamp(-1022.0, 1023.0) as i32);
        let lost = |j: usize| {
            let there = || values.column(j).into_iter().filter(|value| !value.is_nan()).map(|v| v / power);
            let (low, high) =
                (there().fold(f64::INFINITY, f64::min), there().fold(f64::NEG_INFINITY, f64::max));
            high > low && high - low < 1.0 / EXTREME
        };
        let width = values.ncols();
        (!(0..width).any(lost)).then(|| Self { mean: vec![0.0; width], scale: vec![power; width] })
    }

    /// The number that all columns are divided by, where that is all that is done to them.
    pub fn power(&self) -> Option<f64> {
        let first = self.scale.first().copied()?;
        let alike =
            self.mean.iter().all(|mean| *mean == 0.0) && self.scale.iter().all(|scale| *scale == first);
        (alike && !(1.0 / EXTREME..=EXTREME).contains(&first)).then_some(first)
    }

    /// Every column with mean 0 and standard deviation 1.
    pub fn standardized(&self, matrix: &AnyMatrix) -> AnyMatrix {
        self.mapped(matrix, |value, mean, scale| (value - mean) / scale)
    }

    pub fn back(&self, matrix: &AnyMatrix) -> AnyMatrix {
        self.mapped(matrix, |value, mean, scale| mean + value * scale)
    }

    fn mapped(&self, matrix: &AnyMatrix, map: impl Fn(f64, f64, f64) -> f64) -> AnyMatrix {
        match matrix {
            AnyMatrix::F32(m) => Array2::from_shape_fn(m.dim(), |(i, j)| {
                map(m[(i, j)].into(), self.mean[j], self.scale[j]) as f32
            })
            .into(),
            AnyMatrix::F64(m) => {
                Array2::from_shape_fn(m.dim(), |(i, j)| map(m[(i, j)], self.mean[j], self.scale[j])).into()
            }
        }
    }
}

/// The mean and the standard deviation (1 where there is none) of what is there.
fn moments(values: &[f64]) -> (f64, f64) {
    let (mut mean, mut count) = (0.0, 0.0);
    for value in values.iter().filter(|value| !value.is_nan()) {
        count += 1.0;
        mean += (value - mean) / count;
    }
    let there = || values.iter().filter(|value| !value.is_nan()).map(|value| value - mean);
    // Scaled before it is squared.
    let largest = there().fold(0.0, |most: f64, value| most.max(value.abs()));
    if largest <= 16.0 * f64::EPSILON * mean.abs() || !largest.is_finite() || largest == 0.0 {
        return (mean, 1.0);
    }
    let sum: f64 = there().map(|value| (value / largest).powi(2)).sum();
    (mean, largest * (sum / count).sqrt())
}

/// `1 missing value was`, `3 missing values were`.
pub(super) fn were_missing(number: usize) -> String {
    format!("{} {}", count_grouped(number, "missing value"), one_or_many(number, "was", "were"))
}

/// How many values are missing.
pub(super) fn holes(matrix: &AnyMatrix) -> usize {
    match matrix {
        AnyMatrix::F32(m) => m.iter().filter(|value| value.is_nan()).count(),
        AnyMatrix::F64(m) => m.iter().filter(|value| value.is_nan()).count(),
    }
}

/// The rows without a value, ascending.
pub fn empty_rows(matrix: &AnyMatrix) -> Vec<usize> {
    fn of<T>(matrix: &Array2<T>, is_missing: impl Fn(&T) -> bool) -> Vec<usize> {
        let rows = matrix.rows().into_iter().enumerate();
        rows.filter(|(_, row)| !row.is_empty() && row.iter().all(&is_missing)).map(|(i, _)| i).collect()
    }
    match matrix {
        AnyMatrix::F32(m) => of(m, |value| value.is_nan()),
        AnyMatrix::F64(m) => of(m, |value| value.is_nan()),
    }
}

/// Refuses rows without a value where values are predicted from the others of their row.
pub(super) fn check_rows(matrix: &AnyMatrix, file: &TableFile<'_>, remedy: &str) -> Result<()> {
    let empty = empty_rows(matrix);
    let Some(&first) = empty.first() else { return Ok(()) };
    let (rows, hold) = (count(empty.len(), "row"), one_or_many(empty.len(), "holds", "hold"));
    Err(refuse(file.position(first), format!("{rows} {hold} missing values only, the first here"), remedy))
}

/// The rows without a missing value.
pub(super) fn whole_rows(matrix: &AnyMatrix) -> Vec<bool> {
    match matrix {
        AnyMatrix::F32(m) => m.rows().into_iter().map(|row| !row.iter().any(|v| v.is_nan())).collect(),
        AnyMatrix::F64(m) => m.rows().into_iter().map(|row| !row.iter().any(|v| v.is_nan())).collect(),
    }
}

/// These rows alone.
pub(super) fn chosen_rows(matrix: &AnyMatrix, rows: &[usize]) -> AnyMatrix {
    match matrix {
        AnyMatrix::F32(m) => m.select(Axis(0), rows).into(),
        AnyMatrix::F64(m) => m.select(Axis(0), rows).into(),
    }
}

/// The model that fills in: the usual one, of the standardized columns.
pub(super) fn imputer(matrix: &AnyMatrix, scaling: &Scaling, run: &Run) -> Result<Box<dyn Model>> {
    let mut method = (registry::imputing().create)();
    method.set("n_components", &Value::Auto)?;
    let standardized = scaling.standardized(matrix);
    method.fit((&standardized).into(), run).map_err(|error| {
        let problem = format!("the missing values cannot be filled in by ppca: {error}");
        refuse("", problem, "take --missing mean or --missing drop-rows")
    })
}

/// Standardized where that is asked for, and with the missing values filled in where that is.
pub(super) fn filled(
    matrix: AnyMatrix,
    (missing, standardize): (Option<Missing>, bool),
    scaling: Option<&Scaling>,
    imputer: Option<&dyn Model>,
    run: &Run,
) -> Result<AnyMatrix> {
    let Some(scaling) = scaling else { return Ok(matrix) };
    let plain = |matrix: AnyMatrix| if standardize { scaling.standardized(&matrix) } else { matrix };
    if holes(&matrix) == 0 {
        return Ok(plain(matrix));
    }
    let there = match (missing, imputer) {
        (Some(Missing::Mean), _) => scaling.mapped(&matrix, |_, mean, _| mean),
        (Some(Missing::Ppca), Some(imputer)) => {
            let standardized = scaling.standardized(&matrix);
            scaling.back(&imputer.impute((&standardized).into(), run)?)
        }
        _ => return Ok(plain(matrix)),
    };
    Ok(plain(patched(matrix, &there)))
}

/// The matrix, with the other's values where its own are missing: what is there stays to the bit.
pub fn patched(mut matrix: AnyMatrix, other: &AnyMatrix) -> AnyMatrix {
    match (&mut matrix, other) {
        (AnyMatrix::F32(m), AnyMatrix::F32(o)) => {
            m.zip_mut_with(o, |v, o| *v = if v.is_nan() { *o } else { *v });
        }
        (AnyMatrix::F64(m), AnyMatrix::F64(o)) => {
            m.zip_mut_with(o, |v, o| *v = if v.is_nan() { *o } else { *v });
        }
        (AnyMatrix::F32(m), AnyMatrix::F64(o)) => {
            m.zip_mut_with(o, |v, o| *v = if v.is_nan() { *o as f32 } else { *v });
        }
        (AnyMatrix::F64(m), AnyMatrix::F32(o)) => {
            m.zip_mut_with(o, |v, o| *v = if v.is_nan() { (*o).into() } else { *v });
        }
    }
    matrix
}
