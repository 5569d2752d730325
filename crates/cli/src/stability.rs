//! `lowland stability`: Bengio's experiment (section 5.3), for one share of the rows or for several.

use crate::args::{Common, Stability};
use crate::files::{self, Output};
use crate::outcome::{Failure, Outcome, say, say_json};
use crate::setup;
use crate::source::{Source, points};
use lowland::quality::estimate_json;
use lowland::stability::Experiment;
use lowland::units::percent;
use serde_json::json;
use std::fmt::Write;

pub fn run(args: &Stability, common: &Common) -> Outcome {
    args.input.table.check(args.method.kind)?;
    let source = Source::parse(&args.input, common)?;
    if args.method.method.is_none() {
        return Err(Failure::Usage("no method was named; give one by --method".into()));
    }
    let method = setup::method(&args.method, common)?;
    let source = source.for_method(method.entry(), args.method.kind);
    let run = setup::run(common)?;
    let inputs: Vec<&str> = source.path().into_iter().collect();
    let report =
        args.report.as_deref().map(|path| Output::prepare_bytes(path, common.force, &inputs)).transpose()?;
    let loaded = source.load(&run)?;
    let can = method.entry().capabilities;
    let learned = loaded.labels.as_ref().filter(|_| can.labels || can.optional_labels);
    let labels = learned.map(|labels| files::numbered(labels, can.optional_labels));
    let experiment = Experiment { splits: args.splits, held_out: args.held_out, ..Experiment::default() };
    let found = experiment.curve(&args.shares, &*method, points(&loaded.matrix), labels.as_deref(), &run)?;
    let rows: Vec<serde_json::Value> = args
        .shares
        .iter()
        .zip(&found)
        .map(|(share, found)| {
            json!({
                "share": share, "exchanged": found.exchanged, "held_out": found.held_out, "splits": found.splits,
                "substitution": estimate_json(&found.substitution),
                "out_of_sample": estimate_json(&found.out_of_sample),
                "difference": estimate_json(&found.difference),
            })
        })
        .collect();
    let whole = json!({
        "lowland": env!("CARGO_PKG_VERSION"), "method": method.entry().name, "input": source.name(),
        "n": loaded.matrix.dim().0, "seed": common.seed, "shares": rows,
    });
    if let Some(report) = report {
        report.write_bytes(format!("{whole:#}\n").as_bytes())?;
        files::commit()?;
    }
    if common.json {
        return say_json(&whole);
    }
    if common.quiet {
        return Ok(());
    }
    let mut out = format!(
        "{} of {}: how far points move, relative to the spread of the embedding\n  share   exchanged   out of sample   \
         difference [95 %]\n",
        method.entry().name,
        source.name()
    );
    for (share, found) in args.shares.iter().zip(&found) {
        let delta = found.difference;
        let _ = writeln!(
            out,
            "  {share:<7} {:<11.4} {:<15.4} {:.4} [{:.4}, {:.4}]",
            found.substitution.value, found.out_of_sample.value, delta.value, delta.low, delta.high
        );
    }
    out += "The difference is that of the rows held out: how far they move when others are exchanged, less how far they land \
            from their coordinates when they are embedded as new points.\n";
    let trusted = found.iter().position(|found| found.difference.value >= 0.0);
    let words = match trusted {
        Some(first) => format!(
            "The out-of-sample error is no larger than the effect of exchanging {} of the rows{}.\n",
            percent(args.shares[first]),
            if found[first].difference.low < 0.0 {
                " on average, but the interval includes larger errors; raise --splits"
            } else {
                ""
            }
        ),
        None => "The out-of-sample error is larger than the effect of exchanging any of these shares of the rows.\n".into(),
    };
    say((out + &words).as_bytes())
}
