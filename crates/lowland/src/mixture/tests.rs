//! Weights of 0 and 1 select rows, whole ones repeat them.

use super::em::{self, Fitted, Request};
use super::table::Weights;
use lowland_base::{Result, Run};
use ndarray::{Array2, ArrayView2, Axis};
use rand::RngExt;
use rand_distr::StandardNormal;

const FACTORS: usize = 2;

/// Rows with two strong factors and noise of its own in each column; some cells missing.
fn rows(n: usize, d: usize, missing: bool, seed: u64) -> Array2<f64> {
    let mut rng = Run::new().with_seed(seed).rng("weighted rows");
    let mut normal = |_| rng.sample::<f64, _>(StandardNormal);
    let loadings = Array2::from_shape_fn((FACTORS, d), &mut normal);
    let mut x = Array2::from_shape_fn((n, FACTORS), &mut normal).dot(&loadings);
    x.indexed_iter_mut().for_each(|((i, j), x)| *x += 4.0 + 0.1 * (j + 1) as f64 * normal((i, j)));
    if missing {
        for i in (0..n).step_by(3) {
            x[(i, (i / 3) % d)] = f64::NAN;
        }
        // A column that is missing in most rows.
        (0..n).filter(|i| i % 5 != 0 && i % 3 != 0).for_each(|i| x[(i, d - 1)] = f64::NAN);
    }
    x
}

/// The same start for every set of rows.
fn start(filled: ArrayView2<'_, f64>) -> Result<(Array2<f64>, Vec<f64>)> {
    let of = |(j, a): (usize, usize)| if j % FACTORS == a { 0.1 } else { 0.02 * j as f64 };
    Ok((Array2::from_shape_fn((filled.ncols(), FACTORS), of), vec![0.1; filled.ncols()]))
}

/// So few iterations that the likelihood still rises: at its maximum, rounding decides when a fit ends.
fn fit(x: &Array2<f64>, weights: Option<&[f64]>, isotropic: bool) -> Fitted {
    iterate(x, weights, isotropic, 8)
}

fn iterate(x: &Array2<f64>, weights: Option<&[f64]>, isotropic: bool, iterations: usize) -> Fitted {
    let request = Request { factors: FACTORS, isotropic, tolerance: 0.0, iterations };
    em::fit(x.view(), Weights(weights), start, &request, &Run::new()).unwrap()
}

fn assert_same(a: &Fitted, b: &Fitted) {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-10 * a.abs().max(1.0);
    let (p, q) = (&a.density, &b.density);
    assert!(p.mean.iter().zip(&q.mean).all(|(a, b)| near(*a, *b)), "{:?} {:?}", p.mean, q.mean);
    assert!(p.noise.iter().zip(&q.noise).all(|(a, b)| near(*a, *b)), "{:?} {:?}", p.noise, q.noise);
    let (v, w) = (p.loadings.dot(&p.loadings.t()), q.loadings.dot(&q.loadings.t()));
    assert!(v.iter().zip(&w).all(|(a, b)| near(*a, *b)), "{v} {w}");
    assert!(a.history.iter().zip(&b.history).all(|(a, b)| near(*a, *b)));
}

#[test]
fn weights_of_zero_and_one_give_the_fit_to_the_selected_rows() {
    for (seed, (missing, isotropic)) in
        [(false, true), (false, false), (true, true), (true, false)].into_iter().enumerate()
    {
        let mut x = rows(400, 6, missing, seed as u64);
        let chosen: Vec<usize> = (0..400).filter(|i| i % 4 != 1).collect();
        // What does not count may be anything.
        x[(1, 0)] = 1e6;
        let weights: Vec<f64> = (0..400).map(|i| f64::from(i % 4 != 1)).collect();
        let selected = fit(&x.select(Axis(0), &chosen), None, isotropic);
        assert_same(&selected, &fit(&x, Some(&weights), isotropic));
    }
}

#[test]
fn whole_weights_give_the_fit_to_repeated_rows() {
    for (seed, (missing, isotropic)) in
        [(false, true), (false, false), (true, true), (true, false)].into_iter().enumerate()
    {
        let x = rows(300, 5, missing, 10 + seed as u64);
        let repeated: Vec<usize> = (0..300).flat_map(|i| std::iter::repeat_n(i, 1 + i % 3)).collect();
        let weights: Vec<f64> = (0..300).map(|i| (1 + i % 3) as f64).collect();
        let expected = fit(&x.select(Axis(0), &repeated), None, isotropic);
        assert_same(&expected, &fit(&x, Some(&weights), isotropic));
    }
}

#[test]
fn weights_of_one_give_the_same_bits_as_none() {
    for missing in [false, true] {
        let x = rows(300, 6, missing, 20);
        let (plain, weighted) = (fit(&x, None, false), fit(&x, Some(&[1.0; 300]), false));
        assert_eq!(plain.density, weighted.density);
        assert_eq!(plain.history, weighted.history);
    }
}

#[test]
fn the_likelihood_of_weighted_rows_never_falls() {
    let x = rows(300, 6, true, 30);
    let weights: Vec<f64> = (0..300).map(|i| 0.05 + (i % 17) as f64 / 17.0).collect();
    for isotropic in [true, false] {
        let history = iterate(&x, Some(&weights), isotropic, 60).history;
        assert!(history.windows(2).all(|pair| pair[1] >= pair[0] - 1e-11 * pair[0].abs()), "{history:?}");
    }
}
