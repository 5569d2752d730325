//! `lowland reproduce`.

use crate::args::{Common, Reproduce};
use crate::fields::field;
use crate::outcome::{self, Failure, Outcome, say, say_json};
use crate::setup;
use lowland::compare::quoted;
use lowland::units::human_duration as duration;
use lowland_reproduce::{ALL, EXPERIMENTS, Findings, Options, find, reproduce, reproduce_all};
use serde_json::json;
use std::path::PathBuf;

pub fn run(args: &Reproduce, common: &Common) -> Outcome {
    let Some(name) = &args.name else { return list(common) };
    let name = if name == ALL { ALL } else { find(name).map_err(Failure::usage)?.name };
    let Some(out) = args.out.clone() else {
        return Err(Failure::Usage(format!(
            "no folder for the results; write lowland reproduce {name} --out DIR"
        )));
    };
    let data =
        args.data.clone().or_else(|| std::env::var("LOWLAND_DATA").ok().filter(|path| !path.is_empty()));
    let run = setup::run(common)?;
    outcome::if_interrupted(format!(
        "what is finished is kept below {out}: the same command goes on from there"
    ));
    let options = Options {
        data: data.map(PathBuf::from),
        quick: args.quick,
        coarse: args.coarse,
        seeds: args.seeds,
        sets: args.sets.clone(),
        patience: args.patience,
        command: command(name, args, common),
        ..Options::new(name, PathBuf::from(&out))
    };
    let named = options.data.is_some();
    if name == ALL {
        let found = reproduce_all(&options, &run)?;
        if common.json {
            return say_json(&json!(found));
        }
        if !common.quiet {
            let each = |found: &Findings| text(found, &format!("{out}/{}", found.experiment), named) + "\n";
            let mut all: String = found.iter().map(each).collect();
            field(&mut all, "all", 11, &format!("{out}/reproduction.md"));
            say(all.as_bytes())?;
        }
        return Ok(());
    }
    let found = reproduce(&options, &run)?;
    if common.json {
        say_json(&json!(found))?;
    } else if !common.quiet {
        say(text(&found, &out, named).as_bytes())?;
    }
    Ok(())
}

/// The command that repeats it; folders by their roles, for they differ from machine to machine.
fn command(name: &str, args: &Reproduce, common: &Common) -> String {
    let mut words = format!("lowland reproduce {name} --out DIR --data DATA");
    if args.quick {
        words += " --quick";
    }
    if args.coarse {
        words += " --coarse";
    }
    if let Some(seeds) = args.seeds {
        words += &format!(" --seeds {seeds}");
    }
    if !args.sets.is_empty() {
        words += &format!(" --sets {}", quoted(&args.sets.join(",")));
    }
    if let Some(patience) = args.patience {
        words += &format!(" --patience {}s", patience.as_secs_f64());
    }
    if common.seed != 0 {
        words += &format!(" --seed {}", common.seed);
    }
    words
}

fn list(common: &Common) -> Outcome {
    if common.json {
        let entries: Vec<_> =
            EXPERIMENTS.iter().map(|entry| json!({ "name": entry.name, "summary": entry.summary })).collect();
        return say_json(&json!(entries));
    }
    let mut out = String::new();
    for entry in EXPERIMENTS {
        field(&mut out, entry.name, 12, entry.summary);
    }
    field(&mut out, ALL, 12, "All of them, and their findings on one page of Markdown");
    say(out.as_bytes())
}

/// What was found; `data` says whether a folder of data was named.
fn text(found: &Findings, out: &str, data: bool) -> String {
    let mut text = format!("{}: {}\n\n", found.experiment, found.title);
    for line in &found.summary {
        field(&mut text, "", 2, line);
    }
    for claim in found.sections.iter().flat_map(|section| &section.claims) {
        let line = format!("{}: {} ({})", claim.claim, claim.word(), claim.found);
        field(&mut text, "  claim", 11, &line);
    }
    for line in &found.missing {
        field(&mut text, "  missing", 11, line);
    }
    if !data && !found.missing.is_empty() {
        field(&mut text, "", 11, "--data DIR names the folder of the real data sets");
    }
    field(&mut text, "  time", 11, &duration(found.seconds));
    field(&mut text, "  written", 11, &format!("{out}/index.html, results.json, results.csv, results.md"));
    text
}
