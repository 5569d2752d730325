//! Principal component analysis (Pearson 1901, Hotelling 1933; Burges 1.1, Mohri 15.1).
//!
//! points -> center -> covariance | Gram matrix | singular values | sketch | Krylov -> directions -> project

mod model;
mod stream;

pub use model::PcaModel;
pub use stream::PcaStream;

use crate::method::{Capabilities, Chunks, Entry, Fit, Forecast, Training};
use crate::model::Archive;
use crate::parameters::{Components, Described, Kind, Value};
use crate::projective::{minka, spectrum, spectrum::Spectrum};
use crate::{AnyInput, Input, InputKind, Shape, choices, parameters};
use lowland_base::{Error, Result, Run, Scalar};
use lowland_linalg::svd::Randomized;
use ndarray::ArrayView2;

/// Principal component analysis in the registry.
pub static PCA: Entry = Entry {
    name: "pca",
    aliases: &[
        "principal-component-analysis",
        "principal-components-analysis",
        "truncated-pca",
        "karhunen-loeve",
    ],
    title: "Principal component analysis",
    summary: "The orthogonal directions along which the data vary most: linear, exact, fast, with an inverse. \
              The first thing to try, and the yardstick for all others.",
    citation: "K. Pearson, On lines and planes of closest fit to systems of points in space, 1901; \
               H. Hotelling, Analysis of a complex of statistical variables into principal components, 1933",
    capabilities: Capabilities {
        inputs: &[InputKind::Points, InputKind::Sparse],
        inverse: true,
        random: true,
        chunks: true,
        density: true,
        ..Capabilities::PLAIN
    },
    ..Entry::of::<Pca>()
};

choices! {
    /// By which way the directions are found.
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

choices! {
    /// Which directions are kept.
    pub enum Selection {
        /// Those of largest variance.
        Leading = "leading" | "major",
        /// Those of smallest variance: what the data hardly do (minor components).
        Minor = "minor",
        /// Of both ends, those that leave the most nearly equal variances out (extreme components).
        Extreme = "extreme",
    }
}

parameters! {
    /// Principal component analysis: the parameters.
    pub struct Pca {
        /// How many components to keep: a count (at most the smaller of rows and columns), a share of the
        /// variance to explain (between 0 and 1), `mle` for Minka's rule, or `all`.
        n_components: Components = Components::All;
        /// Which directions are kept. The ends other than `leading` need more rows than columns and a count.
        select: Selection = Selection::Leading;
        /// By which way the directions are found.
        svd_solver: SvdSolver = SvdSolver::Auto;
        /// Whether the components are divided by their standard deviations, so that each has variance 1.
        whiten: bool = false;
        /// For `randomized`: how many directions more than asked for the sketch holds.
        n_oversamples: usize = 10, in Kind::Integer { min: 0, max: 10_000 };
        /// For `randomized`: how many times the sketch is multiplied by the data again; `auto` suits the count.
        iterated_power: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 0, max: 1000 }] };
    }
}

/// Below this many operations, on no more than so many rows or columns, the singular value decomposition is
/// instant, and the most accurate.
const CHEAP: f64 = 2e7;
const SHORT: usize = 10_000;
/// Up to this order a whole matrix is formed and decomposed.
const FORMED: usize = 5000;

impl Pca {
    /// Data that come in chunks and are never held together.
    pub fn stream(&self) -> PcaStream {
        PcaStream::new(self.clone())
    }

    fn solve_any(&self, input: AnyInput<'_>, run: &Run) -> Result<PcaModel> {
        match input {
            AnyInput::F32(input) => self.solve(input, run),
            AnyInput::F64(input) => self.solve(input, run),
        }
    }

    fn solve<T: crate::matrix::Element>(&self, input: Input<'_, T>, run: &Run) -> Result<PcaModel> {
        let spectrum = match input {
            Input::Points(x) => self.spectrum(x, run)?,
            Input::Sparse(x) => spectrum::of_sparse(x, self.leading_count(), run)?,
            _ => {
                return Err(Error::Unsupported {
                    method: "pca".into(),
                    what: format!("take {}", input.shape().kind),
                    remedy: "give it points".into(),
                });
            }
        };
        let mut model = PcaModel::new(self, spectrum)?;
        model.embed(input, run)?;
        Ok(model)
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
    fn solver(&self, n: usize, d: usize) -> SvdSolver {
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

    fn iterations(&self) -> usize {
        let few = self.count().is_some_and(|count| count < 10);
        self.iterated_power.unwrap_or(if few { 7 } else { 4 })
    }

    /// The count, where it is one.
    fn count(&self) -> Option<usize> {
        if let Components::Count(count) = self.n_components { Some(count) } else { None }
    }

    /// How many leading directions are needed: all, where the other end counts.
    fn leading_count(&self) -> Option<usize> {
        self.count().filter(|_| self.select == Selection::Leading)
    }

    fn required_count(&self) -> Result<usize> {
        self.count().ok_or_else(|| {
            let value = Described::get(self, "n_components").unwrap_or(Value::Auto);
            let bound = format!("the solver {} finds a few components, and must be told how many", {
                crate::parameters::Field::to_value(&self.svd_solver)
            });
            Error::parameter("n_components", value, bound, "give a count, or choose svd_solver = covariance")
        })
    }
}

impl Fit for Pca {
    type Model = PcaModel;

    const ENTRY: &'static Entry = &PCA;

    fn check(&self, shape: &Shape) -> Result<()> {
        let (n, d) = (shape.rows, shape.columns);
        if n < 2 {
            return Err(Error::TooFewRows {
                rows: n,
                needed: 2,
                what: "the variance that pca looks for".into(),
            });
        }
        if let Some(count) = self.count().filter(|&count| count > n.min(d)) {
            let bound = format!("at most {}, the smaller of {n} rows and {d} columns", n.min(d));
            return Err(Error::parameter("n_components", count, bound, "ask for fewer components"));
        }
        if self.n_components == Components::Minka && n < d {
            let bound = format!("Minka's rule needs at least as many rows ({n}) as columns ({d})");
            return Err(Error::parameter(
                "n_components",
                "mle",
                bound,
                "give a count or a share of the variance",
            ));
        }
        if matches!(self.solver(n, d), SvdSolver::Randomized | SvdSolver::Krylov) {
            self.required_count()?;
        }
        if self.select != Selection::Leading {
            self.check_other_end(shape)?;
        }
        if shape.kind == InputKind::Sparse
            && !matches!(self.svd_solver, SvdSolver::Auto | SvdSolver::Covariance | SvdSolver::Krylov)
        {
            let value = crate::parameters::Field::to_value(&self.svd_solver);
            return Err(Error::parameter("svd_solver", value, "for sparse data auto", "leave it at auto"));
        }
        Ok(())
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d) = (shape.rows as f64, shape.columns as f64);
        let small = n.min(d);
        let k = self.leading_count().map_or(small, |count| count as f64);
        // A whole decomposition holds the matrix, its vectors and work space; a few pairs need only a basis.
        let pairs = |order: f64| {
            if 8.0 * k >= order || order <= 300.0 {
                4.0 * order * order
            } else {
                order * order + order * (4.0 * k + 200.0)
            }
        };
        // What two threads hold of a Gram product: packed rows and a tile.
        let tiles = |order: f64| 2.0 * (256.0 * order + order.min(1024.0).powi(2));
        let sparse = shape.kind == InputKind::Sparse;
        let (numbers, flops) = match self.solver(shape.rows, shape.columns) {
            _ if sparse && shape.columns > spectrum::DENSE_SCATTER => {
                (2.0 * shape.stored as f64 + (n + d) * (4.0 * k + 100.0), 100.0 * shape.stored as f64 * k)
            }
            _ if sparse => (pairs(d), shape.stored as f64 * d + 9.0 * d * d * d),
            SvdSolver::Covariance => (pairs(d) + tiles(d), n * d * d + 9.0 * d * d * d),
            SvdSolver::Gram => (pairs(n) + tiles(n) + 512.0 * d + 6.0 * d * k, n * n * d + 9.0 * n * n * n),
            SvdSolver::Full | SvdSolver::Auto => (7.0 * n * d + 6.0 * small * small, 14.0 * n * d * small),
            SvdSolver::Randomized => {
                // All rounds of the sketch are held, and as much again to work on them.
                let rounds = 1.0 + self.iterations() as f64;
                let sketch = ((k + self.n_oversamples as f64).min(small) * rounds).min(small);
                ((n + d) * 2.0 * sketch, 4.0 * n * d * sketch)
            }
            SvdSolver::Krylov => {
                // Few columns, or many pairs of them, are decomposed as a whole.
                let whole = if 8.0 * k >= d || d <= 300.0 { pairs(d) } else { 0.0 };
                ((n + d) * (4.0 * k + 200.0) + whole, 4.0 * n * d * (10.0 * k + 100.0))
            }
        };
        let embedding = n * k * shape.scalar_bytes as f64;
        Forecast {
            bytes: (8.0 * numbers + embedding) as u64,
            flops: flops + 2.0 * n * d * k,
            remedy:
                "ask for fewer components with svd_solver = krylov or randomized, or feed the data in chunks"
                    .into(),
        }
    }

    fn chunks(&self) -> Option<Box<dyn Chunks>> {
        Some(Box::new(self.stream()))
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<PcaModel> {
        self.solve_any(data.input, run)
    }

    fn load(&self, archive: &Archive) -> Result<PcaModel> {
        PcaModel::from_archive(archive)
    }
}

impl Pca {
    /// The smallest variances must all be there: no direction may be left out for want of rows, or by the solver.
    fn check_other_end(&self, shape: &Shape) -> Result<()> {
        let (n, d) = (shape.rows, shape.columns);
        let value = crate::parameters::Field::to_value(&self.select);
        let refuse = |bound: String, remedy: &str| Err(Error::parameter("select", &value, bound, remedy));
        if self.count().is_none() {
            return refuse("minor and extreme need n_components to be a count".into(), "give a count");
        }
        if n <= d {
            return refuse(
                format!("minor and extreme need more rows ({n}) than columns ({d})"),
                "keep the leading components, or give more rows",
            );
        }
        let few = matches!(self.solver(n, d), SvdSolver::Randomized | SvdSolver::Krylov | SvdSolver::Gram);
        if few || (shape.kind == InputKind::Sparse && d > spectrum::DENSE_SCATTER) {
            return refuse(
                "this solver finds leading directions only".into(),
                "choose svd_solver = covariance",
            );
        }
        Ok(())
    }
}

impl PcaModel {
    /// Which of the directions found are kept, where it is not simply the first ones.
    fn selected(pca: &Pca, spectrum: &Spectrum, kept: usize) -> std::ops::Range<usize> {
        let variances = &spectrum.variances;
        let d = variances.len();
        match pca.select {
            Selection::Leading => kept..d,
            Selection::Minor => 0..d - kept,
            Selection::Extreme => {
                // The likelihood is largest where the arithmetic mean of the variances left out exceeds their geometric
                // mean least (Welling, Agakov and Williams 2004).
                let floor = variances[0] * f64::EPSILON;
                let spread = |from: usize| {
                    let out = &variances[from..from + d - kept];
                    let size = out.len().max(1) as f64;
                    let mean = out.iter().sum::<f64>() / size;
                    mean.max(floor).ln() - out.iter().map(|v| v.max(floor).ln()).sum::<f64>() / size
                };
                let from = (0..=kept).min_by(|&a, &b| spread(a).total_cmp(&spread(b)).then(b.cmp(&a)));
                let from = from.unwrap_or(kept);
                from..from + d - kept
            }
        }
    }

    /// How many of the components found are kept, by the rule that was asked for. A rule keeps none beyond the
    /// rank, for they explain nothing.
    fn kept(pca: &Pca, spectrum: &Spectrum, rank: usize) -> usize {
        let found = spectrum.variances.len();
        match pca.n_components {
            Components::All => found,
            Components::Count(count) => count.min(found),
            Components::Minka => minka::rank(&spectrum.variances, spectrum.rows, rank),
            Components::Variance(share) => {
                let mut sum = 0.0;
                let enough = spectrum.variances.iter().position(|variance| {
                    sum += variance;
                    sum > share * spectrum.total
                });
                enough.map_or(rank, |last| last + 1).min(rank).max(1)
            }
        }
    }
}
