//! The Gaussian with its own variance along each of a few orthonormal axes, and the same noise along all others.

use crate::matrix::Element;
use lowland_base::parallel::map_chunks;
use lowland_base::{Error, Result, Run};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2};
use rand::RngExt;
use rand_distr::StandardNormal;

/// Rows worked on at a time.
const CHUNK: usize = 64;

/// The parameters.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AxisGaussian {
    pub mean: Vec<f64>,
    /// One unit axis a row, or zero.
    pub directions: Array2<f64>,
    pub variances: Vec<f64>,
    pub noise: f64,
}

impl AxisGaussian {
    /// The log-density of each row, for the method of this name.
    pub fn log_likelihood<T: Element>(
        &self,
        x: ArrayView2<'_, T>,
        method: &str,
        run: &Run,
    ) -> Result<Array1<f64>> {
        let (k, d) = self.directions.dim();
        if self.variances.contains(&0.0) || (k < d && self.noise == 0.0) {
            return Err(Error::Unsupported {
                method: method.into(),
                what: "give a likelihood: the data lie in a flat subspace, where the density is infinite"
                    .into(),
                remedy: "keep fewer components, so that some noise is left".into(),
            });
        }
        let constant = d as f64 * (2.0 * std::f64::consts::PI).ln()
            + self.variances.iter().map(|variance| variance.ln()).sum::<f64>()
            + if k < d { (d - k) as f64 * self.noise.ln() } else { 0.0 };
        let parts = map_chunks(run, x.nrows(), CHUNK, |rows| {
            rows.map(|row| -0.5 * (constant + self.distance(x.row(row)))).collect::<Vec<f64>>()
        })?;
        Ok(parts.into_iter().flatten().collect())
    }

    /// The squared Mahalanobis distance of a row from the mean.
    fn distance<T: Element>(&self, row: ArrayView1<'_, T>) -> f64 {
        let mut rest: Vec<f64> =
            row.iter().zip(&self.mean).map(|(value, mean)| value.wide() - mean).collect();
        let mut distance = 0.0;
        for (direction, variance) in self.directions.rows().into_iter().zip(&self.variances) {
            let along: f64 = direction.iter().zip(&rest).map(|(direction, rest)| direction * rest).sum();
            distance += along * along / variance;
            rest.iter_mut().zip(direction).for_each(|(rest, direction)| *rest -= along * direction);
        }
        if self.directions.nrows() < self.mean.len() {
            distance += rest.iter().map(|rest| rest * rest).sum::<f64>() / self.noise;
        }
        distance
    }

    /// Rows drawn from the density.
    pub fn sample(&self, count: usize, run: &Run) -> Result<Array2<f64>> {
        let mut rng = run.rng("sample");
        let noise = self.noise.sqrt();
        let mut rows = Array2::zeros((count, self.mean.len()));
        for (at, mut row) in rows.rows_mut().into_iter().enumerate() {
            if at % 256 == 0 {
                run.check()?;
            }
            row.iter_mut().for_each(|x| *x = noise * rng.sample::<f64, _>(StandardNormal));
            // Along each axis its own variance replaces the noise.
            for (direction, variance) in self.directions.rows().into_iter().zip(&self.variances) {
                let along: f64 = variance.sqrt() * rng.sample::<f64, _>(StandardNormal);
                let step = along - row.dot(&direction);
                row.scaled_add(step, &direction);
            }
            row += &ArrayView1::from(&self.mean[..]);
        }
        Ok(rows)
    }
}
