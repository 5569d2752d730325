//! The neighborhoods of all points.

use lowland_base::{Csr, Error, Result, Scalar, units};
use lowland_neighbors::Table;
use lowland_neighbors::graph::ConnectedComponent;
use ndarray::{Array2, Axis};
use std::borrow::Cow;

/// For each point the points that it is described by: distinct, and never itself.
pub trait Neighborhoods: Sync {
    /// The number of points.
    fn count(&self) -> usize;

    /// The neighbors of a point.
    fn of(&self, point: usize) -> &[u32];
}

impl<T: Sync> Neighborhoods for Table<T> {
    fn count(&self) -> usize {
        self.len()
    }

    fn of(&self, point: usize) -> &[u32] {
        &self.indices[point * self.k..][..self.k]
    }
}

/// The entries of each row, whatever their values: neighborhoods of varying size.
impl<T: Scalar> Neighborhoods for Csr<T> {
    fn count(&self) -> usize {
        self.nrows()
    }

    fn of(&self, point: usize) -> &[u32] {
        self.row(point).0
    }
}

/// Refuses neighborhoods that do not belong to the points, and those below `least`, a bound with the formula
/// it comes from.
pub(super) fn check(n: usize, lists: &dyn Neighborhoods, least: (usize, &str)) -> Result<()> {
    let malformed = |problem, remedy| Err(Error::malformed("neighbor table", problem, remedy));
    if lists.count() != n {
        let problem =
            format!("{} for {}", units::count(lists.count(), "neighborhood"), units::count(n, "point"));
        return malformed(problem, "give one for each point");
    }
    for point in 0..n {
        let list = lists.of(point);
        if let Some(far) = list.iter().find(|&&j| j as usize >= n || j as usize == point) {
            let problem = format!("point {point} has the neighbor {far}, of {}", units::count(n, "point"));
            return malformed(problem, "give the numbers of other points");
        }
        check_count(list.len(), n, least)?;
    }
    Ok(())
}

/// Refuses fewer neighbors of `n` points than `least`, and names the formula.
pub(crate) fn check_count(k: usize, n: usize, (least, formula): (usize, &str)) -> Result<()> {
    if k >= least {
        return Ok(());
    }
    let bound = format!("at least {formula} = {least}");
    let remedy = match least < n {
        true => "raise n_neighbors".to_owned(),
        false => format!("give at least {}", units::count(least + 1, "point")),
    };
    Err(Error::parameter("n_neighbors", k, bound, remedy))
}

/// The neighborhoods of the points of a part.
pub(crate) enum Lists<'t> {
    /// Those of all points.
    All(&'t dyn Neighborhoods),
    /// By their numbers in the part.
    Renumbered(Vec<Vec<u32>>),
}

impl Neighborhoods for Lists<'_> {
    fn count(&self) -> usize {
        match self {
            Self::All(lists) => lists.count(),
            Self::Renumbered(lists) => lists.len(),
        }
    }

    fn of(&self, point: usize) -> &[u32] {
        match self {
            Self::All(lists) => lists.of(point),
            Self::Renumbered(lists) => &lists[point],
        }
    }
}

/// The points of a part, and their neighbors.
pub(crate) fn of_component<'a>(
    points: &'a Array2<f64>,
    all: &'a dyn Neighborhoods,
    part: &ConnectedComponent<f64>,
    joined: bool,
) -> (Cow<'a, Array2<f64>>, Lists<'a>) {
    let rows: Vec<usize> = part.rows.iter().map(|&row| row as usize).collect();
    let lists = lists_of_part(all, &rows, part, joined);
    match lists {
        Lists::All(_) => (Cow::Borrowed(points), lists),
        Lists::Renumbered(_) => (Cow::Owned(points.select(Axis(0), &rows)), lists),
    }
}

/// The neighbors of the `rows` of a part. An edge that joins two components makes one neighborhood of those of its two
/// ends: a single neighbor more would leave an affine component free to rotate.
pub(crate) fn lists_of_part<'a>(
    all: &'a dyn Neighborhoods,
    rows: &[usize],
    part: &ConnectedComponent<f64>,
    joined: bool,
) -> Lists<'a> {
    if rows.len() == all.count() && !joined {
        return Lists::All(all);
    }
    let mut numbers = vec![u32::MAX; all.count()];
    rows.iter().enumerate().for_each(|(number, &row)| numbers[row] = number as u32);
    let near: Vec<Vec<u32>> =
        rows.iter().map(|&row| all.of(row).iter().map(|&j| numbers[j as usize]).collect()).collect();
    let mut lists = near.clone();
    for (i, list) in lists.iter_mut().enumerate() {
        for &j in part.graph.neighbors(i).0 {
            if !near[i].contains(&j) && !near[j as usize].contains(&(i as u32)) {
                list.push(j);
                list.extend(&near[j as usize]);
            }
        }
        let mut seen = std::collections::HashSet::new();
        list.retain(|&j| j as usize != i && seen.insert(j));
    }
    Lists::Renumbered(lists)
}
