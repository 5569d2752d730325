//! The contract, over every entry of the registry. A method is covered on the day it is registered.

mod doors;
mod embedding;
mod lighter;
mod parameters;
mod promises;
mod refusals;
mod remedies;
mod running;
mod seeds;

use lowland::parameters::{Kind, Value};
use lowland::{
    AnyInput, AnyMatrix, Csr, Entry, Error, Input, InputKind, Method, Model, Progress, Run, load, load_bytes,
    registry,
};
use ndarray::{Array2, ArrayView2, Axis, s};
use rand::RngExt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A curved sheet with noise in `d` dimensions: no method finds it degenerate.
fn sheet(n: usize, d: usize, seed: u64) -> Array2<f64> {
    let mut rng = Run::new().with_seed(seed).rng("conformance");
    let latent = Array2::from_shape_fn((n, 2), |_| rng.random::<f64>());
    Array2::from_shape_fn((n, d), |(i, j)| {
        let (a, b) = (latent[(i, 0)], latent[(i, 1)]);
        let j = j as f64 + 1.0;
        (a * j * 0.7).sin() * 3.0 / j + b * (1.0 + 1.0 / j) + 0.02 * rng.random::<f64>()
    })
}

/// Semidefinite programs take minutes for thousands of points: they are held to the contract on small sets.
fn takes_minutes(entry: &Entry) -> bool {
    entry.name.ends_with("mvu")
}

/// The method with two components, whatever its default is.
fn two_components(entry: &Entry) -> Box<dyn Method> {
    let mut method = (entry.create)();
    method.set("n_components", &Value::Integer(2)).unwrap();
    method
}

/// Labels that belong to the rows, whatever their order: groups of four by the first column.
fn labels(x: ArrayView2<'_, f64>) -> Vec<i64> {
    let mut labels = vec![0; x.nrows()];
    if x.ncols() == 0 {
        return labels;
    }
    let mut order: Vec<usize> = (0..x.nrows()).collect();
    order.sort_by(|&a, &b| x[(a, 0)].total_cmp(&x[(b, 0)]));
    order.iter().enumerate().for_each(|(rank, &row)| labels[row] = rank as i64 / 4);
    labels
}

/// With labels, where the method needs them.
fn try_fit(method: &dyn Method, x: ArrayView2<'_, f64>, run: &Run) -> Result<Box<dyn Model>, Error> {
    if method.entry().capabilities.labels {
        method.fit_labeled(x.into(), &labels(x), run)
    } else {
        method.fit(x.into(), run)
    }
}

fn fit(entry: &Entry, x: ArrayView2<'_, f64>, run: &Run) -> Box<dyn Model> {
    try_fit(&*two_components(entry), x, run).unwrap_or_else(|e| panic!("{}: {e}", entry.name))
}

fn f64s(matrix: &AnyMatrix) -> &Array2<f64> {
    matrix.as_typed::<f64>().expect("f64 in, f64 out")
}

fn largest_difference(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    assert_eq!(a.dim(), b.dim());
    a.iter().zip(b).fold(0.0, |worst, (a, b)| worst.max((a - b).abs()))
}

/// The methods that take points: all of today's. While a method is written, `LOWLAND_METHODS=mvu,fast-mvu` leaves out the others.
fn each(mut check: impl FnMut(&'static Entry)) {
    let wanted = std::env::var("LOWLAND_METHODS").ok();
    let is_wanted =
        |name: &str| wanted.as_ref().is_none_or(|names| names.split(',').any(|wanted| wanted == name));
    for &entry in
        registry::all().iter().filter(|entry| entry.capabilities.inputs.contains(&InputKind::Points))
    {
        if is_wanted(entry.name) {
            check(entry);
        }
    }
}
