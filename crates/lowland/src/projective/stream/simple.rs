//! Simple PCA (Partridge and Calvo 1998): one direction after the other, for rows that are all there.

use super::Directions;
use crate::matrix::{Element, faer_view};
use lowland_base::{Result, Run};
use lowland_linalg::rows::centering;
use ndarray::{Array1, Array2, ArrayView2};

/// `u <- sum of the rows with u'x > 0`, at most `steps` times; then the rows lose their part along `u`. The directions,
/// and the most steps that one took.
pub(crate) fn directions<T: Element>(
    x: ArrayView2<'_, T>,
    count: usize,
    steps: usize,
    run: &Run,
) -> Result<(Directions, usize)> {
    let (n, d) = x.dim();
    let mean = centering(faer_view(x), run)?.mean;
    let mut rest = Array2::from_shape_fn((n, d), |(i, j)| x[(i, j)].wide() - mean[j]);
    let mut components: Array2<f64> = Array2::zeros((count, d));
    let mut most = 1;
    let size = rest.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    for at in 0..count {
        // The start is the longest row that is left.
        let lengths = rest.rows().into_iter().map(|row| row.dot(&row));
        let longest = lengths.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |found| found.0);
        let mut u = rest.row(longest).to_owned();
        if u.dot(&u).sqrt() <= 1e-12 * size {
            break;
        }
        for step in 1..=steps {
            most = most.max(step);
            run.check()?;
            let mut sum: Array1<f64> = Array1::zeros(d);
            for row in rest.rows() {
                if row.dot(&u) > 0.0 {
                    sum += &row;
                }
            }
            let length = sum.dot(&sum).sqrt();
            if length == 0.0 {
                break;
            }
            sum /= length;
            let same = (1.0 - sum.dot(&u)).abs() < 1e-14;
            u = sum;
            if same {
                break;
            }
        }
        for before in components.rows() {
            let along = before.dot(&u);
            u.scaled_add(-along, &before);
        }
        let length = u.dot(&u).sqrt();
        u /= length;
        for mut row in rest.rows_mut() {
            let along = row.dot(&u);
            row.scaled_add(-along, &u);
        }
        components.row_mut(at).assign(&u);
    }
    let mut variances = Array1::zeros(components.nrows());
    for row in x.rows() {
        let centered: Array1<f64> = row.iter().zip(&mean).map(|(x, mean)| x.wide() - mean).collect();
        variances += &components.dot(&centered).mapv(|y| y * y);
    }
    Ok((Directions { components, variances: variances / (n.max(2) - 1) as f64, mean }, most))
}
