//! A mixture of latent Gaussians (Tipping and Bishop 1999; Ghahramani and Hinton 1996), or of Student's t around the same
//! planes: density, responsibilities, local coordinates and samples. No covariance is ever formed.

use super::Gaussian;
use super::evaluate::{BLOCK, Block, Evaluator};
use crate::matrix::Element;
use crate::model::Archive;
use lowland_base::parallel::{map_chunks, map_rows};
use lowland_base::{Error, Result, Run};
use ndarray::{Array1, Array2, ArrayView2};
use rand::RngExt;
use rand_distr::{ChiSquared, Distribution, StandardNormal};

/// The parameters of the mixture, in units of its own: a row counts as `(x - center) scale`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mixture {
    pub center: Vec<f64>,
    /// A power of two.
    pub scale: f64,
    /// The share of each analyzer; they sum to 1.
    pub weights: Vec<f64>,
    /// In the units of the mixture.
    pub analyzers: Vec<Gaussian>,
    /// The degrees of freedom of each; empty for Gaussians.
    pub degrees: Vec<f64>,
}

/// Rows as the analyzers see them.
pub(crate) struct Local {
    /// Rows x analyzers.
    pub responsibilities: Array2<f64>,
    /// Rows x (analyzers x factors): the posterior means of the factors.
    pub z: Array2<f64>,
}

impl Mixture {
    /// The width of the data.
    pub fn features(&self) -> usize {
        self.center.len()
    }

    /// The number of factors of each analyzer.
    pub fn factors(&self) -> usize {
        self.analyzers.first().map_or(0, |analyzer| analyzer.loadings.ncols())
    }

    /// `visit` sees every block of evaluated rows and writes `width` numbers for each row; the results in order.
    pub(super) fn each_block<T: Element>(
        &self,
        x: ArrayView2<'_, T>,
        width: usize,
        visit: impl Fn(&Block, usize, &mut [f64]) + Send + Sync,
        run: &Run,
    ) -> Result<Array2<f64>> {
        let (evaluator, n, d) = (Evaluator::new(self, run)?, x.nrows(), self.features());
        let mut out = vec![0.0; n * width];
        map_rows(run, &mut out, width, BLOCK, |rows, out| {
            let mut block = Block::new(&evaluator);
            for (row, values) in rows.clone().zip(block.values.chunks_exact_mut(d)) {
                for ((value, x), center) in values.iter_mut().zip(x.row(row)).zip(&self.center) {
                    *value = (x.wide() - center) * self.scale;
                }
            }
            evaluator.evaluate(&mut block, run);
            visit(&block, rows.len(), out);
        })?;
        run.check()?;
        Array2::from_shape_vec((n, width), out).map_err(|e| Error::shape("table", &e))
    }

    /// The responsibility of each analyzer for each row.
    pub fn responsibilities<T: Element>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<Array2<f64>> {
        let m = self.weights.len();
        let visit = |block: &Block, rows: usize, out: &mut [f64]| {
            for (row, out) in (0..rows).zip(out.chunks_exact_mut(m)) {
                out.iter_mut()
                    .enumerate()
                    .for_each(|(j, out)| *out = block.responsibilities[j * BLOCK + row]);
            }
        };
        self.each_block(x, m, visit, run)
    }

    /// Responsibilities and local coordinates of each row.
    pub fn local<T: Element>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<Local> {
        let (m, k) = (self.weights.len(), self.factors());
        let visit = |block: &Block, rows: usize, out: &mut [f64]| {
            for (row, out) in (0..rows).zip(out.chunks_exact_mut(m * (k + 1))) {
                let (shares, z) = out.split_at_mut(m);
                for j in 0..m {
                    shares[j] = block.responsibilities[j * BLOCK + row];
                    z[j * k..][..k].copy_from_slice(&block.z[(j * BLOCK + row) * k..][..k]);
                }
            }
        };
        let both = self.each_block(x, m * (k + 1), visit, run)?;
        let (responsibilities, z) = both.view().split_at(ndarray::Axis(1), m);
        Ok(Local { responsibilities: responsibilities.to_owned(), z: z.to_owned() })
    }

    /// The logarithm of the density at each row.
    pub fn log_density<T: Element>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<Array1<f64>> {
        let units = self.units();
        let visit = |block: &Block, rows: usize, out: &mut [f64]| {
            out.iter_mut().zip(&block.log_density[..rows]).for_each(|(out, log)| *out = log + units);
        };
        Ok(self.each_block(x, 1, visit, run)?.column(0).to_owned())
    }

    /// From a log-density in the units of the mixture to one in those of the data.
    pub fn units(&self) -> f64 {
        self.features() as f64 * self.scale.ln()
    }

    /// Rows drawn from the mixture.
    pub fn sample(&self, count: usize, run: &Run) -> Result<Array2<f64>> {
        let mut rng = run.rng("sample");
        let (d, k) = (self.features(), self.factors());
        let mut rows = Array2::zeros((count, d));
        for (at, mut row) in rows.rows_mut().into_iter().enumerate() {
            if at % 256 == 0 {
                run.check()?;
            }
            let mut mark = rng.random::<f64>();
            let chosen = self.weights.iter().position(|weight| {
                mark -= weight;
                mark < 0.0
            });
            let j = chosen.unwrap_or(self.weights.len() - 1);
            let analyzer = &self.analyzers[j];
            let stretch = match self.degrees.get(j) {
                None => 1.0,
                Some(&nu) => {
                    let chi =
                        ChiSquared::new(nu).map_err(|_| broken("degrees of freedom are not positive"))?;
                    (nu / chi.sample(&mut rng).max(f64::MIN_POSITIVE)).sqrt()
                }
            };
            let z = Array1::from_shape_fn(k, |_| rng.sample::<f64, _>(StandardNormal));
            for c in 0..d {
                let noise = analyzer.noise[c].sqrt() * rng.sample::<f64, _>(StandardNormal);
                let step = stretch * (analyzer.loadings.row(c).dot(&z) + noise);
                row[c] = self.center[c] + (analyzer.mean[c] + step) / self.scale;
            }
        }
        Ok(rows)
    }

    /// The means of the analyzers, in the units of the data.
    pub fn means(&self) -> Array2<f64> {
        Array2::from_shape_fn((self.weights.len(), self.features()), |(j, c)| {
            self.center[c] + self.analyzers[j].mean[c] / self.scale
        })
    }

    /// The variances of the noise, analyzers x columns, in the units of the data.
    pub fn noise(&self) -> Array2<f64> {
        Array2::from_shape_fn((self.weights.len(), self.features()), |(j, c)| {
            self.analyzers[j].noise[c] / self.scale / self.scale
        })
    }

    /// The loadings of all analyzers below each other, in the units of the data.
    pub fn loadings(&self) -> Array2<f64> {
        let (d, k) = (self.features(), self.factors());
        Array2::from_shape_fn((self.weights.len() * d, k), |(row, a)| {
            self.analyzers[row / d].loadings[(row % d, a)] / self.scale
        })
    }

    /// Into a model file.
    pub fn store(&self, archive: &mut Archive) {
        let (m, d, k) = (self.weights.len(), self.features(), self.factors());
        archive.put_fact("mixture.factors", k);
        archive.put_fact("mixture.scale", self.scale);
        archive.put_vector("mixture.center", &self.center);
        archive.put_vector("mixture.weights", &self.weights);
        archive.put("mixture.means", Array2::from_shape_fn((m, d), |(j, c)| self.analyzers[j].mean[c]));
        archive.put("mixture.noise", Array2::from_shape_fn((m, d), |(j, c)| self.analyzers[j].noise[c]));
        let loadings =
            Array2::from_shape_fn((m * d, k), |(row, a)| self.analyzers[row / d].loadings[(row % d, a)]);
        archive.put("mixture.loadings", loadings);
        if !self.degrees.is_empty() {
            archive.put_vector("mixture.degrees", &self.degrees);
        }
    }

    /// From a model file.
    pub fn load(archive: &Archive, d: usize) -> Result<Self> {
        let (m, k) = (archive.width("mixture.weights"), archive.count("mixture.factors")?);
        let scale = archive.number("mixture.scale")?;
        let weights = archive.vector("mixture.weights", m)?.to_vec();
        let means = archive.matrix("mixture.means", (m, d))?;
        let noise = archive.matrix("mixture.noise", (m, d))?;
        let rows = m.checked_mul(d).ok_or_else(|| broken("it has too many analyzers"))?;
        let loadings = archive.matrix("mixture.loadings", (rows, k))?;
        let degrees = if archive.has_array("mixture.degrees") {
            archive.vector("mixture.degrees", m)?.to_vec()
        } else {
            Vec::new()
        };
        if m == 0 || scale <= 0.0 || noise.iter().chain(&degrees).any(|&value| value <= 0.0) {
            return Err(broken("its mixture has no analyzer, or a variance that is not positive"));
        }
        if weights.iter().any(|&weight| weight < 0.0) {
            return Err(broken("its mixture has a negative weight"));
        }
        let analyzer = |j: usize| Gaussian {
            mean: means.row(j).to_vec(),
            loadings: loadings.slice(ndarray::s![j * d..(j + 1) * d, ..]).to_owned(),
            noise: noise.row(j).to_vec(),
        };
        let center = archive.vector("mixture.center", d)?.to_vec();
        Ok(Self { center, scale, weights, analyzers: (0..m).map(analyzer).collect(), degrees })
    }

    /// The free parameters: shares, means, loadings up to rotation, noise, degrees of freedom that were found.
    pub fn parameters(&self, isotropic: bool, free_degrees: bool) -> f64 {
        let (m, d, k) = (self.weights.len(), self.features(), self.factors());
        let noise = if isotropic { 1 } else { d };
        let each = d + d * k - k * k.saturating_sub(1) / 2 + noise + usize::from(free_degrees);
        (m - 1 + m * each) as f64
    }
}

fn broken(problem: &str) -> Error {
    Error::ModelFile { problem: problem.into() }
}

/// The inner products of the columns of two matrices of equally many rows, chunk by chunk in a fixed order.
pub(crate) fn inner(a: ArrayView2<'_, f64>, b: ArrayView2<'_, f64>, run: &Run) -> Result<Array2<f64>> {
    let parts = map_chunks(run, a.nrows(), 512, |rows| {
        let rows = ndarray::s![rows, ..];
        a.slice(rows).t().dot(&b.slice(rows))
    })?;
    let mut sum = Array2::zeros((a.ncols(), b.ncols()));
    parts.into_iter().for_each(|part| sum += &part);
    Ok(sum)
}
