use super::place::place;
use super::*;
use crate::layout::affinity::Fuzzy;
use lowland_neighbors::Table;

#[test]
fn the_curve_is_that_of_umap_learn() {
    // scipy.optimize.curve_fit on the same samples.
    for (spread, min_dist, a, b) in [
        (1.0, 0.1, 1.576_943_460_405_378, 0.895_060_878_123_262_4),
        (1.0, 0.5, 0.583_030_029_849_714_5, 1.334_166_992_455_189_3),
    ] {
        let curve = Curve::fitted(spread, min_dist).unwrap();
        assert!((curve.a - a).abs() < 1e-5 && (curve.b - b).abs() < 1e-5, "{curve:?}");
    }
    assert!(Curve::fitted(1.0, 1.5).is_err() && Curve::fitted(0.0, 0.0).is_err());
}

#[test]
fn an_edge_pulls_as_often_as_it_is_strong() {
    for (share, times) in [(1.0, 200), (0.5, 100), (0.25, 50), (0.01, 2)] {
        assert_eq!((1..=200).filter(|&epoch| pulls(share, epoch)).count(), times);
    }
}

#[test]
fn pulls_and_pushes_are_the_slopes_of_the_loss() {
    let curve = Curve::fitted(1.0, 0.1).unwrap();
    let sampling =
        Sampling { curve, epochs: 1, learning_rate: 1.0, negative_sample_rate: 1, repulsion_strength: 1.0 };
    let forces = Forces::new(&sampling);
    for d in [0.3, 1.0, 2.5, 6.0_f64] {
        let h = 1e-6;
        let slope = |f: &dyn Fn(f64) -> f64| (f(d + h) - f(d - h)) / (2.0 * h);
        let rate = 1e-3_f32;
        let mut pulled = [d as f32, 0.0];
        forces.pull(&mut pulled, [0.0, 0.0], rate);
        // umap-learn holds every step within 4.
        let wanted = -slope(&|d| -curve.similarity(d * d).ln()).clamp(-4.0, 4.0);
        let found = (f64::from(pulled[0]) - f64::from(d as f32)) / f64::from(rate);
        assert!((found - wanted).abs() < 2e-3 * wanted.abs().max(0.1), "{d}: {found} {wanted}");
        let at = [d as f32, 0.0];
        let mut others = [[d as f32; PUSHES], [0.0; PUSHES]];
        others[0][0] = 0.0;
        let mut sums = [[0.0; PUSHES]; 2];
        forces.push_all(at, &others, &mut sums);
        let sum = total(&sums);
        let pushed = [at[0] + rate * sum[0], rate * sum[1]];
        // umap-learn adds 0.001 to the squared distance.
        let wanted = -slope(&|d| -(1.0 - curve.similarity(d * d)).ln()) * d * d / (0.001 + d * d);
        let wanted = wanted.clamp(-4.0, 4.0);
        let found = (f64::from(pushed[0]) - f64::from(d as f32)) / f64::from(rate);
        assert!((found - wanted).abs() < 2e-3 * wanted.abs().max(0.1), "{d}: {found} {wanted}");
    }
}

/// Two rings that do not touch, each point with six neighbors.
fn rings(n: usize) -> Table<f64> {
    let mut table = Table { k: 6, indices: Vec::new(), distances: Vec::new() };
    for i in 0..n {
        let (half, base) = (n / 2, i / (n / 2) * (n / 2));
        for step in [1, half - 1, 2, half - 2, 3, half - 3] {
            table.indices.push((base + (i - base + step) % half) as u32);
            table.distances.push(step.min(half - step) as f64);
        }
    }
    table
}

#[test]
fn components_come_apart_with_the_same_bits_for_every_number_of_threads() {
    let table = rings(400);
    let sampling = Sampling {
        curve: Curve::fitted(1.0, 0.1).unwrap(),
        epochs: 200,
        learning_rate: 1.0,
        negative_sample_rate: 5,
        repulsion_strength: 1.0,
    };
    let fuzzy = Fuzzy::default();
    let fit = |threads: usize| {
        let run = Run::new().with_threads(threads).unwrap();
        let graph = fuzzy.graph(&table, &run).unwrap();
        // Each ring by its own eigenvectors: from random positions rings stay entangled where they happen to cross.
        let base =
            || Ok(Some(faer::Mat::from_fn(400, 2, |i, c| if c == 0 { (i / 200) as f64 } else { 0.0 })));
        let start = crate::layout::start::spectral(&graph, base, 2, &run).unwrap().unwrap();
        let start = crate::layout::start::stretched(start, 10.0);
        descend(&graph, start.as_ref(), &sampling, None, &run).unwrap()
    };
    let one = fit(1);
    for threads in [2, 3, 8] {
        assert_eq!(one, fit(threads));
    }
    let y = &one.embedding;
    let apart = |i: usize, j: usize| (0..2).map(|c| (y[(i, c)] - y[(j, c)]).powi(2)).sum::<f64>();
    let strangers = (0..400)
        .filter(|&i| {
            let nearest = (0..400).filter(|&j| j != i).min_by(|&a, &b| apart(i, a).total_cmp(&apart(i, b)));
            nearest.is_none_or(|j| j / 200 != i / 200)
        })
        .count();
    assert_eq!(strangers, 0, "points that lie nearest to one of the other ring");
    assert!(one.loss < one.history[0].1 * 1.5 && one.loss.is_finite());
    // New points: known ones stay, others do not depend on their batch.
    let run = Run::new();
    let mut known = table.clone();
    for i in 0..400 {
        (known.indices[i * 6], known.distances[i * 6]) = (i as u32, 0.0);
    }
    assert_eq!(place(y.as_ref(), &fuzzy, &sampling, &known, &run).unwrap(), *y);
    let all = place(y.as_ref(), &fuzzy, &sampling, &table, &run).unwrap();
    let alone = Table { k: 6, indices: table.row(33).0.to_vec(), distances: table.row(33).1.to_vec() };
    assert_eq!(place(y.as_ref(), &fuzzy, &sampling, &alone, &run).unwrap().row(0), all.row(33));
}
