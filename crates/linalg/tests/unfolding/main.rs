//! Maximum variance unfolding: the low-rank solver against the interior-point method, theorems, and what has no solution.

mod graphs;

use graphs::{Points, nearest};
use lowland_base::Run;
use lowland_linalg::unfolding::{Constraint, Options, Unfolding, interior_point, low_rank};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const BOTH: [Constraint; 2] = [Constraint::Equal, Constraint::AtMost];

/// Random points in some dimensions, the number of neighbors, the edges.
fn random(seed: u64) -> (Points, Vec<(u32, u32, f64)>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (n, d, k) = (rng.random_range(8..=60), rng.random_range(1..=6), rng.random_range(2..=6));
    let points: Points = (0..n).map(|_| (0..d).map(|_| rng.random_range(-1.0..1.0)).collect()).collect();
    let edges = nearest(&points, k);
    (points, edges)
}

#[test]
fn trial() {
    let run = Run::new();
    for seed in 0..50 {
        let (points, edges) = random(seed);
        for constraint in BOTH {
            let problem = Unfolding::new(points.len(), &edges, constraint).unwrap();
            let begun = std::time::Instant::now();
            let exact = interior_point(&problem, 1e-7, &run).unwrap();
            let t1 = begun.elapsed().as_secs_f64();
            let begun = std::time::Instant::now();
            let low = low_rank(&problem, &Options::default(), &run).unwrap();
            let t2 = begun.elapsed().as_secs_f64();
            println!("{seed} {constraint:?} n {} D {} m {}: ip {:.6} {} {} gap {:.1e} viol {:.1e} {t1:.3} s | lr {:.6} diff {:.1e} {} steps {} rank {} gap {:.1e} viol {:.1e} eig {:.6} {t2:.3} s",
                points.len(), points[0].len(), edges.len(), exact.trace, exact.converged, exact.steps, exact.gap(), exact.worst_violation,
                low.trace, (low.trace - exact.trace) / exact.trace, low.converged, low.steps, low.spectrum.len(), low.gap(), low.worst_violation, low.smallest_eigenvalue);
        }
    }
}

/// A swiss roll of Maaten's appendix B; the parameters along and across it.
fn swiss_roll(n: usize, seed: u64) -> (Points, Points) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let turn = 1.5 * std::f64::consts::PI;
    let along = |t: f64| 0.5 * (t * (1.0 + t * t).sqrt() + t.asinh());
    (0..n)
        .map(|_| {
            let (t, height) = (turn * (1.0 + 2.0 * rng.random::<f64>()), 30.0 * rng.random::<f64>());
            (vec![t * t.cos(), height, t * t.sin()], vec![along(t), height])
        })
        .unzip()
}

#[test]
fn roll() {
    let run = Run::new();
    let n: usize = std::env::var("N").map_or(1000, |n| n.parse().unwrap());
    let (points, _) = swiss_roll(n, 1);
    let edges = nearest(&points, 6);
    for constraint in BOTH {
        let problem = Unfolding::new(points.len(), &edges, constraint).unwrap();
        let begun = std::time::Instant::now();
        let low = low_rank(&problem, &Options::default(), &run).unwrap();
        println!("{constraint:?} m {}: trace {:.6} {} steps {} rank {} gap {:.1e} viol {:.1e} eig {:.6} {:.3} s spectrum {:?}",
            problem.edges().len(), low.trace, low.converged, low.steps, low.spectrum.len(), low.gap(), low.worst_violation, low.smallest_eigenvalue, begun.elapsed().as_secs_f64(), low.spectrum);
    }
}
