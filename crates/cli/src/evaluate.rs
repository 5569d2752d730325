//! `lowland evaluate`.

use crate::args::{Common, Evaluate};
use crate::files::{self, Labels, Output};
use crate::outcome::{Outcome, say, say_json};
use crate::setup;
use crate::source::{Prepared, Source, points};
use crate::summary::Significant;
use crate::table::Fitted;
use lowland::quality::{Evaluation, Evaluator, evaluation_json};
use lowland::units::{count, count_grouped};
use lowland::{AnyMatrix, Error, Model, Run};
use lowland_io::preparation::{self, Choices, Purpose};
use ndarray::{Array2, Axis};
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Instant;

pub fn run(args: &Evaluate, common: &Common) -> Outcome {
    args.input.table.check(args.kind)?;
    args.input.table.check_labels(args.labels.as_ref())?;
    let source = Source::parse(&args.input, common)?;
    let others = [
        Some(&args.embedding),
        args.labels.as_ref(),
        args.truth.as_ref(),
        args.model.as_ref(),
        args.held_out.as_ref(),
    ];
    let inputs: Vec<&str> =
        source.path().into_iter().chain(others.into_iter().flatten().map(String::as_str)).collect();
    let run = setup::run(common)?;
    let report =
        args.report.as_deref().map(|path| Output::prepare_bytes(path, common.force, &inputs)).transpose()?;

    let fitted = args.model.as_deref().map(Fitted::open).transpose()?;
    let load = |source: &Source<'_>| match &fitted {
        Some(fitted) => source.load_for(fitted, &run),
        None => source.load(&run),
    };
    let mut loaded = load(&source)?;
    let (n, total) = (loaded.matrix.dim().0, loaded.beside.total);
    // An embedding may have the ids and the labels before it.
    let named = |column: &Option<(String, Labels)>| column.as_ref().map(|(name, _)| name.clone());
    let (id, label) = (named(&loaded.beside.ids), named(&loaded.beside.labels));
    let read = |path: &String| -> Outcome<AnyMatrix> {
        let header = args.input.table.header.filter(|header| !header);
        let choices = Choices {
            header,
            memory: common.memory,
            id_if_there: id.clone(),
            label_if_there: label.clone(),
            ..Choices::default()
        };
        let table = preparation::prepare(path, &choices, Purpose::default(), &run)?;
        rows(path, table.matrix.dim().0, n)?;
        loaded.beside.same_ids(path, table.ids.as_ref())?;
        Ok(table.matrix)
    };
    let embedding = read(&args.embedding)?;
    if let Some(fitted) = &fitted {
        made_by(&*fitted.model, (&loaded.matrix, &embedding), args, &run)?;
    }
    let truth = args.truth.as_ref().map(read).transpose()?;
    if let Some(path) = &args.labels {
        let labels = files::read_labels(path, total, args.input.table.header, false)?;
        loaded.labels = Some(loaded.beside.kept(labels));
    }
    let labels = loaded.labels.as_ref().map(|labels| files::numbered(labels, false));
    let model = fitted.as_ref().map(|fitted| &fitted.model);
    let held_out = args.held_out.as_ref().map(|path| load(&source.at(path))).transpose()?;

    let begun = Instant::now();
    let evaluator = Evaluator {
        labels: labels.as_deref(),
        truth: truth.as_ref().map(points),
        k: args.neighbors,
        entropy: args.entropy,
        ..Evaluator::default()
    };
    let prepared = Prepared::new(&loaded.matrix, args.kind)?;
    let (data, embedded) = (prepared.input(), points(&embedding));
    let found = match &model {
        Some(model) => {
            let held_out = held_out.as_ref().map(|rows| points(&rows.matrix));
            evaluator.evaluate_model(&***model, (data, embedded), held_out, &run)?
        }
        None => evaluator.evaluate(data, embedded, &run)?,
    };
    let seconds = begun.elapsed().as_secs_f64();

    run.check()?;
    let summary = |whole: bool| {
        let mut summary = evaluation_json(&found, whole);
        summary["lowland"] = json!(env!("CARGO_PKG_VERSION"));
        summary["input"] = json!(source.name());
        summary["embedding"] = json!(args.embedding);
        summary["features"] = json!(loaded.matrix.dim().1);
        summary["dims"] = json!(embedding.dim().1);
        summary["model"] = json!(args.model);
        summary["seed"] = json!(common.seed);
        summary["seconds"] = stages(&run, seconds);
        summary
    };
    if let Some(report) = report {
        report.write_bytes(format!("{:#}\n", summary(true)).as_bytes())?;
    }
    files::commit()?;
    if common.json {
        return say_json(&summary(false));
    }
    if common.quiet {
        return Ok(());
    }
    say(text(&found, &source.name(), args).as_bytes())
}

/// One row for each row of the data.
fn rows(path: &str, found: usize, n: usize) -> Outcome {
    if found == n {
        return Ok(());
    }
    let problem =
        format!("it has {} for {} of data; give one for each", count(found, "row"), count(n, "row"));
    Err(Error::Io { path: path.to_owned(), problem }.into())
}

/// How far an embedding may be from that of its model, as a share of its size: a text of few digits rounds.
const ROUNDED: f64 = 1e-3;

/// Refuses an embedding that is not the model's: neither that of its fit, nor what it makes of the data.
fn made_by(
    model: &dyn Model,
    (data, embedding): (&AnyMatrix, &AnyMatrix),
    args: &Evaluate,
    run: &Run,
) -> Outcome {
    let refused = |found: String| {
        let problem = format!(
            "{found}: it is not the embedding of {}; give the model that made it, or leave out --model",
            args.model.as_deref().unwrap_or_default()
        );
        Err(Error::Io { path: args.embedding.clone(), problem }.into())
    };
    let (components, (rows, columns)) = (model.components(), embedding.dim());
    if components != columns {
        let found = count(columns, "column");
        return refused(format!("{found}, but the model has {}", count(components, "component")));
    }
    let off = |other: &AnyMatrix| {
        let (mine, other) = (embedding.to_f64(), other.to_f64());
        let size = other.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        let far = mine.iter().zip(&other).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
        (far > ROUNDED * size).then(|| format!("{far:.2e} apart from that of the model, of size {size:.2e}"))
    };
    let stored = model.embedding().filter(|stored| stored.dim().0 == rows).map(&off);
    if let Some(None) = stored {
        return Ok(());
    }
    // As many rows may be others than those of the fit, and a map keeps none. What a seed decides need not come again.
    let embedded = match model.transform(points(data), run) {
        Ok(embedded) if model.entry().capabilities.random => {
            off(&embedded).filter(|_| apart(embedding, &embedded) > 0.5)
        }
        Ok(embedded) => off(&embedded),
        Err(Error::Canceled) => return Err(Error::Canceled.into()),
        Err(_) => stored.flatten(),
    };
    embedded.map_or(Ok(()), refused)
}

/// The root mean square of the differences of two embeddings, as a share of that of the second from its mean.
fn apart(one: &AnyMatrix, other: &AnyMatrix) -> f64 {
    let (one, other) = (one.to_f64(), other.to_f64());
    let spread = |x: &Array2<f64>| x.iter().map(|value| value * value).sum::<f64>().sqrt();
    let mean = other.mean_axis(Axis(0)).unwrap_or_default();
    spread(&(&one - &other)) / spread(&(&other - &mean))
}

pub fn stages(run: &Run, total: f64) -> Value {
    let mut seconds: Value = run.stages().into_iter().map(|(name, s)| (name, json!(s))).collect();
    seconds["total"] = json!(total);
    seconds
}

fn text(found: &Evaluation, input: &str, args: &Evaluate) -> String {
    let mut out = format!(
        "{} of {input}: {}, neighborhoods of {}\n",
        args.embedding,
        count_grouped(found.n, "point"),
        found.k
    );
    let width = found.measures.iter().map(|m| m.name.len()).max().unwrap_or(0);
    for measure in &found.measures {
        let estimate = measure.estimate;
        let arrow = if measure.more_is_better { "more is better" } else { "less is better" };
        let value = format!("{:.5}", Significant(estimate.value));
        let _ = write!(out, "  {:<width$}  {value:>10}  {arrow}", measure.name);
        if estimate.low < estimate.high {
            let _ =
                write!(out, ", 95 %: {:.5} to {:.5}", Significant(estimate.low), Significant(estimate.high));
        }
        out.push('\n');
    }
    if let Some(path) = &args.report {
        let _ = writeln!(out, "  {:<width$}  {path}", "written");
    }
    out
}
