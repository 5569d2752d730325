//! Locally linear coordination and manifold charting.

use super::*;
use lowland::data;
use lowland::methods::{Amount, Charting, Llc, MixtureModel, Pca};
use lowland::parameters::Components;
use lowland::quality::Evaluator;
use lowland::{Method, Model};

fn roll(n: usize, seed: u64) -> Array2<f64> {
    data::find("swiss-roll").unwrap().sample(n, 0.05, seed).unwrap().points
}

/// T(12), as Maaten's table 4 has it.
fn trust(x: &Array2<f64>, model: &MixtureModel) -> f64 {
    let y = f64s(model.embedding().unwrap());
    let judged =
        Evaluator { k: Some(12), ..Evaluator::default() }.evaluate(x.into(), y.into(), &Run::new()).unwrap();
    judged.get("trustworthiness").unwrap().value
}

fn llc(m: usize, x: &Array2<f64>) -> MixtureModel {
    Llc { n_analyzers: Amount::Count(m), ..Llc::default() }.fit_model(x, &Run::new()).unwrap()
}

fn charting(m: usize, x: &Array2<f64>) -> MixtureModel {
    Charting { n_analyzers: Amount::Count(m), ..Charting::default() }.fit_model(x, &Run::new()).unwrap()
}

/// Maaten's table 4 has 0.81 for LLC and 0.88 for charting, the best of 5 to 25 local models.
#[test]
fn the_swiss_roll_is_unrolled_by_some_number_of_charts() {
    for seed in 0..3 {
        let x = roll(2000, seed);
        for (name, fit) in [("llc", llc as fn(usize, &Array2<f64>) -> MixtureModel), ("charting", charting)] {
            let mut tried = Vec::new();
            let found = [25, 20, 15, 10, 5].into_iter().find(|&m| {
                tried.push((m, trust(&x, &fit(m, &x))));
                tried[tried.len() - 1].1 > 0.99
            });
            println!("{seed} {name} {tried:?}");
            assert!(found.is_some(), "{name}, seed {seed}: {tried:?}");
        }
    }
}

#[test]
fn one_chart_is_a_linear_map_onto_the_principal_plane() {
    for seed in 0..5 {
        let x = normal(150, 5, seed) * &Array1::from(vec![4.0, 3.0, 1.0, 0.5, 0.2]) + 7.0;
        let pca =
            Pca { n_components: Components::Count(2), ..Pca::default() }.fit_model(&x, &Run::new()).unwrap();
        let plane = f64s(pca.embedding().unwrap());
        for model in [llc(1, &x), charting(1, &x)] {
            let y = f64s(model.embedding().unwrap());
            let (map, same) = (affine_share(&x, y), affine_share(plane, y));
            assert!(map > 1.0 - 1e-12 && same > 1.0 - 1e-9, "{map} {same}");
        }
        // Charting keeps lengths, and turns to the principal axes.
        let y = charting(1, &x);
        let spread = |y: &Array2<f64>, c: usize| y.column(c).std(0.0);
        for c in 0..2 {
            let ratio = spread(f64s(y.embedding().unwrap()), c) / spread(plane, c);
            assert!((ratio - 1.0).abs() < 0.3, "{ratio}");
        }
    }
}

#[test]
fn there_and_back_is_near_on_the_manifold() {
    let (x, new) = (roll(1500, 4), roll(300, 5));
    for model in [llc(20, &x), charting(20, &x)] {
        let run = Run::new();
        for rows in [&x, &new] {
            let y = model.transform(rows.into(), &run).unwrap();
            let back = model.inverse((&y).into(), &run).unwrap();
            let apart = f64s(&back) - rows;
            let mean =
                apart.rows().into_iter().map(|row| row.dot(&row).sqrt()).sum::<f64>() / rows.nrows() as f64;
            // The roll is 25 wide and 30 high, and its turns are 6 apart.
            assert!(mean < 1.0, "{}: {mean}", model.entry().name);
        }
    }
}

#[test]
fn the_disagreement_of_each_row_is_there_for_training_rows_and_new_ones() {
    let x = roll(600, 6);
    for model in [llc(8, &x), charting(8, &x)] {
        let run = Run::new();
        let known = model.vector("disagreement").unwrap();
        let again = model.disagreement(x.view(), &run).unwrap();
        assert!(known.iter().zip(&again).all(|(a, b)| (a - b).abs() < 1e-9));
        let mean = (known.iter().map(|apart| apart * apart).sum::<f64>() / 600.0).sqrt();
        let reported = |name: &str| model.report().objective.iter().find(|q| q.name == name).unwrap().value;
        assert!((mean - reported("disagreement of the charts")).abs() < 1e-9 * mean);
        assert_eq!(model.vector("chart_disagreement").unwrap().len(), model.weights().len());
    }
}

/// What LLC reports is the error with which its own coordinates are rebuilt from their neighbors: within one connected
/// component, with the weights of LLE.
#[test]
fn coordinates_of_llc_have_unit_variance_and_no_correlation() {
    let x = roll(500, 7);
    let model = llc(10, &x);
    let y = f64s(model.embedding().unwrap());
    let covariance = y.t().dot(y) / 500.0;
    for (at, value) in covariance.indexed_iter() {
        assert!((value - if at.0 == at.1 { 1.0 } else { 0.0 }).abs() < 1e-6, "{covariance}");
    }
}
