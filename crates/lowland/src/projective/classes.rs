//! Classes of labeled rows.

use crate::matrix::Element;
use lowland_base::simd::vectorized;
use lowland_base::{Error, Result, Run};
use ndarray::{Array2, ArrayView2, s};

/// More than one class.
pub(crate) fn several(classes: usize) -> Result<()> {
    if classes > 1 {
        return Ok(());
    }
    Err(Error::malformed("set of labels", "1 class in the labels", "give at least two"))
}

/// Which class each row belongs to, numbered in the order of the labels, and how many rows each has.
pub(crate) fn classes(labels: &[i64]) -> (Vec<usize>, Vec<usize>) {
    let mut known = labels.to_vec();
    known.sort_unstable();
    known.dedup();
    let mut sizes = vec![0; known.len()];
    let number = |label: &i64| {
        let class = known.partition_point(|other| other < label);
        sizes[class] += 1;
        class
    };
    let of_row: Vec<usize> = labels.iter().map(number).collect();
    (of_row, sizes)
}

/// So many columns of a row are read at once: long enough for the memory, and their sums stay in the cache.
const COLUMNS: usize = 256;

/// The mean of each class less the mean of all.
pub(crate) fn class_means<T: Element>(
    x: ArrayView2<'_, T>,
    mean: &[f64],
    of_row: &[usize],
    sizes: &[usize],
    run: &Run,
) -> Result<Array2<f64>> {
    let d = x.ncols();
    let mut means = Array2::<f64>::zeros((sizes.len(), d));
    // Columns are independent: their sums can be made at the same time, each in the order of the rows.
    let parts = lowland_base::parallel::map_chunks(run, d, COLUMNS, |columns| {
        let mut sums = vec![0.0; sizes.len() * columns.len()];
        let part = x.slice(s![.., columns.clone()]);
        let mean = &mean[columns.clone()];
        for (row, &class) in part.rows().into_iter().zip(of_row) {
            let sum = &mut sums[class * columns.len()..][..columns.len()];
            match row.as_slice() {
                Some(row) => vectorized(
                    #[inline(always)]
                    || add_centered(sum, row.iter(), mean),
                ),
                None => add_centered(sum, row.iter(), mean),
            }
        }
        (columns, sums)
    })?;
    for (columns, sums) in parts {
        for (class, sums) in sums.chunks_exact(columns.len()).enumerate() {
            for (j, sum) in columns.clone().zip(sums) {
                means[(class, j)] = sum / sizes[class] as f64;
            }
        }
    }
    Ok(means)
}

#[inline(always)]
fn add_centered<'a, T: Element>(sum: &mut [f64], row: impl Iterator<Item = &'a T>, mean: &[f64]) {
    for ((sum, value), mean) in sum.iter_mut().zip(row).zip(mean) {
        *sum += value.wide() - mean;
    }
}
