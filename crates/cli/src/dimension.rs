//! `lowland dimension`.

use crate::args::{Common, Dimension};
use crate::evaluate::stages;
use crate::files::{self, Output};
use crate::outcome::{Failure, Outcome, say, say_json};
use crate::setup;
use crate::source::{Source, points};
use crate::summary::{Significant, count_grouped, grouped};
use lowland::dimension::{Dimension as Found, Estimator, Scales, consensus};
use lowland::quality::{estimate_json, intrinsic_dimension};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::time::Instant;

pub fn run(args: &Dimension, common: &Common) -> Outcome {
    let source = Source::parse(&args.input, common)?.for_distances();
    let named = args.estimator.iter().map(|name| name.parse()).collect::<Result<Vec<Estimator>, _>>();
    let named = named.map_err(Failure::usage)?;
    let estimators = if named.is_empty() { Estimator::ALL.to_vec() } else { named };
    let scales = Scales { k1: args.k1, k2: args.k2 };
    let run = setup::run(common)?;
    let inputs: Vec<&str> = source.path().into_iter().collect();
    let report =
        args.report.as_deref().map(|path| Output::prepare_bytes(path, common.force, &inputs)).transpose()?;

    let loaded = source.load(&run)?;
    let (n, features) = loaded.matrix.dim();
    let begun = Instant::now();
    let estimate =
        |&estimator| Ok((estimator, intrinsic_dimension(points(&loaded.matrix), estimator, scales, &run)?));
    let found = estimators.iter().map(estimate).collect::<lowland::Result<Vec<(Estimator, Found)>>>()?;
    let seconds = begun.elapsed().as_secs_f64();
    let distinct = found.first().map_or(n, |(_, found)| found.distinct);

    let globals: Vec<_> = found.iter().map(|(_, found)| found.global).collect();
    let answer = consensus(&globals, features);

    run.check()?;
    let summary = |whole: bool| {
        let estimates: Map<String, Value> = found
            .iter()
            .map(|(estimator, found)| {
                let mut summary = estimate_json(&found.global);
                if let (true, Some(local)) = (whole, &found.local) {
                    summary["local"] = json!(local);
                }
                (estimator.name().to_owned(), summary)
            })
            .collect();
        json!({
            "lowland": env!("CARGO_PKG_VERSION"), "input": source.name(), "n": n, "distinct": distinct,
            "features": features, "k1": args.k1, "k2": args.k2, "seed": common.seed, "estimates": estimates,
            "answer": answer.map(|answer| json!({
                "dimensions": answer.dimensions, "certainty": answer.certainty().words(), "agree": answer.agree,
                "of": answer.of, "low": answer.low, "high": answer.high,
            })),
            "seconds": stages(&run, seconds),
        })
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
    let mut out = format!(
        "dimension of {}: {} ({} different), {}\n",
        source.name(),
        count_grouped(n, "point"),
        grouped(distinct),
        count_grouped(features, "column")
    );
    for (estimator, found) in &found {
        let (value, low, high) = (found.global.value, found.global.low, found.global.high);
        let [value, low, high] = [value, low, high].map(|d| format!("{:.3}", Significant(d)));
        let _ = writeln!(out, "  {:<16}  {value:>6}  95 %: {low} to {high}", estimator.name());
    }
    if let Some(path) = &args.report {
        let _ = writeln!(out, "  {:<13}  {path}", "written");
    }
    if let Some(answer) = answer {
        let _ = writeln!(out, "{answer}");
    }
    say(out.as_bytes())
}
