//! Seconds of the geodesics of a neighbor graph: `geodesics N K THREADS [SOURCES]`. The points are N random ones on
//! a Swiss roll; the sources are all of them, or so many.

use faer::Mat;
use lowland_base::Run;
use lowland_neighbors::geodesics::{all_shortest_paths, shortest_paths};
use lowland_neighbors::graph::Symmetrize;
use lowland_neighbors::index::{Choice, build};
use lowland_neighbors::{Graph, Metric};
use rand::RngExt;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers: Vec<usize> = std::env::args().skip(1).map(|text| text.parse()).collect::<Result<_, _>>()?;
    let (&[n, k, threads] | &[n, k, threads, _]) = &numbers[..] else {
        return Err("geodesics N K THREADS [SOURCES]".into());
    };
    let sources = numbers.get(3).copied().unwrap_or(n);
    let run = Run::new().with_threads(threads)?;
    let mut rng = run.rng("swiss roll");
    let mut points = Mat::zeros(n, 3);
    for i in 0..n {
        let angle = std::f64::consts::PI * rng.random_range(1.5..4.5);
        points[(i, 0)] = angle * angle.cos();
        points[(i, 1)] = 21.0 * rng.random_range(0.0..1.0);
        points[(i, 2)] = angle * angle.sin();
    }
    let table = build(points.as_ref(), Metric::Euclidean, Choice::Auto, &run)?.k_nearest_of_all(k, &run)?;
    let graph = Graph::from_table(&table, Symmetrize::Either)?;
    let mut out = vec![0.0; sources * n];
    for _ in 0..2 {
        let begun = Instant::now();
        if sources == n {
            all_shortest_paths(&graph, &mut out, &run)?;
        } else {
            let some: Vec<u32> = (0..sources as u32).collect();
            shortest_paths(&graph, &some, &mut out, &run)?;
        }
        let seconds = begun.elapsed().as_secs_f64();
        let sum: f64 = out.iter().filter(|d| d.is_finite()).sum();
        println!("seconds {seconds:.3} points {n} edges {} distance_sum {sum}", graph.distances().nnz());
    }
    Ok(())
}
