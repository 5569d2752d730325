//! Points and the graphs of their nearest neighbors, by the naive way.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub type Points = Vec<Vec<f64>>;

pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// The edges to the `k` nearest, and those of the shortest spanning tree, so that the graph is connected.
pub fn nearest(points: &[Vec<f64>], k: usize) -> Vec<(u32, u32, f64)> {
    let n = points.len();
    let mut edges = Vec::new();
    for i in 0..n {
        let mut others: Vec<(f64, usize)> =
            (0..n).filter(|&j| j != i).map(|j| (distance(&points[i], &points[j]), j)).collect();
        others.sort_by(|a, b| a.0.total_cmp(&b.0));
        edges.extend(others.iter().take(k).map(|&(length, j)| (i as u32, j as u32, length)));
    }
    let mut link: Vec<(f64, usize)> = (0..n).map(|j| (distance(&points[0], &points[j]), 0)).collect();
    let mut inside = vec![false; n];
    inside[0] = true;
    for _ in 1..n {
        let next = (0..n).filter(|&j| !inside[j]).min_by(|&a, &b| link[a].0.total_cmp(&link[b].0)).unwrap();
        edges.push((next as u32, link[next].1 as u32, link[next].0));
        inside[next] = true;
        for j in 0..n {
            let length = distance(&points[next], &points[j]);
            if length < link[j].0 {
                link[j] = (length, next);
            }
        }
    }
    edges
}

/// The same, and edges between all that are neighbors of one point.
pub fn with_angles(points: &[Vec<f64>], k: usize) -> Vec<(u32, u32, f64)> {
    let mut edges = nearest(points, k);
    let mut lists = vec![Vec::new(); points.len()];
    for &(i, j, _) in &edges[..points.len() * k.min(points.len() - 1)] {
        lists[i as usize].push(j);
    }
    for list in lists {
        for (at, &i) in list.iter().enumerate() {
            let length = |j: u32| distance(&points[i as usize], &points[j as usize]);
            edges.extend(list[..at].iter().map(|&j| (i, j, length(j))));
        }
    }
    edges
}

/// Points of Maaten's Swiss roll, and the length along it and the height of each.
pub fn swiss_roll(n: usize, seed: u64) -> (Points, Points) {
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

/// The correlation of each column of the truth with its best fit from the first two of `y`, which are centered and orthogonal.
pub fn recovered(y: &[Vec<f64>], truth: &[Vec<f64>]) -> Vec<f64> {
    let column = |points: &[Vec<f64>], c: usize| {
        let values: Vec<f64> = points.iter().map(|point| point[c]).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.iter().map(|value| value - mean).collect::<Vec<f64>>()
    };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let axes = [column(y, 0), column(y, 1)];
    let fit = |c: usize| {
        let truth = column(truth, c);
        let explained = axes.iter().map(|axis| dot(axis, &truth).powi(2) / dot(axis, axis)).sum::<f64>();
        (explained / dot(&truth, &truth)).sqrt()
    };
    (0..truth[0].len()).map(fit).collect()
}
