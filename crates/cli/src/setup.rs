//! From flags to a method with its parameters, and to a run.

use crate::args::{Cluster, Common, Impute, Method as Flags};
use crate::known::DISCONNECTED;
use crate::outcome::{Failure, Outcome};
use crate::{interrupt, progress};
use lowland::parameters::Value;
use lowland::{AnyInput, Entry, InputKind, Method, Run, registry};

/// The method, its parameters set.
pub fn method(flags: &Flags, common: &Common) -> Outcome<Box<dyn Method>> {
    let dims = ("n_components", flags.dims.as_deref().map(|dims| ("-d", dims)), "2");
    let name = flags.method.as_deref().unwrap_or_else(|| usual(flags.kind).name);
    prepared(name, dims, flags.neighbors.as_deref(), &flags.set, common)
}

/// The method that is taken where none is named: the one that every other is compared with, or the first that takes such
/// rows and needs no labels.
fn usual(kind: InputKind) -> &'static Entry {
    let takes = |entry: &Entry| entry.capabilities.inputs.contains(&kind);
    let baseline = registry::baseline();
    if takes(baseline) {
        return baseline;
    }
    let able = registry::all().iter().find(|entry| takes(entry) && !entry.capabilities.labels);
    able.copied().unwrap_or(baseline)
}

/// The method that finds clusters, its parameters set.
pub fn clustering(flags: &Cluster, common: &Common) -> Outcome<Box<dyn Method>> {
    let clusters = ("n_clusters", flags.clusters.as_deref().map(|clusters| ("-n", clusters)), "auto");
    let name = registry::clustering().name;
    prepared(name, clusters, flags.neighbors.as_deref(), &flags.set, common)
}

/// A method that fills in what is missing, its parameters set.
pub fn imputation(flags: &Impute, common: &Common) -> Outcome<Box<dyn Method>> {
    let dims = ("n_components", flags.dims.as_deref().map(|dims| ("-d", dims)), "auto");
    let entry = registry::find(&flags.method).map_err(Failure::usage)?;
    // Before the parameters, which may not be those of a method that can do it.
    if !entry.capabilities.missing {
        let able = registry::able(|can| can.missing);
        let message = format!("{} does not take missing values; choose {able}", entry.name);
        return Err(Failure::Usage(message));
    }
    prepared(&flags.method, dims, None, &flags.set, common)
}

/// The method of this name: how many, how many neighbors, the policy, and then everything else.
fn prepared(
    name: &str,
    (how_many, count, usual): (&str, Option<(&str, &str)>, &str),
    neighbors: Option<&str>,
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
    let named = |name: &str| others.iter().filter(|(other, _)| other == name).count();
    if let Some((name, _)) = others.iter().find(|(name, _)| named(name) > 1) {
        return Err(Failure::Usage(format!("{} values for {name} by --set; give one of them", named(name))));
    }
    match count {
        Some((flag, count)) => {
            once(flag, how_many)?;
            set(how_many, &Value::parse(count))?;
        }
        None if named(how_many) == 0 => set(how_many, &Value::parse(usual))?,
        None => {}
    }
    let parameters = (entry.parameters)();
    if let Some(neighbors) = neighbors {
        once("-k", "n_neighbors")?;
        set("n_neighbors", &Value::parse(neighbors)).map_err(|failure| failure.at("-k"))?;
    }
    if let Some(policy) = &common.disconnected {
        if !parameters.iter().any(|p| p.name == DISCONNECTED) {
            let message = format!(
                "{} has no neighbor graph; leave out --disconnected, or choose another method",
                entry.name
            );
            return Err(Failure::Usage(message));
        }
        once("--disconnected", DISCONNECTED)?;
        set(DISCONNECTED, &Value::Text(policy.clone()))?;
    }
    for (name, value) in others {
        set(name, &Value::parse(value))?;
    }
    Ok(method)
}

/// What the threads, the buffers of matrix products and the allocator hold beside a fit that takes nearly nothing.
const BESIDE: u64 = 24 << 20;

/// The memory by which the program grows, where a method asks for this much: beside much, what is held anyway does not count.
pub fn grown(bytes: u64) -> u64 {
    bytes + BESIDE.saturating_sub(bytes / 2)
}

/// The memory that a fit is forecast to take, with the bytes of a sparse factor where they are known; 0 where it will be
/// refused anyway.
pub fn forecast(method: &dyn Method, input: &AnyInput<'_>, factor: u64) -> u64 {
    let shape = if method.entry().capabilities.missing { input.counted() } else { input.shape() };
    let shape = shape.with_factor(factor);
    if shape.rows > 0 && shape.columns > 0 && method.check(&shape).is_ok() {
        grown(method.forecast(&shape).bytes)
    } else {
        0
    }
}

/// The run that the common options ask for.
pub fn run(common: &Common) -> Outcome<Run> {
    if common.quiet {
        crate::outcome::be_quiet();
    }
    let mut run = Run::new().with_seed(common.seed).with_cancel(interrupt::switch()?);
    run = run.with_threads(common.threads).map_err(Failure::usage)?;
    // Those that all runs share, which a reader of files uses too.
    interrupt::threads_can_start(std::thread::available_parallelism().map_or(1, usize::from))?;
    if let Some(memory) = common.memory {
        run = run.with_memory(memory);
    }
    if let Some(observer) = progress::observer(common.quiet) {
        run = run.with_progress(observer);
    }
    Ok(run)
}
