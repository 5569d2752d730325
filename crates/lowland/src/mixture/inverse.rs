//! The way back, from global coordinates over local ones to the data: the regression of the data on the coordinates in each
//! chart, weighted by what each chart has to say about a point of the embedding (Ghahramani and Jordan 1994).

use super::small::{cholesky, solve};
use super::{Mixture, inner};
use crate::matrix::Element;
use crate::model::Archive;
use lowland_base::parallel::fill_rows;
use lowland_base::{Error, Result, Run};
use ndarray::{Array2, ArrayView1, ArrayView2, Axis, s};

/// Rows of a chunk.
const CHUNK: usize = 64;
/// What is added to the variances of a chart, relative to the largest: a chart may be a line.
const RIDGE: f64 = 1e-10;

/// The maps of the charts, in the units of the mixture.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Inverse {
    /// The mean of the embedding in each chart: charts x components.
    centers: Array2<f64>,
    /// The factor of its covariance: (charts x components) x components.
    factors: Array2<f64>,
    /// The logarithm of the chart's mass over the root of its determinant.
    constants: Vec<f64>,
    /// The mean of the data in each chart, and what a step of the embedding adds: (charts x (1 + components)) x columns.
    maps: Array2<f64>,
}

impl Inverse {
    /// From rows in the units of the mixture, their responsibilities and their images.
    pub fn new(
        x: ArrayView2<'_, f64>,
        responsibilities: ArrayView2<'_, f64>,
        y: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<Self> {
        let (m, k, d) = (responsibilities.ncols(), y.ncols(), x.ncols());
        let mass = responsibilities.sum_axis(Axis(0)).mapv(|mass| mass.max(f64::MIN_POSITIVE));
        let over = |sums: Array2<f64>| sums / mass.view().insert_axis(Axis(1));
        let centers = over(inner(responsibilities, y, run)?);
        let means = over(inner(responsibilities, x, run)?);
        let spread = y.iter().fold(0.0f64, |most, y| most.max(y.abs())).powi(2).max(f64::MIN_POSITIVE);
        let (mut factors, mut maps) = (Array2::zeros((m * k, k)), Array2::zeros((m * (k + 1), d)));
        let mut constants = Vec::with_capacity(m);
        for j in 0..m {
            let steps = &y - &centers.row(j);
            let weighted = &steps * &responsibilities.column(j).insert_axis(Axis(1));
            let covariance = inner(weighted.view(), steps.view(), run)? / mass[j];
            let cross = inner(weighted.view(), x, run)? / mass[j];
            let mut factor: Vec<f64> = covariance.iter().copied().collect();
            let largest = (0..k).fold(0.0f64, |most, a| most.max(covariance[(a, a)]));
            let ridge = (RIDGE * largest).max(1e-14 * spread);
            (0..k).for_each(|a| factor[a * k + a] += ridge);
            let log_det = cholesky(&mut factor, k);
            constants.push(mass[j].ln() - 0.5 * log_det);
            maps.row_mut(j * (k + 1)).assign(&means.row(j));
            for c in 0..d {
                let right: Vec<f64> = cross.column(c).to_vec();
                for (a, value) in solve(&factor, &right, k).into_iter().enumerate() {
                    maps[(j * (k + 1) + 1 + a, c)] = value;
                }
            }
            for a in 0..k {
                for b in 0..=a {
                    factors[(j * k + a, b)] = factor[a * k + b];
                }
            }
        }
        Ok(Self { centers, factors, constants, maps })
    }

    /// Rows of the embedding back in the space of the data.
    pub fn apply<T: Element>(&self, y: ArrayView2<'_, T>, mixture: &Mixture, run: &Run) -> Result<Array2<T>> {
        let (d, k) = (mixture.features(), self.centers.ncols());
        let mut out = vec![T::zero(); y.nrows() * d];
        fill_rows(run, &mut out, d, CHUNK, |rows, out| {
            let mut image = vec![0.0; d];
            for (row, out) in rows.zip(out.chunks_exact_mut(d)) {
                let y: Vec<f64> = y.row(row).iter().map(|y| y.wide()).collect();
                self.one(&y, &mut image, k);
                for (c, out) in out.iter_mut().enumerate() {
                    *out = T::of(mixture.center[c] + image[c] / mixture.scale);
                }
            }
        })?;
        Array2::from_shape_vec((y.nrows(), d), out).map_err(|e| Error::shape("table", &e))
    }

    fn one(&self, y: &[f64], image: &mut [f64], k: usize) {
        let m = self.constants.len();
        let mut logs = vec![0.0; m];
        let step = |j: usize| -> Vec<f64> { y.iter().zip(self.centers.row(j)).map(|(y, c)| y - c).collect() };
        for (j, log) in logs.iter_mut().enumerate() {
            // L^-1 (y - center): its square is the squared Mahalanobis distance.
            let mut solved = step(j);
            for a in 0..k {
                let factor = self.factors.row(j * k + a);
                let sum: f64 = (0..a).map(|b| factor[b] * solved[b]).sum();
                solved[a] = (solved[a] - sum) / factor[a];
            }
            *log = self.constants[j] - 0.5 * solved.iter().map(|s| s * s).sum::<f64>();
        }
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = logs.iter().map(|log| (log - most).exp()).sum();
        image.fill(0.0);
        for (j, log) in logs.iter().enumerate() {
            let share = (log - most).exp() / total;
            if share == 0.0 {
                continue;
            }
            let own = self.maps.slice(s![j * (k + 1)..(j + 1) * (k + 1), ..]);
            let add = |image: &mut [f64], factor: f64, row: ArrayView1<'_, f64>| {
                image.iter_mut().zip(row).for_each(|(sum, value)| *sum += factor * value);
            };
            add(image, share, own.row(0));
            for (a, step) in step(j).into_iter().enumerate() {
                add(image, share * step, own.row(1 + a));
            }
        }
    }

    /// Into a model file.
    pub fn store(&self, archive: &mut Archive) {
        archive.put("back.centers", self.centers.clone());
        archive.put("back.factors", self.factors.clone());
        archive.put_vector("back.constants", &self.constants);
        archive.put("back.maps", self.maps.clone());
    }

    /// From a model file.
    pub fn load(archive: &Archive, m: usize, k: usize, d: usize) -> Result<Self> {
        let size = |width: usize| m.saturating_mul(width);
        Ok(Self {
            centers: archive.matrix("back.centers", (m, k))?,
            factors: archive.matrix("back.factors", (size(k), k))?,
            constants: archive.vector("back.constants", m)?.to_vec(),
            maps: archive.matrix("back.maps", (size(k + 1), d))?,
        })
    }
}
