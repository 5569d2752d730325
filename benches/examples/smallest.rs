//! Times the smallest eigenpairs, alternating with SciPy's shift-invert ARPACK in one run.
//!
//! `smallest lle|laplacian|normalized N K COUNT [auto|inverse|filter] [REPEATS] [PYTHON]` makes the matrix of a
//! Swiss roll of N points and K neighbors; `smallest file PREFIX 0 COUNT ...` reads `PREFIX.{ptr,idx,val}.npy`
//! (int64, int32, float64). With the path of a Python that has SciPy, each repeat runs the peer too.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use lowland_base::{Csr, Result, Run, parallel};
use lowland_linalg::eigen::{self, factor_forecast};
use lowland_linalg::{Request, Solver, Which};
use rand_distr::{Distribution, Uniform};
use std::io::Write;
use std::time::Instant;

/// The peer, called as scikit-learn calls it: LLE with a shift of 0 and a tolerance of 1e-6, Laplacians
/// negated with a shift of 1; and, for Laplacians, also with the small shift that suits them better.
const PEER: &str = r#"
import sys, time, resource, numpy as np, scipy.sparse as sp
from scipy.sparse.linalg import eigsh
prefix, count, kind = sys.argv[1], int(sys.argv[2]), sys.argv[3]
ptr, idx, val = (np.load(f"{prefix}.{part}.npy") for part in ("ptr", "idx", "val"))
a = sp.csr_matrix((val, idx, ptr), shape=(len(ptr) - 1,) * 2)
v0 = np.random.RandomState(0).uniform(-1, 1, a.shape[0])
def timed(name, call):
    wall, cpu = time.time(), time.process_time()
    w, v = call()
    wall, cpu = time.time() - wall, time.process_time() - cpu
    residual = np.linalg.norm(a @ v - v * w, axis=0).max() / np.sqrt(a.multiply(a).sum(1)).max()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  SciPy {name}: {wall:.3f} s, cpu {cpu:.2f} s, residual {residual:.1e}, peak {peak:.0f} MB", flush=True)
if kind == "lle":
    timed("sigma=0", lambda: eigsh(a, count, sigma=0.0, tol=1e-6, v0=v0, maxiter=100))
else:
    timed("sigma=-1e-5", lambda: eigsh(a, count, sigma=-1e-5, which="LM", tol=0, v0=v0))
    def negated():
        w, v = eigsh(-a, count, sigma=1.0, which="LM", tol=0, v0=v0)
        return -w, v
    if kind == "normalized":
        timed("sigma=1, negated", negated)
"#;

fn swiss_roll(n: usize, run: &Run) -> Vec<[f64; 3]> {
    let (mut rng, unit) = (run.rng("roll"), Uniform::new(0.0, 1.0).expect("a range"));
    let mut point = || {
        let t = 1.5 * std::f64::consts::PI * (1.0 + 2.0 * unit.sample(&mut rng));
        [t * t.cos(), 21.0 * unit.sample(&mut rng), t * t.sin()]
    };
    (0..n).map(|_| point()).collect()
}

fn neighbors(points: &[[f64; 3]], k: usize, run: &Run) -> Result<Vec<Vec<usize>>> {
    // Sorted by height: only a band around each point has to be searched.
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&i, &j| points[i][1].total_cmp(&points[j][1]));
    let nearest = |place: usize| {
        let p = points[order[place]];
        let mut best: Vec<(f64, usize)> = vec![];
        let (mut down, mut up) = (place, place + 1);
        loop {
            let gap = |q: usize| (points[order[q]][1] - p[1]).abs();
            let below = if down > 0 { gap(down - 1) } else { f64::INFINITY };
            let above = if up < order.len() { gap(up) } else { f64::INFINITY };
            let reach = best.get(k - 1).map_or(f64::INFINITY, |b| b.0.sqrt());
            if below.min(above) >= reach {
                return best.into_iter().map(|b| b.1).collect();
            }
            let q = if below < above { (down - 1, down -= 1).0 } else { (up, up += 1).0 };
            let other = points[order[q]];
            let square: f64 = (0..3).map(|d| (other[d] - p[d]).powi(2)).sum();
            best.insert(best.partition_point(|b| b.0 <= square), (square, order[q]));
            best.truncate(k);
        }
    };
    let chunks =
        parallel::map_chunks(run, points.len(), 256, |places| places.map(nearest).collect::<Vec<_>>())?;
    let mut lists = vec![vec![]; points.len()];
    for (place, list) in chunks.into_iter().flatten().enumerate() {
        lists[order[place]] = list;
    }
    Ok(lists)
}

/// `(I - W)'(I - W)`, the weights regularized by 1e-3 of the trace as in scikit-learn.
fn lle(points: &[[f64; 3]], lists: &[Vec<usize>]) -> Result<Csr<f64>> {
    let mut entries = vec![];
    for (i, list) in lists.iter().enumerate() {
        let k = list.len();
        let difference = |a: usize, d: usize| points[list[a]][d] - points[i][d];
        let mut gram =
            Mat::from_fn(k, k, |a, b| (0..3).map(|d| difference(a, d) * difference(b, d)).sum::<f64>());
        let trace: f64 = (0..k).map(|a| gram[(a, a)]).sum();
        (0..k).for_each(|a| gram[(a, a)] += 1e-3 * trace);
        let weights = gram.llt(Side::Lower).expect("regularized").solve(Mat::<f64>::ones(k, 1));
        let sum: f64 = (0..k).map(|a| weights[(a, 0)]).sum();
        let mut row: Vec<(usize, f64)> = (0..k).map(|a| (list[a], -weights[(a, 0)] / sum)).collect();
        row.push((i, 1.0));
        entries.extend(row.iter().flat_map(|&(a, x)| row.iter().map(move |&(b, y)| (a, b, x * y))));
    }
    Csr::from_entries(points.len(), points.len(), &entries)
}

fn laplacian(lists: &[Vec<usize>], normalized: bool) -> Result<Csr<f64>> {
    let n = lists.len();
    let mut links: Vec<(usize, usize)> = lists
        .iter()
        .enumerate()
        .flat_map(|(i, list)| list.iter().flat_map(move |&j| [(i, j), (j, i)]))
        .collect();
    links.sort_unstable();
    links.dedup();
    let mut degrees = vec![0.0; n];
    links.iter().for_each(|l| degrees[l.0] += 1.0);
    let scale = |i: usize| if normalized { f64::sqrt(degrees[i]) } else { 1.0 };
    let mut entries: Vec<_> = links.iter().map(|&(i, j)| (i, j, -1.0 / (scale(i) * scale(j)))).collect();
    entries.extend((0..n).map(|i| (i, i, degrees[i] / (scale(i) * scale(i)))));
    Csr::from_entries(n, n, &entries)
}

fn read(path: String) -> Vec<u8> {
    let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let header = u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
    bytes[10 + header..].to_vec()
}

fn write(path: String, kind: &str, count: usize, bytes: impl Iterator<Item = u8>) {
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({count},), }}");
    header.push_str(&" ".repeat(63 - (header.len() + 10) % 64));
    header.push('\n');
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).expect("a writable folder"));
    let start =
        [b"\x93NUMPY\x01\x00".as_slice(), &(header.len() as u16).to_le_bytes(), header.as_bytes()].concat();
    file.write_all(&start).expect("written");
    file.write_all(&bytes.collect::<Vec<_>>()).expect("written");
}

fn load(prefix: &str) -> Result<Csr<f64>> {
    let long = |c: &[u8]| i64::from_le_bytes(c.try_into().expect("8 bytes")) as usize;
    let ptr: Vec<usize> = read(format!("{prefix}.ptr.npy")).chunks(8).map(long).collect();
    let int = |c: &[u8]| i32::from_le_bytes(c.try_into().expect("4 bytes")) as u32;
    let idx = read(format!("{prefix}.idx.npy")).chunks(4).map(int).collect();
    let float = |c: &[u8]| f64::from_le_bytes(c.try_into().expect("8 bytes"));
    let val = read(format!("{prefix}.val.npy")).chunks(8).map(float).collect();
    Csr::new(ptr.len() - 1, ptr.len() - 1, ptr, idx, val)
}

fn save(a: &Csr<f64>, prefix: &str) {
    let starts = a.offsets().iter().flat_map(|&o| (o as i64).to_le_bytes());
    write(format!("{prefix}.ptr.npy"), "<i8", a.nrows() + 1, starts);
    write(format!("{prefix}.idx.npy"), "<i4", a.nnz(), a.indices().iter().flat_map(|i| i.to_le_bytes()));
    write(format!("{prefix}.val.npy"), "<f8", a.nnz(), a.values().iter().flat_map(|v| v.to_le_bytes()));
}

/// Processor seconds of this process, and its peak memory in MB, where the system tells.
fn usage() -> (f64, f64) {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|l| l.starts_with("VmHWM")).and_then(|l| l.split_whitespace().nth(1));
    let number = |text: &str| text.parse::<f64>().unwrap_or(f64::NAN);
    (ticks.map(number).sum::<f64>() / 100.0, peak.map_or(f64::NAN, number) / 1024.0)
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let text = |i: usize| arguments.get(i).map_or("", String::as_str);
    let number = |i: usize, default: usize| text(i).parse().unwrap_or(default);
    let (kind, k, count) = (text(0), number(2, 12), number(3, 4));
    let solver = match text(4) {
        "inverse" => Solver::ShiftInvert,
        "filter" => Solver::Filter,
        _ => Solver::Auto,
    };
    let run = Run::new();
    let mut prefix = text(1).to_owned();
    let a = if kind == "file" {
        load(&prefix)?
    } else {
        let points = swiss_roll(number(1, 20_000), &run);
        let lists = neighbors(&points, k, &run)?;
        prefix = std::env::temp_dir().join(format!("smallest-{}", std::process::id())).display().to_string();
        if kind == "lle" { lle(&points, &lists)? } else { laplacian(&lists, kind == "normalized")? }
    };
    let forecast = factor_forecast(&a, &run)?;
    println!("{kind} n {} entries {} forecast {forecast:?}", a.nrows(), a.nnz());
    let largest = (0..a.nrows()).map(|i| a.row(i).1.iter().map(|v| v * v).sum::<f64>().sqrt());
    let norm = largest.fold(0.0, f64::max);
    for _ in 0..number(5, 3) {
        let (run, begun, cpu) = (Run::new(), Instant::now(), usage().0);
        let pairs = eigen::solve(&a, &Request::new(count, Which::Smallest).by(solver), &run)?;
        let (wall, cpu, peak) = (begun.elapsed().as_secs_f64(), usage().0 - cpu, usage().1);
        let worst = pairs.residuals.iter().fold(0.0, |m: f64, r| m.max(*r)) / norm;
        let stages: Vec<_> = run.stages().iter().map(|(name, s)| format!("{name} {s:.3}")).collect();
        println!(
            "  Lowland: {wall:.3} s, cpu {cpu:.2} s, residual {worst:.1e}, peak {peak:.0} MB ({})",
            stages.join(", ")
        );
        println!("    values {:?}", pairs.values);
        if !text(6).is_empty() {
            if kind != "file" {
                save(&a, &prefix);
            }
            let kind = if kind == "file" && prefix.contains("lle") { "lle" } else { kind };
            let _ = std::process::Command::new(text(6)).args(["-c", PEER, &prefix, text(3), kind]).status();
        }
    }
    if kind != "file" && !text(6).is_empty() {
        for part in ["ptr", "idx", "val"] {
            let _ = std::fs::remove_file(format!("{prefix}.{part}.npy"));
        }
    }
    Ok(())
}
