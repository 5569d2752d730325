//! `lowland evaluate`.

use crate::args::{Common, Evaluate, Rows, Side};
use crate::files::{self, Output, ReadOptions};
use crate::outcome::{Outcome, say, say_json};
use crate::setup;
use crate::source::{Source, given, points};
use crate::summary::{Significant, grouped};
use lowland::quality::{Evaluation, Judging, evaluation_json};
use lowland::{Error, Run};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

pub fn run(args: &Evaluate, common: &Common) -> Outcome {
    let source = Source::parse(&args.input, common.seed, common.memory)?;
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

    let mut loaded = source.load()?;
    let n = loaded.matrix.dim().0;
    let options = ReadOptions { header: args.input.header, memory: common.memory, ..Default::default() };
    let read = |path: &String| {
        let matrix = files::read(path, &options)?.matrix;
        rows(path, matrix.dim().0, n).map(|()| matrix)
    };
    let embedding = read(&args.embedding)?;
    let truth = args.truth.as_ref().map(read).transpose()?;
    if let Some(path) = &args.labels {
        loaded.labels = Some(files::read_labels(path, n, args.input.header)?);
    }
    let labels = loaded.labels.as_ref().map(files::numbered);
    let model = args.model.as_deref().map(|path| lowland::load(Path::new(path))).transpose()?;
    let held_out = args.held_out.as_ref().map(|path| files::read(path, &options)).transpose()?;

    let begun = Instant::now();
    let judging = Judging {
        labels: labels.as_deref(),
        truth: truth.as_ref().map(points),
        k: args.neighbors,
        ..Judging::default()
    };
    let kind = if args.rows == Side::Points { Rows::Points } else { Rows::Distances };
    let (data, embedded) = (given(&loaded.matrix, None, kind), points(&embedding));
    let found = match &model {
        Some(model) => {
            let held_out = held_out.as_ref().map(|rows| points(&rows.matrix));
            judging.judge_model(&**model, (data, embedded), held_out, &run)?
        }
        None => judging.judge(data, embedded, &run)?,
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
    let problem = format!("it has {found} rows for {n} rows of data; give one for each");
    Err(Error::Io { path: path.to_owned(), problem }.into())
}

pub fn stages(run: &Run, total: f64) -> Value {
    let mut seconds: Value = run.stages().into_iter().map(|(name, s)| (name, json!(s))).collect();
    seconds["total"] = json!(total);
    seconds
}

fn text(found: &Evaluation, input: &str, args: &Evaluate) -> String {
    let mut out =
        format!("{} of {input}: {} points, neighborhoods of {}\n", args.embedding, grouped(found.n), found.k);
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
