//! `lowland data`: built-in data.

use crate::args::{Common, Data};
use crate::fields::field;
use crate::files::{self, Labels, Output};
use crate::outcome::{Failure, Outcome, say, say_json};
use lowland::AnyMatrix;
use lowland::data::{self, Generator};
use serde_json::json;

pub fn run(args: &Data, common: &Common) -> Outcome {
    let (Some(name), Some(path)) = (&args.name, &args.output) else { return list(common) };
    let generator = data::find(name).map_err(Failure::usage)?;
    let named: Vec<&String> =
        [Some(path), args.labels.as_ref(), args.truth.as_ref()].into_iter().flatten().collect();
    files::distinct(&named)?;
    let cancel = crate::interrupt::switch()?;
    let prepare = |path: &String| Output::prepare(path, common.force, &[]);
    let output = prepare(path)?;
    let labels = args.labels.as_ref().map(prepare).transpose()?;
    let truth = args.truth.as_ref().map(prepare).transpose()?;

    let sample =
        generator.sample_uneven(args.rows, args.noise, args.density, common.seed).map_err(Failure::usage)?;
    if cancel.is_canceled() {
        return Err(lowland::Error::Canceled.into());
    }
    let columns: Vec<String> = (1..=generator.features).map(|i| format!("x{i}")).collect();
    output.write(&AnyMatrix::F64(sample.points), Some(&columns))?;
    if let Some(labels) = labels {
        labels.write_labels(&Labels::Numbers(sample.labels.iter().map(|label| *label as f64).collect()))?;
    }
    if let Some(truth) = truth {
        let names: Vec<String> = generator.truth.iter().map(ToString::to_string).collect();
        truth.write(&AnyMatrix::F64(sample.truth), Some(&names))?;
    }
    files::commit()?;
    if common.json {
        say_json(&json!({
            "data": generator.name, "n": args.rows, "features": generator.features, "noise": args.noise,
            "density": args.density, "seed": common.seed, "truth": generator.truth, "written": named,
        }))
    } else if common.quiet {
        Ok(())
    } else {
        let files = named.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
        say(format!("{}: {} x {}: {files}\n", generator.name, args.rows, generator.features).as_bytes())
    }
}

fn list(common: &Common) -> Outcome {
    let described = |g: &Generator| {
        json!({
            "name": g.name, "summary": g.summary, "features": g.features, "truth": g.truth, "classes": g.classes,
            "density": g.density,
        })
    };
    if common.json {
        return say_json(&data::all().iter().map(described).collect());
    }
    let column = data::all().iter().map(|g| g.name.len()).max().unwrap_or(0) + 2;
    let mut out = String::new();
    for generator in data::all() {
        field(&mut out, generator.name, column, generator.summary);
    }
    say(out.as_bytes())
}
