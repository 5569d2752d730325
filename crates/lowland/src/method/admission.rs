//! What every fit goes through, from every front end.

use super::{Capabilities, Entry, Fit, Method, Training, lighter};
use crate::fingerprint::Fingerprint;
use crate::matrix::to_array;
use crate::model::{Model, Situation, check_finite};
use crate::parameters::{Described, Field, Parameter, Value};
use crate::{AnyInput, Input, InputKind, Shape, check};
use lowland_base::units::alternatives;
use lowland_base::{Checkpoint, Error, FitIdentity, Result, Run, units};
use lowland_neighbors::Metric;
use ndarray::{Array2, ArrayView2};

/// Where a fit begins.
pub(super) enum Init<'a> {
    /// Where the method wants to.
    Own,
    /// At these coordinates.
    Given(ArrayView2<'a, f64>),
    /// Where another fit was interrupted.
    Checkpoint(&'a Checkpoint),
}

/// The one way to a model: admission, the method's own fit, cancellation, and values that are not finite.
pub(super) fn fit<M: Fit>(
    method: &M,
    input: AnyInput<'_>,
    labels: Option<&[i64]>,
    init: Init<'_>,
    run: &Run,
) -> Result<M::Model> {
    let (shape, hash) = admit(method, input, labels, run)?;
    let at: Array2<f64>;
    let (start, checkpoint) = match init {
        Init::Own => (None, None),
        Init::Given(start) => (Some(start), None),
        Init::Checkpoint(checkpoint) => {
            able_to(M::ENTRY, "go on from a checkpoint", |can| can.resume)?;
            at = to_array(checkpoint.layout.as_ref());
            (Some(at.view()), Some(checkpoint))
        }
    };
    // A training that has not come to its layers together has no coordinates yet.
    if let Some(start) = start.filter(|start| checkpoint.is_none() || !start.is_empty()) {
        if checkpoint.is_none() {
            able_to(M::ENTRY, "begin with given coordinates", |can| can.start)?;
            admit_start(start, layout_shape(method, shape.rows, start))?;
        }
        check::finite(if checkpoint.is_none() { START } else { "checkpoint" }, start)?;
    }
    let Capabilities { labels: needed, optional_labels, resume, .. } = M::ENTRY.capabilities;
    let labels = if needed || optional_labels { labels.unwrap_or_default() } else { &[] };
    let mut kept = run.clone();
    if resume {
        let mut identity = identity(method, hash, labels, run)?;
        if let Some(checkpoint) = checkpoint {
            let kept = to_array(checkpoint.layout.as_ref());
            same_fit(checkpoint, &identity, layout_shape(method, shape.rows, kept.view()))?;
            identity.seed = checkpoint.of.seed;
        }
        kept = run.clone().with_seed(identity.seed).of_fit(identity);
    }
    let run = &kept;
    let training = Training { input, labels, start, checkpoint };
    described(method, || method.fit(training, run), (shape, Some(hash)), run)
}

/// Which fit this is, for its checkpoints.
fn identity<M: Fit>(method: &M, hash: Fingerprint, labels: &[i64], run: &Run) -> Result<FitIdentity> {
    let mut input_hash = hash.hex();
    if method.needs_labels() {
        let labels = Array2::from_shape_fn((labels.len(), 1), |(row, _)| labels[row] as f64);
        let mut of_labels = Fingerprint::default();
        of_labels.add_checked((&labels).into(), run)?;
        input_hash += &of_labels.hex();
    }
    let settings = method.settings().into_iter().filter(|(name, _)| !M::MAY_CHANGE.contains(name));
    Ok(FitIdentity {
        input_hash,
        parameters: settings.map(|(name, value)| (name.to_owned(), value.to_string())).collect(),
        seed: run.seed(),
    })
}

/// Refuses to go on from a checkpoint of another fit, which has a layout of `rows x columns`.
fn same_fit(checkpoint: &Checkpoint, here: &FitIdentity, (rows, columns): (usize, usize)) -> Result<()> {
    let kept = &checkpoint.of;
    let refused = |problem: String, remedy: &str| Err(Error::malformed("checkpoint", problem, remedy));
    let names = |of: &FitIdentity| of.parameters.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    if names(kept) != names(here) {
        return refused("the checkpoint is of another method or version".into(), "start without it");
    }
    // A training that has not come to its layers together has no coordinates yet.
    let (kept_rows, kept_columns) = checkpoint.layout.shape();
    if kept_rows > 0 && kept_rows != rows {
        let kept = units::count(kept_rows, "row");
        let problem = format!("the checkpoint is of {kept}, and the data have {rows}");
        return refused(problem, "give those, or start without it");
    }
    if kept_columns > 0 && kept_columns != columns {
        let kept = units::count(kept_columns, "component");
        let problem = format!("the checkpoint has {kept}, and n_components = {columns} is asked for");
        return refused(problem, &format!("set n_components = {kept_columns}, or start without it"));
    }
    let rows = |of: &FitIdentity| of.input_hash.get(..32).map(str::to_owned);
    if rows(kept) != rows(here) {
        return refused("the checkpoint is of other rows".into(), "give those, or start without it");
    }
    // Before the labels: it is a parameter that says whether they count.
    if let Some(((name, kept), (_, here))) =
        kept.parameters.iter().zip(&here.parameters).find(|(kept, here)| kept != here)
    {
        let problem = format!("the checkpoint is of a fit with {name} = {kept}, and this one has {here}");
        return refused(problem, "set it as it was, or start without the checkpoint");
    }
    if kept.input_hash != here.input_hash {
        return refused("the checkpoint is of other labels".into(), "give those, or start without it");
    }
    Ok(())
}

/// What a fit that only one method has learns from.
pub(crate) enum Given<'i> {
    /// Rows, as any fit.
    Rows(AnyInput<'i>),
    /// Something else, which costs as much as an input of this shape.
    Other(Shape),
}

/// The way to a model beside [`fit`], for fits that only one method has: the same, with a check of their own, which adds to
/// the hash what rows do not say.
pub(crate) fn fit_given<M: Fit>(
    method: &M,
    given: Given<'_>,
    check: impl FnOnce(&mut Fingerprint) -> Result<()>,
    fit: impl FnOnce() -> Result<M::Model> + Send,
    run: &Run,
) -> Result<M::Model> {
    let (shape, hash) = match given {
        Given::Rows(input) => {
            let (shape, mut hash) = admit(method, input, None, run)?;
            check(&mut hash)?;
            (shape, hash)
        }
        Given::Other(shape) => {
            run.check()?;
            run.forget_needed();
            let mut hash = Fingerprint::default();
            check(&mut hash)?;
            admit_shape(method, &shape, run)?;
            (shape, hash)
        }
    };
    described(method, fit, (shape, Some(hash).filter(|hash| *hash != Fingerprint::default())), run)
}

/// The [`finished`] model of a fit of what was admitted, with what repeats it in its report: where it comes from, and what
/// automatic parameters became.
fn described<M: Fit>(
    method: &M,
    fit: impl FnOnce() -> Result<M::Model> + Send,
    (shape, hash): (Shape, Option<Fingerprint>),
    run: &Run,
) -> Result<M::Model> {
    let settings = method.settings();
    let situation = Situation::of::<M>(settings.clone(), shape);
    let fitted = run.whole(fit).map_err(|error| situation.advise_refused(error))?;
    let mut model = finished(fitted, &situation, run)?;
    let (entry, components) = (model.entry(), model.components());
    let report = model.report_mut();
    for (name, value) in Fit::resolved_for(method, &shape) {
        report.resolved.insert(name.into(), value);
    }
    report.resolved.insert("n_components".into(), Value::Integer(components as i64));
    let automatic = |name: &str| settings.iter().any(|(known, value)| *known == name && value.is_open());
    report.resolved.retain(|name, value| automatic(name) && !value.is_open());
    report.provenance = hash.map(|hash| entry.provenance(hash, (shape.rows, shape.columns), run));
    Ok(model)
}

/// Refuses a beginning that the method cannot have.
fn able_to(entry: &Entry, what: &str, can: impl Fn(&Capabilities) -> bool) -> Result<()> {
    if can(&entry.capabilities) {
        return Ok(());
    }
    let able = crate::registry::able(can);
    let remedy = format!("leave it out, or choose {able}");
    Err(Error::Unsupported { method: entry.name.into(), what: what.into(), remedy })
}

/// The shape of the layout of so many rows; as wide as the start where the method leaves that open.
fn layout_shape<M: Fit>(method: &M, rows: usize, start: ArrayView2<'_, f64>) -> (usize, usize) {
    match Described::get(method, "n_components") {
        Some(Value::Integer(count)) => (rows, usize::try_from(count).unwrap_or(start.ncols())),
        _ => (rows, start.ncols()),
    }
}

const START: &str = "start of the layout";

/// Refuses coordinates to begin with that no layout of these rows has.
fn admit_start(start: ArrayView2<'_, f64>, (rows, columns): (usize, usize)) -> Result<()> {
    if start.dim() == (rows, columns) {
        return Ok(());
    }
    let (m, d) = start.dim();
    let problem = format!("the {START} is {m} x {d}, and the layout {rows} x {columns}");
    Err(Error::malformed(START, problem, "give one row of coordinates for each point"))
}

/// Everything that must hold before work starts: the kind of input, the labels, the values, the parameters, the memory.
/// Returns the shape of the input and its hash, which is taken while the values are looked at.
pub(crate) fn admit<M: Fit>(
    method: &M,
    input: AnyInput<'_>,
    labels: Option<&[i64]>,
    run: &Run,
) -> Result<(Shape, Fingerprint)> {
    run.check()?;
    run.forget_needed();
    let shape = input.shape();
    let capabilities = M::ENTRY.capabilities;
    admit_kind(M::ENTRY, capabilities.inputs, &shape)?;
    match labels {
        None if method.needs_labels() => return Err(no_labels(method)),
        Some(labels) if labels.len() != shape.rows => {
            return Err(Error::LabelCount { labels: labels.len(), rows: shape.rows });
        }
        _ => {}
    }
    let stage = run.stage("check", None);
    let mut hash = Fingerprint::default();
    admit_values(input, capabilities, &mut hash, run)?;
    let shape = if capabilities.missing { input.counted() } else { shape };
    if shape.rows > 0 && shape.columns > 0 {
        admit_shape(method, &shape, run)?;
    }
    if capabilities.missing {
        input.check_columns()?;
    }
    admit_directions(method, input)?;
    admit_neighbors(method, input)?;
    drop(stage);
    Ok((shape, hash))
}

/// What is said where labels are missing: of the parameter that makes them count, where it is not the method.
fn no_labels<M: Fit>(method: &M) -> Error {
    let counts = |name: &str, default: &Value| {
        lighter::with(method, name, default).is_some_and(|other| !other.needs_labels())
    };
    match M::parameters().into_iter().find(|parameter| counts(parameter.name, &parameter.default)) {
        Some(Parameter { name, default, .. }) => {
            let value = Described::get(method, name).unwrap_or_else(|| default.clone());
            let problem = format!("{name} = {value} needs one label a row, and 0 are given");
            Error::conflict(name, problem, format!("give labels, or leave {name} at {default}"))
        }
        None => Error::NoLabels { method: M::ENTRY.name.into() },
    }
}

/// Refuses parameters that do not fit the input, and an input that the memory does not hold.
fn admit_shape<M: Fit>(method: &M, shape: &Shape, run: &Run) -> Result<()> {
    Method::check(method, shape)?;
    let forecast = Fit::forecast(method, shape);
    let reserve = |remedy: &str| run.reserve(&format!("fitting {}", M::ENTRY.name), forecast.bytes, remedy);
    // Lighter ways are tried only where one is needed.
    reserve("").or_else(|_| reserve(&lighter::remedy(method, shape, &forecast)))
}

/// Refuses a kind of rows that is not among `kinds`.
pub(crate) fn admit_kind(entry: &Entry, kinds: &[InputKind], shape: &Shape) -> Result<()> {
    if kinds.contains(&shape.kind) {
        return Ok(());
    }
    let kinds: Vec<&str> = kinds.iter().map(|kind| kind.words()).collect();
    Err(Error::Unsupported {
        method: entry.name.into(),
        what: format!("take {}", shape.kind.words()),
        remedy: format!("give it {}", alternatives(&kinds)),
    })
}

/// Refuses rows that have no angle to others, where the metric is one of angles: a zero row, for correlation a constant one.
fn admit_directions<M: Fit>(method: &M, input: AnyInput<'_>) -> Result<()> {
    let metric = Described::get(method, "metric").and_then(|metric| Metric::from_value(&metric));
    let Some(metric) = metric.filter(|metric| metric.is_angular()) else { return Ok(()) };
    let constant = metric == Metric::Correlation;
    let Some((row, count)) = input.rows_without_direction(constant) else { return Ok(()) };
    let what = if constant { "constant" } else { "zero" };
    let rows = units::count(count, "row");
    let have = units::one_or_many(count, "has", "have");
    let problem = format!("{rows} {have} no direction, which metric = {metric} needs: row {row} is {what}");
    Err(Error::conflict("metric", problem, "leave such rows out, or choose another metric"))
}

/// Refuses parameters of which each says by itself which points are neighbors: the spanning tree, the adaptive rule (which
/// chooses among `n_neighbors`), a radius, or a number of neighbors other than the usual one.
pub(super) fn check_neighborhood<M: Described>(method: &M) -> Result<()> {
    let value = |name: &str| Described::get(method, name).unwrap_or(Value::Auto);
    let usual = Described::get(&M::default(), "n_neighbors").unwrap_or(Value::Auto);
    let (tree, adaptive) = (Value::Text("spanning-tree".into()), Value::Bool(true));
    let rules = [
        ("graph", value("graph") == tree),
        ("adaptive", value("adaptive") == adaptive),
        ("radius", value("radius") != Value::Auto),
        ("n_neighbors", value("n_neighbors") != usual && value("adaptive") != adaptive),
    ];
    let mut given = rules.into_iter().filter(|rule| rule.1).map(|(name, _)| name);
    let (Some(first), Some(other)) = (given.next(), given.next()) else { return Ok(()) };
    let (by, given) = (value(first), value(other));
    let problem =
        format!("{other} = {given} does not go with {first} = {by}, which chooses the neighbors by itself");
    Err(Error::conflict(other, problem, format!("leave out {other} or {first}")))
}

/// Refuses rows that are all the same, where the method looks for neighbors: none is nearer than another, and what would be
/// found is the order of the rows.
fn admit_neighbors<M: Fit>(method: &M, input: AnyInput<'_>) -> Result<()> {
    let has = |name: &str| Described::get(method, name);
    // Methods of stress have neighbors where their distances are geodesics.
    let looks = has("n_neighbors").or(has("perplexity")).is_some();
    if looks && has("geodesic") != Some(Value::Bool(false)) && input.all_alike() {
        return Err(Error::Constant { what: "data" });
    }
    Ok(())
}

/// Refuses values that are not finite, and those whose squares are not; adds the hash of the others.
pub(crate) fn admit_values(
    input: AnyInput<'_>,
    capabilities: Capabilities,
    hash: &mut Fingerprint,
    run: &Run,
) -> Result<()> {
    let checked = match input {
        AnyInput::F32(Input::Graph(x)) if capabilities.directed => Some(check::directed(x)),
        AnyInput::F64(Input::Graph(x)) if capabilities.directed => Some(check::directed(x)),
        AnyInput::F32(Input::Distances(x)) if capabilities.missing_pairs => {
            Some(check::known_distances(x, run))
        }
        AnyInput::F64(Input::Distances(x)) if capabilities.missing_pairs => {
            Some(check::known_distances(x, run))
        }
        _ => None,
    };
    match checked {
        Some(checked) => checked.and_then(|()| hash.add_checked(input, run))?,
        None => hash.add(input, capabilities.missing, run)?,
    }
    input.check_size()
}

/// The model of a run that was not canceled, its warnings with their remedies, unless its embedding has values that are not
/// finite: then its map does, too.
pub(crate) fn finished<M: Model>(mut model: M, situation: &Situation, run: &Run) -> Result<M> {
    run.check()?;
    model.report_mut().warnings.iter_mut().for_each(|warning| situation.advise(warning));
    if let Some(embedding) = model.embedding() {
        check_finite(model.entry(), embedding)?;
    }
    Ok(model)
}
