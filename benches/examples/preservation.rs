//! Times trustworthiness and continuity of a bent plane:
//! `cargo run --release -p lowland-bench --example preservation -- 20000 784 12 2`.

use faer::{Mat, MatRef};
use lowland_base::Run;
use lowland_neighbors::Metric;
use lowland_quality::{Neighborhoods, Points};
use std::time::Instant;

fn main() -> lowland_base::Result<()> {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let [n, width, k, threads] = numbers[..] else {
        println!("usage: preservation ROWS COLUMNS NEIGHBORS THREADS");
        return Ok(());
    };
    let run = Run::new().with_threads(threads)?;
    // A plane, bent into all columns.
    let point = |i: usize| (((i * i) as f64 * 0.7).sin(), ((i * i) as f64 * 1.3).cos());
    let wave = |cell: usize| {
        let ((a, b), j) = (point(cell / width), (cell % width) as f64);
        (a * j * 0.1 + j).sin() + (b * j * 0.07).cos()
    };
    let x: Vec<f64> = (0..n * width).map(wave).collect();
    let y = Mat::from_fn(n, 2, |i, j| if j == 0 { point(i).0 } else { point(i).1 });
    let begun = Instant::now();
    let data = Points::new(MatRef::from_row_major_slice(&x, n, width), Metric::Euclidean, &run)?;
    let embedding = Points::new(y.as_ref(), Metric::Euclidean, &run)?;
    let near = Neighborhoods::new(&data, &embedding, k, n, &run)?;
    let (trust, continuity) = (near.trustworthiness(k)?.value, near.continuity(k)?.value);
    println!("{trust:.6} {continuity:.6} in {:.2} s: {:?}", begun.elapsed().as_secs_f64(), run.stages());
    Ok(())
}
