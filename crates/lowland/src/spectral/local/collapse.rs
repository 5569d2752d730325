//! The collapsed solution: almost all points in one place, and a few drawn out of it like strings (Maaten section
//! 7.2). It satisfies the constraint on the covariance and tells nothing about the data.

use faer::MatRef;

/// The radius of 'one place', relative to the root mean square distance from the centre.
const PLACE: f64 = 0.01;

/// The share of the points that lie in one place: within a hundredth of the root mean square distance from the
/// coordinatewise median. Of a disc it is 1e-4; from a half on, the embedding has collapsed.
///
/// The median, not the origin: what is drawn out on one side moves the mean away from the place.
pub fn collapsed_share(embedding: MatRef<'_, f64>) -> f64 {
    let n = embedding.nrows();
    if n == 0 {
        return 0.0;
    }
    let centre: Vec<f64> = embedding
        .col_iter()
        .map(|column| {
            let mut values: Vec<f64> = column.iter().copied().collect();
            *values.select_nth_unstable_by(n / 2, f64::total_cmp).1
        })
        .collect();
    let square =
        |i: usize| -> f64 { centre.iter().enumerate().map(|(j, c)| (embedding[(i, j)] - c).powi(2)).sum() };
    let mean = (0..n).map(square).sum::<f64>() / n as f64;
    (0..n).filter(|&i| square(i) <= PLACE * PLACE * mean).count() as f64 / n as f64
}
