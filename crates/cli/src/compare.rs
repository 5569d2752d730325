//! `lowland compare`.

use crate::args::{Common, Compare};
use crate::fields::field;
use crate::files::{self, Output};
use crate::outcome::{self, Failure, Outcome, say, say_json};
use crate::source::{Source, points};
use crate::summary::Significant;
use crate::{given, pictures, setup};
use lowland::compare::{BestFor, Cell, CellResult, Comparison, ComparisonOptions, Override, Ranked, command};
use lowland::units::{count, count_grouped, human_duration as duration};
use lowland::{Error, registry};
use lowland_report::Subject;
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;

pub fn run(args: &Compare, common: &Common) -> Outcome {
    args.input.table.check_labels(args.labels.as_ref())?;
    let source = Source::parse(&args.input, common)?.for_distances();
    for name in &args.methods {
        registry::find(name).map_err(Failure::usage)?;
    }
    let grid = args.grid.iter().map(|text| text.parse()).collect::<Result<Vec<Override>, _>>();
    let grid = grid.map_err(Failure::usage)?;
    let output = args.output.clone().unwrap_or_else(|| format!("{}-comparison.html", source.name()));
    let work = PathBuf::from(args.work.clone().unwrap_or_else(|| format!("{output}.cells")));
    let named: Vec<&String> = [Some(&output), args.report.as_ref()].into_iter().flatten().collect();
    let inputs: Vec<&str> = source.path().into_iter().chain(args.labels.as_deref()).collect();
    files::distinct(&named)?;
    // Before the outputs are prepared: an interrupt removes them.
    let run = setup::run(common)?;
    let page = Output::prepare_bytes(&output, common.force, &inputs)?;
    let report =
        args.report.as_deref().map(|path| Output::prepare_bytes(path, common.force, &inputs)).transpose()?;

    let mut loaded = source.load(&run)?;
    if let Some(path) = &args.labels {
        let labels = files::read_labels(path, loaded.beside.total, args.input.table.header, false)?;
        (loaded.labels, loaded.structure) = (Some(loaded.beside.kept(labels)), None);
    }
    let classes = pictures::classes(&loaded);
    let labels = loaded.labels.as_ref().filter(|_| classes.is_some());
    let labels = labels.map(|labels| files::numbered(labels, false));
    run.check()?;
    outcome::if_interrupted(format!(
        "finished settings are kept in {}: the same command goes on from there",
        work.display()
    ));
    let comparing = ComparisonOptions {
        methods: args.methods.clone(),
        grid,
        dimensions: args.dims,
        labels: labels.as_deref(),
        k: args.neighbors,
        rank_by: args.rank_by.clone(),
        budget: args.budget,
        stability_of: args.stability,
        work: Some(work.clone()),
        ..ComparisonOptions::default()
    };
    let found = comparing.compare(points(&loaded.matrix), &run)?;

    let input = given::words(&args.input.input);
    let subject = Subject {
        name: &source.name(),
        input: Some(&input),
        coloring: pictures::coloring(&loaded, classes.as_deref()),
    };
    page.write_bytes(lowland_report::html(&found, &subject).as_bytes())?;
    let summary = |whole: bool| {
        let mut summary = found.to_json(whole);
        summary["lowland"] = json!(env!("CARGO_PKG_VERSION"));
        summary["input"] = json!(source.name());
        summary["seed"] = json!(common.seed);
        summary["threads"] = json!(run.threads());
        summary["output"] = json!(output);
        summary
    };
    if let Some(report) = report {
        report.write_bytes(format!("{}\n", summary(true)).as_bytes())?;
    }
    files::commit()?;
    if common.json {
        say_json(&summary(false))?;
    } else if !common.quiet {
        say(text(&found, (&source.name(), &input), &named, &work).as_bytes())?;
    }
    if found.ranking.is_empty() {
        let remedy = format!("see in {output} why each setting was skipped or failed");
        return Err(
            Error::Unsupported { method: "compare".into(), what: "rank any method".into(), remedy }.into()
        );
    }
    Ok(())
}

/// Most methods that a screen lists.
const LISTED: usize = 10;

fn text(
    found: &Comparison,
    (name, input): (&str, &str),
    written: &[&String],
    work: &std::path::Path,
) -> String {
    let advice = &found.advice;
    let mut out = format!(
        "{name}: {}, {}, in {}\n\n{}\n",
        count_grouped(found.n, "row"),
        count_grouped(found.features, "column"),
        count(found.dimensions, "dimension"),
        advice.recommendation
    );
    if let Some(method) = &advice.method {
        let cell = Cell { method: method.clone(), settings: advice.settings.clone() };
        // On a line of its own, to be copied.
        let _ = writeln!(out, "\n  {}\n", command(&cell, found.dimensions, input));
    }
    for BestFor { purpose, cell, same_embedding, figures } in &advice.best_for {
        let same = if same_embedding.is_empty() {
            String::new()
        } else {
            format!(" (or {})", same_embedding.join(", "))
        };
        let settings = if cell.settings.is_empty() { String::new() } else { format!(", {}", cell.words()) };
        let line = format!("{}{settings}{same}: {figures}", cell.method);
        field(&mut out, &format!("  {}", purpose.words()), 23, &line);
    }
    for reason in &advice.reasons {
        field(&mut out, "  why", 9, reason);
    }
    for doubt in &advice.doubts {
        field(&mut out, "  doubt", 9, doubt);
    }
    for line in &advice.excluded {
        field(&mut out, "  excluded", 11, line);
    }
    let shown = found.ranking.iter().take(LISTED);
    let width = shown.clone().map(|ranked| ranked.cell.method.len()).max().unwrap_or(0);
    // What is recommended is ranked by its picture, which shows two dimensions of as many as there are.
    let by = found.ranked_by.replace('_', " ");
    let _ = writeln!(out, "\n  ranked by {by} in {}:", count(found.dimensions, "dimension"));
    for (i, ranked) in shown.enumerate() {
        let Some((tried, judged)) = found.at(ranked) else { continue };
        let value = |name: &str| judged.value(name).unwrap_or(f64::NAN);
        let rank = if ranked.excluded.is_some() { "-".to_owned() } else { (i + 1).to_string() };
        let line = format!(
            "  {rank:>2}  {:<width$}  {:>9}  trust {:.3}  continuity {:.3}  {:>8}  {}",
            ranked.cell.method,
            format!("{:.4}", Significant(ranked.score.value)),
            value("trustworthiness"),
            value("continuity"),
            duration(judged.seconds),
            settings(ranked, tried)
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    if found.ranking.len() > LISTED {
        let _ = writeln!(out, "      and {} more in the report", found.ranking.len() - LISTED);
    }
    out.push('\n');
    let resumed = match found.resumed {
        0 => String::new(),
        1 => " (1 setting was finished before)".to_owned(),
        cells => format!(" ({cells} settings were finished before)"),
    };
    field(&mut out, "  time", 11, &format!("{}{resumed}", duration(found.seconds)));
    for path in written {
        field(&mut out, "  written", 11, path);
    }
    field(&mut out, "  kept", 11, &format!("{}: finished settings, for the next run", work.display()));
    out
}

/// The settings of a line of the ranking, and the methods that give the same.
fn settings(ranked: &Ranked, tried: &CellResult) -> String {
    let own = if tried.cell.settings.is_empty() { String::new() } else { tried.cell.words() };
    if ranked.same_embedding.is_empty() {
        own
    } else {
        format!("{own} also {}", ranked.same_embedding.join(", "))
    }
}
