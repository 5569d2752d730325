//! The neighbourhoods, and reading the points of one.

use lowland_base::{Csr, Error, Result, Scalar};
use lowland_neighbors::Table;
use ndarray::{ArrayView1, ArrayView2};

/// For each point the points that it is described by: distinct, and never itself.
pub trait Neighbourhoods: Sync {
    /// The number of points.
    fn count(&self) -> usize;

    /// The neighbours of a point.
    fn of(&self, point: usize) -> &[u32];
}

impl<T: Sync> Neighbourhoods for Table<T> {
    fn count(&self) -> usize {
        self.len()
    }

    fn of(&self, point: usize) -> &[u32] {
        &self.indices[point * self.k..][..self.k]
    }
}

/// The entries of each row, whatever their values: neighbourhoods of varying size.
impl<T: Scalar> Neighbourhoods for Csr<T> {
    fn count(&self) -> usize {
        self.nrows()
    }

    fn of(&self, point: usize) -> &[u32] {
        self.row(point).0
    }
}

/// Refuses neighbourhoods that do not belong to the points, and those below `least`, a bound with the formula
/// it comes from.
pub(super) fn check(n: usize, lists: &dyn Neighbourhoods, least: (usize, &str)) -> Result<()> {
    let malformed = |problem| Err(Error::Malformed { what: "neighbour table", problem });
    if lists.count() != n {
        return malformed(format!("{} lists for {n} points", lists.count()));
    }
    for point in 0..n {
        let list = lists.of(point);
        if let Some(far) = list.iter().find(|&&j| j as usize >= n || j as usize == point) {
            return malformed(format!("point {point} names neighbour {far} of {n} points"));
        }
        check_count(list.len(), least)?;
    }
    Ok(())
}

/// Refuses fewer neighbours than `least`, and names the formula.
pub(crate) fn check_count(k: usize, (least, formula): (usize, &str)) -> Result<()> {
    if k >= least {
        return Ok(());
    }
    let bound = format!("at least {formula} = {least}");
    Err(Error::parameter("n_neighbors", k, bound, "raise n_neighbors"))
}

/// Lists of any length.
pub(super) struct Lists(pub Vec<Vec<u32>>);

impl Neighbourhoods for Lists {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn of(&self, point: usize) -> &[u32] {
        &self.0[point]
    }
}

/// One neighbourhood as rows of differences, scaled by a power of two to entries of about one: what follows
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
    pub fn centre(&mut self) -> &[f64] {
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
