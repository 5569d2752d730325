//! The neighborhoods, and reading the points of one.

use lowland_base::{Csr, Error, Result, Scalar};
use lowland_neighbors::Table;
use lowland_neighbors::graph::Part;
use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
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
    let malformed = |problem| Err(Error::Malformed { what: "neighbor table", problem });
    if lists.count() != n {
        return malformed(format!("{} lists for {n} points", lists.count()));
    }
    for point in 0..n {
        let list = lists.of(point);
        if let Some(far) = list.iter().find(|&&j| j as usize >= n || j as usize == point) {
            return malformed(format!("point {point} names neighbor {far} of {n} points"));
        }
        check_count(list.len(), least)?;
    }
    Ok(())
}

/// Refuses fewer neighbors than `least`, and names the formula.
pub(crate) fn check_count(k: usize, (least, formula): (usize, &str)) -> Result<()> {
    if k >= least {
        return Ok(());
    }
    let bound = format!("at least {formula} = {least}");
    Err(Error::parameter("n_neighbors", k, bound, "raise n_neighbors"))
}

/// The neighborhoods of the points of a part.
pub(crate) enum Lists<'t> {
    /// Those of all points.
    All(&'t Table<f64>),
    /// By their numbers in the part.
    Own(Vec<Vec<u32>>),
}

impl Neighborhoods for Lists<'_> {
    fn count(&self) -> usize {
        match self {
            Self::All(table) => table.len(),
            Self::Own(lists) => lists.len(),
        }
    }

    fn of(&self, point: usize) -> &[u32] {
        match self {
            Self::All(table) => Neighborhoods::of(*table, point),
            Self::Own(lists) => &lists[point],
        }
    }
}

/// The points of a part, and their neighbors. A link that joins two pieces makes one neighborhood of those of its two
/// ends: one neighbor more would leave an affine piece free to turn.
pub(crate) fn of_part<'a>(
    points: &'a Array2<f64>,
    table: &'a Table<f64>,
    part: &Part<f64>,
    joined: bool,
) -> (Cow<'a, Array2<f64>>, Lists<'a>) {
    if part.rows.len() == points.nrows() && !joined {
        return (Cow::Borrowed(points), Lists::All(table));
    }
    let rows: Vec<usize> = part.rows.iter().map(|&row| row as usize).collect();
    let mut numbers = vec![u32::MAX; table.len()];
    rows.iter().enumerate().for_each(|(number, &row)| numbers[row] = number as u32);
    let own = |row: usize| table.row(row).0.iter().map(|&j| numbers[j as usize]);
    let near: Vec<Vec<u32>> = rows.iter().map(|&row| own(row).collect()).collect();
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
    (Cow::Owned(points.select(Axis(0), &rows)), Lists::Own(lists))
}

/// One neighborhood as rows of differences, scaled by a power of two to entries of about one: what follows
/// may square them, and is the same to the bit at every power of two of the scale.
#[derive(Debug, Default)]
pub(super) struct Differences {
    /// Row by row.
    pub rows: Vec<f64>,
    /// The number of rows.
    pub count: usize,
    /// The rows are the differences divided by this.
    pub unit: f64,
    mean: Vec<f64>,
}

impl Differences {
    /// The points of `list` as seen from `origin`.
    pub fn read<T: Scalar>(&mut self, points: &ArrayView2<'_, T>, list: &[u32], origin: ArrayView1<'_, T>) {
        self.rows.clear();
        self.count = list.len();
        for &j in list {
            let row = points.row(j as usize);
            match (row.as_slice(), origin.as_slice()) {
                (Some(row), Some(origin)) => {
                    self.rows.extend(row.iter().zip(origin).map(|(x, o)| x.wide() - o.wide()));
                }
                _ => self.rows.extend(row.iter().zip(&origin).map(|(x, o)| x.wide() - o.wide())),
            }
        }
        let largest = self.rows.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        self.unit = power_of_two(largest);
        let factor = 1.0 / self.unit;
        self.rows.iter_mut().for_each(|x| *x *= factor);
    }

    /// The same with their mean taken out, and that mean.
    pub fn center(&mut self) -> &[f64] {
        let width = self.rows.len() / self.count.max(1);
        self.mean.clear();
        self.mean.resize(width, 0.0);
        for row in self.rows.chunks_exact(width.max(1)) {
            self.mean.iter_mut().zip(row).for_each(|(m, x)| *m += x);
        }
        let inverse = 1.0 / self.count.max(1) as f64;
        self.mean.iter_mut().for_each(|m| *m *= inverse);
        for row in self.rows.chunks_exact_mut(width.max(1)) {
            row.iter_mut().zip(&self.mean).for_each(|(x, m)| *x -= m);
        }
        &self.mean
    }
}

/// The power of two at or below `value`; 1 for zero, and within what can be inverted.
fn power_of_two(value: f64) -> f64 {
    if value == 0.0 {
        return 1.0;
    }
    let exponent = libm::frexp(value).1 - 1;
    libm::ldexp(1.0, exponent.clamp(-1000, 1000))
}
