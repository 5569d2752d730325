//! The solver for the principal directions: which one suits the data, and what it costs.

use super::{Pca, Selection};
use crate::parameters::{Components, Described, Field, Value};
use crate::projective::affine;
use crate::projective::spectrum::{self, Spectrum};
use crate::spectral::FURTHER_EIGENVALUES;
use crate::{InputKind, Shape, choices};
use lowland_base::{Error, Result, Run, Scalar, units};
use lowland_linalg::rows;
use lowland_linalg::svd::Randomized;
use ndarray::ArrayView2;

choices! {
    /// How the directions are found.
    pub enum SvdSolver {
        /// Chosen by the shape of the data.
        Auto = "auto",
        /// Eigenvectors of the covariance matrix: fastest for tall data; variances below about 1e-15 of the largest are lost.
        Covariance = "covariance" | "covariance_eigh" | "eigen",
        /// Eigenvectors of the rows' inner products: fastest for wide data; the same resolution.
        Gram = "gram",
        /// All singular values of the centered data: slowest, and resolves variances down to 1e-30 of the largest.
        Full = "full" | "svd",
        /// A few singular values from a random sketch: cheap and approximate.
        Randomized = "randomized" | "randomised",
        /// A few directions to full accuracy by products with the data alone.
        Krylov = "krylov" | "arpack" | "lanczos",
    }
}

/// Below this many operations, on no more than so many rows or columns, the singular value decomposition is
/// instant, and the most accurate.
const CHEAP: f64 = 2e7;
const SHORT: usize = 10_000;
/// Up to this order a whole matrix is formed and decomposed.
const FORMED: usize = 5000;

impl Pca {
    /// The other end needs all variances, also the smallest: enough rows, and a solver that finds all directions.
    pub(super) fn check_other_end(&self, shape: &Shape) -> Result<()> {
        let (n, d) = (shape.rows, shape.columns);
        let value = self.select.to_value();
        let refuse = |problem: String, remedy: &str| Err(Error::conflict("select", problem, remedy));
        if self.count().is_none() {
            return refuse(format!("select = {value} needs n_components to be a count"), "give a count");
        }
        if n <= d {
            return refuse(
                format!(
                    "{} {} too few for select = {value}, which needs more than the {}",
                    units::count(n, "row"),
                    units::one_or_many(n, "is", "are"),
                    units::count(d, "column")
                ),
                "keep the leading components, or give more rows",
            );
        }
        let few = matches!(self.solver(n, d), SvdSolver::Randomized | SvdSolver::Krylov | SvdSolver::Gram);
        if few || (shape.kind == InputKind::Sparse && d > spectrum::DENSE_SCATTER) {
            return refuse(
                format!("select = {value} needs all directions, and this solver finds leading ones only"),
                "choose svd_solver = covariance",
            );
        }
        Ok(())
    }

    pub(crate) fn spectrum<T: Scalar>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<Spectrum> {
        let (n, d) = x.dim();
        match self.solver(n, d) {
            SvdSolver::Full | SvdSolver::Auto => spectrum::by_svd(x, run),
            SvdSolver::Covariance => spectrum::by_covariance(x, self.leading_count(), run),
            SvdSolver::Gram => spectrum::by_gram(x, self.leading_count(), run),
            SvdSolver::Randomized => spectrum::by_sketch(x, &self.sketch()?, run),
            SvdSolver::Krylov => spectrum::by_krylov(x, self.required_count()?, run),
        }
    }

    /// The way for this shape.
    pub(super) fn solver(&self, n: usize, d: usize) -> SvdSolver {
        if self.svd_solver != SvdSolver::Auto {
            return self.svd_solver;
        }
        let (small, large) = (n.min(d), n.max(d));
        if large <= SHORT && small as f64 * small as f64 * large as f64 <= CHEAP {
            SvdSolver::Full
        } else if self.leading_count().is_some_and(|count| small > FORMED && 10 * count < small) {
            SvdSolver::Krylov
        } else if d <= n {
            SvdSolver::Covariance
        } else {
            SvdSolver::Gram
        }
    }

    fn sketch(&self) -> Result<Randomized> {
        let count = self.required_count()?;
        Ok(Randomized { count, oversampling: self.n_oversamples, iterations: self.iterations() })
    }

    pub(super) fn iterations(&self) -> usize {
        let few = self.count().is_some_and(|count| count < 10);
        self.iterated_power.unwrap_or(if few { 7 } else { 4 })
    }

    /// The count, where it is one.
    pub(super) fn count(&self) -> Option<usize> {
        if let Components::Count(count) = self.n_components { Some(count) } else { None }
    }

    /// How many leading directions are needed: all, where the other end counts.
    pub(super) fn leading_count(&self) -> Option<usize> {
        self.count().filter(|_| self.select == Selection::Leading)
    }

    pub(super) fn required_count(&self) -> Result<usize> {
        self.count().ok_or_else(|| {
            let value = Described::get(self, "n_components").unwrap_or(Value::Auto);
            let solver = self.svd_solver.to_value();
            let problem = format!("svd_solver = {solver} needs a count, and n_components is {value}");
            Error::conflict("n_components", problem, "give a count, or choose svd_solver = covariance")
        })
    }

    /// The numbers that a solver has in memory for `k` directions, and its operations.
    pub(super) fn cost(&self, shape: &Shape, k: f64) -> (f64, f64) {
        let (n, d) = (shape.rows as f64, shape.columns as f64);
        let (small, k) = (n.min(d), k + FURTHER_EIGENVALUES as f64);
        // A whole decomposition needs the matrix, its vectors and work space; a few pairs need only a basis.
        let pairs = |order: f64| {
            if 8.0 * k >= order || order <= 300.0 {
                4.0 * order * order
            } else {
                order * order + order * (4.0 * k + 200.0)
            }
        };
        // The work space of two threads for a Gram product: packed rows and a tile.
        let tiles = |order: f64| 2.0 * (256.0 * order + order.min(1024.0).powi(2));
        let sparse = shape.kind == InputKind::Sparse;
        match self.solver(shape.rows, shape.columns) {
            _ if sparse && shape.columns > spectrum::DENSE_SCATTER => {
                (2.0 * shape.stored as f64 + (n + d) * (4.0 * k + 100.0), 100.0 * shape.stored as f64 * k)
            }
            _ if sparse => (pairs(d), shape.stored as f64 * d + 9.0 * d * d * d),
            SvdSolver::Covariance => (pairs(d) + tiles(d), n * d * d + 9.0 * d * d * d),
            SvdSolver::Gram => {
                // Two threads hold blocks of the rows, to find the mean and the directions and to project; one may take its next
                // block before the other has given its last one back, and what they give back each keeps for itself.
                let products = rows::scratch(shape.rows, shape.columns) as f64;
                let blocks = affine::scratch(shape.columns, k as usize).max(products);
                (pairs(n) + tiles(n) + blocks + d * (5.25 + 3.0 * k.min(n)), n * n * d + 9.0 * n * n * n)
            }
            SvdSolver::Full | SvdSolver::Auto => (7.0 * n * d + 6.0 * small * small, 14.0 * n * d * small),
            SvdSolver::Randomized => {
                // The blocks of all power iterations, and as much again to work on them.
                let blocks = 1.0 + self.iterations() as f64;
                let sketch = ((k + self.n_oversamples as f64).min(small) * blocks).min(small);
                ((n + d) * 2.0 * sketch, 4.0 * n * d * sketch)
            }
            SvdSolver::Krylov => {
                // Few columns, or many pairs of them, are decomposed as a whole.
                let whole = if 8.0 * k >= d || d <= 300.0 { pairs(d) } else { 0.0 };
                ((n + d) * (4.0 * k + 200.0) + whole, 4.0 * n * d * (10.0 * k + 100.0))
            }
        }
    }
}
