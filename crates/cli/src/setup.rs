//! From flags to a method with its parameters, and to a run.

use crate::args::{Cluster, Common, Impute, Method as Flags, Policy};
use crate::outcome::{Failure, Outcome};
use crate::{interrupt, progress};
use clap::ValueEnum;
use lowland::parameters::{Kind, Value};
use lowland::{Method, Run, registry};

/// The method, its parameters set.
pub fn method(flags: &Flags, common: &Common) -> Outcome<Box<dyn Method>> {
    let dims = ("n_components".to_owned(), flags.dims.clone());
    prepared(&flags.method, dims, flags.neighbors, &flags.set, common)
}

/// Spectral clustering, its parameters set.
pub fn clustering(flags: &Cluster, common: &Common) -> Outcome<Box<dyn Method>> {
    let clusters = flags.clusters.map_or_else(|| "auto".to_owned(), |clusters| clusters.to_string());
    prepared("spectral-clustering", ("n_clusters".to_owned(), clusters), flags.neighbors, &flags.set, common)
}

/// A method that fills in what is missing, its parameters set.
pub fn imputation(flags: &Impute, common: &Common) -> Outcome<Box<dyn Method>> {
    let dims = ("n_components".to_owned(), flags.dims.clone());
    let method = prepared(&flags.method, dims, None, &flags.set, common)?;
    if !method.entry().capabilities.missing {
        let able = registry::all().iter().filter(|entry| entry.capabilities.missing).map(|entry| entry.name);
        let able = able.collect::<Vec<_>>().join(" or ");
        let message = format!("{} does not take missing values; choose {able}", method.entry().name);
        return Err(Failure::Usage(message));
    }
    Ok(method)
}

/// The method of this name: how many, how many neighbors, the policy, and then everything else.
fn prepared(
    name: &str,
    (how_many, count): (String, String),
    neighbors: Option<usize>,
    others: &[(String, String)],
    common: &Common,
) -> Outcome<Box<dyn Method>> {
    let entry = registry::find(name).map_err(Failure::usage)?;
    let mut method = (entry.create)();
    let mut set = |name: &str, value: &Value| method.set(name, value).map_err(Failure::usage);
    // Of two values for one parameter, neither is the one that was meant.
    let once = |flag: &str, parameter: &str| match others.iter().find(|(name, _)| name == parameter) {
        None => Ok(()),
        Some((name, value)) => {
            let message = format!("{flag} and --set {name}={value} set the same parameter; give one of them");
            Err(Failure::Usage(message))
        }
    };
    set(&how_many, &Value::parse(&count))?;
    let parameters = (entry.parameters)();
    if let Some(neighbors) = neighbors {
        if !parameters.iter().any(|p| p.name == "n_neighbors") {
            let message = format!("{} has no neighbors; leave out -k, or choose another method", entry.name);
            return Err(Failure::Usage(message));
        }
        once("-k", "n_neighbors")?;
        set("n_neighbors", &Value::parse(&neighbors.to_string()))?;
    }
    if let Some(policy) = common.components {
        let Some(parameter) = parameters.iter().find(|p| is_policy(&p.kind)) else {
            let message = format!(
                "{} has no policy for a graph in pieces; leave out --components, or choose another method",
                entry.name
            );
            return Err(Failure::Usage(message));
        };
        let word = policy.to_possible_value().map(|v| v.get_name().to_owned()).unwrap_or_default();
        once("--components", parameter.name)?;
        set(parameter.name, &Value::Text(word))?;
    }
    for (name, value) in others {
        set(name, &Value::parse(value))?;
    }
    Ok(method)
}

/// Whether a parameter is the policy for graphs in several pieces: it has its words.
fn is_policy(kind: &Kind) -> bool {
    let Kind::Choice { options } = kind else { return false };
    let words = Policy::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    words.into_iter().all(|word| options.iter().any(|option| option.0 == word.get_name()))
}

/// The run that the common options ask for.
pub fn run(common: &Common) -> Outcome<Run> {
    let mut run = Run::new().with_seed(common.seed).with_cancel(interrupt::switch());
    run = run.with_threads(common.threads).map_err(Failure::usage)?;
    if let Some(memory) = common.memory {
        run = run.with_memory(memory);
    }
    if let Some(bars) = progress::bars(common.quiet) {
        run = run.with_progress(bars);
    }
    Ok(run)
}
