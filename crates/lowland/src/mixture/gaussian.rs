//! The latent Gaussian model `x = W z + mean + e`, `z ~ N(0, 1)`, `e ~ N(0, diag(noise))` (Burges eq. 1.7), fitted:
//! posterior means, likelihoods, imputation and samples, with any cells of a row missing.

use super::small::{cholesky, inverse_of_factor, pseudo_inverse};
use crate::matrix::Element;
use crate::model::Archive;
use lowland_base::parallel::{fill_rows, map_chunks};
use lowland_base::{Error, Result, Run};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2};
use rand::RngExt;
use rand_distr::StandardNormal;

/// The parameters of the model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Gaussian {
    pub mean: Vec<f64>,
    /// Columns of the data x factors.
    pub loadings: Array2<f64>,
    /// The variance of the noise in each column.
    pub noise: Vec<f64>,
}

/// The posterior of the factors of one row.
pub(crate) struct Posterior {
    /// The mean.
    pub z: Vec<f64>,
    /// The log-density of the cells that are there.
    pub log_density: f64,
}

/// Rows worked on at a time.
const CHUNK: usize = 64;

impl Gaussian {
    /// Noise for the formulas: none at all would divide by zero.
    pub fn positive_noise(&self) -> Vec<f64> {
        let d = self.noise.len().max(1) as f64;
        let size = (self.loadings.iter().map(|w| w * w).sum::<f64>() + self.noise.iter().sum::<f64>()) / d;
        let floor = if size > 0.0 { 1e-14 * size } else { 1.0 };
        self.noise.iter().map(|&noise| noise.max(floor)).collect()
    }

    /// The posterior of a row with some cells missing (NaN). `noise` is [`Gaussian::positive_noise`].
    pub fn posterior(&self, row: ArrayView1<'_, f64>, noise: &[f64]) -> Posterior {
        let k = self.loadings.ncols();
        let mut precision = vec![0.0; k * k];
        let mut right = vec![0.0; k];
        let (mut square, mut log_noise, mut seen) = (0.0, 0.0, 0usize);
        for (j, &x) in row.iter().enumerate().filter(|(_, x)| !x.is_nan()) {
            let (w, r) = (self.loadings.row(j), x - self.mean[j]);
            for a in 0..k {
                let scaled = w[a] / noise[j];
                right[a] += scaled * r;
                for b in 0..=a {
                    precision[a * k + b] += scaled * w[b];
                }
            }
            square += r * r / noise[j];
            log_noise += noise[j].ln();
            seen += 1;
        }
        (0..k).for_each(|a| precision[a * k + a] += 1.0);
        let log_det = cholesky(&mut precision, k);
        let covariance = inverse_of_factor(&precision, k);
        let z: Vec<f64> = (0..k).map(|a| (0..k).map(|b| covariance[a * k + b] * right[b]).sum()).collect();
        // The residual's own length, so that nothing cancels where the model fits well: r'C^-1 r is the sum of
        // |r - W z|^2 / noise and |z|^2.
        let mut distance: f64 = z.iter().map(|z| z * z).sum();
        if k > 0 {
            square = 0.0;
            for (j, &x) in row.iter().enumerate().filter(|(_, x)| !x.is_nan()) {
                let fitted: f64 = self.loadings.row(j).iter().zip(&z).map(|(w, z)| w * z).sum();
                square += (x - self.mean[j] - fitted).powi(2) / noise[j];
            }
        }
        distance += square;
        let constant = seen as f64 * (2.0 * std::f64::consts::PI).ln();
        Posterior { z, log_density: -0.5 * (constant + log_noise + log_det + distance) }
    }

    /// Replaces the images of the incomplete rows by their posterior means, times `turn` where the factors are turned.
    pub fn embed_incomplete<T: Element>(
        &self,
        x: ArrayView2<'_, T>,
        y: &mut Array2<T>,
        turn: Option<&Array2<f64>>,
        run: &Run,
    ) -> Result<()> {
        let (noise, k) = (self.positive_noise(), y.ncols());
        let Some(y) = y.as_slice_mut() else { return Ok(()) };
        fill_rows(run, y, k, CHUNK, |rows, out| {
            for (row, out) in rows.zip(out.chunks_exact_mut(k.max(1))) {
                if x.row(row).iter().any(|value| value.is_nan()) {
                    let mut z = self.posterior(x.row(row).mapv(|value| value.wide()).view(), &noise).z;
                    if let Some(turn) = turn {
                        z = turn.t().dot(&Array1::from(z)).to_vec();
                    }
                    out.iter_mut().zip(z).for_each(|(out, z)| *out = T::of(z));
                }
            }
        })
    }

    /// The log-density of each row, over the cells that are there.
    pub fn log_likelihood<T: Element>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<Array1<f64>> {
        let noise = self.positive_noise();
        let parts = map_chunks(run, x.nrows(), CHUNK, |rows| {
            let one = |row| self.posterior(x.row(row).mapv(|value| value.wide()).view(), &noise).log_density;
            rows.map(one).collect::<Vec<f64>>()
        })?;
        Ok(parts.into_iter().flatten().collect())
    }

    /// The rows, their missing cells replaced by `E[x | the rest of the row]`.
    pub fn impute<T: Element>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<Array2<T>> {
        let (noise, d) = (self.positive_noise(), x.ncols());
        let mut full = vec![T::zero(); x.len()];
        fill_rows(run, &mut full, d, CHUNK, |rows, out| {
            for (row, out) in rows.zip(out.chunks_exact_mut(d)) {
                let row = x.row(row);
                out.iter_mut().zip(row).for_each(|(out, &value)| *out = value);
                if row.iter().any(|value| value.is_nan()) {
                    let z = self.posterior(row.mapv(|value| value.wide()).view(), &noise).z;
                    for (j, out) in out.iter_mut().enumerate().filter(|(_, out)| out.is_nan()) {
                        let fitted: f64 = self.loadings.row(j).iter().zip(&z).map(|(w, z)| w * z).sum();
                        *out = T::of(self.mean[j] + fitted);
                    }
                }
            }
        })?;
        Array2::from_shape_vec(x.dim(), full).map_err(|e| Error::shape("table", &e))
    }

    /// Rows drawn from the model.
    pub fn sample(&self, count: usize, run: &Run) -> Result<Array2<f64>> {
        let mut rng = run.rng("sample");
        let (d, k) = self.loadings.dim();
        let mut rows = Array2::zeros((count, d));
        for (at, mut row) in rows.rows_mut().into_iter().enumerate() {
            if at % 256 == 0 {
                run.check()?;
            }
            let z = Array1::from_shape_fn(k, |_| rng.sample::<f64, _>(StandardNormal));
            for j in 0..d {
                let noise: f64 = self.noise[j].sqrt() * rng.sample::<f64, _>(StandardNormal);
                row[j] = self.mean[j] + self.loadings.row(j).dot(&z) + noise;
            }
        }
        Ok(rows)
    }

    /// `(1 + W' N^-1 W)^-1 W' N^-1` as a map of centered rows (columns x factors), and the generalized least-squares
    /// way back, `W (W' N^-1 W)^+ (1 + W' N^-1 W)`: there and back is the projection along the noise.
    pub fn maps(&self, run: &Run) -> Result<(Array2<f64>, Array2<f64>)> {
        let noise = self.positive_noise();
        let (d, k) = self.loadings.dim();
        let scaled = Array2::from_shape_fn((d, k), |(j, a)| self.loadings[(j, a)] / noise[j]);
        let inner = self.loadings.t().dot(&scaled);
        let mut m: Vec<f64> = inner.iter().copied().collect();
        (0..k).for_each(|a| m[a * k + a] += 1.0);
        let mut factor = m.clone();
        cholesky(&mut factor, k);
        let covariance = Array2::from_shape_vec((k, k), inverse_of_factor(&factor, k)).unwrap_or_default();
        let forward = scaled.dot(&covariance);
        // y = z' of all rows; z' -> M z' = W'N^-1 r -> the least-squares factors.
        let backward =
            pseudo_inverse(&inner, run)?.dot(&Array2::from_shape_vec((k, k), m).unwrap_or_default());
        Ok((forward, backward.t().dot(&self.loadings.t())))
    }

    /// Into a model file.
    pub fn store(&self, archive: &mut Archive) {
        archive.put_vector("density.mean", &self.mean);
        archive.put("density.loadings", self.loadings.clone());
        archive.put_vector("density.noise", &self.noise);
    }

    /// From a model file.
    pub fn load(archive: &Archive, d: usize, k: usize) -> Result<Self> {
        let noise = archive.vector("density.noise", d)?.to_vec();
        if noise.iter().any(|&noise| noise < 0.0) {
            return Err(Error::ModelFile { problem: "it has a negative variance".into() });
        }
        let loadings = archive.matrix("density.loadings", (d, k))?;
        Ok(Self { mean: archive.vector("density.mean", d)?.to_vec(), loadings, noise })
    }
}
