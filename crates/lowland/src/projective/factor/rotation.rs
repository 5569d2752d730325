//! Rotations of factors: the likelihood stays the same. Oblique ones are in `oblique`.

use crate::choices;
use crate::matrix::{faer_view, to_array};
use crate::projective::signs::fix_columns;
use lowland_base::{Result, Run};
use ndarray::Array2;

choices! {
    /// The criterion that factors are rotated to.
    pub enum Rotation {
        /// Their principal axes.
        None = "none",
        /// Few large loadings in each factor (Kaiser 1958).
        Varimax = "varimax",
        /// Few large loadings in each column of the data.
        Quartimax = "quartimax",
        /// Varimax, then correlated factors, whose small loadings are smaller still (Hendrickson and White 1964).
        Promax = "promax",
        /// Correlated factors with the least products of squared loadings (direct oblimin with gamma = 0, or quartimin:
        /// Jennrich and Sampson 1966).
        Oblimin = "oblimin" | "quartimin",
    }
}

impl Rotation {
    /// Whether its factors may be correlated.
    pub(crate) fn is_oblique(self) -> bool {
        matches!(self, Self::Promax | Self::Oblimin)
    }
}

/// The rotation of the factors that makes the squares of the loadings vary most: within factors for varimax, within
/// columns for quartimax. Each iteration takes the polar factor of the gradient, as scikit-learn does.
pub(crate) fn rotate(loadings: Array2<f64>, rotation: Rotation, run: &Run) -> Result<Array2<f64>> {
    let k = loadings.ncols();
    let size = loadings.iter().fold(0.0f64, |most, w| most.max(w.abs()));
    if rotation == Rotation::None || rotation.is_oblique() || k < 2 || size == 0.0 {
        return Ok(loadings);
    }
    let mut rotated = loadings.dot(&turn(&(&loadings / size), rotation, run)?);
    fix_columns(&mut rotated);
    Ok(rotated)
}

/// The orthogonal matrix that loadings of about 1 are multiplied with.
pub(super) fn turn(unit: &Array2<f64>, rotation: Rotation, run: &Run) -> Result<Array2<f64>> {
    let (d, k) = unit.dim();
    let mut rotation_matrix: Array2<f64> = Array2::eye(k);
    let mut last = 0.0;
    for _ in 0..1000 {
        run.check()?;
        let now = unit.dot(&rotation_matrix);
        let means: Vec<f64> = now.columns().into_iter().map(|w| w.dot(&w) / d as f64).collect();
        let gradient = Array2::from_shape_fn((d, k), |(j, a)| {
            let w = now[(j, a)];
            w * (w * w - if rotation == Rotation::Varimax { means[a] } else { 0.0 })
        });
        let target = unit.t().dot(&gradient);
        let svd = lowland_linalg::svd::thin(faer_view(target.view()), run)?;
        let (left, right): (Array2<f64>, Array2<f64>) =
            (to_array(svd.left.as_ref()), to_array(svd.right.as_ref()));
        rotation_matrix = left.dot(&right.t());
        let sum: f64 = svd.values.iter().sum();
        if sum <= last * (1.0 + 1e-12) {
            break;
        }
        last = sum;
    }
    Ok(rotation_matrix)
}
