//! A neighborhood size for each point: as large as the manifold is flat there.

use crate::Table;
use faer::MatRef;
use lowland_base::parallel::map_chunks;
use lowland_base::{Error, Result, Run, Scalar, units};

/// The rule and its bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contraction {
    /// The dimension of the tangent space.
    pub n_components: usize,
    /// The fewest neighbors, more than `n_components`. The most are the table's.
    pub k_min: usize,
    /// The share of a neighborhood's spread that may lie outside its tangent space (0.1 to 0.3 are usual).
    pub tolerance: f64,
}

/// Neighborhood contraction (Zhang, Wang and Zha 2012, Adaptive manifold learning, section 4): starting from
/// all neighbors in the table, the farthest is dropped until the best affine fit of `d` dimensions to the
/// point and its neighbors leaves little,
/// `sqrt(sum_{j > d} s_j^2 / sum_{j <= d} s_j^2) <= tolerance` (s: the singular values of the centered
/// neighborhood). Where no size down to `k_min` does, the one of the smallest ratio is taken; of several,
/// the largest.
pub fn sizes<T: Scalar>(
    points: MatRef<'_, T>,
    table: &Table<T>,
    rule: Contraction,
    run: &Run,
) -> Result<Vec<usize>> {
    let Contraction { n_components: d, k_min, tolerance } = rule;
    if !(d + 1..=table.k).contains(&k_min) {
        let bound = format!("{} to {}, more than n_components and at most n_neighbors", d + 1, table.k);
        return Err(Error::parameter("k_min", k_min, bound, "raise n_neighbors"));
    }
    if points.nrows() != table.len() {
        let problem = format!(
            "{} for {}",
            units::count(table.len(), "neighborhood"),
            units::count(points.nrows(), "point")
        );
        return Err(Error::malformed("neighbor table", problem, "give one for each point"));
    }
    if tolerance.is_nan() || tolerance < 0.0 {
        return Err(Error::parameter("tolerance", tolerance, "0 or more", "0.2 is usual"));
    }
    let pieces = map_chunks(run, table.len(), 16, |range| -> Vec<usize> {
        range.map(|i| contract(&differences(points, i, table.row(i).0), d, k_min, tolerance)).collect()
    })?;
    Ok(pieces.concat())
}

/// The neighbors as seen from the point, nearest first, scaled to the farthest.
fn differences<T: Scalar>(points: MatRef<'_, T>, i: usize, neighbors: &[u32]) -> Vec<Vec<f64>> {
    let from = |j: &u32| -> Vec<f64> {
        (0..points.ncols()).map(|c| (points[(*j as usize, c)] - points[(i, c)]).wide()).collect()
    };
    let mut rows: Vec<Vec<f64>> = neighbors.iter().map(from).collect();
    let largest = rows.iter().flatten().fold(0.0_f64, |most, x| most.max(x.abs()));
    if largest > 0.0 {
        rows.iter_mut().flatten().for_each(|x| *x /= largest);
    }
    rows
}

fn contract(rows: &[Vec<f64>], d: usize, k_min: usize, tolerance: f64) -> usize {
    let mut best = (f64::INFINITY, rows.len());
    for k in (k_min..=rows.len()).rev() {
        let ratio = residual_ratio(&rows[..k], d);
        if ratio <= tolerance {
            return k;
        }
        if ratio < best.0 {
            best = (ratio, k);
        }
    }
    best.1
}

/// How much of the neighborhood, the point itself included, is outside its best `d`-dimensional plane.
fn residual_ratio(rows: &[Vec<f64>], d: usize) -> f64 {
    let (width, count) = (rows[0].len(), rows.len() + 1);
    let mean: Vec<f64> =
        (0..width).map(|c| rows.iter().map(|row| row[c]).sum::<f64>() / count as f64).collect();
    let centered = |row: Option<&Vec<f64>>| -> Vec<f64> {
        (0..width).map(|c| row.map_or(0.0, |row| row[c]) - mean[c]).collect()
    };
    let all: Vec<Vec<f64>> = std::iter::once(None).chain(rows.iter().map(Some)).map(centered).collect();
    // The smaller of the two matrices of inner products has all eigenvalues that are not zero.
    let mut gram = if width < count {
        let entry = |a: usize, b: usize| all.iter().map(|row| row[a] * row[b]).sum();
        square(width, entry)
    } else {
        square(count, |a, b| all[a].iter().zip(&all[b]).map(|(x, y)| x * y).sum())
    };
    let mut values = eigenvalues(&mut gram);
    values.sort_unstable_by(|a, b| b.total_cmp(a));
    let inside: f64 = values.iter().take(d).sum();
    let outside: f64 = values.iter().skip(d).map(|value| value.max(0.0)).sum();
    if outside == 0.0 { 0.0 } else { (outside / inside).sqrt() }
}

fn square(n: usize, entry: impl Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
    (0..n).map(|a| (0..n).map(|b| entry(a, b)).collect()).collect()
}

/// The eigenvalues of a small symmetric matrix, by Jacobi's rotations.
fn eigenvalues(a: &mut [Vec<f64>]) -> Vec<f64> {
    const SWEEPS: usize = 30;
    let n = a.len();
    let total: f64 = a.iter().flatten().map(|x| x * x).sum();
    for _ in 0..SWEEPS {
        let off: f64 = (0..n).map(|p| a[p][..p].iter().map(|x| x * x).sum::<f64>()).sum();
        if off <= total * 1e-28 {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q] == 0.0 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let c = t.hypot(1.0).recip();
                let s = t * c;
                for r in 0..n {
                    (a[r][p], a[r][q]) = (c * a[r][p] - s * a[r][q], s * a[r][p] + c * a[r][q]);
                }
                for r in 0..n {
                    (a[p][r], a[q][r]) = (c * a[p][r] - s * a[q][r], s * a[p][r] + c * a[q][r]);
                }
            }
        }
    }
    (0..n).map(|p| a[p][p]).collect()
}
