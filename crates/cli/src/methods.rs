//! `lowland methods`: everything comes from the registry.

use crate::args::{Common, Methods};
use crate::fields::field;
use crate::outcome::{Failure, Outcome, say, say_json};
use lowland::{Entry, registry};

pub fn run(args: &Methods, common: &Common) -> Outcome {
    match &args.name {
        Some(name) => {
            let entry = registry::find(name).map_err(Failure::usage)?;
            if common.json { say_json(&entry.to_json()) } else { say(page(entry).as_bytes()) }
        }
        None if common.json => say_json(&registry::all().iter().map(|entry| entry.to_json()).collect()),
        None => {
            let column = registry::all().iter().map(|entry| entry.name.len()).max().unwrap_or(0) + 2;
            let mut out = String::new();
            for entry in registry::all() {
                field(&mut out, entry.name, column, entry.title);
            }
            say(out.as_bytes())
        }
    }
}

fn page(entry: &Entry) -> String {
    const COLUMN: usize = 14;
    let can = entry.capabilities;
    let yes = |is: bool| if is { "yes" } else { "no" };
    let mut out = String::new();
    field(&mut out, entry.name, COLUMN, entry.title);
    field(&mut out, "", COLUMN, entry.summary);
    field(&mut out, "also called", COLUMN, &entry.aliases.join(", "));
    field(&mut out, "paper", COLUMN, entry.citation);
    field(
        &mut out,
        "takes",
        COLUMN,
        &can.inputs.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", "),
    );
    if let Some(is) = entry.properties() {
        field(&mut out, "parametric", COLUMN, yes(is.parametric));
        field(&mut out, "convex", COLUMN, yes(is.convex));
        field(&mut out, "cost", COLUMN, &format!("time grows with {}; memory with {}", is.cost, is.memory));
        let letters = is.letters().into_iter().map(|(letter, words)| format!("{letter}: {words}"));
        field(&mut out, "", COLUMN, &format!("({})", letters.collect::<Vec<_>>().join(", ")));
    }
    field(&mut out, "inverse", COLUMN, yes(can.inverse));
    let density = match (can.density, can.energy) {
        (true, _) => "yes: likelihoods ('score'), and 'sample'",
        (false, true) => "up to a factor: free energies ('score'), and 'sample'",
        (false, false) => "no",
    };
    field(&mut out, "density", COLUMN, density);
    field(&mut out, "checkpoints", COLUMN, if can.resume { "yes (--checkpoint, --start)" } else { "no" });
    let start = "yes: the start decides which one";
    field(&mut out, "local optimum", COLUMN, if can.local_optimum { start } else { "no" });
    field(&mut out, "random", COLUMN, if can.random { "yes: it depends on the seed" } else { "no" });
    field(&mut out, "in chunks", COLUMN, yes(can.chunks));
    let labels = match (can.labels, can.optional_labels) {
        (true, _) => "yes: it learns from them (--labels)",
        (false, true) => "optional: its parameters say whether it learns from them (--labels)",
        (false, false) => "no",
    };
    field(&mut out, "labels", COLUMN, labels);
    let missing = match (can.missing, can.missing_pairs) {
        (true, _) => "yes: NaN is a missing value",
        (false, true) => "pairs: NaN among given distances (--as distances)",
        (false, false) => "no",
    };
    field(&mut out, "missing", COLUMN, missing);
    out.push_str("\nparameters (--set NAME=VALUE)\n");
    for parameter in (entry.parameters)() {
        field(&mut out, &format!("  {} = {}", parameter.name, parameter.default), 4, &parameter.meaning);
        field(&mut out, "", 4, &format!("Range: {}.", parameter.kind.describe()));
        for (word, meaning) in parameter.kind.words() {
            field(&mut out, &format!("      {word}"), 20, meaning);
        }
    }
    out
}
