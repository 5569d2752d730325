//! The collapsed solution: almost all points coincide, and a few are drawn out like strings (Maaten section 7.2). It
//! satisfies the constraint on the covariance and says nothing about the data.

use crate::model::Warning;
use faer::MatRef;

/// Points this near to each other coincide, relative to the root mean square distance from the center.
const RADIUS: f64 = 0.01;

/// From this share of coinciding points on, the embedding may have collapsed ..
const COLLAPSED: f64 = 0.5;
/// .. unless so many agree elsewhere, clearly apart: then it shows clusters.
const CLUSTER: f64 = 0.1;
const APART: f64 = 0.1;

/// The warning about an embedding that has collapsed.
///
/// Well-separated clusters contract to points, too, and rightly so: it is no collapse where a tenth of the points or more
/// agree on another value of some dimension.
pub(crate) fn collapsed(embedding: MatRef<'_, f64>) -> Option<Warning> {
    let share = collapsed_share(embedding);
    let clusters = || embedding.col_iter().any(|component| clustered(component.iter().copied().collect()));
    (share >= COLLAPSED && !clusters()).then_some(Warning::Collapsed { share, remedy: String::new() })
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
        rest.partition_point(|x| x - rest[0] <= 2.0 * RADIUS * spread)
    };
    (0..values.len()).any(|from| together(from) as f64 >= CLUSTER * n)
}

/// The share of the points that coincide: within a hundredth of the root mean square distance from the
/// coordinatewise median. Of a disc it is 1e-4; from a half on, the embedding has collapsed.
///
/// The median, not the mean: points drawn out to one side would move that.
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
    (0..n).filter(|&i| square(i) <= RADIUS * RADIUS * mean).count() as f64 / n as f64
}
