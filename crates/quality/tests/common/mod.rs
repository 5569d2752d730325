//! Random clouds of every awkward kind.

// Each test file uses its own part of this.
#![allow(dead_code)]

use faer::Mat;
use lowland_base::Run;
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

pub fn gaussian(seed: u64, n: usize, width: usize) -> Mat<f64> {
    let mut rng = Run::new().with_seed(seed).rng("test gaussian");
    Mat::from_fn(n, width, |_, _| StandardNormal.sample(&mut rng))
}

pub fn uniform(seed: u64, n: usize, width: usize) -> Mat<f64> {
    let mut rng = Run::new().with_seed(seed).rng("test uniform");
    Mat::from_fn(n, width, |_, _| rng.random())
}

/// Small whole numbers: many equal distances and duplicates.
pub fn lattice(seed: u64, n: usize, width: usize) -> Mat<f64> {
    let mut rng = Run::new().with_seed(seed).rng("test lattice");
    Mat::from_fn(n, width, |_, _| f64::from(rng.random_range(0..3_u8)))
}

/// By the seed: Gaussian, lattice, far from the origin, huge, tiny, or with an outlier.
pub fn awkward(seed: u64, n: usize, width: usize) -> Mat<f64> {
    let x = gaussian(seed, n, width);
    match seed % 6 {
        0 => x,
        1 => lattice(seed, n, width),
        2 => Mat::from_fn(n, width, |i, j| 1e6 + x[(i, j)]),
        3 => Mat::from_fn(n, width, |i, j| 1e140 * x[(i, j)]),
        4 => Mat::from_fn(n, width, |i, j| 1e-200 * x[(i, j)]),
        _ => Mat::from_fn(n, width, |i, j| if i == 0 { 1e9 } else { x[(i, j)] }),
    }
}

pub fn distance(x: &Mat<f64>, i: usize, j: usize) -> f64 {
    let rows = (0..x.ncols()).map(|c| (x[(i, c)], x[(j, c)]));
    lowland_neighbors::Metric::Euclidean
        .distance(&rows.clone().map(|r| r.0).collect::<Vec<_>>(), &rows.map(|r| r.1).collect::<Vec<_>>())
}

/// All others around `i`, by distance, then row number.
pub fn order(x: &Mat<f64>, i: usize) -> Vec<usize> {
    let mut others: Vec<usize> = (0..x.nrows()).filter(|&j| j != i).collect();
    others.sort_by(|&a, &b| distance(x, i, a).total_cmp(&distance(x, i, b)).then(a.cmp(&b)));
    others
}

/// `ranks[i][j]`, from 1.
pub fn ranks(x: &Mat<f64>) -> Vec<Vec<usize>> {
    let n = x.nrows();
    (0..n)
        .map(|i| {
            let mut ranks = vec![0; n];
            order(x, i).into_iter().enumerate().for_each(|(rank, j)| ranks[j] = rank + 1);
            ranks
        })
        .collect()
}
