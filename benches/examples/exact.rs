//! Seconds of the exact indexes, for the bench chore:
//! `exact brute|tree|auto f32|f64 K THREADS FILE.npy [ROWS [COLUMNS]]`. The file holds little-endian floats, n x D, C order.

use faer::MatRef;
use lowland_base::{Run, Scalar};
use lowland_neighbors::Metric;
use lowland_neighbors::index::{Choice, build};
use std::fs::File;
use std::io::{BufReader, Read};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [choice, scalar, k, threads, file, rest @ ..] = &arguments[..] else {
        return Err("exact brute|tree|auto f32|f64 K THREADS FILE.npy [ROWS [COLUMNS]]".into());
    };
    let choice = match choice.as_str() {
        "brute" => Choice::Brute,
        "tree" => Choice::Tree,
        _ => Choice::Auto,
    };
    let limit = |place: usize| rest.get(place).map_or(Ok(usize::MAX), |text| text.parse());
    let (values, rows, columns) = read(file, limit(0)?, limit(1)?)?;
    let run = Run::new().with_threads(threads.parse()?)?;
    if scalar == "f32" {
        let single: Vec<f32> = values.iter().map(|&x| x as f32).collect();
        drop(values);
        time(&single, rows, columns, choice, k.parse()?, &run)
    } else {
        time(&values, rows, columns, choice, k.parse()?, &run)
    }
}

fn time<T: Scalar>(
    values: &[T],
    rows: usize,
    columns: usize,
    choice: Choice,
    k: usize,
    run: &Run,
) -> Result<(), Box<dyn std::error::Error>> {
    let points = MatRef::from_row_major_slice(values, rows, columns);
    for _ in 0..3 {
        let begun = Instant::now();
        let index = build(points, Metric::Euclidean, choice, run)?;
        let built = begun.elapsed().as_secs_f64();
        let table = index.k_nearest_of_all(k, run)?;
        let all = begun.elapsed().as_secs_f64();
        let sum: f64 = table.distances.iter().map(|d| d.wide()).sum();
        println!(
            "seconds {all:.3} build {built:.3} rows {rows} columns {columns} type {} k {k} distance_sum {sum}",
            T::NAME
        );
    }
    Ok(())
}

/// The first rows and columns of an .npy file of floats, row by row.
fn read(
    file: &str,
    most: usize,
    widest: usize,
) -> Result<(Vec<f64>, usize, usize), Box<dyn std::error::Error>> {
    let mut file = BufReader::new(File::open(file)?);
    let mut start = [0; 10];
    file.read_exact(&mut start)?;
    let mut header = vec![0; usize::from(u16::from_le_bytes([start[8], start[9]]))];
    file.read_exact(&mut header)?;
    let header = String::from_utf8(header)?;
    let shape = header.split(['(', ')']).nth(1).ok_or("no shape")?;
    let mut sides = shape.split(',').map(|side| side.trim().parse::<usize>());
    let (rows, columns) = (sides.next().ok_or("no rows")??, sides.next().ok_or("no columns")??);
    let (rows, width) = (rows.min(most), columns.min(widest));
    let size = if header.contains("f8") { 8 } else { 4 };
    let mut values = Vec::with_capacity(rows * width);
    let mut line = vec![0; columns * size];
    for _ in 0..rows {
        file.read_exact(&mut line)?;
        values.extend(line.chunks_exact(size).take(width).map(|bytes| match bytes.try_into() {
            Ok(eight) => f64::from_le_bytes(eight),
            Err(_) => f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
        }));
    }
    Ok((values, rows, width))
}
