//! `lowland kernel`: the kernel of a spectral model, made explicit; `lowland complete`: one of which some rows are known.

use crate::args::{Common, Complete, Input, Kernel};
use crate::files::{self, Output};
use crate::outcome::{Failure, Outcome, say, say_json};
use crate::setup;
use crate::source::{Source, points};
use crate::table::Fitted;
use lowland::spectral::{Gram, completion};
use lowland::units::{count, percent};
use lowland::{AnyMatrix, Error};
use lowland_io::preparation::{self, Choices, Purpose};
use serde_json::json;

pub fn run(args: &Kernel, common: &Common) -> Outcome {
    let gram = Gram::new(&args.kernel, args.time, args.shift).map_err(Failure::usage)?;
    if args.rows.is_some() && gram != Gram::default() {
        let message =
            "--kernel, --time and --shift are for the kernel between the training points; leave out --rows";
        return Err(Failure::Usage(message.into()));
    }
    let run = setup::run(common)?;
    let inputs: Vec<&str> = args.rows.iter().map(String::as_str).chain([args.model.as_str()]).collect();
    let output = Output::prepare(&args.output, common.force, &inputs)?;
    let fitted = Fitted::open(&args.model)?;
    let method = fitted.model.entry().name;
    let Some(spectral) = fitted.model.spectral() else {
        let what = "give a kernel: it is not spectral".into();
        let remedy = "choose a spectral method, such as kernel-pca, isomap or lle".into();
        return Err(Error::Unsupported { method: method.into(), what, remedy }.into());
    };
    let kernel = match &args.rows {
        None => spectral.gram(gram, &run)?,
        Some(path) => {
            let input = Input { input: path.clone(), ..Input::default() };
            let source = Source::parse(&input, common)?.for_rows(fitted.model.entry());
            spectral.kernel(points(&source.load_for(&fitted, &run)?.matrix), &run)?
        }
    };
    let (rows, columns) = kernel.dim();
    run.check()?;
    output.write(&AnyMatrix::from(kernel), None)?;
    files::commit()?;
    if common.json {
        say_json(&json!({ "method": method, "rows": rows, "columns": columns, "output": args.output }))
    } else if common.quiet {
        Ok(())
    } else {
        say(format!("{method}: a kernel of {rows} x {columns}: {}\n", args.output).as_bytes())
    }
}

/// Fills in what is missing.
pub fn complete(args: &Complete, common: &Common) -> Outcome {
    let run = setup::run(common)?;
    let inputs: Vec<&str> = args.against.as_deref().into_iter().chain([args.kernel.as_str()]).collect();
    let output = Output::prepare(&args.output, common.force, &inputs)?;
    let choices = Choices { memory: common.memory, ..Choices::default() };
    let read = |path: &str, holes: bool| {
        preparation::prepare(path, &choices, Purpose { holes, ..Purpose::default() }, &run)
            .map(|table| table.matrix.to_f64())
    };
    let found = completion::complete(read(&args.kernel, true)?.view(), &run)?;
    let (rows, known) = (found.kernel.nrows(), found.known.len());
    let error = match &args.against {
        None => None,
        Some(path) => {
            let whole = read(path, false)?;
            if whole.dim() != found.kernel.dim() {
                let problem = format!(
                    "the kernel in {path} is {} x {}, for {}",
                    whole.nrows(),
                    whole.ncols(),
                    count(rows, "object")
                );
                return Err(
                    Error::malformed("kernel", problem, "give the whole kernel of these objects").into()
                );
            }
            let norm = |values: &dyn Fn((usize, usize)) -> f64| {
                ndarray::indices(whole.dim()).into_iter().map(|at| values(at).powi(2)).sum::<f64>().sqrt()
            };
            let (off, all) = (norm(&|at| whole[at] - found.kernel[at]), norm(&|at| whole[at]));
            Some((off, if all > 0.0 { off / all } else { 0.0 }))
        }
    };
    run.check()?;
    output.write(&AnyMatrix::from(found.kernel), None)?;
    files::commit()?;
    let (filled, rank) = (found.filled, found.rank);
    if common.json {
        say_json(&json!({
            "rows": rows, "complete_rows": known, "filled": filled, "rank": rank, "output": args.output,
            "frobenius_error": error.map(|(off, _)| off), "relative_error": error.map(|(_, share)| share),
        }))
    } else if common.quiet {
        Ok(())
    } else {
        let mut text = format!(
            "{filled} of {rows} x {rows} entries from {}, of rank {rank}: {}\n",
            count(known, "complete row"),
            args.output
        );
        if let Some((off, share)) = error {
            text += &format!("  {off:.6} off in the Frobenius norm, {} of the kernel\n", percent(share));
        }
        say(text.as_bytes())
    }
}
