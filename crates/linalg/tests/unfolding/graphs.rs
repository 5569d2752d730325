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

/// Points of Maaten's swiss roll, and the length along it and the height of each.
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

pub fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let (ma, mb) = (mean(a), mean(b));
    let sum = |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(&x, &y)| f(x - ma, y - mb)).sum::<f64>();
    sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt()
}
