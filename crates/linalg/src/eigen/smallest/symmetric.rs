//! What the solvers share: products, Rayleigh-Ritz, and the one place where pairs are sorted, signed,
//! rounded, measured and either returned or refused.

use super::{block, dense};
use crate::eigen::Eigenpairs;
use faer::{ColRef, Mat, MatRef};
use lowland_base::{Error, Partial, Result, Run, Scalar};
use std::sync::Arc;

/// A symmetric matrix, scaled to moderate entries, known by its products.
pub(super) trait Symmetric: Sync {
    /// The number of rows.
    fn order(&self) -> usize;

    /// The power of two that was divided out.
    fn scale(&self) -> f64;

    /// A lower bound of the 2-norm of the scaled matrix, so that a tolerance relative to it is never laxer
    /// than one relative to the norm.
    fn norm(&self) -> f64;

    /// An upper bound of the 2-norm, as far as one is known.
    fn bound(&self) -> f64;

    /// `out = A x` for a block stored row by row.
    fn multiply(&self, x: &[f64], width: usize, out: &mut [f64], run: &Run) -> Result<()>;

    /// `A x` for a block of columns.
    fn product(&self, x: MatRef<'_, f64>, run: &Run) -> Result<Mat<f64>> {
        let (n, width) = (x.nrows(), x.ncols());
        let rows = block::to_rows(x);
        let mut out = vec![0.0; n * width];
        self.multiply(&rows, width, &mut out, run)?;
        Ok(block::from_rows(&out, n, width))
    }

    /// The best pairs within the span of orthonormal columns.
    fn rayleigh_ritz(&self, basis: Mat<f64>, steps: usize, run: &Run) -> Result<Ritz> {
        let image = self.product(basis.as_ref(), run)?;
        let (values, turn) = dense::symmetric(block::inner(basis.as_ref(), image.as_ref(), run)?, run)?;
        let vectors = block::combine(basis.as_ref(), turn.as_ref(), run)?;
        let image = block::combine(image.as_ref(), turn.as_ref(), run)?;
        let residuals = residuals(image.as_ref(), vectors.as_ref(), &values);
        Ok(Ritz { found: Found { values, vectors, steps }, residuals })
    }
}

/// Approximate pairs of the scaled matrix, in no particular order.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// Rayleigh quotients.
    pub values: Vec<f64>,
    /// Orthonormal columns.
    pub vectors: Mat<f64>,
    /// The steps it took.
    pub steps: usize,
}

/// Pairs, ascending, with their residuals.
#[derive(Debug, Clone)]
pub(super) struct Ritz {
    /// The pairs.
    pub found: Found,
    /// `|A v - l v|` of each.
    pub residuals: Vec<f64>,
}

/// `|A v - l v|` column by column, from the product `A v`.
pub(super) fn residuals(product: MatRef<'_, f64>, vectors: MatRef<'_, f64>, values: &[f64]) -> Vec<f64> {
    let norm = |j: usize| {
        let square = |i: usize| (product[(i, j)] - values[j] * vectors[(i, j)]).powi(2);
        (0..product.nrows()).map(square).sum::<f64>().sqrt()
    };
    (0..values.len()).map(norm).collect()
}

/// Whether the entry of largest magnitude (the first of several) is negative.
fn largest_is_negative<T: Scalar>(vector: ColRef<'_, T>) -> bool {
    let mut largest = 0f64;
    for value in vector.iter() {
        if value.wide().abs() > largest.abs() {
            largest = value.wide();
        }
    }
    largest < 0.0
}

/// The residual allowed for a tolerance relative to the norm, and its default.
///
/// The default, 64 units of roundoff, leaves room for the rounding of the product itmatrix.
pub(super) fn allowed<T: Scalar>(matrix: &dyn Symmetric, tolerance: Option<f64>) -> Result<f64> {
    let tolerance = tolerance.unwrap_or((64.0 + 4.0 * (matrix.order() as f64).sqrt()) * T::EPSILON.wide());
    if !(tolerance > 0.0 && tolerance.is_finite()) {
        let bound = "it must be positive and finite";
        return Err(Error::parameter("tolerance", tolerance, bound, "leave it out for the default"));
    }
    Ok(tolerance * matrix.norm())
}

/// Sorts the pairs, fixes their signs, rounds them to `T`, and measures what is returned: the residuals
/// are those of the rounded pairs. Above the tolerance it is an error that carries what was found.
pub(super) fn finish<T: Scalar>(
    matrix: &dyn Symmetric,
    found: Found,
    count: usize,
    allowed: f64,
    run: &Run,
) -> Result<Eigenpairs<T>> {
    let n = matrix.order();
    let mut order: Vec<usize> = (0..found.values.len()).collect();
    order.sort_by(|&i, &j| found.values[i].total_cmp(&found.values[j]));
    order.truncate(count);
    let mut vectors = Mat::<T>::zeros(n, order.len());
    for (to, &from) in order.iter().enumerate() {
        for (to, from) in vectors.col_mut(to).iter_mut().zip(found.vectors.col(from).iter()) {
            *to = T::of(*from);
        }
        // Signed after the rounding, which can make ties.
        if largest_is_negative(vectors.col(to)) {
            vectors.col_mut(to).iter_mut().for_each(|v| *v = -*v);
        }
    }
    let wide = Mat::from_fn(n, order.len(), |i, j| vectors[(i, j)].wide());
    let values: Vec<f64> = order.iter().map(|&i| found.values[i]).collect();
    let residuals = residuals(matrix.product(wide.as_ref(), run)?.as_ref(), wide.as_ref(), &values);
    let worst = residuals.iter().fold(0f64, |m, &r| m.max(r));
    if worst > allowed || worst.is_nan() || values.len() < count {
        return Err(Error::NotConverged {
            what: "the smallest eigenpairs".into(),
            residual: worst * matrix.scale(),
            tolerance: allowed * matrix.scale(),
            steps: found.steps,
            remedy: "raise the tolerance, or choose another solver".into(),
            found: Some(Arc::new(Partial {
                values: values.iter().map(|v| v * matrix.scale()).collect(),
                vectors: wide,
                residuals: residuals.iter().map(|r| r * matrix.scale()).collect(),
            })),
        });
    }
    Ok(Eigenpairs {
        values: values.iter().map(|&v| T::of(v * matrix.scale())).collect(),
        vectors,
        residuals: residuals.iter().map(|&r| T::of(r * matrix.scale())).collect(),
    })
}
