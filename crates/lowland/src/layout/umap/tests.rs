use super::forces::{LANES, total};
use super::transform::transform;
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
fn an_edge_pulls_both_of_its_ends_in_the_same_parts() {
    let graph = Fuzzy::default().graph(&rings(400), &Run::new()).unwrap();
    let edges: [Edges<f32>; HALF] = std::array::from_fn(|half| shares(&graph, 500, half));
    let mut count = 0;
    for edges in &edges {
        for i in 0..400 {
            for (&j, share) in edges.of(i).0.iter().zip(edges.of(i).1) {
                let (back, shares) = edges.of(j as usize);
                let place = back.iter().position(|&k| k as usize == i).unwrap();
                assert_eq!(shares[place], *share);
                count += 1;
            }
        }
    }
    assert_eq!(count, graph.nnz());
    // As many push in an epoch as are asked for.
    for each in 0..8 {
        assert_eq!((0..PARTS).map(|part| pushes(each, part)).sum::<usize>(), each * HALF);
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
        let own = at.map(|x| [x; LANES]);
        let (mut others, mut sums) = (own, [[0.0; LANES]; 2]);
        others[0][0] = 0.0;
        forces.push_all(&own, &others, &mut sums);
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
fn a_step_is_the_sum_of_its_forces_one_by_one() {
    // More points than a chunk has, edges of many weights, some points in one place.
    let (n, pushes, rate, seed) = (300, 5, 0.25_f32, 7);
    let chance = Chance::new(11, 0, 0, 0);
    let layout: Vec<[f32; 2]> = (0..n)
        .map(|i| [0, 1].map(|c| chance.below(2 * (i / 3 * 3 + i % 2) + c, 1000) as f32 / 100.0))
        .collect();
    let entries: Vec<(usize, usize, f64)> = (0..n as usize)
        .flat_map(|i| (1..=i % 50).map(move |k| (i, (i + 7 * k) % n as usize, 1.0 / (1 + k % 9) as f64)))
        .collect();
    let graph = Csr::from_entries(n as usize, n as usize, &entries).unwrap();
    let curve = Curve::fitted(1.0, 0.1).unwrap();
    let sampling = Sampling {
        curve,
        epochs: 20,
        learning_rate: 1.0,
        negative_sample_rate: pushes,
        repulsion_strength: 1.0,
    };
    let forces = Forces::new(&sampling);
    for part in 0..PARTS {
        let edges = shares(&graph, sampling.epochs, part % HALF);
        let pushes = super::pushes(pushes, part);
        let now =
            Part { edges: &edges, forces, layout: &layout, epoch: 6, part, rate, pushes, radii: None, seed };
        for first in (0..n as usize).step_by(CHUNK) {
            let range = first..(first + CHUNK).min(n as usize);
            let mut next = vec![[0.0; 2]; range.len()];
            now.advance(range.clone(), &mut next);
            for (i, found) in range.zip(next) {
                let mut wanted = layout[i].map(f64::from);
                let mut add = |j: usize, weight: f64, factor: &dyn Fn(f64) -> f64| {
                    let apart = [0, 1].map(|c| f64::from(layout[i][c]) - f64::from(layout[j][c]));
                    let squared = apart[0] * apart[0] + apart[1] * apart[1];
                    if squared > 0.0 {
                        let clipped = apart.map(|x| (factor(squared) * x).clamp(-4.0, 4.0));
                        (0..2).for_each(|c| wanted[c] += f64::from(rate) * weight * clipped[c]);
                    }
                };
                let (neighbors, shares) = edges.of(i);
                let due = neighbors.iter().zip(shares).filter(|edge| pulls(*edge.1, 6));
                let due: Vec<usize> = due.map(|edge| *edge.0 as usize).collect();
                let (a, b) = (curve.a, curve.b);
                for &j in &due {
                    add(j, 1.0, &|s| -2.0 * a * b * s.powf(b - 1.0) / (1.0 + a * s.powf(b)));
                }
                let stream = Chance::new(seed, REPULSION, (6 * PARTS + part) as u64, i as u64).short();
                for place in 0..(due.len() * pushes) as u32 {
                    let j = below(stream, place, n as u32) as usize;
                    add(j, 1.0, &|s| 2.0 * b / ((0.001 + s) * (1.0 + a * s.powf(b))));
                }
                assert!(
                    (0..2).all(|c| (f64::from(found[c]) - wanted[c]).abs() < 2e-3),
                    "{i}: {found:?} {wanted:?}"
                );
            }
        }
    }
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
    assert_eq!(transform(y.as_ref(), &fuzzy, &sampling, &known.into(), &run).unwrap(), *y);
    let all = transform(y.as_ref(), &fuzzy, &sampling, &table.clone().into(), &run).unwrap();
    let alone = Table { k: 6, indices: table.row(33).0.to_vec(), distances: table.row(33).1.to_vec() };
    assert_eq!(transform(y.as_ref(), &fuzzy, &sampling, &alone.into(), &run).unwrap().row(0), all.row(33));
}
