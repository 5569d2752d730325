//! Classes of labeled rows.

use crate::matrix::{Element, faer_view};
use lowland_base::parallel::fold_in_order;
use lowland_base::simd::vectorized;
use lowland_base::{Error, Result, Run};
use lowland_linalg::rows::{Center, Rows, power_of_two_below};
use ndarray::{Array2, ArrayView2};

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

/// The means of all rows and of the classes.
pub(crate) struct Means {
    /// The mean of each column, rounded.
    pub all: Vec<f64>,
    /// The mean of each class less that.
    pub classes: Array2<f64>,
    /// The power of two: with it squares neither overflow nor vanish.
    pub scale: f64,
}

/// Rows that are summed before the sums of others are added, and numbers that stay in the cache.
const ROWS: usize = 1024;
const NUMBERS: usize = 1 << 15;

/// The means and the scale in one pass. Differences to the first row are summed, so that an offset costs no digits.
pub(crate) fn means<T: Element>(
    x: ArrayView2<'_, T>,
    of_row: &[usize],
    sizes: &[usize],
    run: &Run,
) -> Result<Means> {
    let (n, d) = x.dim();
    let first: Vec<f64> = x.row(0).iter().map(|value| value.wide()).collect();
    let centered = Rows { x: faer_view(x), center: Center::Columns(&first), scale: 1.0 };
    // The sums of many classes are added rarely.
    let chunk = ROWS.max(16 * sizes.len());
    let block = (NUMBERS / d).clamp(1, ROWS);
    let scratch = || (vec![T::default(); block * d], vec![0.0; sizes.len() * d], vec![0.0; d]);
    let work = |index: usize, (numbers, sums, largest): &mut (Vec<T>, Vec<f64>, Vec<f64>)| {
        sums.fill(0.0);
        largest.fill(0.0);
        let end = ((index + 1) * chunk).min(n);
        for start in (index * chunk..end).step_by(block) {
            let rows = start..(start + block).min(end);
            let numbers = &mut numbers[..rows.len() * d];
            centered.pack(rows.clone(), 0..d, numbers);
            vectorized(
                #[inline(always)]
                || add(numbers, &of_row[rows], sums, largest),
            );
        }
    };
    let (mut sums, mut largest) = (vec![0.0; sizes.len() * d], vec![0.0f64; d]);
    fold_in_order(run, n.div_ceil(chunk), scratch, work, |_, (), (_, part, most)| {
        sums.iter_mut().zip(&*part).for_each(|(sum, part)| *sum += part);
        largest.iter_mut().zip(&*most).for_each(|(largest, most)| *largest = largest.max(*most));
    })?;
    let shift: Vec<f64> = (0..d).map(|j| sums.iter().skip(j).step_by(d).sum::<f64>() / n as f64).collect();
    let spread = largest.iter().zip(&shift).fold(0.0f64, |spread, (l, s)| spread.max(l + s.abs()));
    let all: Vec<f64> = first.iter().zip(&shift).map(|(first, shift)| first + shift).collect();
    // From the rounded mean, as all rows are centered by that.
    let of_class = |(g, j): (usize, usize)| sums[g * d + j] / sizes[g] as f64 - (all[j] - first[j]);
    let classes = Array2::from_shape_fn((sizes.len(), d), of_class);
    Ok(Means { all, classes, scale: power_of_two_below(spread) })
}

/// Adds centered rows to the sums of their classes, and looks for the largest of each column.
#[inline(always)]
fn add<T: Element>(rows: &[T], classes: &[usize], sums: &mut [f64], largest: &mut [f64]) {
    let d = largest.len();
    for (row, &class) in rows.chunks_exact(d).zip(classes) {
        for ((sum, largest), value) in sums[class * d..][..d].iter_mut().zip(&mut *largest).zip(row) {
            let value = value.wide();
            *sum += value;
            *largest = if value.abs() > *largest { value.abs() } else { *largest };
        }
    }
}
