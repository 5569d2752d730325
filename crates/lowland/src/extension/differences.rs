//! The points of one neighborhood, as the small dense problems read them.

use lowland_base::Scalar;
use ndarray::{ArrayView1, ArrayView2};

/// One neighborhood as rows of differences, scaled by a power of two to entries of about one: what follows
/// may square them, and is the same to the bit at every power of two of the scale.
#[derive(Debug, Default)]
pub(crate) struct Differences {
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
pub(super) fn power_of_two(value: f64) -> f64 {
    if value == 0.0 {
        return 1.0;
    }
    let exponent = libm::frexp(value).1 - 1;
    libm::ldexp(1.0, exponent.clamp(-1000, 1000))
}
