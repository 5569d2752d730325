//! The collapsed solution: almost all points in one place, and a few drawn out of it like strings (Maaten section
//! 7.2). It satisfies the constraint on the covariance and tells nothing about the data.

use crate::model::Warning;
use faer::MatRef;

/// The radius of 'one place', relative to the root mean square distance from the center.
const PLACE: f64 = 0.01;

/// From this share of the points in one place on, the embedding may have collapsed ..
const COLLAPSED: f64 = 0.5;
/// .. unless so many agree elsewhere, clearly apart: then it shows clusters.
const CLUSTER: f64 = 0.1;
const APART: f64 = 0.1;

/// The warning about an embedding that has collapsed.
///
/// Clusters that are told apart are drawn to places, too, and that is what such data are like: so it is no collapse where
/// a component has another value, beside that of the place, on which a tenth of the points or more agree.
pub(crate) fn collapsed(embedding: MatRef<'_, f64>) -> Option<Warning> {
    let share = collapsed_share(embedding);
    let clusters = || embedding.col_iter().any(|component| clustered(component.iter().copied().collect()));
    (share >= COLLAPSED && !clusters()).then_some(Warning::Collapsed { share })
}

/// Whether many of the values agree elsewhere than at their median.
fn clustered(mut values: Vec<f64>) -> bool {
    let n = values.len() as f64;
    values.sort_by(f64::total_cmp);
    let median = values[values.len() / 2];
    let spread = (values.iter().map(|x| (x - median).powi(2)).sum::<f64>() / n).sqrt();
    values.retain(|x| (x - median).abs() > APART * spread);
    let together = |from: usize| {
        let rest = &values[from..];
        rest.partition_point(|x| x - rest[0] <= 2.0 * PLACE * spread)
    };
    (0..values.len()).any(|from| together(from) as f64 >= CLUSTER * n)
}

/// The share of the points that lie in one place: within a hundredth of the root mean square distance from the
/// coordinatewise median. Of a disc it is 1e-4; from a half on, the embedding has collapsed.
///
/// The median, not the origin: what is drawn out on one side moves the mean away from the place.
pub fn collapsed_share(embedding: MatRef<'_, f64>) -> f64 {
    let n = embedding.nrows();
    if n == 0 {
        return 0.0;
    }
    let center: Vec<f64> = embedding
        .col_iter()
        .map(|column| {
            let mut values: Vec<f64> = column.iter().copied().collect();
            *values.select_nth_unstable_by(n / 2, f64::total_cmp).1
        })
        .collect();
    let square =
        |i: usize| -> f64 { center.iter().enumerate().map(|(j, c)| (embedding[(i, j)] - c).powi(2)).sum() };
    let mean = (0..n).map(square).sum::<f64>() / n as f64;
    (0..n).filter(|&i| square(i) <= PLACE * PLACE * mean).count() as f64 / n as f64
}
