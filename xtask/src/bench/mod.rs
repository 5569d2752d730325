//! `cargo xtask bench`: our times against the peers', in turns, in one run on one machine.

mod contest;
mod entries;
mod machine;
mod peers;
mod plans;
mod report;

use crate::{Failure, build, flags, flags::Flags, python, say};
use entries::Benchmark;
use report::Header;
use std::path::{Path, PathBuf};

pub const USAGE: &str = "\
cargo xtask bench [NAME...] [--quick] [--repeat N] [--threads N] [--before PROGRAM] [--json FILE] [--list]
cargo xtask bench --plan [METHOD...] [--program PROGRAM] [--limit SECONDS] [--quick]

  NAME         one benchmark, or all whose names begin with it (`knn` is every `knn-...`)
  --quick      small sizes, once each: shows that the harness works, judges nothing
  --repeat N   counted repetitions of each contestant (5, with --quick 1); one more warms up
  --threads N  threads of each contestant (all that there are)
  --before PROGRAM
               another build of `lowland-bench` takes the place of the peers: the same work before and after a change
  --json FILE  every figure, beside the table
  --list       the benchmarks, without running them
  --plan       what `lowland plan` promises against what the fit takes: 12 methods, 3 sizes, 2 kinds of data
  --program PROGRAM, --limit SECONDS
               with --plan: another build of `lowland`, and the longest fit that is made (120)

The peers are installed into target/peers, the data are made in target/bench-data, each once.
LOWLAND_DATA names the folder with the MNIST files, LOWLAND_PYTHON the Python (python3).
";

pub fn run(mut flags: Flags) -> Result<(), Failure> {
    let quick = flags.has("--quick");
    let list = flags.has("--list");
    let repeat = flags.count("--repeat")?.unwrap_or(if quick { 1 } else { 5 });
    let threads = flags.count("--threads")?.unwrap_or_else(machine::threads);
    let json = flags.value("--json")?.map(PathBuf::from);
    let before = flags.value("--before")?.map(PathBuf::from);
    let plan = flags.has("--plan");
    let program = flags.value("--program")?.map(PathBuf::from);
    let limit = flags.count("--limit")?.unwrap_or(120) as f64;
    if plan {
        let plans = plans::Plans { program, quick, threads, limit };
        return plans::measure(&plans, &flags.rest()?).map_err(Failure::Work);
    }
    let mut chosen = choose(entries::all(quick), &flags.rest()?)?;
    if list {
        let width = chosen.iter().map(|b| b.name.len()).max().unwrap_or(0);
        let line = |b: &Benchmark| format!("{:<width$}  {}\n", b.name, b.work);
        say(&chosen.iter().map(line).collect::<String>());
        return Ok(());
    }
    if let Some(program) = before {
        chosen.iter_mut().for_each(|benchmark| benchmark.compare_with_build(&program));
    }
    measure(chosen, quick, repeat, threads, json.as_deref()).map_err(Failure::Work)
}

/// The benchmarks that the names mean; all of them for no name.
fn choose(all: Vec<Benchmark>, names: &[String]) -> Result<Vec<Benchmark>, Failure> {
    let means = |name: &str, benchmark: &str| {
        benchmark.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    if let Some(name) = names.iter().find(|name| !all.iter().any(|b| means(name, &b.name))) {
        let near = flags::nearest(name, all.iter().map(|b| &*b.name));
        return Err(Failure::Usage(format!("no benchmark `{name}`; the nearest is `{near}`")));
    }
    let wanted = |b: &Benchmark| names.is_empty() || names.iter().any(|name| means(name, &b.name));
    Ok(all.into_iter().filter(wanted).collect())
}

fn measure(
    chosen: Vec<Benchmark>,
    quick: bool,
    repeat: usize,
    threads: usize,
    json: Option<&Path>,
) -> Result<(), String> {
    if let Some(file) = json {
        // Found out now and not after an hour.
        let opened = std::fs::OpenOptions::new().append(true).create(true).open(file);
        opened.map_err(|e| format!("cannot write {}: {e}", file.display()))?;
    }
    let target = python::target();
    let python = python::environment(&target.join("peers"), "benches/requirements.txt")?;
    let torch = match chosen.iter().any(Benchmark::needs_torch) {
        true => Some(python::environment(&target.join("peers-torch"), "benches/requirements-torch.txt")?),
        false => None,
    };
    let folder = target.join("bench-data");
    let made = peers::make_data(&python, &folder, &chosen)?;
    // The program itself lies beside our side of the contest, which starts it.
    build::program("lowland-cli", "release")?;
    let ours = build::program("lowland-bench", "release")?;
    let programs = contest::Programs { ours, python, torch, folder, threads };
    let header = Header {
        versions: peers::versions(&programs.python)?,
        machine: machine::describe(),
        load: machine::load(),
        threads,
        repeat,
        quick,
    };
    let mut outcomes = Vec::new();
    for (i, mut benchmark) in chosen.into_iter().enumerate() {
        benchmark.use_data(&made[i]);
        eprintln!("[{}/{}] {}: {}", i + 1, made.len(), benchmark.name, benchmark.work);
        let result = contest::hold(&programs, &benchmark, repeat);
        if let Err(why) = &result {
            eprintln!("  failed: {why}");
        }
        outcomes.push((benchmark, result));
    }
    say(&report::markdown(&header, &outcomes));
    if let Some(file) = json {
        let text = format!("{:#}\n", report::json(&header, &outcomes));
        std::fs::write(file, text).map_err(|e| format!("cannot write {}: {e}", file.display()))?;
    }
    match outcomes.iter().filter(|(_, result)| result.is_err()).count() {
        0 => Ok(()),
        failed => Err(format!("{failed} of {} benchmarks failed; the reasons are above", outcomes.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(given: &[&str]) -> Result<Vec<String>, Failure> {
        let given: Vec<String> = given.iter().map(|g| g.to_string()).collect();
        Ok(choose(entries::all(true), &given)?.into_iter().map(|b| b.name).collect())
    }

    #[test]
    fn a_name_means_itself_and_what_begins_with_it() {
        assert_eq!(names(&["knn-tree"]).ok().unwrap(), ["knn-tree"]);
        let pca = names(&["pca-784"]).ok().unwrap();
        assert_eq!(pca, ["pca-784-f64", "pca-784-f32"]);
        assert_eq!(names(&[]).ok().unwrap().len(), entries::all(true).len());
    }

    #[test]
    fn a_wrong_name_is_answered_with_the_nearest() {
        for wrong in ["knn-tre", "kn"] {
            let Err(Failure::Usage(message)) = names(&[wrong]) else { panic!("{wrong} was taken") };
            assert!(message.contains("knn-tree"), "{message}");
        }
    }

    #[test]
    fn names_are_unique_whatever_the_sizes() {
        for quick in [false, true] {
            let mut names: Vec<String> = entries::all(quick).into_iter().map(|b| b.name).collect();
            let before = names.len();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), before);
        }
    }
}
