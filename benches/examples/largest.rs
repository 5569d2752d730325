//! Times the ten largest eigenpairs of a dense symmetric matrix.
//!
//! `cargo run --release -p lowland-bench --example largest -- [goe | kernel] [order] [rounds]`

use faer::Mat;
use lowland_base::Run;
use lowland_linalg::operator::Dense;
use lowland_linalg::{Request, Solver, Which, eigen};
use rand_distr::{Distribution, StandardNormal};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let kind = words.next().unwrap_or_else(|| "goe".into());
    let n: usize = words.next().map_or(Ok(5000), |w| w.parse())?;
    let rounds: usize = words.next().map_or(Ok(3), |w| w.parse())?;
    let run = Run::new().with_threads(2)?;
    let mut rng = run.rng("example");
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    let mut a = Mat::<f64>::zeros(n, n);
    if kind == "kernel" {
        let points: Vec<[f64; 3]> = (0..n).map(|_| [normal(), normal(), normal()]).collect();
        for j in 0..n {
            for i in 0..n {
                let squared: f64 = (0..3).map(|d| (points[i][d] - points[j][d]).powi(2)).sum();
                a[(i, j)] = (-0.5 * squared).exp();
            }
        }
    } else {
        for j in 0..n {
            for i in j..n {
                a[(i, j)] = normal();
                a[(j, i)] = a[(i, j)];
            }
        }
    }
    let op = Dense::new(a.as_ref())?;
    let request = Request::new(10, Which::Largest).by(Solver::Lanczos);
    for _ in 0..rounds {
        let begun = Instant::now();
        let pairs = eigen::solve(&op, &request, &run)?;
        println!(
            "{kind} {n}: {:.3} s, largest {:.12}, worst residual {:.2e}",
            begun.elapsed().as_secs_f64(),
            pairs.values[0],
            pairs.worst_residual()
        );
    }
    Ok(())
}
