//! The one error type. The frames of the sentences are here; callers give the numbers, the bound and the remedy.

mod constructors;
#[cfg(test)]
mod plurals;
mod words;

use crate::human_bytes;
use crate::units::{count as counted, one_or_many};
use std::sync::Arc;
use words::{abbreviated, named, of, rescaled, small, them};

/// The result of everything that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What a solver had found when it gave up: enough to look at, never returned as success.
#[derive(Debug, Clone, PartialEq)]
pub struct Partial {
    /// The eigenvalues or singular values found so far.
    pub values: Vec<f64>,
    /// Their vectors, as columns.
    pub vectors: faer::Mat<f64>,
    /// The norm of each pair's true residual.
    pub residuals: Vec<f64>,
}

/// What memory is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemoryLimit {
    /// The memory budget of the run.
    Budget,
    /// What is free.
    Free,
    /// All memory of the machine.
    Machine,
    /// What the allocator gives.
    Allocator,
}

/// Everything that can go wrong, with the facts as fields.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter is outside its range.
    #[error("{name} = {value} is out of range: {bound}; {remedy}")]
    Parameter {
        /// The parameter's name, as in the registry.
        name: String,
        /// The value that was given.
        value: String,
        /// The range it must lie in.
        bound: String,
        /// What to do.
        remedy: String,
    },
    /// A parameter does not go with another one, or with the data.
    #[error("{problem}; {remedy}")]
    Conflict {
        /// The parameter's name, as in the registry.
        name: String,
        /// What does not go together.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// There is no method of this name.
    #[error("there is no method '{name}'; {remedy}")]
    UnknownMethod {
        /// The name asked for.
        name: String,
        /// What may have been meant, or what comes nearest.
        remedy: String,
    },
    /// The method has no parameter of this name.
    #[error("{method} has no parameter '{name}'; {remedy}")]
    UnknownParameter {
        /// The method.
        method: String,
        /// The name asked for.
        name: String,
        /// What may have been meant, or the names it takes.
        remedy: String,
    },
    /// The input has no rows or no columns.
    #[error("0 {axis} in the {}; give at least one", named(what))]
    Empty {
        /// Which input.
        what: &'static str,
        /// `rows` or `columns`.
        axis: &'static str,
    },
    /// Too few rows for what was asked.
    #[error(
        "{} {} too few for {what}; give at least {needed}",
        counted(*rows, "row"), one_or_many(*rows, "is", "are")
    )]
    TooFewRows {
        /// How many there are.
        rows: usize,
        /// How many are needed.
        needed: usize,
        /// What needs them.
        what: String,
    },
    /// NaN or infinity in the input.
    #[error(
        "{count} {} not finite, the first at row {row}, column {column}: {value}; remove or impute {} first",
        of(*count, ("value of the", named(what), "is"), ("values of the", named(what), "are")), them(*count)
    )]
    NotFinite {
        /// Which input.
        what: &'static str,
        /// The row of the first one.
        row: usize,
        /// The column of the first one.
        column: usize,
        /// The first one.
        value: f64,
        /// How many there are in all.
        count: usize,
    },
    /// A row or a column of points that holds missing values only.
    #[error(
        "{count} {axis}{} missing values only, the first is {axis} {index}; remove {} first",
        of(*count, (" of the", named(what), "holds"), ("s of the", named(what), "hold")), them(*count)
    )]
    AllMissing {
        /// Which input.
        what: &'static str,
        /// `row` or `column`.
        axis: &'static str,
        /// The first one.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// The method learns from labels, and got none.
    #[error("{method} needs one label a row; give labels, or choose a method that needs none")]
    NoLabels {
        /// The method.
        method: String,
    },
    /// As many labels as rows are needed.
    #[error("{} for {}; give one label a row", counted(*labels, "label"), counted(*rows, "row"))]
    LabelCount {
        /// How many labels there are.
        labels: usize,
        /// How many rows there are.
        rows: usize,
    },
    /// A finite value so large that its square, summed, would overflow.
    #[error(
        "{count} {} too large to square and sum without overflow, the first at row {row}, column {column}: {value:.3e} \
         (at most {bound:.3e}); {}, or correct {}",
        of(*count, ("value of the", named(what), "is"), ("values of the", named(what), "are")),
        rescaled(what, "divide all by the same power of ten"), them(*count)
    )]
    TooLarge {
        /// Which input.
        what: &'static str,
        /// The row of the first one.
        row: usize,
        /// The column of the first one.
        column: usize,
        /// The first one.
        value: f64,
        /// The largest magnitude allowed.
        bound: f64,
        /// How many there are in all.
        count: usize,
    },
    /// Values so close together that the square of their spread vanishes.
    #[error(
        "the {} {spread:.3e}, whose square vanishes (at least {bound:.3e} is needed); {}",
        small(what),
        rescaled(what, "multiply all by the same power of ten")
    )]
    TooSmall {
        /// Which input.
        what: &'static str,
        /// The largest standard deviation, or the largest of them.
        spread: f64,
        /// The smallest allowed.
        bound: f64,
    },
    /// Values that are all the same where something must vary.
    #[error(
        "the {what} do not vary: all rows are equal, and no direction or neighbor stands out; give rows that differ"
    )]
    Constant {
        /// Which input.
        what: &'static str,
    },
    /// A width that does not fit the model.
    #[error(
        "{} in the {what}, but {expected} {} expected; give the same columns as in the fit",
        counted(*found, "column"), one_or_many(*expected, "is", "are")
    )]
    Width {
        /// Which input.
        what: &'static str,
        /// The number of columns expected.
        expected: usize,
        /// The number of columns found.
        found: usize,
    },
    /// A matrix that must be square is not.
    #[error(
        "the {what} matrix is {rows} x {columns}, but must be square; give one row and one column for each object"
    )]
    NotSquare {
        /// Which matrix.
        what: &'static str,
        /// Its rows.
        rows: usize,
        /// Its columns.
        columns: usize,
    },
    /// A matrix that must be symmetric is not.
    #[error(
        "the {what} matrix is not symmetric: entry ({row}, {column}) is {value} but its mirror image is {mirror}; \
         symmetrize it first"
    )]
    NotSymmetric {
        /// Which matrix.
        what: &'static str,
        /// Row of the worst pair.
        row: usize,
        /// Column of the worst pair.
        column: usize,
        /// The entry.
        value: f64,
        /// The mirrored entry.
        mirror: f64,
    },
    /// A distance, or the length of an edge, that is negative, or one on the diagonal that is not zero.
    #[error("the distance at row {row}, column {column} is {value}, but must be {bound}; correct it first")]
    NotADistance {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
        /// The entry.
        value: f64,
        /// What it must be.
        bound: &'static str,
    },
    /// A matrix that must be positive semidefinite (or definite) is not.
    #[error(
        "the {what} matrix is indefinite: its smallest eigenvalue is {smallest:.3e}, its largest {largest:.3e}; {remedy}"
    )]
    Indefinite {
        /// Which matrix.
        what: &'static str,
        /// Its smallest eigenvalue, or the pivot where the factorization broke down.
        smallest: f64,
        /// Its largest eigenvalue, or its norm.
        largest: f64,
        /// What to do.
        remedy: String,
    },
    /// An input whose parts do not fit together, or not to the fit.
    #[error("{problem}; {remedy}")]
    Malformed {
        /// Which input.
        what: &'static str,
        /// What does not fit.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// The neighbor graph has several connected components.
    #[error(
        "{} in the neighbor graph, of sizes {}; {remedy}",
        counted(sizes.len(), "connected component"), abbreviated(sizes)
    )]
    Disconnected {
        /// The number of points in each connected component, largest first.
        sizes: Vec<usize>,
        /// What to do.
        remedy: String,
    },
    /// Distances that no points have.
    #[error(
        "{violated} of {} cannot be kept together: no points have them, and the one between {row} and \
         {column}, {length:.6}, would become {found:.6}; correct them, let distances shrink, or give them slack",
        counted(*count, "distance")
    )]
    Contradictory {
        /// How many are not kept.
        violated: usize,
        /// How many there are.
        count: usize,
        /// One end of the worst.
        row: usize,
        /// Its other end.
        column: usize,
        /// Its length.
        length: f64,
        /// The length that it has in the points that come nearest.
        found: f64,
    },
    /// The forecast is over the memory budget, or over what there is.
    #[error("{what} needs {}, {}; {remedy}", human_bytes(*needed), limit.words(*budget))]
    Memory {
        /// What the memory is for.
        what: String,
        /// Forecast, in bytes.
        needed: u64,
        /// The budget, or what there is, in bytes.
        budget: u64,
        /// Whether it is a budget.
        limit: MemoryLimit,
        /// A lighter way.
        remedy: String,
    },
    /// The run was canceled.
    #[error("canceled")]
    Canceled,
    /// A solver gave up.
    #[error(
        "{what} did not converge: the worst residual is {residual:.3e}, the tolerance {tolerance:.3e}, after {}; {remedy}",
        counted(*steps, "step")
    )]
    NotConverged {
        /// What was being solved.
        what: String,
        /// The worst residual reached.
        residual: f64,
        /// The tolerance.
        tolerance: f64,
        /// How many steps were taken.
        steps: usize,
        /// What to do.
        remedy: String,
        /// What was found.
        found: Option<Arc<Partial>>,
    },
    /// What was computed is no embedding.
    #[error(
        "{} of the embedding by {method} {} not finite; rescale the data, or choose other parameters",
        counted(*count, "coordinate"), one_or_many(*count, "is", "are")
    )]
    NoEmbedding {
        /// The method.
        method: String,
        /// How many coordinates are not finite.
        count: usize,
    },
    /// The method cannot do this.
    #[error("{method} cannot {what}; {remedy}")]
    Unsupported {
        /// The method.
        method: String,
        /// What was asked.
        what: String,
        /// What to do instead.
        remedy: String,
    },
    /// A model file that cannot be trusted.
    #[error("the model file is refused: {problem}; fit the model again, or restore the file")]
    ModelFile {
        /// What is wrong with it.
        problem: String,
    },
    /// A data file that cannot be read as asked, or an output that must not be written.
    #[error("{path}: {position}{}{problem}; {remedy}", if position.is_empty() { "" } else { ": " })]
    File {
        /// The file.
        path: String,
        /// Where in the file: a line and column, a byte, the name of a column. May be empty.
        position: String,
        /// What is wrong there.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// The operating system said no.
    #[error("{path}: {problem}")]
    Io {
        /// The file.
        path: String,
        /// The system's words.
        problem: String,
    },
}
