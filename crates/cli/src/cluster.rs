//! `lowland cluster` and `lowland assign`.

use crate::args::{Apply, Cluster, Common};
use crate::files::{self, Labels, Output};
use crate::outcome::{Failure, Outcome, print_message, say, say_json};
use crate::pictures::{Drawing, attribute};
use crate::setup;
use crate::source::{Prepared, Source, points};
use crate::summary::{Facts, Memory, Summary, stages_since};
use crate::table::Fitted;
use lowland::{Error, Model, registry};
use lowland_plot::Format;
use serde_json::json;
use std::time::Instant;

pub fn run(args: &Cluster, common: &Common) -> Outcome {
    args.input.table.check(args.kind)?;
    let source = Source::parse(&args.input, common)?;
    let method = setup::clustering(args, common)?;
    let source = source.for_method(method.entry(), args.kind);
    let plot_format = args.plot.as_deref().map(Format::of).transpose().map_err(Failure::usage)?;
    args.style.check(&[&args.plot])?;
    let named: Vec<&String> =
        [&args.output, &args.model, &args.plot, &args.report].into_iter().flatten().collect();
    let inputs: Vec<&str> = source.path().into_iter().collect();
    files::distinct(&named)?;
    // Before the outputs are prepared: an interrupt removes them.
    let run = setup::run(common)?;
    let prepare = |path: &Option<String>| {
        path.as_deref().map(|path| Output::prepare_bytes(path, common.force, &inputs)).transpose()
    };
    let output =
        args.output.as_deref().map(|path| Output::prepare(path, common.force, &inputs)).transpose()?;
    let (model_file, plot, report) = (prepare(&args.model)?, prepare(&args.plot)?, prepare(&args.report)?);

    let mut loaded = source.load(&run)?;
    let (n, features) = loaded.matrix.dim();
    run.check()?;
    let begun = Instant::now();
    let prepared = Prepared::new(&loaded.matrix, args.kind)?;
    let (memory, before) = (Memory::before_fit(), run.stages());
    let model = method.fit(prepared.input(), &run)?;
    let memory = memory.after(setup::forecast(&*method, &prepared.input(), run.needed()));
    let seconds = begun.elapsed().as_secs_f64();
    let labels = labels(&*model)?;
    let table = loaded.warnings.clone();
    let stages = stages_since(&before, run.stages());
    let facts = Facts { input: source.name(), n, features, seconds, stages, table, memory };
    let summary = Summary::new(&*model, facts, common, run.threads());

    run.check()?;
    (loaded.labels, loaded.structure) = (Some(Labels::Numbers(labels.clone())), None);
    if let (Some(file), Some(format), Some(embedding)) = (plot, plot_format, model.embedding()) {
        let (style, beside) = (&args.style, None);
        let drawing = Drawing { loaded: &loaded, summary: &summary, style, beside, run: &run };
        file.write_bytes(&drawing.scatter(embedding, format)?)?;
    }
    if let Some(file) = model_file {
        file.write_bytes(&loaded.model_bytes(&*model)?)?;
    }
    let sizes = sizes(&labels);
    let mut facts = summary.json();
    facts["cluster_sizes"] = sizes.clone().into();
    if let Some(file) = report {
        file.write_bytes(format!("{facts:#}\n").as_bytes())?;
    }
    if let Some(output) = output {
        loaded.beside.write_clusters(labels, output)?;
    }
    files::commit()?;
    if common.quiet && !common.json {
        return Ok(());
    }
    for warning in summary.warnings() {
        print_message("warning", &warning);
    }
    if common.json {
        return say_json(&facts);
    }
    let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    let text =
        format!("{}  clusters: {} (of {} points)\n", summary.text(&named), sizes.len(), sizes.join(", "));
    say(text.as_bytes())
}

/// The clusters of new rows.
pub fn assign(args: &Apply, common: &Common) -> Outcome {
    let source = Source::parse(&args.input, common)?;
    let inputs: Vec<&str> = source.path().into_iter().chain([args.model.as_str()]).collect();
    let run = setup::run(common)?;
    let output = Output::prepare(&args.output, common.force, &inputs)?;
    let fitted = Fitted::open(&args.model)?;
    let model = &fitted.model;
    let loaded = source.load_for(&fitted, &run)?;
    run.check()?;
    let labels: Vec<f64> = model.assign(points(&loaded.matrix), &run)?.into_iter().map(f64::from).collect();
    run.check()?;
    let sizes = sizes(&labels);
    loaded.beside.write_clusters(labels, output)?;
    files::commit()?;
    let (method, n) = (model.entry().name, loaded.matrix.dim().0);
    if common.json {
        return say_json(&json!({ "method": method, "n": n, "cluster_sizes": sizes, "output": args.output }));
    }
    if common.quiet {
        return Ok(());
    }
    let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    let rows = lowland::units::count(n, "row");
    say(format!("{method}: {rows}, in clusters of {}: {}\n", sizes.join(", "), args.output).as_bytes())
}

fn labels(model: &dyn Model) -> Outcome<Vec<f64>> {
    let lost = || Error::Unsupported {
        method: model.entry().name.into(),
        what: "make clusters".into(),
        remedy: format!("choose {}", registry::clustering().name),
    };
    Ok(attribute(model, "labels").ok_or_else(lost)?.numbers())
}

/// The number of points of each cluster.
fn sizes(labels: &[f64]) -> Vec<usize> {
    let count = labels.iter().fold(0, |most, &label| most.max(label as usize + 1));
    let mut sizes = vec![0; count];
    labels.iter().for_each(|&label| sizes[label as usize] += 1);
    sizes
}
