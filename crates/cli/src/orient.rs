//! `lowland orient`: oriented PCA of covariances that are known (Burges 1.4).

use crate::args::{Common, Orient};
use crate::files::{self, Output};
use crate::outcome::{Failure, Outcome, print_message, say, say_json};
use crate::setup;
use lowland::methods::OrientedPca;
use lowland::parameters::Value;
use lowland::units::count;
use lowland::{Error, Method, Model, prepared_bytes};
use lowland_io::preparation::{self, Choices, Purpose};
use ndarray::Array2;
use serde_json::json;

pub fn run(args: &Orient, common: &Common) -> Outcome {
    let mut method = OrientedPca::default();
    let dims = args.dims.as_ref().map(|dims| ("n_components", dims.as_str()));
    let others = args.set.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    for (name, value) in dims.into_iter().chain(others) {
        method.set(name, &Value::parse(value)).map_err(Failure::usage)?;
    }
    let run = setup::run(common)?;
    let inputs: Vec<&str> =
        [&args.signal, &args.noise].into_iter().chain(&args.mean).map(String::as_str).collect();
    let output = Output::prepare_bytes(&args.model, common.force, &inputs)?;
    let choices = Choices { memory: common.memory, ..Choices::default() };
    let read = |path: &String| -> Outcome<Array2<f64>> {
        Ok(preparation::prepare(path, &choices, Purpose::default(), &run)?.matrix.to_f64())
    };
    let (signal, noise) = (read(&args.signal)?, read(&args.noise)?);
    let mean = match &args.mean {
        Some(path) => {
            let mean = read(path)?;
            if mean.nrows() > 1 && mean.ncols() > 1 {
                let (rows, columns) = mean.dim();
                let problem = format!("{path}: the mean is {rows} x {columns}");
                let remedy = format!("give one row or one column of {}", count(signal.ncols(), "value"));
                return Err(Error::malformed("mean", problem, remedy).into());
            }
            mean.iter().copied().collect()
        }
        None => vec![0.0; signal.ncols()],
    };
    let model = method.fit_covariances(signal.view(), noise.view(), &mean, &run)?;
    run.check()?;
    output.write_bytes(&prepared_bytes(&model, None, None)?)?;
    files::commit()?;
    let (values, features) = (&model.report().eigenvalues, model.features());
    let warnings: Vec<String> = model.report().warnings.iter().map(ToString::to_string).collect();
    for warning in &warnings {
        print_message("warning", warning);
    }
    if common.json {
        return say_json(&json!({
            "method": model.entry().name, "features": features, "dims": model.components(),
            "signal_to_noise": model.vector("signal_to_noise").map(|values| values.to_vec()),
            "model": args.model, "warnings": warnings,
        }));
    }
    if common.quiet {
        return Ok(());
    }
    let words: Vec<String> = values.iter().take(5).map(|value| format!("{value:.4}")).collect();
    say(format!(
        "{}: {} of {}, {}{}: {}\n",
        model.entry().name,
        model.components(),
        count(features, "direction"),
        words.join(", "),
        if values.len() > 5 { ", .." } else { "" },
        args.model
    )
    .as_bytes())
}
