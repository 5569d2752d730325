//! Maximum variance unfolding: the low-rank solver against the interior-point method, theorems, and what has no solution.

mod graphs;

use graphs::{Points, distance, nearest, swiss_roll, with_angles};
use lowland_base::{Error, Run};
use lowland_linalg::unfolding::{Constraint, Options, Unfolded, Unfolding, interior_point, low_rank};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::{Range, RangeInclusive};

/// Points, and the edges between neighbors.
type Sample = (Points, Vec<(u32, u32, f64)>);

/// Random points in some dimensions, each with up to so many neighbors, and the angles between them if asked for.
fn cloud(seed: u64, dimensions: RangeInclusive<usize>, most: usize, angles: bool) -> Sample {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (n, d, k) = (rng.random_range(8..=60), rng.random_range(dimensions), rng.random_range(2..=most));
    let points: Points = (0..n).map(|_| (0..d).map(|_| rng.random_range(-1.0..1.0)).collect()).collect();
    let edges = if angles { with_angles(&points, k) } else { nearest(&points, k) };
    (points, edges)
}

/// A curve, a sheet or a solid in three dimensions, bent, with or without the angles between neighbors.
fn bent(seed: u64) -> Sample {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (n, k, dimensions) = (rng.random_range(8..=60), rng.random_range(2..=6), 1 + seed % 3);
    let points: Points = (0..n)
        .map(|_| {
            let (a, b, c): (f64, f64, f64) = (rng.random(), rng.random(), rng.random());
            let (b, c) = (if dimensions > 1 { b } else { 0.0 }, if dimensions > 2 { 0.4 * c } else { 0.0 });
            vec![(1.0 + a + c) * (4.0 * a).cos(), (1.0 + a + c) * (4.0 * a).sin(), b]
        })
        .collect();
    let edges = if seed.is_multiple_of(2) { with_angles(&points, k) } else { nearest(&points, k) };
    (points, edges)
}

/// The trace of the Gram matrix of the centered points.
fn trace_of(points: &[Vec<f64>]) -> f64 {
    let n = points.len() as f64;
    let columns = points[0].len();
    let mean = |c: usize| points.iter().map(|point| point[c]).sum::<f64>() / n;
    let means: Vec<f64> = (0..columns).map(mean).collect();
    points.iter().map(|point| distance(point, &means).powi(2)).sum()
}

fn rows(found: &Unfolded) -> Points {
    (0..found.coordinates.nrows()).map(|i| found.coordinates.row(i).iter().copied().collect()).collect()
}

/// What holds of every solution.
fn is_sound(problem: &Unfolding, found: &Unfolded, points: &[Vec<f64>], what: &str) {
    let y = rows(found);
    let trace = trace_of(&y);
    assert!((trace - found.trace).abs() <= 1e-9 * trace, "{what}: not centered");
    assert!(found.spectrum.iter().all(|&value| value >= 0.0));
    assert!((found.spectrum.iter().sum::<f64>() - trace).abs() <= 1e-9 * trace, "{what}");
    assert!(found.trace >= trace_of(points) * (1.0 - 1e-5), "{what}: below the input");
    assert!(found.bound >= found.value * (1.0 - 1e-4), "{what}: {} above {}", found.value, found.bound);
    let worst = problem.edges().fold(0.0f64, |worst, (i, j, length)| {
        worst.max((distance(&y[i as usize], &y[j as usize]) / length).powi(2) - 1.0)
    });
    assert!(worst <= found.worst_violation + 1e-9, "{what}");
}

/// The low-rank solution against the interior-point one.
fn agree(constraint: Constraint, seeds: Range<u64>, sample: impl Fn(u64) -> Sample) {
    let run = Run::new();
    for seed in seeds {
        let (points, edges) = sample(seed);
        let problem = Unfolding::new(points.len(), &edges, constraint).unwrap();
        let exact = interior_point(&problem, 1e-7, &run).unwrap();
        let found = low_rank(&problem, &Options::default(), &run).unwrap();
        let what = format!(
            "{constraint:?} {seed}, {} points, {} edges, rank {}",
            points.len(),
            problem.edges().len(),
            found.spectrum.len()
        );
        // The reference may leave an edge that is a thousandth of the others off by as much: it sees absolute lengths.
        assert!(exact.gap().abs() < 1e-5, "{what}: the reference has a gap of {}", exact.gap());
        assert!(found.converged, "{what}: {} steps, {} {}", found.steps, found.gap(), found.worst_violation);
        assert!((found.trace / exact.trace - 1.0).abs() < 1e-4, "{what}: {} {}", found.trace, exact.trace);
        assert!(found.worst_violation < 1e-6, "{what}: {}", found.worst_violation);
        is_sound(&problem, &found, &points, &what);
    }
}

#[test]
fn where_distances_may_shrink_the_two_solvers_agree() {
    agree(Constraint::AtMost, 0..50, |seed| cloud(seed, 1..=6, 6, seed % 2 == 0));
}

#[test]
fn on_bent_curves_sheets_and_solids_the_two_solvers_agree() {
    agree(Constraint::AtMost, 0..50, bent);
}

/// In so many dimensions no few neighbors lie in a plane: there are kernels of full rank with these distances.
#[test]
fn where_distances_are_kept_the_two_solvers_agree() {
    agree(Constraint::Equal, 100..150, |seed| cloud(seed, 4..=12, 4, false));
}

#[test]
fn where_distances_and_angles_are_kept_the_two_solvers_agree() {
    agree(Constraint::Equal, 200..250, |seed| cloud(seed, 8..=12, 4, true));
}

#[test]
fn a_folded_curve_becomes_a_line_of_its_length() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let points: Points =
        (0..50).map(|i| vec![f64::from(i % 3), rng.random(), 0.3 * rng.random::<f64>()]).collect();
    let mut edges = Vec::new();
    let mut along = vec![0.0];
    for i in 1..points.len() {
        let length = distance(&points[i - 1], &points[i]);
        edges.push((i as u32 - 1, i as u32, length));
        along.push(along[i - 1] + length);
    }
    for constraint in [Constraint::Equal, Constraint::AtMost] {
        let problem = Unfolding::new(points.len(), &edges, constraint).unwrap();
        let found = low_rank(&problem, &Options::default(), &Run::new()).unwrap();
        let line: Points = along.iter().map(|&x| vec![x]).collect();
        assert!((found.trace / trace_of(&line) - 1.0).abs() < 1e-5, "{constraint:?}: {}", found.trace);
        assert!(found.spectrum[0] > (1.0 - 1e-6) * found.trace);
        let y = rows(&found);
        for (i, j) in [(0, 49), (7, 31)] {
            assert!((distance(&y[i], &y[j]) / (along[j] - along[i]) - 1.0).abs() < 1e-4);
        }
    }
}

/// A rigid flat sheet has no other shape.
#[test]
fn a_flat_sheet_comes_back_as_itself() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let jitter = |rng: &mut ChaCha8Rng| 0.2 * (rng.random::<f64>() - 0.5);
    let points: Points = (0..49)
        .map(|i| vec![f64::from(i % 7) + jitter(&mut rng), f64::from(i / 7) + jitter(&mut rng)])
        .collect();
    let edges = nearest(&points, 8);
    let problem = Unfolding::new(points.len(), &edges, Constraint::Equal).unwrap();
    let found = low_rank(&problem, &Options { tolerance: 1e-5, ..Options::default() }, &Run::new()).unwrap();
    let y = rows(&found);
    for i in 0..points.len() {
        for j in 0..i {
            let (before, after) = (distance(&points[i], &points[j]), distance(&y[i], &y[j]));
            assert!((before - after).abs() < 1e-2, "({i}, {j}): {before} {after}");
        }
    }
}

#[test]
fn a_swiss_roll_is_unrolled() {
    let (points, truth) = swiss_roll(1000, 5);
    for edges in [nearest(&points, 6), with_angles(&points, 6)] {
        let problem = Unfolding::new(1000, &edges, Constraint::AtMost).unwrap();
        let found = low_rank(&problem, &Options::default(), &Run::new()).unwrap();
        assert!(found.converged && found.gap().abs() < 1e-5 && found.worst_violation < 1e-6);
        let share = (found.spectrum[0] + found.spectrum[1]) / found.trace;
        assert!(share > 0.98, "{share}");
        let fit = graphs::recovered(&rows(&found), &truth);
        assert!(fit.iter().all(|r| *r > 0.99), "{fit:?}");
    }
}

#[test]
fn what_has_no_solution_is_named() {
    let run = Run::new();
    // The long way is shorter than the edge; a center too near to all corners; a star that is too wide.
    let triangle = vec![(0, 1, 1.0), (1, 2, 1.0), (0, 2, 3.0)];
    let center = vec![(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0), (0, 3, 0.51), (1, 3, 0.51), (2, 3, 0.51)];
    for (points, edges) in [(3, triangle), (4, center)] {
        let kept = Unfolding::new(points, &edges, Constraint::Equal).unwrap();
        assert!(matches!(low_rank(&kept, &Options::default(), &run), Err(Error::Contradictory { .. })));
        assert!(matches!(interior_point(&kept, 1e-6, &run), Err(Error::Contradictory { .. })));
        // With slack, or where they may shrink, the same distances are no contradiction.
        let bent = kept.clone().with_slack(10.0).unwrap();
        let (exact, found) =
            (interior_point(&bent, 1e-7, &run).unwrap(), low_rank(&bent, &Options::default(), &run).unwrap());
        assert!((found.value / exact.value - 1.0).abs() < 1e-4, "{} {}", found.value, exact.value);
        let shrunk = Unfolding::new(points, &edges, Constraint::AtMost).unwrap();
        assert!(low_rank(&shrunk, &Options::default(), &run).unwrap().converged);
    }
    let apart = [(0, 1, 1.0), (2, 3, 1.0), (3, 4, 1.0)];
    let refused = Unfolding::new(5, &apart, Constraint::Equal).unwrap_err();
    assert_eq!(refused, Error::disconnected(vec![3, 2]));
    for wrong in
        [(0, 0, 1.0), (0, 9, 1.0), (0, 1, 0.0), (0, 1, -1.0), (0, 1, f64::NAN), (0, 1, f64::INFINITY)]
    {
        assert!(
            matches!(Unfolding::new(2, &[wrong], Constraint::Equal), Err(Error::Malformed { .. })),
            "{wrong:?}"
        );
    }
    let twice = [(0, 1, 1.0), (1, 0, 2.0)];
    assert!(Unfolding::new(2, &twice, Constraint::Equal).is_err());
    assert!(Unfolding::new(2, &twice, Constraint::AtMost).is_ok());
}

#[test]
fn units_and_threads_do_not_matter() {
    let (points, edges) = cloud(7, 3..=3, 4, false);
    let solve = |unit: f64, threads: usize| {
        let scaled: Vec<(u32, u32, f64)> =
            edges.iter().map(|&(i, j, length)| (i, j, unit * length)).collect();
        let problem = Unfolding::new(points.len(), &scaled, Constraint::AtMost).unwrap();
        low_rank(&problem, &Options::default(), &Run::new().with_threads(threads).unwrap()).unwrap()
    };
    let (one, three) = (solve(1.0, 1), solve(1.0, 3));
    assert_eq!(one.coordinates, three.coordinates);
    for unit in [1e-120, 1e120] {
        let other = solve(unit, 2);
        assert!((other.trace / (unit * unit) / one.trace - 1.0).abs() < 1e-6, "{unit}");
    }
}

#[test]
fn a_span_holds_its_columns_and_a_full_one_is_all() {
    let (points, edges) = cloud(11, 3..=3, 5, false);
    let n = points.len();
    let problem = Unfolding::new(n, &edges, Constraint::AtMost).unwrap();
    let run = Run::new();
    let all = low_rank(&problem, &Options::default(), &run).unwrap();
    let unit = faer::Mat::from_fn(n, n - 1, |i, j| f64::from(u8::from(i == j)));
    let spanned = low_rank(&problem, &Options { basis: Some(unit), ..Options::default() }, &run).unwrap();
    assert!((spanned.trace / all.trace - 1.0).abs() < 1e-4, "{} {}", spanned.trace, all.trace);
    // Inside the span of the points themselves the best is at least the points.
    let basis = faer::Mat::from_fn(n, 3, |i, j| points[i][j]);
    let linear = low_rank(&problem, &Options { basis: Some(basis), ..Options::default() }, &run).unwrap();
    assert!(linear.trace >= trace_of(&points) * (1.0 - 1e-5) && linear.trace <= all.trace * (1.0 + 1e-5));
    assert!(linear.spectrum.len() <= 3);
}

/// The table of docs/unfolding.md: `POINTS=1000,5000 cargo test -p lowland-linalg --test unfolding growth -- --ignored
/// --nocapture`.
#[test]
#[ignore = "minutes: it measures"]
fn growth() {
    let run = Run::new();
    let sizes = std::env::var("POINTS").unwrap_or("500,1000,2000".into());
    println!(
        "| points | edges | tolerance | seconds | steps | rank | worst violation | gap | share of two | correlations |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for n in sizes.split(',').map(|n| n.parse::<usize>().unwrap()) {
        let (points, truth) = swiss_roll(n, 5);
        for edges in [nearest(&points, 6), with_angles(&points, 6)] {
            let problem = Unfolding::new(n, &edges, Constraint::AtMost).unwrap();
            for tolerance in [1e-3, 1e-6] {
                let begun = std::time::Instant::now();
                let options = Options { tolerance, gap: 10.0 * tolerance, ..Options::default() };
                let found = low_rank(&problem, &options, &run).unwrap();
                let seconds = begun.elapsed().as_secs_f64();
                let fit = graphs::recovered(&rows(&found), &truth);
                println!(
                    "| {n} | {} | {tolerance:.0e} | {seconds:.1} | {} | {} | {:.0e} | {:.0e} | {:.4} | {:.4} {:.4} |",
                    problem.edges().len(),
                    found.steps,
                    found.spectrum.len(),
                    found.worst_violation,
                    found.gap(),
                    (found.spectrum[0] + found.spectrum[1]) / found.trace,
                    fit[0],
                    fit[1],
                );
            }
        }
    }
}

/// With more neighbors than dimensions neighborhoods are flat cliques, and no kernel with their distances is definite: both
/// solvers look for it in the face that these leave.
#[test]
fn where_cliques_are_flat_the_two_solvers_agree() {
    agree(Constraint::Equal, 300..350, |seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (n, d, more) = (rng.random_range(8..=60), 1 + seed as usize % 3, 1 + seed as usize / 3 % 3);
        let points: Points = (0..n).map(|_| (0..d).map(|_| rng.random_range(-1.0..1.0)).collect()).collect();
        let edges = with_angles(&points, d + more);
        (points, edges)
    });
}

/// Neighborhoods that overlap in more points than dimensions leave no other shape.
#[test]
fn a_roll_whose_distances_and_angles_are_kept_stays_as_it_is() {
    for (seed, n) in [(21, 300), (22, 1000)] {
        let (points, _) = swiss_roll(n, seed);
        let problem = Unfolding::new(n, &with_angles(&points, 6), Constraint::Equal).unwrap();
        let found = low_rank(&problem, &Options::default(), &Run::new()).unwrap();
        assert!(found.converged && found.spectrum.len() == 3, "{} {}", found.gap(), found.worst_violation);
        assert!((found.trace / trace_of(&points) - 1.0).abs() < 1e-5);
    }
}

/// The largest `tol` that the methods admit.
#[test]
fn the_coarsest_tolerance_ends_as_well() {
    for seed in 1..4 {
        let (points, _) = swiss_roll(300, seed);
        let problem = Unfolding::new(300, &nearest(&points, 10), Constraint::AtMost).unwrap();
        let options = Options { tolerance: 0.1, gap: 1.0, ..Options::default() };
        let found = low_rank(&problem, &options, &Run::new()).unwrap();
        assert!(found.worst_violation <= 0.1, "{seed}: {}", found.worst_violation);
    }
}

/// Rolls whose distances are kept, beside those whose distances may shrink: `POINTS=1000 K=6 ANGLES=1 FIRST=1 LAST=3`.
#[test]
#[ignore = "minutes: it measures"]
fn kept() {
    let run = Run::new();
    let number = |name: &str, usual: u64| std::env::var(name).map_or(usual, |text| text.parse().unwrap());
    let (n, k, angles) = (number("POINTS", 1000) as usize, number("K", 6) as usize, number("ANGLES", 1) == 1);
    for seed in number("FIRST", 1)..=number("LAST", 3) {
        let (points, truth) = swiss_roll(n, seed);
        let edges = if angles { with_angles(&points, k) } else { nearest(&points, k) };
        for constraint in [Constraint::AtMost, Constraint::Equal] {
            let problem = Unfolding::new(n, &edges, constraint).unwrap();
            let begun = std::time::Instant::now();
            let found = low_rank(&problem, &Options { steps: 100, ..Options::default() }, &run).unwrap();
            println!(
                "{n} {k} {angles} {seed} {constraint:?}: {} edges {:.1} s, {} steps, rank {}, worst {:.1e}, gap {:.1e}, share {:.5}, trace {:.1} {:.4?} {}",
                problem.edges().len(),
                begun.elapsed().as_secs_f64(),
                found.steps,
                found.spectrum.len(),
                found.worst_violation,
                found.gap(),
                (found.spectrum[0] + found.spectrum.get(1).unwrap_or(&0.0)) / found.trace,
                found.trace,
                graphs::recovered(&rows(&found), &truth),
                found.converged
            );
        }
    }
}
