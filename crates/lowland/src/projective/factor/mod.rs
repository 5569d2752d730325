//! The likelihood of factor analysis as a function of the noise alone (Jöreskog 1967): the best loadings for given noise
//! are eigenvectors.

pub(crate) mod estimate;
pub(crate) mod oblique;
pub(crate) mod rotation;
pub(crate) mod search;

use crate::matrix::{Element, faer_view, to_array};
use crate::mixture::{Gaussian, em};
use faer::Mat;
use lowland_base::{Result, Run};
use lowland_linalg::operator::Dense;
use lowland_linalg::rows::{Center, Rows, centering};
use lowland_linalg::{Matrix, Request, Which, eigen, gram};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

/// The least noise of a column, relative to its variance.
const FLOOR: f64 = em::LEAST_OWN_NOISE;
/// The least noise that EM starts with, relative to the variance of a column: without any, it has no room to move.
const LEAST_START: f64 = 1e-3;

/// What the likelihood needs of complete data: the correlation of the columns.
pub(crate) struct Columns {
    correlation: Correlation,
    pub mean: Vec<f64>,
    /// Divisor n; far below all others for a constant column.
    pub variances: Vec<f64>,
    /// What the columns' own units add to the log-likelihood of a row.
    constant: f64,
}

/// The correlation matrix, or what it is the product of.
enum Correlation {
    Matrix(Mat<f64>),
    /// The standardized rows, where they are fewer than the columns: the correlation is `Z'Z`, and what is needed of it
    /// follows from the smaller `ZZ'`.
    Rows(Mat<f64>),
}

impl Columns {
    /// From rows without missing values.
    pub fn new<T: Element>(x: ArrayView2<'_, T>, run: &Run) -> Result<Self> {
        let stage = run.stage("covariance", None);
        let x = faer_view(x);
        let c = centering(x, run)?;
        let (rows, d) = (x.nrows(), x.ncols());
        let n = rows as f64;
        let safe = |spread: f64| if spread > 0.0 { spread } else { 1.0 };
        let (spread, correlation) = if rows < d {
            let mut z = Mat::from_fn(rows, d, |i, j| (x[(i, j)].wide() - c.mean[j]) * c.scale);
            let norm = |j: usize| z.col(j).iter().map(|z| z * z).sum::<f64>().sqrt();
            let spread: Vec<f64> = (0..d).map(norm).collect();
            for (j, &spread) in spread.iter().enumerate() {
                (0..rows).for_each(|i| z[(i, j)] /= safe(spread));
            }
            (spread, Correlation::Rows(z))
        } else {
            let scatter = gram(Rows { x, center: Center::Columns(&c.mean), scale: c.scale }, run)?;
            let spread: Vec<f64> = (0..d).map(|j| scatter[(j, j)].sqrt()).collect();
            let entry = |i: usize, j: usize| {
                if i == j {
                    f64::from(spread[j] > 0.0)
                } else {
                    scatter[(i, j)] / safe(spread[i]) / safe(spread[j])
                }
            };
            let correlation = Mat::from_fn(d, d, entry);
            (spread, Correlation::Matrix(correlation))
        };
        drop(stage);
        let largest = spread.iter().fold(0.0f64, |most, s| most.max(*s));
        // A constant column has a variance far below all others, so that its density stays finite.
        let own = |j: usize| if spread[j] > 0.0 { spread[j] } else { 1e-8 * largest.max(f64::MIN_POSITIVE) };
        let deviations: Vec<f64> = (0..d).map(|j| own(j) / n.sqrt() / c.scale).collect();
        let constant = -deviations.iter().map(|s| s.ln()).sum::<f64>();
        let variances = deviations.iter().map(|s| s * s).collect();
        Ok(Self { correlation, mean: c.mean, variances, constant })
    }

    /// The number of columns.
    pub fn d(&self) -> usize {
        self.mean.len()
    }

    /// Loadings and noise in the units of the data for EM to start with: the leading eigenvectors of the correlation, and
    /// noise below all their eigenvalues. No factor may start at zero: EM would leave it there.
    pub fn start(&self, k: usize, run: &Run) -> Result<(Array2<f64>, Vec<f64>)> {
        let (values, vectors, _) = self.scaled_pairs(&vec![1.0; self.d()], k, run)?;
        let least = values.iter().fold(1.0f64, |least, value| least.min(*value));
        let noise = (0.5 * least).max(LEAST_START);
        let along = |a: usize| (values[a] - noise).max(0.1 * values[a]).max(0.0).sqrt();
        // More factors than rows have no direction of their own.
        let loading =
            |(j, a): (usize, usize)| if a < values.len() { vectors[(j, a)] * along(a) } else { 0.0 };
        let loadings = Array2::from_shape_fn((self.d(), k), loading);
        Ok((self.in_units(&loadings), self.variances.iter().map(|variance| noise * variance).collect()))
    }

    /// Noise in the units of the data, at least [`FLOOR`] of the variance of its column.
    pub fn at_least(&self, noise: &[f64]) -> Vec<f64> {
        noise.iter().zip(&self.variances).map(|(noise, v)| noise.max(FLOOR * v)).collect()
    }

    /// Loadings in the units of the data.
    pub fn in_units(&self, loadings: &Array2<f64>) -> Array2<f64> {
        Array2::from_shape_fn(loadings.dim(), |(j, a)| loadings[(j, a)] * self.variances[j].sqrt())
    }

    /// The best loadings for this noise (both in units of the columns' deviations), and the mean log-likelihood of a
    /// row with them: with the eigenpairs `(l, u)` of the scaled correlation, `W = N^1/2 u (l - 1)^1/2`, and
    /// `-2 value = d ln 2 pi + ln |N| + sum over the kept of (ln l + 1) + sum of the other l`.
    pub fn loadings(&self, noise: &[f64], k: usize, run: &Run) -> Result<(Array2<f64>, f64)> {
        let d = self.d();
        let root: Vec<f64> = noise.iter().map(|noise| noise.sqrt()).collect();
        let (values, vectors, trace) = self.scaled_pairs(&root, k, run)?;
        let mut rest = trace;
        let mut kept = 0.0;
        for &value in &values {
            rest -= value;
            kept += if value > 1.0 { value.ln() + 1.0 } else { value };
        }
        let logs: f64 = noise.iter().map(|noise| noise.ln()).sum();
        let value =
            -0.5 * (d as f64 * (2.0 * std::f64::consts::PI).ln() + logs + kept + rest) + self.constant;
        let loadings = Array2::from_shape_fn((d, k), |(j, a)| {
            let value = values.get(a).map_or(0.0, |value| (value - 1.0).max(0.0).sqrt());
            if value > 0.0 { root[j] * vectors[(j, a)] * value } else { 0.0 }
        });
        Ok((loadings, value))
    }

    /// The largest eigenpairs of `R^-1 C R^-1`, where `R` is the diagonal `root`, and its trace. Of fewer rows than `k`,
    /// there are as many pairs as rows: the other eigenvalues are zero.
    fn scaled_pairs(&self, root: &[f64], k: usize, run: &Run) -> Result<(Vec<f64>, Array2<f64>, f64)> {
        let d = self.d();
        let largest = |matrix: &Mat<f64>, count: usize| {
            eigen::solve(&Dense::new(matrix.as_ref())?, &Request::new(count, Which::Largest), run)
        };
        match &self.correlation {
            Correlation::Matrix(correlation) => {
                let scaled = Mat::from_fn(d, d, |i, j| correlation[(i, j)] / root[i] / root[j]);
                let pairs = largest(&scaled, k)?;
                let trace = (0..d).map(|j| scaled[(j, j)]).sum();
                Ok((pairs.values, to_array(pairs.vectors.as_ref()), trace))
            }
            Correlation::Rows(z) => {
                let n = z.nrows();
                let scaled = Mat::from_fn(d, n, |j, i| z[(i, j)] / root[j]);
                let products = gram(Rows { x: scaled.as_ref(), center: Center::None, scale: 1.0 }, run)?;
                let pairs = largest(&products, k.min(n))?;
                let trace = (0..n).map(|i| products[(i, i)]).sum();
                // An eigenvector of ZZ', taken through Z', is one of Z'Z with the same eigenvalue.
                let mut vectors = Mat::<f64>::zeros(d, pairs.values.len());
                let rows = Rows { x: scaled.as_ref(), center: Center::None, scale: 1.0 };
                rows.apply(pairs.vectors.as_ref(), vectors.as_mut(), run)?;
                let mut vectors: Array2<f64> = to_array(vectors.as_ref());
                for (mut column, &value) in vectors.columns_mut().into_iter().zip(&pairs.values) {
                    let norm = value.max(0.0).sqrt();
                    column.mapv_inplace(|x| if norm > 0.0 { x / norm } else { 0.0 });
                }
                Ok((pairs.values, vectors, trace))
            }
        }
    }
}

/// How many of the factors, which are sorted, explain anything: more than 1e-8 of the variance of the columns.
pub(crate) fn used(density: &Gaussian) -> usize {
    let squares = density.loadings.mapv(|w| w * w);
    let variances = squares.sum_axis(Axis(1)) + &Array1::from(density.noise.clone());
    let share = |of: ArrayView1<'_, f64>| {
        let parts = of.iter().zip(&variances).map(|(square, v)| if *v > 0.0 { square / v } else { 0.0 });
        parts.sum::<f64>() / variances.len() as f64
    };
    squares.columns().into_iter().rposition(|of| share(of) > 1e-8).map_or(0, |last| last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rows_give_the_loadings_of_the_full_correlation() {
        let run = Run::new();
        let wave = |(i, j): (usize, usize)| ((3 * i + 7 * j * (i + 2)) as f64).sin() + 1e3 * (j % 5) as f64;
        let mut x = Array2::from_shape_fn((9, 40), wave);
        x.column_mut(11).fill(4.0);
        let few = Columns::new(x.view(), &run).unwrap();
        let Correlation::Rows(z) = &few.correlation else { panic!("9 rows are fewer than 40 columns") };
        let full = Columns {
            correlation: Correlation::Matrix(z.transpose() * z),
            mean: few.mean.clone(),
            variances: few.variances.clone(),
            constant: few.constant,
        };
        let noise: Vec<f64> = (0..40).map(|j| 0.1 + 0.02 * j as f64).collect();
        // 12 factors are more than 9 rows can have.
        for k in [1, 3, 12] {
            let (found, value) = few.loadings(&noise, k, &run).unwrap();
            let (expected, sure) = full.loadings(&noise, k, &run).unwrap();
            assert!((value - sure).abs() < 1e-10 * sure.abs(), "{value} {sure}");
            let apart = found.dot(&found.t()) - expected.dot(&expected.t());
            assert!(apart.iter().all(|x| x.abs() < 1e-10), "{k}");
        }
    }
}
