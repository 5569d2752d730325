//! Seconds of the exact indexes, for the bench chore:
//! `exact brute|tree|auto f32|f64 K THREADS FILE.npy [ROWS [COLUMNS]]`. The file holds little-endian floats, n x D, C order.

use faer::MatRef;
use lowland_base::{Run, Scalar};
use lowland_neighbors::Metric;
use lowland_neighbors::index::{Choice, build};
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

/// The first rows and columns of an .npy file of floats.
fn read(
    file: &str,
    most: usize,
    widest: usize,
) -> Result<(Vec<f64>, usize, usize), Box<dyn std::error::Error>> {
    let bytes = std::fs::read(file)?;
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = String::from_utf8_lossy(&bytes[10..start]).into_owned();
    let shape = header.split(['(', ')']).nth(1).ok_or("no shape")?;
    let mut sides = shape.split(',').map(|side| side.trim().parse::<usize>());
    let (rows, columns) = (sides.next().ok_or("no rows")??, sides.next().ok_or("no columns")??);
    let (rows, width) = (rows.min(most), columns.min(widest));
    let size = if header.contains("f8") { 8 } else { 4 };
    let value = |place: usize| {
        let bytes = &bytes[start + place * size..start + (place + 1) * size];
        match bytes.try_into() {
            Ok(eight) => f64::from_le_bytes(eight),
            Err(_) => f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
        }
    };
    let values = (0..rows).flat_map(|i| (0..width).map(move |j| i * columns + j)).map(value).collect();
    Ok((values, rows, width))
}
