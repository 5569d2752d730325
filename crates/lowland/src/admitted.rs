//! Rows that were admitted: all that a model, and a fit in chunks, ever sees. Only the admission in this file makes them.

use crate::check::LENGTH;
use crate::fingerprint::Fingerprint;
use crate::method::{admit_kind, admit_values};
use crate::model::Model;
use crate::{AnyInput, Entry, Input, InputKind};
use lowland_base::units::{count, one_or_many};
use lowland_base::{Error, Result, Run, Scalar};

/// Rows of a kind and a width that whoever is given them takes, with values that are clean. Nobody else can make one:
///
/// ```compile_fail
/// use lowland::{AnyInput, Method, Model, Run, methods::Pca};
/// # let x = ndarray::array![[2.0, 0.1], [-2.0, -0.1], [1.0, 0.0]];
/// let model = Pca::default().fit_model(&x, &Run::new()).unwrap();
/// model.transform_admitted(AnyInput::from(&x), &Run::new());
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Admitted<'a>(AnyInput<'a>);

impl<'a> Admitted<'a> {
    /// The rows.
    pub fn input(self) -> AnyInput<'a> {
        self.0
    }
}

/// New rows of the data of a model. No rows at all is a batch like any other.
pub(crate) fn rows<'a, M: Model + ?Sized>(model: &M, input: AnyInput<'a>, run: &Run) -> Result<Admitted<'a>> {
    let kinds = model.row_kinds();
    new_rows("data", model.entry(), kinds, input, (model.features(), model.takes_missing()), run)?;
    if matches!(kinds, [InputKind::Distances | InputKind::Graph, ..]) {
        match input {
            AnyInput::F32(input) => not_negative(input)?,
            AnyInput::F64(input) => not_negative(input)?,
        }
    }
    Ok(Admitted(input))
}

/// Rows of the embedding of a model.
pub(crate) fn embedding<'a, M: Model + ?Sized>(
    model: &M,
    input: AnyInput<'a>,
    run: &Run,
) -> Result<Admitted<'a>> {
    let sparse = model.row_kinds().contains(&InputKind::Sparse);
    let kinds: &[InputKind] =
        if sparse { &[InputKind::Points, InputKind::Sparse] } else { &[InputKind::Points] };
    new_rows("embedding", model.entry(), kinds, input, (model.components(), false), run)?;
    Ok(Admitted(input))
}

/// A chunk of a fit: points as wide as those before, added to the hash of all.
pub(crate) fn chunk<'a>(
    entry: &Entry,
    expected: Option<usize>,
    input: AnyInput<'a>,
    hash: &mut Fingerprint,
    run: &Run,
) -> Result<Admitted<'a>> {
    let shape = input.shape();
    admit_kind(entry, &[InputKind::Points], &shape)?;
    if let Some(expected) = expected.filter(|&expected| expected != shape.columns) {
        return Err(Error::Width { what: "chunk", expected, found: shape.columns });
    }
    admit_values(input, entry.capabilities, hash, run)?;
    Ok(Admitted(input))
}

/// Refuses rows of another kind, of another width, or with values that are not clean.
fn new_rows(
    what: &'static str,
    entry: &Entry,
    kinds: &[InputKind],
    input: AnyInput<'_>,
    (expected, missing): (usize, bool),
    run: &Run,
) -> Result<()> {
    let shape = input.shape();
    // A plain matrix does not say what its rows are: it is taken for what they must be.
    let plain = match shape.kind {
        InputKind::Points => true,
        InputKind::Sparse => kinds.iter().any(|kind| kind.is_sparse()),
        _ => false,
    };
    if !plain {
        admit_kind(entry, kinds, &shape)?;
    }
    if shape.columns != expected {
        return Err(width(what, kinds, expected, shape.columns));
    }
    if shape.rows > 0 && expected > 0 {
        input.as_rows().check_as(what, missing, run)?;
    }
    Ok(())
}

/// The refusal of rows of another width. What relates new points to those of the fit has one column for each of these.
fn width(what: &'static str, kinds: &[InputKind], expected: usize, found: usize) -> Error {
    let each = match kinds.first() {
        Some(InputKind::Distances) => "the distances to the points of the fit",
        Some(InputKind::Kernel) => "the kernel between them and the points of the fit",
        Some(InputKind::Graph) => "the lengths of the edges to the vertices of the fit",
        _ => return Error::Width { what, expected, found },
    };
    let are = one_or_many(expected, "is", "are");
    let problem = format!("{} in the {what}, but {expected} {are} expected: {each}", count(found, "column"));
    Error::malformed(what, problem, "give one column for each of these")
}

/// Refuses distances and lengths below zero. NaN is one that is not known.
fn not_negative<T: Scalar>(input: Input<'_, T>) -> Result<()> {
    let negative = |value: &T| *value < T::zero();
    let found = match input {
        Input::Points(x) | Input::Distances(x) | Input::Kernel(x) => {
            x.indexed_iter().find(|cell| negative(cell.1)).map(|(cell, value)| (cell, value.wide()))
        }
        Input::Sparse(x) | Input::Graph(x) => (0..x.nrows()).find_map(|row| {
            let (columns, values) = x.row(row);
            let at = values.iter().position(negative)?;
            Some(((row, columns[at] as usize), values[at].wide()))
        }),
    };
    let bound = if matches!(input, Input::Graph(_)) { LENGTH } else { "at least 0" };
    found.map_or(Ok(()), |((row, column), value)| Err(Error::NotADistance { row, column, value, bound }))
}
