//! `lowland embed`.

use crate::args::{Common, Embed};
use crate::files::{self, Output};
use crate::layouts::{self, Start};
use crate::outcome::{Failure, Outcome, print_message, say, say_json};
use crate::pictures::Drawing;
use crate::setup;
use crate::source::{Loaded, Prepared, Source, points};
use crate::summary::{Facts, Memory, Summary, stages_since};
use lowland::parameters::Value;
use lowland::{AnyMatrix, Entry, InputKind, Model, Run};
use lowland_plot::Format;
use ndarray::ArrayView2;
use std::borrow::Cow;
use std::path::Path;
use std::time::Instant;

/// The components that a single column has.
const ONE: &str = "1";

/// Whether a matrix looks like one of distances.
fn are_distances(matrix: &AnyMatrix) -> bool {
    fn are<T: Copy + Into<f64>>(x: ArrayView2<'_, T>) -> bool {
        let at = |i: usize, j: usize| -> f64 { x[(i, j)].into() };
        let near = |a: f64, b: f64| a >= 0.0 && (a - b).abs() <= 1e-6 * a.max(b);
        let n = x.nrows();
        n >= 3
            && n == x.ncols()
            && (0..n).all(|i| at(i, i) == 0.0)
            && (0..n).all(|i| (0..i).all(|j| near(at(i, j), at(j, i))))
            && x.iter().any(|&value| value.into() > 0.0)
    }
    match matrix {
        AnyMatrix::F32(x) => are(x.view()),
        AnyMatrix::F64(x) => are(x.view()),
    }
}

pub fn run(args: &Embed, common: &Common) -> Outcome {
    args.input.table.check(args.method.kind)?;
    args.input.table.check_labels(args.labels.as_ref())?;
    let source = Source::parse(&args.input, common)?;
    let mut method = setup::method(&args.method, common)?;
    let source = source.for_method(method.entry(), args.method.kind);
    let explore = args.method.method.is_none();
    let explore_points = explore && args.method.kind == InputKind::Points;
    let source = if explore_points { source.exploring() } else { source };
    let format = |path: &Option<String>| path.as_deref().map(Format::of).transpose().map_err(Failure::usage);
    let (plot_format, spectrum_format) = (format(&args.plot)?, format(&args.plot_spectrum)?);
    let (shepard_format, stress_format) = (format(&args.plot_shepard)?, format(&args.plot_stress)?);
    let pictures = [&args.plot, &args.plot_spectrum, &args.plot_shepard, &args.plot_stress];
    args.style.check(&pictures)?;
    let wanted = [&args.output, &args.model].into_iter().chain(pictures).chain([&args.report]);
    let named: Vec<&String> = wanted.flatten().collect();
    let checkpoint = args.layout.checkpoint.as_ref();
    let inputs: Vec<&str> = source.path().into_iter().chain(args.labels.as_deref()).collect();
    files::distinct(&named.iter().copied().chain(checkpoint).collect::<Vec<_>>())?;
    // Before the outputs are prepared: an interrupt removes them.
    let run = layouts::watched(setup::run(common)?, &args.layout, &*method, (common, &inputs))?;
    let prepare = |path: &Option<String>| {
        path.as_deref().map(|path| Output::prepare_bytes(path, common.force, &inputs)).transpose()
    };
    let output =
        args.output.as_deref().map(|path| Output::prepare(path, common.force, &inputs)).transpose()?;
    let model_file = prepare(&args.model)?;
    let (plot, spectrum, report) =
        (prepare(&args.plot)?, prepare(&args.plot_spectrum)?, prepare(&args.report)?);
    let (shepard, stress) = (prepare(&args.plot_shepard)?, prepare(&args.plot_stress)?);

    let mut loaded = source.load(&run)?;
    let (n, features) = loaded.matrix.dim();
    if args.method.kind == InputKind::Points && are_distances(&loaded.matrix) {
        let taken = format!(
            "{n} x {features} values, symmetric with zeros on the diagonal, were taken as points; for distances add --as \
             distances, and for a graph --as graph"
        );
        if !common.quiet {
            print_message("note", &taken);
        }
        loaded.warnings.push(taken);
    }
    let unknown = method.entry().capabilities.optional_labels;
    if let Some(path) = &args.labels {
        let labels = files::read_labels(path, loaded.beside.total, args.input.table.header, unknown)?;
        (loaded.labels, loaded.structure) = (Some(loaded.beside.kept(labels)), None);
    }
    run.check()?;
    // Nobody has asked for two components of a single column.
    let one = explore_points && features == 1 && args.method.dims.is_none() && args.method.set.is_empty();
    if one {
        method.set("n_components", &Value::parse(ONE)).map_err(Failure::usage)?;
    }
    if explore && !common.quiet {
        print_message("note", &chosen(args, &loaded, method.entry(), one.then_some(ONE)));
    }

    let start = Start::read(args, &*method, &loaded.beside, common, &run)?;
    let prepared = Prepared::new(&loaded.matrix, args.method.kind)?;
    let input = prepared.input();
    let begun = Instant::now();
    let (memory, before) = (Memory::before_fit(), run.stages());
    let labels = loaded.labels.as_ref().map(|labels| files::numbered(labels, unknown));
    let model = start.fit(&*method, input, labels.as_deref(), &run)?;
    let embedding = embedding(&*model, &loaded.matrix, &run)?;
    let seconds = begun.elapsed().as_secs_f64();
    let table = loaded.warnings.clone();
    let memory = memory.after(setup::forecast(&*method, &input, run.needed()));
    let stages = stages_since(&before, run.stages());
    let facts = Facts { input: source.name(), n, features, seconds, stages, table, memory };
    let summary = Summary::new(&*model, facts, common, run.threads());

    run.check()?;
    if let Some(path) = checkpoint.filter(|path| !common.quiet && !Path::new(path).exists()) {
        print_message(
            "note",
            &format!("0 checkpoints were written to {path}: the fit ended before the first was due"),
        );
    }
    let mut finished: Vec<(Output, Vec<u8>)> = Vec::new();
    if let Some(file) = model_file {
        finished.push((file, loaded.model_bytes(&*model)?));
    }
    let (style, beside) = (&args.style, Some(&args.beside));
    let drawing = Drawing { loaded: &loaded, summary: &summary, style, beside, run: &run };
    if let (Some(file), Some(format)) = (plot, plot_format) {
        finished.push((file, drawing.scatter(&embedding, format)?));
    }
    if let Some(file) = report {
        finished.push((file, format!("{:#}\n", summary.json()).into_bytes()));
    }
    // Whether a method has these is known only now; the rest of the work is kept either way.
    let more = [
        (spectrum, spectrum_format.map(|format| drawing.spectrum(&*method, input, format))),
        (shepard, shepard_format.map(|format| drawing.shepard(format))),
        (stress, stress_format.map(|format| drawing.stress(&embedding, format))),
    ];
    let mut undrawn = Ok(());
    for (file, bytes) in more {
        match (file, bytes) {
            (Some(file), Some(Ok(bytes))) => finished.push((file, bytes)),
            (_, Some(Err(why))) => undrawn = Err(why),
            _ => {}
        }
    }
    run.check()?;
    if let Some(output) = output {
        loaded.beside.write_components(&embedding, output)?;
    }
    for (file, bytes) in finished {
        file.write_bytes(&bytes)?;
    }
    files::commit()?;
    undrawn?;
    if common.quiet && !common.json {
        return Ok(());
    }
    for warning in summary.warnings() {
        print_message("warning", &warning);
    }
    if common.json {
        return say_json(&summary.json());
    }
    let mut text = summary.text(&named);
    if named.is_empty() {
        text += "  kept      nothing: -o y.csv keeps the embedding, --plot y.svg a picture, --model m.lowland the model\n";
    }
    say(text.as_bytes())
}

/// What was taken where no method was named, and how to name it.
fn chosen(args: &Embed, loaded: &Loaded, entry: &Entry, dims: Option<&str>) -> String {
    let flags: String = loaded.flags.iter().map(|flag| format!(" {flag}")).collect();
    let data = format!("{}{flags}", args.input.typed());
    let dims = args.method.dims.as_deref().or(dims).map(|dims| format!(" -d {dims}")).unwrap_or_default();
    let set: String = args.method.set.iter().map(|(name, value)| format!(" --set {name}={value}")).collect();
    let (name, kind) = (entry.name, args.method.kind);
    let taken = format!("no method was named, and {name} was taken: lowland embed {data}");
    match kind {
        InputKind::Points => format!(
            "{taken} -m {name}{dims}{set} does the same; lowland compare {data} shows which method to trust"
        ),
        // A comparison takes points alone.
        _ => format!("{taken} --as {kind} -m {name}{dims}{set} does the same"),
    }
}

/// The embedding of the training rows; a model that does not keep it can still embed them.
fn embedding<'m>(model: &'m dyn Model, matrix: &AnyMatrix, run: &Run) -> Outcome<Cow<'m, AnyMatrix>> {
    match model.embedding() {
        Some(embedding) => Ok(Cow::Borrowed(embedding)),
        None => Ok(Cow::Owned(model.transform(points(matrix), run)?)),
    }
}
