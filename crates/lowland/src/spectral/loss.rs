//! What a spectral model explains and what it does not: the generalization loss of Bengio, section 4, and the
//! kernel made explicit (Ham, figures 2-4).

use super::SpectralModel;
use super::model::{Share, blocks};
use super::nystrom::product;
use crate::matrix::faer_view;
use crate::{AnyInput, admitted};
use lowland_base::{Result, Run, parallel};
use ndarray::{Array1, Array2, ArrayView2, s};

/// How well the components reconstruct the normalized kernel between some rows and the anchors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KernelError {
    /// The mean of `(K(x, y) - sum_r l_r f_r(x) f_r(y))^2` over the pairs.
    pub mean_squared: f64,
    /// The same divided by the mean of `K(x, y)^2`: 0 is perfect, 1 explains nothing.
    pub relative: f64,
}

/// How well the components reconstruct the kernel between one row and the anchors of its connected component.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RowError {
    /// The sum of `(K(x, y) - sum_r l_r f_r(x) f_r(y))^2` over the anchors.
    pub error: f64,
    /// The sum of `K(x, y)^2`.
    pub whole: f64,
    /// The number of anchors.
    pub pairs: usize,
}

/// Rows whose kernel is held at a time.
const CHUNK: usize = 512;

impl SpectralModel {
    /// The loss that the eigenfunctions minimize (Bengio eqs. 31-33), on pairs of these rows and the model's
    /// anchors. On the training rows it is the training error, on others the error of generalization.
    pub fn kernel_error(&self, input: AnyInput<'_>, run: &Run) -> Result<KernelError> {
        let rows = self.kernel_errors(input, run)?;
        let (mut error, mut whole, mut pairs) = (0.0, 0.0, 0);
        for row in rows {
            (error, whole, pairs) = (error + row.error, whole + row.whole, pairs + row.pairs);
        }
        let relative = if whole > 0.0 { error / whole } else { 0.0 };
        Ok(KernelError { mean_squared: error / pairs.max(1) as f64, relative })
    }

    /// What [`SpectralModel::kernel_error`] sums, row by row. Refused where the kernel is one of training points only.
    pub fn kernel_errors(&self, input: AnyInput<'_>, run: &Run) -> Result<Vec<RowError>> {
        self.admit_kernel_rows()?;
        admitted::rows(self, input, run)?;
        let mut found = vec![RowError::default(); input.shape().rows];
        for block in blocks(&input, input.shape().rows) {
            for share in self.shares(input, block, run)? {
                share_errors(&share, &mut found, run)?;
            }
        }
        Ok(found)
    }
}

fn share_errors(share: &Share<'_>, found: &mut [RowError], run: &Run) -> Result<()> {
    let Share { part, positions, rows } = share;
    let (translation, weights) = (Array1::from(part.translation.clone()), Array1::from(part.weights.clone()));
    for chunk in parallel::chunks(rows.nrows(), CHUNK) {
        run.check()?;
        let some = rows.slice(s![chunk.clone(), ..]);
        let kernel = part.kernel(some, run)?;
        let weighted = (part.extend(some, run)? - &translation) * &weights;
        let explained = product(weighted.view(), faer_view(part.coordinates.view()).transpose(), run);
        for ((&row, kernel), explained) in positions[chunk].iter().zip(kernel.rows()).zip(explained.rows()) {
            let error = kernel.iter().zip(explained).map(|(kernel, other)| (kernel - other).powi(2)).sum();
            found[row] = RowError { error, whole: kernel.dot(&kernel), pairs: kernel.len() };
        }
    }
    Ok(())
}

/// The distances in feature space that belong to a Gram matrix: `sqrt(k_ii + k_jj - 2 k_ij)`, 0 where rounding
/// or an indefinite kernel makes the root imaginary.
pub fn feature_distances(gram: ArrayView2<'_, f64>) -> Array2<f64> {
    Array2::from_shape_fn(gram.dim(), |(i, j)| {
        (gram[(i, i)] + gram[(j, j)] - gram[(i, j)] - gram[(j, i)]).max(0.0).sqrt()
    })
}
