//! The experiments of the papers, run again and set beside what was published.
//!
//! ```no_run
//! use lowland::Run;
//! use lowland_reproduce::{Options, reproduce};
//! use std::path::PathBuf;
//!
//! let options = Options { quick: true, ..Options::new("mohri-15.4", PathBuf::from("out")) };
//! let findings = reproduce(&options, &Run::new())?;
//! println!("{}", findings.summary.join("\n"));
//! # Ok::<(), lowland::Error>(())
//! ```
//!
//! An experiment leaves in its folder `results.json` (everything), `results.csv` (every cell), `index.html` and
//! `results.md` (the same to be read), its pictures, and in `work` what is finished, so that the same call goes on where it
//! was stopped. Methods are taken from the registry by their names: what is not registered is reported as not available.

mod bengio;
mod burges;
mod draw;
mod findings;
mod ham;
mod maaten;
mod mohri;
mod page;
mod published;
mod sets;
mod statistics;
mod tables;
mod work;

pub use findings::{Claim, Compared, Figure, Findings, Reading, Section, Tally, Unit, Verdict};

use lowland::{Error, Result, Run, names};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use work::Work;

/// An experiment that can be asked for.
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub summary: &'static str,
    run: fn(&Context<'_>, &[String]) -> Result<Experiment>,
    /// Whether it has data sets to choose from.
    sets: bool,
}

/// All experiments.
pub static EXPERIMENTS: &[Entry] = &[
    Entry {
        name: "maaten2009",
        summary: "13 techniques on 10 data sets: tables 1 and 3 to 8 of the comparative review",
        run: maaten::run,
        sets: true,
    },
    Entry {
        name: "bengio2006",
        summary: "Eigenfunctions, faces out of sample, and the error of induction: figures 2 to 4",
        run: |context, _| bengio::run(context),
        sets: false,
    },
    Entry {
        name: "ham2004",
        summary: "The kernels of Isomap, Laplacian eigenmaps and LLE on the S-curve: figures 1 to 5",
        run: |context, _| ham::run(context),
        sets: false,
    },
    Entry {
        name: "mohri-15.6",
        summary: "Nearest neighbors after random projection and after PCA: exercise 15.6",
        run: |context, _| mohri::neighbors(context),
        sets: false,
    },
    Entry {
        name: "mohri-15.4",
        summary: "The Nyström method: exercise 15.4",
        run: |context, _| mohri::nystrom(context),
        sets: false,
    },
    Entry {
        name: "burges2005",
        summary: "Projections of the 20-sphere (figure 1.1), oriented PCA and DDA, the mixture of PPCA",
        run: |context, _| burges::run(context),
        sets: false,
    },
];

/// The name of all of them together ([`reproduce_all`]).
pub const ALL: &str = "all";

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Options {
    /// The experiment.
    pub name: String,
    /// The folder for everything that it leaves.
    pub out: PathBuf,
    /// The folder of real data.
    pub data: Option<PathBuf>,
    /// The small run.
    pub quick: bool,
    /// Of every range of a grid only the ends and the middle.
    pub coarse: bool,
    /// How many seeds the artificial data have; `None` is 3, or 1 in the small run.
    pub seeds: Option<usize>,
    /// Only these data sets; none is all.
    pub sets: Vec<String>,
    /// How long one setting of a technique may take in `maaten2009`; it is then left out, and the page says so.
    pub patience: Option<Duration>,
    /// The command that asked, for the page.
    pub command: String,
}

impl Options {
    /// The full run of an experiment without real data.
    pub fn new(name: &str, out: PathBuf) -> Self {
        let command = format!("lowland reproduce {name} --out {}", out.display());
        Self {
            name: name.into(),
            out,
            data: None,
            quick: false,
            coarse: false,
            seeds: None,
            sets: Vec::new(),
            patience: None,
            command,
        }
    }
}

/// What an experiment is given.
pub(crate) struct Context<'a> {
    run: &'a Run,
    work: Work,
    data: Option<PathBuf>,
    quick: bool,
    coarse: bool,
    seeds: usize,
    patience: Option<Duration>,
}

/// What an experiment gives.
pub(crate) struct Experiment {
    title: String,
    paper: &'static str,
    summary: Vec<String>,
    missing: Vec<String>,
    sections: Vec<Section>,
}

/// The experiment of this name.
pub fn find(name: &str) -> Result<&'static Entry> {
    let wanted = names::simplified(name);
    EXPERIMENTS.iter().find(|entry| names::simplified(entry.name) == wanted).ok_or_else(|| {
        let known: Vec<&str> = EXPERIMENTS.iter().map(|entry| entry.name).chain([ALL]).collect();
        let remedy = match names::meant(name, known.iter().copied()) {
            Some(meant) => format!("did you mean '{meant}'?"),
            None => "'lowland reproduce' lists them".into(),
        };
        Error::parameter("experiment", name, format!("it must be one of {}", known.join(", ")), remedy)
    })
}

/// Runs all experiments, each in a folder of its name, and writes what they found as one page of Markdown,
/// `reproduction.md`.
pub fn reproduce_all(options: &Options, run: &Run) -> Result<Vec<Findings>> {
    let stage = run.stage("experiments", Some(EXPERIMENTS.len() as u64));
    let mut all = Vec::new();
    for entry in EXPERIMENTS {
        let sets = if entry.sets { options.sets.clone() } else { Vec::new() };
        let command = options.command.replacen(&options.name, entry.name, 1);
        let (name, out) = (entry.name.to_owned(), options.out.join(entry.name));
        all.push(reproduce(&Options { name, out, sets, command, ..options.clone() }, run)?);
        stage.advance(1)?;
    }
    work::whole(&options.out.join("reproduction.md"), tables::together(&all).as_bytes())?;
    Ok(all)
}

/// Runs an experiment and writes what it leaves.
pub fn reproduce(options: &Options, run: &Run) -> Result<Findings> {
    let begun = Instant::now();
    let entry = find(&options.name)?;
    if let Some(data) = options.data.as_ref().filter(|data| !data.is_dir()) {
        return Err(Error::Io { path: data.display().to_string(), problem: "it is not a folder".into() });
    }
    if options.seeds == Some(0) {
        return Err(Error::parameter("seeds", 0, "1 or more", "leave it out for the usual number"));
    }
    if entry.sets {
        let known = published::maaten()?;
        let mut known: Vec<&str> = known.rows.iter().map(|row| row.set.as_str()).collect();
        known.sort_unstable();
        known.dedup();
        if let Some(set) = options.sets.iter().find(|set| !known.contains(&set.as_str())) {
            let bound = format!("a data set of tables 3 to 8: {}", known.join(", "));
            let remedy = match names::meant(set, known.iter().copied()) {
                Some(meant) => format!("did you mean '{meant}'?"),
                None => "leave it out for all of them".into(),
            };
            return Err(Error::parameter("sets", set, bound, remedy));
        }
    } else if let Some(set) = options.sets.first() {
        let bound = format!("none: {} has no data sets to choose from", entry.name);
        return Err(Error::parameter("sets", set, bound, "leave it out"));
    }
    let context = Context {
        run,
        work: Work::open(&options.out)?,
        data: options.data.clone(),
        quick: options.quick,
        coarse: options.coarse,
        seeds: options.seeds.unwrap_or(if options.quick { 1 } else { 3 }),
        patience: options.patience,
    };
    let Experiment { title, paper, summary, missing, sections } = (entry.run)(&context, &options.sets)?;
    run.check()?;
    let findings = Findings {
        experiment: entry.name,
        title,
        paper,
        lowland: env!("CARGO_PKG_VERSION"),
        command: options.command.clone(),
        seed: run.seed(),
        quick: options.quick,
        seconds: begun.elapsed().as_secs_f64(),
        summary,
        missing,
        sections,
    };
    let json = serde_json::to_vec_pretty(&findings)
        .map_err(|e| Error::Io { path: "results.json".into(), problem: e.to_string() })?;
    context.work.write("results.json", &json)?;
    context.work.write("results.csv", tables::csv(&findings).as_bytes())?;
    context.work.write("results.md", tables::markdown(&findings, 1).as_bytes())?;
    context.work.write("index.html", page::html(&findings, &context.work)?.as_bytes())?;
    Ok(findings)
}
