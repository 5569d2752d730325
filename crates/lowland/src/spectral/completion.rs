//! Completion of a kernel of which some rows are known (Burges 2.1): with `A` the kernel between the objects whose rows
//! are complete and `B` their rows to the others, the block between the others is taken to be `B' A^+ B`, as Nyström's
//! method does. It is exact where the rank of the whole kernel is that of `A` (Burges eq. 1.24), and the completed kernel
//! is positive semidefinite where `A` is.

use super::nystrom::{features, product, view};
use lowland_base::{Error, Result, Run};
use lowland_linalg::operator::Packed;
use ndarray::{Array2, ArrayView2};

/// A kernel that was completed.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// All entries.
    pub kernel: Array2<f64>,
    /// The objects whose rows were complete, ascending.
    pub known: Vec<usize>,
    /// How many entries were filled in.
    pub filled: usize,
    /// The rank of the kernel between the objects with complete rows.
    pub rank: usize,
}

/// Fills in the entries that are NaN. An entry that is known on one side of the diagonal is known on both; where both are
/// given it is their mean. Entries that are given stay as they are.
///
/// # Errors
/// A matrix that is not square; infinite entries; no complete row; too little memory; cancellation.
pub fn complete(kernel: ArrayView2<'_, f64>, run: &Run) -> Result<Completion> {
    let (n, columns) = kernel.dim();
    if n != columns {
        return Err(Error::NotSquare { what: "kernel", rows: n, columns });
    }
    if let Some(((row, column), value)) = kernel.indexed_iter().find(|(_, value)| value.is_infinite()) {
        let problem = format!("entry ({row}, {column}) of the kernel is {value}");
        return Err(Error::malformed("kernel", problem, "give a number, or NaN for what is not known"));
    }
    let bytes = 8 * 4 * (n as u64) * n as u64;
    run.reserve("a completed kernel", bytes, "complete the kernel of fewer objects")?;
    let _stage = run.stage("completion", None);
    let entry = |(i, j): (usize, usize)| match (kernel[(i, j)], kernel[(j, i)]) {
        (a, b) if a.is_nan() => b,
        (a, b) if b.is_nan() => a,
        (a, b) => 0.5 * a + 0.5 * b,
    };
    let mut whole = Array2::from_shape_fn((n, n), entry);
    let known: Vec<usize> = (0..n).filter(|&i| !whole.row(i).iter().any(|value| value.is_nan())).collect();
    let filled = whole.iter().filter(|value| value.is_nan()).count();
    if known.is_empty() && n > 0 {
        let remedy = "give the inner products of at least one object with all others";
        return Err(Error::malformed("kernel", "0 rows of the kernel are complete", remedy));
    }
    // In units of the largest entry, so that no product overflows.
    let largest =
        whole.iter().fold(0.0f64, |most, value| if value.is_nan() { most } else { most.max(value.abs()) });
    let unit = if largest > 0.0 { largest } else { 1.0 };
    let between = known.iter().flat_map(|&i| known.iter().map(move |&j| (i, j)));
    let between: Vec<f64> = between.map(|pair| whole[pair] / unit).collect();
    let map = features(&Packed::from_lower(known.len(), between)?, run)?;
    if filled > 0 {
        let rows = Array2::from_shape_fn((n, known.len()), |(i, j)| whole[(i, known[j])] / unit);
        let images = product(rows.view(), view(&map), run);
        run.check()?;
        let made = product(images.view(), view(&images).transpose(), run);
        for i in 0..n {
            for j in 0..=i {
                if whole[(i, j)].is_nan() {
                    let value = made[(i, j)] * unit;
                    (whole[(i, j)], whole[(j, i)]) = (value, value);
                }
            }
        }
    }
    run.check()?;
    Ok(Completion { kernel: whole, known, filled, rank: map.ncols() })
}
