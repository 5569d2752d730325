//! `lowland sample` and `lowland impute`: what only a model that is a density can do.

use crate::args::{Common, Impute, Sample};
use crate::files::{self, Output};
use crate::outcome::{Outcome, complain, say, say_json};
use crate::setup;
use crate::source::{Source, points};
use lowland::{AnyMatrix, InputKind};
use serde_json::json;
use std::path::Path;

pub fn sample(args: &Sample, common: &Common) -> Outcome {
    let run = setup::run(common)?;
    let output = Output::prepare(&args.output, common.force, &[args.model.as_str()])?;
    let model = lowland::load(Path::new(&args.model))?;
    let rows = AnyMatrix::from(model.sample(args.rows, &run)?);
    run.check()?;
    output.write(&rows, None)?;
    let (method, (n, features)) = (model.entry().name, rows.dim());
    if common.json {
        say_json(&json!({
            "method": method, "n": n, "features": features, "seed": common.seed, "output": args.output,
        }))
    } else if common.quiet {
        Ok(())
    } else {
        say(format!("{method}: {n} x {features}: {}\n", args.output).as_bytes())
    }
}

pub fn impute(args: &Impute, common: &Common) -> Outcome {
    let source = Source::parse(&args.input, common.seed, common.memory)?;
    let method = setup::imputation(args, common)?;
    let source = source.for_method(method.entry(), InputKind::Points);
    let inputs: Vec<&str> = source.path().into_iter().chain(args.from.as_deref()).collect();
    let named: Vec<&String> = args.model.iter().chain([&args.output]).collect();
    files::distinct(&named)?;
    let run = setup::run(common)?;
    let output = Output::prepare(&args.output, common.force, &inputs)?;
    let model_file =
        args.model.as_deref().map(|path| Output::prepare_bytes(path, common.force, &inputs)).transpose()?;
    let loaded = source.load()?;
    run.check()?;
    let model = match &args.from {
        Some(path) => lowland::load(Path::new(path))?,
        None => method.fit(points(&loaded.matrix), &run)?,
    };
    let rows = model.impute(points(&loaded.matrix), &run)?;
    let filled = holes(&loaded.matrix);
    run.check()?;
    if let Some(file) = model_file {
        file.write_bytes(&model.to_bytes()?)?;
    }
    output.write(&rows, loaded.columns.as_deref())?;
    let (name, (n, features)) = (model.entry().name, rows.dim());
    if common.quiet && !common.json {
        return Ok(());
    }
    for warning in &model.report().warnings {
        complain("warning", &warning.to_string());
    }
    if common.json {
        let components = model.components();
        return say_json(&json!({
            "method": name, "n": n, "features": features, "components": components, "filled": filled,
            "output": args.output,
        }));
    }
    let text = format!(
        "{name}: {n} x {features}, {filled} values filled in from {} components: {}\n",
        model.components(),
        args.output
    );
    say(text.as_bytes())
}

/// How many values are missing.
fn holes(matrix: &AnyMatrix) -> usize {
    match matrix {
        AnyMatrix::F32(x) => x.iter().filter(|value| value.is_nan()).count(),
        AnyMatrix::F64(x) => x.iter().filter(|value| value.is_nan()).count(),
    }
}
