//! `lowland sample`, `lowland score` and `lowland impute`: what only a model that is a density can do.

use crate::args::{Apply, Common, Impute, Sample};
use crate::files::{self, Output};
use crate::outcome::{Failure, Outcome, print_message, say, say_json};
use crate::setup;
use crate::source::{Loaded, Source, points};
use crate::table::Fitted;
use lowland::AnyMatrix;
use lowland::units::{count, one_or_many};
use lowland_io::preparation::{TableRecipe, empty_rows, patched};
use ndarray::Array2;
use serde_json::json;
use std::borrow::Cow;

pub fn sample(args: &Sample, common: &Common) -> Outcome {
    let run = setup::run(common)?;
    let output = Output::prepare(&args.output, common.force, &[args.model.as_str()])?;
    let fitted = Fitted::open(&args.model)?;
    let model = &fitted.model;
    let (rows, names) = fitted.restored(AnyMatrix::from(model.sample(args.rows, &run)?));
    run.check()?;
    output.write(&rows, names.as_deref())?;
    files::commit()?;
    let (method, (n, features)) = (model.entry().name, rows.dim());
    if common.json {
        say_json(&json!({
            "method": method, "n": n, "features": features, "seed": common.seed, "output": args.output,
        }))
    } else if common.quiet {
        Ok(())
    } else {
        say(format!("{method}: {n} x {features}: {}\n", args.output).as_bytes())
    }
}

/// One number a row: the log-likelihood, or the free energy where the density is known up to a factor.
pub fn score(args: &Apply, common: &Common) -> Outcome {
    let source = Source::parse(&args.input, common)?;
    let inputs: Vec<&str> = source.path().into_iter().chain([args.model.as_str()]).collect();
    let run = setup::run(common)?;
    let output = Output::prepare(&args.output, common.force, &inputs)?;
    let fitted = Fitted::open(&args.model)?;
    let model = &fitted.model;
    let loaded = source.for_rows(model.entry()).load_for(&fitted, &run)?;
    let rows = points(&loaded.matrix);
    let (name, scores) = match model.entry().capabilities.energy {
        true => ("free_energy", model.free_energy(rows, &run)?),
        false => ("log_likelihood", model.log_density(rows, &run)?),
    };
    run.check()?;
    let (method, n, mean) = (model.entry().name, scores.len(), scores.mean().unwrap_or(0.0));
    let column = AnyMatrix::from(scores.insert_axis(ndarray::Axis(1)));
    loaded.beside.write_rows(&column, &[name.to_owned()], output)?;
    files::commit()?;
    if common.json {
        say_json(&json!({ "method": method, "n": n, "score": name, "mean": mean, "output": args.output }))
    } else if common.quiet {
        Ok(())
    } else {
        let words = name.replace('_', " ");
        let rows = count(n, "row");
        say(format!("{method}: {rows}, {words} {mean:.6} on average: {}\n", args.output).as_bytes())
    }
}

pub fn impute(args: &Impute, common: &Common) -> Outcome {
    let given = [
        (!args.input.table.encode.is_empty(), "--encode"),
        (args.input.table.missing.is_some(), "--missing"),
    ];
    if let Some((_, flag)) = given.iter().find(|(given, _)| *given) {
        let message = format!(
            "{flag}: impute fills in the numbers of a table and passes on the rest; leave out {flag}"
        );
        return Err(Failure::Usage(message));
    }
    let source = Source::parse(&args.input, common)?;
    let method = setup::imputation(args, common)?;
    let source = source.carrying();
    let inputs: Vec<&str> = source.path().into_iter().chain(args.from.as_deref()).collect();
    let named: Vec<&String> = args.model.iter().chain([&args.output]).collect();
    files::distinct(&named)?;
    let run = setup::run(common)?;
    let output = Output::prepare(&args.output, common.force, &inputs)?;
    let model_file =
        args.model.as_deref().map(|path| Output::prepare_bytes(path, common.force, &inputs)).transpose()?;
    let (fitted, loaded) = match &args.from {
        Some(path) => {
            let fitted = Fitted::open(path)?;
            let able = fitted.model.entry().capabilities.missing;
            if !able {
                // A method that takes no missing values says so, rather than find fault with them.
                fitted
                    .model
                    .impute(points(&AnyMatrix::F64(Array2::zeros((0, fitted.model.features())))), &run)?;
            }
            let loaded = source.load_for(&fitted, &run)?;
            (fitted, loaded)
        }
        None => {
            let loaded = source.load(&run)?;
            let model = method.fit(points(&Filled::of(&loaded).there), &run)?;
            let recipe =
                loaded.preparation.as_ref().map(|p| TableRecipe::from_json(p.recipe.clone())).transpose()?;
            (Fitted { model, recipe, imputer: None }, loaded)
        }
    };
    let model = &fitted.model;
    run.check()?;
    let parts = Filled::of(&loaded);
    let rows = parts.whole(model.impute(points(&parts.there), &run)?);
    let filled = holes(&loaded.matrix) - holes(&rows);
    // What is there stays as it is, to the bit, also where the fit saw it standardized.
    let rows = match &loaded.beside.unscaled {
        Some(before) => patched(before.clone(), &fitted.restored(rows).0),
        None => rows,
    };
    run.check()?;
    if let Some(file) = model_file {
        file.write_bytes(&loaded.model_bytes(&**model)?)?;
    }
    loaded.beside.write_table(&rows, loaded.columns.as_deref(), output)?;
    files::commit()?;
    let (name, (n, features)) = (model.entry().name, rows.dim());
    if common.quiet && !common.json {
        return Ok(());
    }
    let left = parts.left_empty(&loaded);
    for warning in &model.report().warnings {
        print_message("warning", &warning.to_string());
    }
    if let Some(words) = &left {
        print_message("note", words);
    }
    if common.json {
        let components = model.components();
        return say_json(&json!({
            "method": name, "n": n, "features": features, "components": components, "filled": filled,
            "output": args.output,
        }));
    }
    let text = format!(
        "{name}: {n} x {features}, {} filled in from {}: {}\n",
        count(filled, "value"),
        count(model.components(), "component"),
        args.output
    );
    say(text.as_bytes())
}

/// The rows that something can be said about: nothing is known of a row without a value.
struct Filled<'m> {
    there: Cow<'m, AnyMatrix>,
    /// The rows of the table without a value.
    empty: Vec<usize>,
}

impl<'m> Filled<'m> {
    fn of(loaded: &'m Loaded) -> Self {
        let (matrix, n) = (&loaded.matrix, loaded.matrix.dim().0);
        let empty = empty_rows(matrix);
        // Where no row has one, the method says so.
        if empty.is_empty() || empty.len() == n {
            return Self { there: Cow::Borrowed(matrix), empty: Vec::new() };
        }
        let kept: Vec<usize> = (0..n).filter(|row| empty.binary_search(row).is_err()).collect();
        Self { there: Cow::Owned(matrix.select(&kept)), empty }
    }

    /// All rows again: those without a value stay as they are.
    fn whole(&self, rows: AnyMatrix) -> AnyMatrix {
        fn of<T: Copy>(rows: &Array2<T>, empty: &[usize], nothing: T) -> Array2<T> {
            let (n, columns) = rows.dim();
            let mut next = 0;
            let mut all = Array2::from_elem((n + empty.len(), columns), nothing);
            for (i, mut row) in all.rows_mut().into_iter().enumerate() {
                if empty.binary_search(&i).is_err() {
                    row.assign(&rows.row(next));
                    next += 1;
                }
            }
            all
        }
        match rows {
            rows if self.empty.is_empty() => rows,
            AnyMatrix::F32(rows) => of(&rows, &self.empty, f32::NAN).into(),
            AnyMatrix::F64(rows) => of(&rows, &self.empty, f64::NAN).into(),
        }
    }

    /// What is said about the rows without a value.
    fn left_empty(&self, loaded: &Loaded) -> Option<String> {
        let first = loaded.beside.position(*self.empty.first()?);
        let (rows, stay) = (count(self.empty.len(), "row"), one_or_many(self.empty.len(), "stays", "stay"));
        Some(format!("{rows} without a value {stay} empty, the first in {first}"))
    }
}

/// How many values are missing.
fn holes(matrix: &AnyMatrix) -> usize {
    match matrix {
        AnyMatrix::F32(x) => x.iter().filter(|value| value.is_nan()).count(),
        AnyMatrix::F64(x) => x.iter().filter(|value| value.is_nan()).count(),
    }
}
