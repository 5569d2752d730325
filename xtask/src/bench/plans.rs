//! `cargo xtask bench --plan`: what `lowland plan` promises against what the fit takes.

use super::machine;
use crate::data_folder::data_folder;
use crate::{build, python, say};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Twelve methods of all kinds of work.
const METHODS: [&str; 12] = [
    "pca",
    "factor-analysis",
    "fast-ica",
    "kernel-pca",
    "classical-mds",
    "isomap",
    "landmark-isomap",
    "lle",
    "ltsa",
    "laplacian-eigenmaps",
    "umap",
    "t-sne",
];
const SIZES: [usize; 3] = [1000, 4000, 10_000];
const QUICK_SIZES: [usize; 1] = [600];
/// A forecast within this factor of the truth is a good one; below this time nobody waits.
const FACTOR: f64 = 3.0;
const INSTANT: f64 = 0.1;

/// What is to be measured.
pub struct Plans {
    pub program: Option<PathBuf>,
    pub quick: bool,
    pub threads: usize,
    /// Fits that are forecast to take longer are left out.
    pub limit: f64,
}

/// A fit: what was promised and what it took.
struct Cell {
    method: &'static str,
    data: String,
    rows: usize,
    promised: f64,
    planning: f64,
    took: Option<f64>,
}

pub fn measure(plans: &Plans, names: &[String]) -> Result<(), String> {
    let program = match &plans.program {
        Some(program) => program.clone(),
        None => build::program("lowland-cli", "release")?,
    };
    let folder = python::target().join("bench-data");
    std::fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    let sizes: &[usize] = if plans.quick { &QUICK_SIZES } else { &SIZES };
    let wanted = |method: &&&str| names.is_empty() || names.iter().any(|name| name == **method);
    let mut cells = Vec::new();
    for &rows in sizes {
        for data in [format!("data:swiss-roll?n={rows}"), digits(&folder, rows)?] {
            for &method in METHODS.iter().filter(wanted) {
                let cell = measured(&program, method, (&data, rows), plans)?;
                eprintln!("{}", line(&cell));
                cells.push(cell);
            }
        }
    }
    say(&table(&cells));
    Ok(())
}

fn measured(
    program: &Path,
    method: &'static str,
    (data, rows): (&str, usize),
    plans: &Plans,
) -> Result<Cell, String> {
    let threads = plans.threads.to_string();
    let call = |command: &str| -> Result<Value, String> {
        let words = [command, data, "-m", method, "--disconnected", "join", "--json", "--threads", &threads];
        let graph = !["pca", "factor-analysis", "fast-ica", "kernel-pca", "classical-mds", "umap", "t-sne"]
            .contains(&method);
        let words = words.iter().filter(|word| graph || !["--disconnected", "join"].contains(word));
        let output = Command::new(program).args(words).output().map_err(|e| e.to_string())?;
        if !output.status.success() {
            return Err(format!("{command} {data} -m {method}: {}", String::from_utf8_lossy(&output.stderr)));
        }
        serde_json::from_slice(&output.stdout).map_err(|e| e.to_string())
    };
    let begun = std::time::Instant::now();
    let plan = call("plan")?;
    let planning = begun.elapsed().as_secs_f64();
    let promised = plan["seconds"].as_f64().unwrap_or(f64::NAN);
    let took = if promised > plans.limit { None } else { call("embed")?["seconds"]["total"].as_f64() };
    let data = if data.starts_with("data:") { "swiss roll" } else { "digits" }.to_owned();
    Ok(Cell { method, data, rows, promised, planning, took })
}

/// The first digits of MNIST as a file of their own.
fn digits(folder: &Path, rows: usize) -> Result<String, String> {
    let path = folder.join(format!("mnist-first-{rows}.npy"));
    if !path.exists() {
        let script = "import gzip, sys\n\
                      source, target, rows = sys.argv[1], sys.argv[2], int(sys.argv[3])\n\
                      raw = gzip.open(source).read(16 + 784 * rows)[16:]\n\
                      head = \"{'descr': '|u1', 'fortran_order': False, 'shape': (%d, 784), }\" % rows\n\
                      head += ' ' * (-(len(head) + 11) % 64) + '\\n'\n\
                      size = len(head).to_bytes(2, 'little')\n\
                      open(target, 'wb').write(b'\\x93NUMPY\\x01\\x00' + size + head.encode() + raw)\n";
        let data = data_folder();
        let python = std::env::var("LOWLAND_PYTHON").unwrap_or_else(|_| "python3".into());
        let status = Command::new(python)
            .args(["-c", script])
            .arg(data.join("train-images-idx3-ubyte.gz"))
            .arg(&path)
            .arg(rows.to_string())
            .status()
            .map_err(|e| e.to_string())?;
        if !status.success() {
            return Err(
                "the digits could not be read; LOWLAND_DATA names the folder with the MNIST files".into()
            );
        }
    }
    Ok(path.display().to_string())
}

/// How far the forecast is off, as a factor of at least 1.
fn factor(cell: &Cell) -> Option<f64> {
    let took = cell.took?.max(INSTANT);
    let promised = cell.promised.max(INSTANT);
    Some((promised / took).max(took / promised))
}

fn line(cell: &Cell) -> String {
    let took = cell.took.map_or("not run".to_owned(), |took| format!("{took:.2} s"));
    let off = factor(cell).map_or(String::new(), |factor| format!("{factor:.1}"));
    format!(
        "| {} | {} | {} | {:.2} s | {took} | {off} | {:.1} s |",
        cell.method, cell.data, cell.rows, cell.promised, cell.planning
    )
}

fn table(cells: &[Cell]) -> String {
    let factors: Vec<f64> = cells.iter().filter_map(factor).collect();
    let good = factors.iter().filter(|factor| **factor <= FACTOR).count();
    let worst = factors.iter().copied().fold(1.0, f64::max);
    let lines: Vec<String> = cells.iter().map(line).collect();
    format!(
        "{good} of {} forecasts within a factor of {FACTOR} (times below {INSTANT} s count as that), the worst {worst:.1}. \
         {}, {}.\n\n| method | data | rows | forecast | took | factor | planning took |\n|---|---|---:|---:|---:|---:|---:|\n{}\n",
        factors.len(),
        machine::describe()["processor"].as_str().unwrap_or("unknown processor"),
        machine::date(),
        lines.join("\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_the_same_both_ways_and_nobody_waits_for_an_instant() {
        let cell = |promised: f64, took: f64| {
            let (data, planning) = (String::new(), 0.0);
            factor(&Cell { method: "pca", data, rows: 1, promised, planning, took: Some(took) }).unwrap()
        };
        assert_eq!((cell(4.0, 1.0), cell(1.0, 4.0), cell(0.001, 0.09)), (4.0, 4.0, 1.0));
    }
}
