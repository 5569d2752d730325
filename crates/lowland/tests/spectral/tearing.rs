//! Isomap's loops, torn open.

use crate::embedding;
use lowland::methods::Isomap;
use lowland::{Method, Model, Run};
use ndarray::Array2;

/// The squared correlation of two columns.
fn agreement(a: ndarray::ArrayView1<'_, f64>, b: ndarray::ArrayView1<'_, f64>) -> f64 {
    let (a, b) = (&a - a.mean().unwrap(), &b - b.mean().unwrap());
    a.dot(&b).powi(2) / (a.dot(&a) * b.dot(&b))
}

#[test]
fn a_torn_cylinder_lies_flat_and_a_sheet_is_not_torn() {
    use rand::RngExt;
    let run = Run::new();
    for seed in 0..3 {
        let mut rng = Run::new().with_seed(seed).rng("cylinder");
        // A closed curve: its image in one component is the angle from the cut.
        let angles: Vec<f64> =
            (0..200).map(|i| (i as f64 + 0.4 * rng.random::<f64>()) * 0.01 * std::f64::consts::PI).collect();
        let circle =
            Array2::from_shape_fn((200, 2), |(i, j)| if j == 0 { angles[i].cos() } else { angles[i].sin() });
        let torn = Isomap { n_components: 1, n_neighbors: 4, tear: true, ..Isomap::default() };
        let model = torn.fit_model(&circle, &run).unwrap();
        let removed = model.report().objective.iter().find(|q| q.name == "edges torn").unwrap().value;
        assert!((1.0..10.0).contains(&removed), "{removed}");
        let y = embedding(&model).column(0).to_owned();
        let mut order: Vec<usize> = (0..200).collect();
        order.sort_by(|&a, &b| y[a].total_cmp(&y[b]));
        // Along the image the angle goes on by small steps but for the one at the start of the circle.
        let far = order.windows(2).filter(|pair| {
            let step = (angles[pair[0]] - angles[pair[1]]).abs();
            step.min(std::f64::consts::TAU - step) > 0.2
        });
        assert_eq!(far.count(), 0, "seed {seed}");
        assert!((y[order[199]] - y[order[0]] - std::f64::consts::TAU).abs() < 0.1);
        // A flat sheet has no loop but small ones: next to nothing is torn.
        let sheet = Array2::from_shape_fn((400, 2), |(_, j)| (2 - j) as f64 * rng.random::<f64>());
        let (plain, open) = (Isomap::default(), Isomap { tear: true, ..Isomap::default() });
        let open = open.fit_model(&sheet, &run).unwrap();
        let removed = open.report().objective.iter().find(|q| q.name == "edges torn").unwrap().value;
        assert!(removed <= 20.0, "{removed}");
        let truth = sheet.column(0);
        let kept = agreement(embedding(&plain.fit_model(&sheet, &run).unwrap()).column(0), truth);
        assert!(agreement(embedding(&open).column(0), truth) > kept - 0.01, "{kept}");
    }
}
