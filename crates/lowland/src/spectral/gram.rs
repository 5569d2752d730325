//! The Gram matrix of the training points, where it is a function of a matrix of all of them and not of two rows: `L^+` and
//! `exp(-t L)` of a graph's Laplacian (Ham 4), `l_max I - M`, `M^+`, `exp(-t M)` (Ham 5) and `c I - M` (Bengio 2.6) of the
//! penalty `M` that LLE and its relatives minimize. Kernel PCA of such a matrix is the method.

use super::graph::plain_laplacian;
use super::local::{Geometry, lists_of, lists_of_part};
use super::{ComponentModel, Formula, NeighborGraph, Neighborhood, Source, SpectralModel, ham};
use crate::choices;
use crate::model::Model;
use crate::parameters::{Field, Value};
use faer::Mat;
use lowland_base::{Error, Result, Run};
use lowland_linalg::Operator;
use ndarray::{Array2, s};

choices! {
    /// Which function of the method's matrix is the kernel.
    pub enum GramKernel {
        /// The method's own.
        Auto = "auto",
        /// The pseudo-inverse.
        Inverse = "inverse" | "pseudo-inverse",
        /// `exp(-t M)`.
        Exponential = "exponential" | "heat",
        /// `c I - M`.
        Shifted = "shifted",
    }
}

/// A kernel between the training points of a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gram {
    /// Which function of the matrix.
    pub kernel: GramKernel,
    /// The time of the exponential; `None` is the method's own, or 1.
    pub time: Option<f64>,
    /// What the shifted matrix is subtracted from; `None` is its largest eigenvalue.
    pub shift: Option<f64>,
}

impl Default for Gram {
    fn default() -> Self {
        Self { kernel: GramKernel::Auto, time: None, shift: None }
    }
}

impl Gram {
    /// The kernel of this name.
    pub fn new(kernel: &str, time: Option<f64>, shift: Option<f64>) -> Result<Self> {
        let of = GramKernel::from_value(&Value::Text(kernel.into()));
        let kernel = of.ok_or_else(|| {
            let bound = "auto, inverse, exponential or shifted";
            Error::parameter("kernel", kernel, bound, "auto is the method's own")
        })?;
        Ok(Self { kernel, time, shift })
    }

    /// Refuses a time or a shift that this kernel has no use for, and names the kernel that has where it can be chosen.
    fn admit(&self, kernel: GramKernel, of_choice: bool) -> Result<()> {
        let refused = |name: &str, value: f64, word: &str, other: &str| {
            let or = if of_choice { format!(", or ask for the {other}") } else { String::new() };
            let problem = format!("{name} = {value} is for the {word} kernel only");
            Err(Error::conflict(name, problem, format!("leave it out{or}")))
        };
        match (self.time, self.shift) {
            (Some(time), _) if kernel != GramKernel::Exponential => {
                refused("time", time, "exponential", "exponential")
            }
            (_, Some(shift)) if kernel != GramKernel::Shifted => {
                refused("shift", shift, "shifted", "shifted one")
            }
            _ => Ok(()),
        }
    }
}

/// The matrix of all training points that a method's kernel is a function of, and which function that is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Origin {
    pub matrix: OriginMatrix,
    pub own: Gram,
}

/// Such a matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum OriginMatrix {
    /// `D - W`.
    Laplacian,
    /// The sum of the penalties of all neighborhoods.
    Penalty { geometry: Geometry, neighborhood: Neighborhood },
}

impl Origin {
    /// The kernel that was asked for, its numbers filled in.
    fn resolve(&self, asked: Gram) -> Result<Gram> {
        let kernel = if asked.kernel == GramKernel::Auto { self.own.kernel } else { asked.kernel };
        let time = asked.time.or(self.own.time).unwrap_or(1.0);
        if !(time >= 0.0 && time.is_finite()) {
            return Err(Error::parameter("time", time, "0 or more, and finite", "the usual value is 1"));
        }
        if let Some(shift) = asked.shift.filter(|shift| !shift.is_finite()) {
            return Err(Error::parameter(
                "shift",
                shift,
                "finite",
                "leave it out for the largest eigenvalue",
            ));
        }
        asked.admit(kernel, true)?;
        Ok(Gram { kernel, time: Some(time), shift: asked.shift })
    }

    /// The matrix of one connected component.
    fn matrix(&self, part: &ComponentModel, run: &Run) -> Result<Option<Mat<f64>>> {
        match (self.matrix, &part.formula) {
            (OriginMatrix::Laplacian, _) => match part.affinities() {
                Some(weights) => Ok(Some(plain_laplacian(weights)?.to_dense(run)?)),
                None => Ok(None),
            },
            (OriginMatrix::Penalty { geometry, neighborhood }, Formula::LocalLinear(rule)) => {
                let d = part.coordinates.ncols().min(rule.len().saturating_sub(1));
                match rule.objects() {
                    Some(objects) => penalty(geometry, &neighborhood, &objects, d, run).map(Some),
                    None => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }
}

/// The penalty between the points of a fitted component: they are connected, or were joined by the same policy.
fn penalty(
    geometry: Geometry,
    neighborhood: &Neighborhood,
    source: &Source,
    d: usize,
    run: &Run,
) -> Result<Mat<f64>> {
    let n = source.len();
    let NeighborGraph { table, graph, .. } = NeighborGraph::of(neighborhood, source, run)?;
    let all = lists_of(table, &graph);
    let connected = neighborhood.connected(graph, source, run)?;
    let joined = connected.joined();
    match connected.connected_components.into_iter().next() {
        Some(part) if part.rows.len() == n => {
            let rows: Vec<usize> = part.rows.iter().map(|&row| row as usize).collect();
            let lists = lists_of_part(&*all, &rows, &part, joined);
            geometry.penalty_of(source, &lists, d, run)?.to_dense(run)
        }
        _ => Ok(Mat::zeros(n, n)),
    }
}

impl SpectralModel {
    /// Whether the kernel is a function of a matrix of all training points: between these alone, by
    /// [`SpectralModel::gram`], and not between other rows.
    pub fn kernel_is_of_training_points(&self) -> bool {
        self.origin().is_some()
    }

    /// The Gram matrix between the model's anchors: its training points, each of several equal rows once, or its
    /// landmarks. Between different connected components it is zero. For the methods whose kernel is a function of a
    /// matrix of all training points, that function can be chosen; of the others there is one kernel.
    pub fn gram(&self, asked: Gram, run: &Run) -> Result<Array2<f64>> {
        let n: usize = self.connected_components().iter().map(ComponentModel::len).sum();
        run.reserve(
            "a Gram matrix",
            40 * (n as u64) * n as u64,
            "fit the method to fewer rows, or to landmarks",
        )?;
        let origin = match self.origin() {
            Some(origin) => Some((origin, origin.resolve(asked)?)),
            None if asked.kernel == GramKernel::Auto => {
                asked.admit(asked.kernel, false)?;
                None
            }
            None => {
                let word = asked.kernel.to_value();
                let problem = format!(
                    "kernel = {word} needs a matrix of all rows, and this kernel is a function of two"
                );
                return Err(Error::conflict("kernel", problem, "leave the kernel at auto"));
            }
        };
        let mut out = Array2::zeros((n, n));
        let mut start = 0;
        for part in self.connected_components() {
            run.check()?;
            let end = start + part.len();
            let block = match origin {
                Some((origin, gram)) => self.function(origin, gram, part, run)?,
                None => {
                    let points = part.points().ok_or_else(|| self.unknown("its training rows"))?;
                    part.kernel(points, run)?
                }
            };
            out.slice_mut(s![start..end, start..end]).assign(&block);
            start = end;
        }
        Ok(out)
    }

    fn function(&self, origin: &Origin, gram: Gram, part: &ComponentModel, run: &Run) -> Result<Array2<f64>> {
        if let (GramKernel::Inverse, OriginMatrix::Laplacian, Some(weights)) =
            (gram.kernel, origin.matrix, part.affinities())
        {
            return ham::pseudo_inverse(&plain_laplacian(weights)?, run);
        }
        let matrix = origin.matrix(part, run)?.ok_or_else(|| self.unknown("the matrix behind it"))?;
        let t = gram.time.unwrap_or(1.0);
        match (gram.kernel, gram.shift) {
            (GramKernel::Inverse, _) => ham::pseudo_inverse_of(matrix.as_ref(), run),
            (GramKernel::Exponential, _) => {
                ham::function_of(matrix.as_ref(), |m| (-t * m.max(0.0)).exp(), run)
            }
            (_, c) => {
                let c = match c {
                    Some(c) => c,
                    None => ham::largest_eigenvalue(matrix.as_ref(), run)?,
                };
                let of = |(i, j)| (if i == j { c } else { 0.0 }) - matrix[(i, j)];
                Ok(Array2::from_shape_fn((matrix.nrows(), matrix.ncols()), of))
            }
        }
    }

    fn unknown(&self, what: &str) -> Error {
        Error::Unsupported {
            method: self.entry().name.into(),
            what: format!("give its Gram matrix from the model alone, which does not hold {what}"),
            remedy: "give the training rows".into(),
        }
    }

    /// Refuses rows where the kernel is one of training points only.
    pub(super) fn admit_kernel_rows(&self) -> Result<()> {
        if self.origin().is_none() {
            return Ok(());
        }
        Err(Error::Unsupported {
            method: self.entry().name.into(),
            what: "give a kernel between other rows and its points: it is a function of a matrix of all training points"
                .into(),
            remedy: "leave out the rows, for the Gram matrix of the training points".into(),
        })
    }
}
