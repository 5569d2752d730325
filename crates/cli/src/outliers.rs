//! `lowland outliers`.

use crate::args::{Common, Outliers};
use crate::files::{self, Labels, Output};
use crate::outcome::{Failure, Outcome, say, say_json};
use crate::setup;
use crate::source::{Source, points};
use lowland::quality::{find_outliers, outliers::Search};
use lowland::units::count;
use serde_json::json;

/// How many rows are named in the terminal.
const NAMED: usize = 10;

pub fn run(args: &Outliers, common: &Common) -> Outcome {
    if args.output.is_some() && !args.input.table.encode.is_empty() {
        let message = "--encode: the table is written as it is, without some rows; leave out --encode";
        return Err(Failure::Usage(message.into()));
    }
    let source = Source::parse(&args.input, common)?.carrying_whole();
    let inputs: Vec<&str> = source.path().into_iter().collect();
    let named: Vec<&String> = args.output.iter().chain(&args.report).collect();
    files::distinct(&named)?;
    let run = setup::run(common)?;
    let output =
        args.output.as_deref().map(|path| Output::prepare(path, common.force, &inputs)).transpose()?;
    let report =
        args.report.as_deref().map(|path| Output::prepare_bytes(path, common.force, &inputs)).transpose()?;
    let loaded = source.load(&run)?;
    let search = Search { k: args.neighbors, threshold: args.threshold };
    let found = find_outliers(points(&loaded.matrix), search, &run)?;
    run.check()?;
    let n = loaded.matrix.dim().0;
    // Rows of the file, from 0 on, where some were left out before.
    let row = |row: &usize| loaded.beside.rows.as_ref().map_or(*row, |rows| rows[*row]);
    let mut farthest = found.rows.clone();
    farthest.sort_by(|&a, &b| found.factors[b].total_cmp(&found.factors[a]).then(a.cmp(&b)));
    let id = |i: &usize| match &loaded.beside.ids.as_ref()?.1 {
        Labels::Numbers(ids) => Some(ids[*i].to_string()),
        Labels::Words(ids) => Some(ids[*i].clone()),
    };
    // As other messages name them: lines of a text, rows of an array.
    let shown = farthest.iter().take(NAMED).map(|i| {
        let (unit, number) =
            loaded.beside.first_line.map_or(("row", row(i)), |first| ("line", first + row(i)));
        let name = id(i).map(|id| format!("  {id}")).unwrap_or_default();
        format!("  {unit} {number:<8} factor {:.2}{name}\n", found.factors[*i])
    });
    let shown: String = shown.collect();
    let listed: Vec<_> =
        farthest.iter().map(|i| json!({ "row": row(i), "id": id(i), "factor": found.factors[*i] })).collect();
    let whole = json!({
        "lowland": env!("CARGO_PKG_VERSION"), "input": source.name(), "n": n, "k": found.k,
        "threshold": args.threshold, "kept": n - found.rows.len(), "outliers": listed, "output": args.output,
    });
    if let Some(output) = output {
        let kept = found.kept();
        let matrix = loaded.beside.unscaled.as_ref().unwrap_or(&loaded.matrix).select(&kept);
        loaded.beside.only(&kept).write_table(&matrix, loaded.columns.as_deref(), output)?;
    }
    if let Some(report) = report {
        let mut whole = whole.clone();
        whole["factors"] = json!(found.factors);
        report.write_bytes(format!("{whole:#}\n").as_bytes())?;
    }
    files::commit()?;
    if common.json {
        return say_json(&whole);
    }
    if common.quiet {
        return Ok(());
    }
    let mut out = format!(
        "{} of {}, among {} (local outlier factor above {}, {})\n",
        count(found.rows.len(), "outlier"),
        source.name(),
        count(n, "row"),
        args.threshold,
        count(found.k, "neighbor")
    );
    out += &shown;
    if listed.len() > NAMED {
        out += &format!("  and {} more\n", listed.len() - NAMED);
    }
    if let Some(path) = &args.output {
        out += &format!("  written  {}: {path}\n", count(n - found.rows.len(), "row"));
    }
    say(out.as_bytes())
}
