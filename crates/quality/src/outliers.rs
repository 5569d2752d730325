//! Points that lie far from all others: the local outlier factor of M. Breunig, H.-P. Kriegel, R. Ng, J. Sander, LOF:
//! identifying density-based local outliers, 2000. A factor of 1 is that of a point amid its like; of 2, of one whose
//! surroundings have half the density of those of its neighbors. It needs no scale, so that a sparse part of a manifold is
//! not taken for outliers.

use crate::dimension::{check_finite, distinct};
use lowland_base::{Error, Mat, MatRef, Result, Run, Scalar};
use lowland_neighbors::index::{self, Choice};
use lowland_neighbors::{Metric, Table};

/// The size of neighborhoods where none is given.
const USUAL: usize = 20;

/// How outliers are detected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    /// The size of the neighborhoods: groups of fewer points than this may all be outliers. `None` is 20, or all other
    /// different points where they are fewer.
    pub k: Option<usize>,
    /// The factor above which a point is one.
    pub threshold: f64,
}

impl Default for Search {
    fn default() -> Self {
        Self { k: None, threshold: 1.5 }
    }
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Outliers {
    /// The local outlier factor of every row; duplicates have that of their like.
    pub factors: Vec<f64>,
    /// The rows above the threshold, ascending.
    pub rows: Vec<usize>,
    /// The size of the neighborhoods.
    pub k: usize,
}

impl Outliers {
    /// The other rows, ascending.
    pub fn kept(&self) -> Vec<usize> {
        let mut out = self.rows.iter().peekable();
        (0..self.factors.len()).filter(|row| out.next_if_eq(&row).is_none()).collect()
    }
}

/// Looks for outliers among the rows of a matrix, in the Euclidean metric. Duplicates count once: copies have no density.
pub fn outliers<T: Scalar>(points: MatRef<'_, T>, search: Search, run: &Run) -> Result<Outliers> {
    let Search { k, threshold } = search;
    if !(threshold >= 1.0 && threshold.is_finite()) {
        let remedy = "1 is a point amid its like; try 1.5";
        return Err(Error::parameter("threshold", threshold, "a number of 1 or more", remedy));
    }
    check_finite(points)?;
    let (kept, positions) = distinct(points);
    let k = size(k, kept.len())?;
    let rows = Mat::from_fn(kept.len(), points.ncols(), |i, j| points[(kept[i] as usize, j)]);
    let table = {
        let _stage = run.stage("neighbors", None);
        index::build(rows.as_ref(), Metric::Euclidean, Choice::Auto, run)?.k_nearest_of_all(k, run)?
    };
    let of_distinct = factors(&table);
    let factors: Vec<f64> = positions.iter().map(|&at| of_distinct[at as usize]).collect();
    let rows = (0..factors.len()).filter(|&row| factors[row] > threshold).collect();
    Ok(Outliers { factors, rows, k })
}

/// The size of the neighborhoods among so many different points.
fn size(k: Option<usize>, different: usize) -> Result<usize> {
    if different < 2 {
        let problem = format!("{different} different row is too few to look for outliers");
        return Err(Error::malformed("data", problem, "give at least 2"));
    }
    let most = different - 1;
    match k {
        None => Ok(USUAL.min(most)),
        Some(k) if (1..=most).contains(&k) => Ok(k),
        Some(k) => Err(Error::parameter(
            "n_neighbors",
            k,
            format!("1 to {most}, the number of other different points"),
            "ask for fewer neighbors, and for at least one",
        )),
    }
}

/// The factors of points with different neighbors.
fn factors<T: Scalar>(table: &Table<T>) -> Vec<f64> {
    let k = table.k as f64;
    let reach = |i: u32| table.row(i as usize).1.last().map_or(0.0, |distance| distance.wide());
    // The mean over the neighbors of how far they are, but no less than how far their own neighborhoods reach.
    let spread = |i: usize| {
        let (to, far) = table.row(i);
        to.iter().zip(far).map(|(&j, far)| far.wide().max(reach(j))).sum::<f64>() / k
    };
    let spreads: Vec<f64> = (0..table.len()).map(spread).collect();
    let factor = |i: usize| table.row(i).0.iter().map(|&j| spreads[i] / spreads[j as usize]).sum::<f64>() / k;
    (0..table.len()).map(factor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square grid of unit steps.
    fn grid(side: usize) -> Vec<[f64; 2]> {
        (0..side * side).map(|i| [(i % side) as f64, (i / side) as f64]).collect()
    }

    fn found(rows: &[[f64; 2]], search: Search) -> Outliers {
        let points = Mat::from_fn(rows.len(), 2, |i, j| rows[i][j]);
        outliers(points.as_ref(), search, &Run::new()).unwrap()
    }

    #[test]
    fn a_far_point_and_a_small_group_are_outliers_and_a_sparse_part_is_not() {
        let mut rows = grid(15);
        // A part of a quarter of the density.
        rows.extend(grid(15).iter().map(|[x, y]| [200.0 + 2.0 * x, 2.0 * y]));
        rows.push([100.0, 7.0]);
        rows.extend((0..4).map(|i| [7.0, 60.0 + 0.1 * f64::from(i)]));
        let search = Search { k: Some(10), ..Search::default() };
        let all = found(&rows, search);
        assert_eq!(all.rows, [450, 451, 452, 453, 454]);
        assert_eq!(all.kept(), (0..450).collect::<Vec<_>>());
        // No scale: the same factors for every unit.
        let small: Vec<[f64; 2]> = rows.iter().map(|row| row.map(|v| v * 2.0_f64.powi(-40))).collect();
        assert_eq!(found(&small, search).factors, all.factors);
    }

    #[test]
    fn the_factor_is_the_ratio_of_densities_and_copies_do_not_count() {
        // Three points and k = 1: the nearest of 0 is 1, of 1 is 0, of 4 is 1; reaches 1, 1, 3.
        let rows = [[0.0, 0.0], [1.0, 0.0], [4.0, 0.0]];
        let one = Search { k: Some(1), threshold: 2.0 };
        assert_eq!(found(&rows, one), Outliers { factors: vec![1.0, 1.0, 3.0], rows: vec![2], k: 1 });
        let twice: Vec<[f64; 2]> = rows.iter().chain(&rows).copied().collect();
        assert_eq!(found(&twice, one).factors, [1.0, 1.0, 3.0, 1.0, 1.0, 3.0]);
        assert_eq!(found(&twice, Search::default()).k, 2, "all other different points");
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let points = Mat::from_fn(5, 2, |i, j| (i * i + j) as f64);
        let refused =
            |search: Search| outliers(points.as_ref(), search, &Run::new()).unwrap_err().to_string();
        assert!(
            refused(Search { k: Some(5), threshold: 1.5 }).contains("1 to 4, the number of other different")
        );
        assert!(refused(Search { k: Some(2), threshold: f64::NAN }).contains("threshold"));
        assert!(refused(Search { k: Some(2), threshold: 0.5 }).contains("0.5"));
        let equal = Mat::from_fn(5, 2, |_, j| j as f64);
        let refused = outliers(equal.as_ref(), Search::default(), &Run::new()).unwrap_err().to_string();
        assert!(refused.starts_with("1 different row is too few"), "{refused}");
    }
}
