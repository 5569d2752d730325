//! `lowland transform` and `lowland inverse`.

use crate::args::{Apply, Common};
use crate::files::{self, Output};
use crate::outcome::{Outcome, say, say_json};
use crate::setup;
use crate::source::{Source, points};
use crate::table::Fitted;
use lowland::units::{count, human_duration};
use serde_json::json;
use std::time::Instant;

/// Into the embedding, or back out of it.
#[derive(Clone, Copy, PartialEq)]
pub enum Direction {
    There,
    Back,
}

pub fn run(args: &Apply, common: &Common, direction: Direction) -> Outcome {
    let source = Source::parse(&args.input, common)?;
    let inputs: Vec<&str> = source.path().into_iter().chain([args.model.as_str()]).collect();
    let run = setup::run(common)?;
    let output = Output::prepare(&args.output, common.force, &inputs)?;
    let fitted = Fitted::open(&args.model)?;
    let model = &fitted.model;
    let source = source.for_rows(model.entry());
    let loaded = match direction {
        Direction::There => source.load_for(&fitted, &run)?,
        // The rows are those of an embedding, which may have the ids and the labels before it.
        Direction::Back => source.beside(fitted.id_and_label()).load(&run)?,
    };
    run.check()?;
    let begun = Instant::now();
    let rows = match direction {
        Direction::There => model.transform(points(&loaded.matrix), &run)?,
        Direction::Back => model.inverse(points(&loaded.matrix), &run)?,
    };
    let seconds = begun.elapsed().as_secs_f64();
    run.check()?;
    let rows = match direction {
        Direction::There => {
            loaded.beside.write_components(&rows, output)?;
            rows
        }
        Direction::Back => {
            let (rows, names) = fitted.restored(rows);
            match names {
                Some(names) => loaded.beside.write_rows(&rows, &names, output)?,
                None => output.write(&rows, None)?,
            }
            rows
        }
    };
    files::commit()?;
    let ((n, from), (_, to)) = (loaded.matrix.dim(), rows.dim());
    let method = model.entry().name;
    if common.json {
        say_json(&json!({
            "method": method, "n": n, "from": from, "to": to, "seconds": { "total": seconds },
            "output": args.output,
        }))
    } else if common.quiet {
        Ok(())
    } else {
        say(format!(
            "{method}: {}, from {from} to {} in {}: {}\n",
            count(n, "row"),
            count(to, "dimension"),
            human_duration(seconds),
            args.output
        )
        .as_bytes())
    }
}
