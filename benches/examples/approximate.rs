//! Times the approximate index: `approximate FILE.npy [k] [recall] [threads]`, or in place of the file
//! `gaussian:ROWSxCOLUMNS` or `clusters:ROWSxCOLUMNS`. Prints seconds, the estimated recall, the recall
//! measured on a sample by brute force, and the peak of memory.

use faer::MatRef;
use lowland_base::{Run, Scalar};
use lowland_neighbors::index::Approximate;
use lowland_neighbors::{Index, Metric, Table};
use rand::RngExt;
use rand_distr::StandardNormal;
use std::error::Error;
use std::time::Instant;

enum Data {
    Single(Vec<f32>),
    Double(Vec<f64>),
}

/// Reads a two-dimensional array of `<f4` or `<f8` in C order, format version 1.
fn read_npy(path: &str) -> Result<(Data, usize, usize), Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    if bytes.len() < 10 || &bytes[..7] != b"\x93NUMPY\x01" {
        return Err("not a version 1 .npy file".into());
    }
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = std::str::from_utf8(bytes.get(10..10 + length).ok_or("the header is cut off")?)?;
    if header.contains("True") {
        return Err("Fortran order is not read here".into());
    }
    let shape = header.split(['(', ')']).nth(1).ok_or("no shape")?;
    let sides: Vec<usize> = shape
        .split(',')
        .map(str::trim)
        .filter(|s| !s.is_empty())
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    let &[rows, columns] = sides.as_slice() else { return Err("not two-dimensional".into()) };
    let body = &bytes[10 + length..];
    let data = if header.contains("<f4") {
        Data::Single(body.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect())
    } else if header.contains("<f8") {
        Data::Double(body.as_chunks().0.iter().map(|&b| f64::from_le_bytes(b)).collect())
    } else {
        return Err("only <f4 and <f8 are read here".into());
    };
    Ok((data, rows, columns))
}

/// Normal noise, for `clusters` around a hundred centers.
fn random(kind: &str, size: &str) -> Result<(Data, usize, usize), Box<dyn Error>> {
    let (rows, columns) = size.split_once('x').ok_or("give ROWSxCOLUMNS")?;
    let (rows, columns): (usize, usize) = (rows.parse()?, columns.parse()?);
    let mut rng = Run::new().with_seed(7).rng("example");
    let centers: Vec<f32> = (0..100 * columns).map(|_| rng.sample::<f32, _>(StandardNormal) * 4.0).collect();
    let spread = if kind == "clusters" { 1.0 } else { 0.0 };
    let data = (0..rows * columns)
        .map(|i| {
            rng.sample::<f32, _>(StandardNormal) + spread * centers[i / columns % 100 * columns + i % columns]
        })
        .collect();
    Ok((Data::Single(data), rows, columns))
}

/// The share of returned distances that are no larger than the true k-th one, on evenly spaced rows.
fn measured_recall<T: Scalar>(data: MatRef<'_, T>, table: &Table<T>, sample: usize) -> f64 {
    let n = data.nrows();
    let rows: Vec<usize> = (0..sample.min(n)).map(|i| i * n / sample.min(n)).collect();
    let mut hits = 0;
    for &row in &rows {
        let mut distances: Vec<f64> = (0..n)
            .filter(|&j| j != row)
            .map(|j| {
                data.row(row).iter().zip(data.row(j).iter()).map(|(a, b)| (a.wide() - b.wide()).powi(2)).sum()
            })
            .collect();
        let (_, bound, _) = distances.select_nth_unstable_by(table.k - 1, f64::total_cmp);
        let bound = bound.sqrt() * (1.0 + 4.0 * T::EPSILON.wide());
        hits += table.row(row).1.iter().filter(|d| d.wide() <= bound).count();
    }
    hits as f64 / (rows.len() * table.k) as f64
}

fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    line.map_or("unknown".into(), |line| line["VmHWM:".len()..].trim().into())
}

/// Processor seconds of all threads so far (ticks of a hundredth on Linux).
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    fields.iter().skip(11).take(2).filter_map(|f| f.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn report<T: Scalar>(
    data: &[T],
    rows: usize,
    columns: usize,
    k: usize,
    recall: f64,
    threads: usize,
) -> Result<(), Box<dyn Error>> {
    let data = MatRef::from_row_major_slice(data, rows, columns);
    for seed in 0..2 {
        let run = Run::new().with_seed(seed).with_threads(threads)?;
        let (begun, before) = (Instant::now(), processor_seconds());
        let index = Approximate::new(data, Metric::Euclidean, recall, &run)?;
        let table = index.k_nearest_of_all(k, &run)?;
        let (seconds, used) = (begun.elapsed().as_secs_f64(), processor_seconds() - before);
        let peak = peak_memory();
        println!(
            "{rows} x {columns} {}: {seconds:.2} s ({used:.2} s of processor), peak {peak}, estimate {:.4}",
            T::NAME,
            index.recall(k, &run)?
        );
        for (stage, seconds) in run.stages() {
            println!("    {stage}: {seconds:.3} s");
        }
        println!("    measured recall {:.4}", measured_recall(data, &table, 300));
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let source =
        arguments.first().ok_or("give a .npy file, gaussian:ROWSxCOLUMNS or clusters:ROWSxCOLUMNS")?;
    let k = arguments.get(1).map_or(Ok(15), |k| k.parse())?;
    let recall = arguments.get(2).map_or(Ok(Approximate::<f32>::DEFAULT_RECALL), |r| r.parse())?;
    let threads = arguments.get(3).map_or(Ok(2), |t| t.parse())?;
    let (data, rows, columns) = match source.split_once(':') {
        Some((kind @ ("gaussian" | "clusters"), size)) => random(kind, size)?,
        _ => read_npy(source)?,
    };
    match data {
        Data::Single(data) => report(&data, rows, columns, k, recall, threads),
        Data::Double(data) => report(&data, rows, columns, k, recall, threads),
    }
}
