//! Random matrices that keep distances (Johnson and Lindenstrauss 1984), and how well they did.

use super::Hadamard;
use crate::matrix::{AnyMatrix, Element};
use crate::{Input, choices};
use lowland_base::{Result, Run};
use ndarray::Array2;
use rand::RngExt;
use rand_distr::StandardNormal;

choices! {
    /// The random matrix.
    pub enum Projection {
        /// Independent normal entries.
        Gaussian = "gaussian",
        /// Mostly zeros, otherwise plus or minus the same number (Achlioptas; Li).
        Sparse = "sparse",
        /// Some rows of a Hadamard matrix, its columns with random signs: applied by the fast transform.
        Hadamard = "hadamard" | "srht",
    }
}

/// Pairs of rows on which the distortion is measured.
const PAIRS: usize = 500;

/// A random matrix, columns of the data x components, and a fast way to apply it, where there is one.
pub(crate) fn matrix(
    kind: Projection,
    density: f64,
    (d, k): (usize, usize),
    run: &Run,
) -> (Array2<f64>, Option<Hadamard>) {
    let mut rng = run.rng("random projection");
    match kind {
        Projection::Gaussian => {
            let size = 1.0 / (k as f64).sqrt();
            (Array2::from_shape_fn((d, k), |_| size * rng.sample::<f64, _>(StandardNormal)), None)
        }
        Projection::Sparse => {
            let size = 1.0 / (density * k as f64).sqrt();
            let entry = |_| {
                let u: f64 = rng.random();
                if u < 0.5 * density {
                    size
                } else if u < density {
                    -size
                } else {
                    0.0
                }
            };
            (Array2::from_shape_fn((d, k), entry), None)
        }
        Projection::Hadamard => {
            let order = d.next_power_of_two();
            let signs = (0..d).map(|_| if rng.random::<bool>() { 1.0 } else { -1.0 }).collect();
            let mut rows: Vec<usize> = (0..order).collect();
            for i in 0..k {
                let other = rng.random_range(i..order);
                rows.swap(i, other);
            }
            rows.truncate(k);
            let fast = Hadamard { signs, rows };
            (fast.matrix(), Some(fast))
        }
    }
}

/// The ratios of squared distances, after to before, of all pairs of rows or of some pairs of many, ascending.
pub(crate) fn distortion<T: Element>(
    input: Input<'_, T>,
    embedding: Option<&AnyMatrix>,
    run: &Run,
) -> Result<Vec<f64>> {
    let Some(y) = embedding.and_then(AnyMatrix::as_typed::<T>) else { return Ok(Vec::new()) };
    let n = y.nrows();
    if n < 2 {
        return Ok(vec![1.0]);
    }
    let mut rng = run.rng("distortion");
    let mut some = || {
        let a = rng.random_range(0..n);
        (a, (a + rng.random_range(1..n)) % n)
    };
    let pairs: Vec<(usize, usize)> = if n * (n - 1) / 2 <= PAIRS {
        (0..n).flat_map(|a| (0..a).map(move |b| (a, b))).collect()
    } else {
        (0..PAIRS).map(|_| some()).collect()
    };
    let mut ratios = Vec::new();
    for (a, b) in pairs {
        run.check()?;
        let before = match input {
            Input::Points(x) => squared(x.row(a).iter().zip(x.row(b)).map(|(a, b)| a.wide() - b.wide())),
            Input::Sparse(x) => {
                let mut difference = std::collections::BTreeMap::<u32, f64>::new();
                for (row, sign) in [(a, 1.0), (b, -1.0)] {
                    let (columns, values) = x.row(row);
                    for (&column, value) in columns.iter().zip(values) {
                        *difference.entry(column).or_default() += sign * value.wide();
                    }
                }
                squared(difference.into_values())
            }
            _ => 0.0,
        };
        if before > 0.0 {
            let after = squared(y.row(a).iter().zip(y.row(b)).map(|(a, b)| a.wide() - b.wide()));
            ratios.push(after / before);
        }
    }
    if ratios.is_empty() {
        ratios.push(1.0);
    }
    ratios.sort_by(f64::total_cmp);
    Ok(ratios)
}

fn squared(differences: impl Iterator<Item = f64>) -> f64 {
    differences.map(|difference| difference * difference).sum()
}
