//! Principal component analysis (Pearson 1901, Hotelling 1933; Burges 1.1, Mohri 15.1).
//!
//! points -> center -> covariance | Gram matrix | singular values | sketch | Krylov -> directions -> project

mod model;
mod selection;
mod solver;
mod stream;

pub use model::PcaModel;
pub use selection::Selection;
pub use solver::SvdSolver;
use stream::PcaStream;

use super::{at_least, at_most, few_for_mle, smaller};
use crate::chunks::Accumulate;
use crate::method::{Capabilities, Entry, Fit, Forecast, Training};
use crate::model::Archive;
use crate::parameters::{Components, Field, Kind, Value};
use crate::projective::spectrum;
use crate::{AnyInput, Input, InputKind, Shape, parameters};
use lowland_base::{Error, Result, Run, units};

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
              The first thing to try, and the baseline for all others.",
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

parameters! {
    /// Principal component analysis: the parameters.
    pub struct Pca {
        /// How many components to keep: a count (at most the smaller of rows and columns), a share of the
        /// variance to explain (between 0 and 1), `mle` for Minka's rule, or `all`.
        n_components: Components = Components::All;
        /// Which directions are kept. The ends other than `leading` need more rows than columns and a count.
        select: Selection = Selection::Leading;
        /// How the directions are found.
        svd_solver: SvdSolver = SvdSolver::Auto;
        /// Whether the components are divided by their standard deviations, so that each has variance 1.
        whiten: bool = false;
        /// For `whiten`: whether the coordinates are turned back to the columns of the data (symmetric sphering, or ZCA). There
        /// are as many as columns, uncorrelated, and each as near to its column as can be.
        symmetric: bool = false;
        /// For `randomized`: how many directions more than asked for the sketch has.
        n_oversamples: usize = 10, in Kind::Integer { min: 0, max: 10_000 };
        /// For `randomized`: how many times the sketch is multiplied by the data again; `auto` suits the count.
        iterated_power: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 0, max: 1000 }] };
    }
}

impl Pca {
    fn solve<T: crate::matrix::Element>(&self, input: Input<'_, T>, run: &Run) -> Result<PcaModel> {
        let spectrum = match input {
            Input::Points(x) => self.spectrum(x, run)?,
            Input::Sparse(x) => spectrum::of_sparse(x, self.leading_count(), run)?,
            _ => {
                return Err(Error::Unsupported {
                    method: "pca".into(),
                    what: format!("take {}", input.shape().kind.words()),
                    remedy: "give it points".into(),
                });
            }
        };
        PcaModel::new(self, spectrum)
    }
}

impl Fit for Pca {
    type Model = PcaModel;

    const ENTRY: &'static Entry = &PCA;

    fn check(&self, shape: &Shape) -> Result<()> {
        let (n, d) = (shape.rows, shape.columns);
        at_least(n, 2, "the variance that pca looks for")?;
        if self.symmetric && !self.whiten {
            let problem = "symmetric = true needs whiten = true";
            return Err(Error::conflict("symmetric", problem, "set both, or neither"));
        }
        at_most(self.count(), n.min(d), &smaller(n, d))?;
        if self.n_components == Components::Minka && n < d {
            let problem = few_for_mle(n, d);
            let remedy =
                format!("give at least {}, or a count or a share of the variance", units::count(d, "row"));
            return Err(Error::conflict("n_components", problem, remedy));
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
            let problem = format!("svd_solver = {} does not take sparse data", self.svd_solver.to_value());
            return Err(Error::conflict("svd_solver", problem, "choose auto, covariance or krylov"));
        }
        Ok(())
    }

    fn resolved_for(&self, shape: &Shape) -> Vec<(&'static str, Value)> {
        let solver = match shape.kind {
            InputKind::Sparse if shape.columns > spectrum::DENSE_SCATTER => SvdSolver::Krylov,
            InputKind::Sparse => SvdSolver::Covariance,
            _ => self.solver(shape.rows, shape.columns),
        };
        let passes = (solver == SvdSolver::Randomized).then(|| self.iterations().to_value());
        let passes = passes.map(|value| ("iterated_power", value));
        [("svd_solver", solver.to_value())].into_iter().chain(passes).collect()
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d) = (shape.rows as f64, shape.columns as f64);
        let k = self.leading_count().map_or(n.min(d), |count| count as f64);
        let (numbers, flops) = self.cost(shape, k);
        let width = if self.symmetric { d } else { k };
        let embedding =
            n * width * shape.scalar_bytes as f64 + if self.symmetric { 32.0 * d * d } else { 0.0 };
        Forecast {
            bytes: (8.0 * numbers + embedding) as u64,
            flops: flops + 2.0 * n * d * k,
            remedy: String::new(),
        }
    }

    fn chunks(&self) -> Option<Box<dyn Accumulate<Model = PcaModel>>> {
        Some(Box::new(PcaStream::new(self.clone())))
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<PcaModel> {
        let model = match data.input {
            AnyInput::F32(input) => self.solve(input, run)?,
            AnyInput::F64(input) => self.solve(input, run)?,
        };
        model.embedded(data.input, run)
    }

    fn load(&self, archive: &Archive) -> Result<PcaModel> {
        PcaModel::load(self, archive)
    }
}
