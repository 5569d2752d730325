use super::*;
use crate::layout::affinity::Affinity;
use crate::layout::start;
use crate::layout::transform::transform;
use lowland_base::{Checkpoint, Progress};
use lowland_neighbors::{Metric, Table};
use rand::Rng;
use std::sync::{Arc, Mutex};

/// Three clusters in five dimensions.
fn points(n: usize, offset: f64) -> Mat<f64> {
    let mut rng = Run::new().with_seed(5).rng("points");
    let mut uniform = || (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    Mat::from_fn(n, 5, |i, c| offset + if c == i % 3 { 8.0 } else { 0.0 } + uniform())
}

/// All other points by distance; small enough for the plain way.
fn neighbors(points: &Mat<f64>, k: usize) -> Table<f64> {
    let mut table = Table { k, indices: Vec::new(), distances: Vec::new() };
    let rows: Vec<Vec<f64>> = (0..points.nrows()).map(|i| points.row(i).iter().copied().collect()).collect();
    for i in 0..rows.len() {
        let mut list: Vec<(f64, u32)> = (0..rows.len())
            .filter(|&j| j != i)
            .map(|j| (Metric::Euclidean.distance(&rows[i], &rows[j]), j as u32))
            .collect();
        list.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        table.indices.extend(list[..k].iter().map(|entry| entry.1));
        table.distances.extend(list[..k].iter().map(|entry| entry.0));
    }
    table
}

fn affinities(points: &Mat<f64>, perplexity: f64) -> Csr<f64> {
    let affinity = Affinity::Perplexity(vec![perplexity]);
    let k = affinity.neighbors_wanted(points.nrows()).unwrap();
    affinity.joint(&neighbors(points, k), &Run::new()).unwrap()
}

fn gradient_is_the_slope_of_the_loss<const D: usize>() {
    let run = Run::new();
    let p = affinities(&points(60, 0.0), 8.0);
    let mut rng = run.rng("layout");
    for dof in [1.0, 0.6, 2.5] {
        for exaggeration in [1.0, 4.0] {
            let mut loss = Divergence::<f64, D>::new(&p, Kernel::new(dof).unwrap(), Approach::Exact).unwrap();
            let mut layout: Vec<[f64; D]> = (0..60)
                .map(|_| std::array::from_fn(|_| (rng.next_u64() >> 40) as f64 / (1 << 22) as f64))
                .collect();
            let mut slopes = vec![[0.0; D]; 60];
            let mut value = |layout: &[[f64; D]]| {
                let z = loss.slopes(layout, exaggeration, &mut slopes, &run).unwrap();
                // With exaggeration it is `sum e p log(1 / w) + log Z`.
                let attraction = loss.value(layout, 1.0, &run).unwrap();
                (exaggeration * attraction + z.ln(), slopes.clone(), loss.factor())
            };
            let (_, slopes, factor) = value(&layout);
            for i in [0, 7, 59] {
                for c in 0..D {
                    let (at, h) = (layout[i][c], 1e-5);
                    layout[i][c] = at + h;
                    let above = value(&layout).0;
                    layout[i][c] = at - h;
                    let below = value(&layout).0;
                    layout[i][c] = at;
                    let (wanted, found) = ((above - below) / (2.0 * h), factor * slopes[i][c]);
                    let scale = factor * slopes.iter().flatten().fold(0.0_f64, |a, b| a.max(b.abs()));
                    assert!((wanted - found).abs() < 1e-5 * scale, "{dof} {exaggeration}: {wanted} {found}");
                }
            }
        }
    }
}

#[test]
fn the_gradient_is_the_slope_of_the_loss() {
    gradient_is_the_slope_of_the_loss::<1>();
    gradient_is_the_slope_of_the_loss::<2>();
    gradient_is_the_slope_of_the_loss::<3>();
    gradient_is_the_slope_of_the_loss::<8>();
}

fn short() -> Schedule {
    Schedule { early_iterations: 60, iterations: 60, ..Schedule::default() }
}

#[test]
fn the_same_bits_for_every_number_of_threads() {
    let points = points(2500, 0.0);
    let p = affinities(&points, 10.0);
    for approach in [Approach::Exact, Approach::BarnesHut { theta: 0.5 }, Approach::Auto] {
        let schedule = Schedule { approach, early_iterations: 20, iterations: 20, ..Schedule::default() };
        let fit = |threads: usize| {
            let run = Run::new().with_threads(threads).unwrap();
            let start = start::principal(points.as_ref(), 2, &run).unwrap();
            descend(&p, start.as_ref(), &schedule, &run).unwrap()
        };
        let one = fit(1);
        for threads in [2, 3, 8] {
            assert_eq!(one, fit(threads), "{approach:?}, {threads} threads");
        }
    }
}

#[test]
fn clusters_are_found_in_every_number_of_dimensions() {
    let run = Run::new();
    let points = points(150, 0.0);
    let p = affinities(&points, 10.0);
    for components in [1, 2, 3, 5] {
        let start = start::principal(points.as_ref(), components, &run).unwrap();
        let layout = descend(&p, start.as_ref(), &short(), &run).unwrap();
        let y = &layout.embedding;
        let apart =
            |i: usize, j: usize| (0..components).map(|c| (y[(i, c)] - y[(j, c)]).powi(2)).sum::<f64>();
        let wrong = (0..150)
            .filter(|&i| {
                let nearest =
                    (0..150).filter(|&j| j != i).min_by(|&a, &b| apart(i, a).total_cmp(&apart(i, b)));
                nearest.is_none_or(|j| j % 3 != i % 3)
            })
            .count();
        assert!(wrong <= 1, "{components} components: {wrong} of 150");
        assert!(layout.loss < layout.history[0].1 && layout.loss > 0.0);
    }
}

#[test]
fn hostile_data_give_finite_layouts() {
    let run = Run::new();
    let cases: Vec<(&str, Mat<f64>)> = vec![
        ("two points", points(2, 0.0)),
        ("four points", points(4, 0.0)),
        ("constant", Mat::from_fn(50, 3, |_, _| 7.0)),
        ("duplicates", Mat::from_fn(90, 5, |i, c| ((i % 9) * (c + 1)) as f64)),
        ("an offset", points(120, 1e8)),
    ];
    for (name, points) in cases {
        let n = points.nrows();
        let p = affinities(&points, (n as f64 - 1.0).clamp(1.0, 5.0));
        for approach in
            [Approach::Exact, Approach::BarnesHut { theta: 0.5 }, Approach::Interpolation { spacing: 0.5 }]
        {
            let start = start::principal(points.as_ref(), 2, &run).unwrap();
            let layout = descend(&p, start.as_ref(), &Schedule { approach, ..short() }, &run).unwrap();
            assert_eq!(layout.embedding.nrows(), n);
            let finite = (0..n).all(|i| (0..2).all(|c| layout.embedding[(i, c)].is_finite()));
            assert!(finite && layout.loss.is_finite(), "{name}, {approach:?}");
        }
    }
}

#[test]
fn an_offset_changes_nothing() {
    let (here, there) = (affinities(&points(80, 0.0), 8.0), affinities(&points(80, 1e8), 8.0));
    let apart = here.values().iter().zip(there.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(here.indices() == there.indices() && apart < 1e-8, "{apart}");
}

/// Looks every seven iterations, and has seen enough after so many.
struct StopAt(u64, Mutex<Vec<u64>>);

impl Progress for StopAt {
    fn begin(&self, _: &str, _: Option<u64>) {}
    fn advance(&self, _: &str, _: u64) {}
    fn end(&self, _: &str, _: f64) {}
    fn wants_layout(&self, stage: &str, done: u64) -> bool {
        stage == "layout" && done.is_multiple_of(7)
    }
    fn layout(&self, _: &str, checkpoint: &Checkpoint) -> Verdict {
        assert!(checkpoint.loss.is_finite() && checkpoint.layout.nrows() == 60);
        let done = checkpoint.iteration as u64;
        self.1.lock().unwrap().push(done);
        if done >= self.0 { Verdict::Stop } else { Verdict::Continue }
    }
}

#[test]
fn whoever_watches_may_stop_and_a_canceled_run_ends() {
    let watch = Arc::new(StopAt(20, Mutex::new(Vec::new())));
    let run = Run::new().with_progress(watch.clone());
    let points = points(60, 0.0);
    let p = affinities(&points, 8.0);
    let start = start::random(60, 2, &run);
    let layout = descend(&p, start.as_ref(), &short(), &run).unwrap();
    assert_eq!((layout.iterations, watch.1.lock().unwrap().clone()), (21, vec![7, 14, 21]));
    run.cancel_switch().cancel();
    assert_eq!(descend(&p, start.as_ref(), &short(), &run), Err(Error::Canceled));
}

#[test]
fn new_points_settle_by_themselves_and_known_ones_stay() {
    let run = Run::new();
    let points = points(200, 0.0);
    let affinity = Affinity::Perplexity(vec![10.0]);
    let table = neighbors(&points, 30);
    let p = affinity.joint(&table, &run).unwrap();
    for components in [1, 2, 3, 4] {
        let start = start::principal(points.as_ref(), components, &run).unwrap();
        let map = descend(&p, start.as_ref(), &Schedule::default(), &run).unwrap().embedding;
        let go = |table: &Table<f64>| {
            transform(map.as_ref(), Kernel::default(), &affinity, 1.0, &table.clone().into(), &run).unwrap()
        };
        // A known point is at distance zero from itself.
        let mut known = table.clone();
        for i in 0..200 {
            (known.indices[i * 30], known.distances[i * 30]) = (i as u32, 0.0);
        }
        assert_eq!(go(&known), map);
        // New ones, here the old ones without themselves, go to their clusters; alone as in the batch.
        let all = go(&table);
        for i in [0, 50, 199] {
            let alone = Table { k: 30, indices: table.row(i).0.to_vec(), distances: table.row(i).1.to_vec() };
            assert_eq!(go(&alone).row(0), all.row(i));
        }
        let apart =
            |i: usize, j: usize| (0..components).map(|c| (all[(i, c)] - map[(j, c)]).powi(2)).sum::<f64>();
        let wrong = (0..200)
            .filter(|&i| {
                let nearest =
                    (0..200).filter(|&j| j != i).min_by(|&a, &b| apart(i, a).total_cmp(&apart(i, b)));
                nearest.is_none_or(|j| j % 3 != i % 3)
            })
            .count();
        assert!(wrong <= 2, "{components} components: {wrong} of 200 in another cluster");
    }
}
