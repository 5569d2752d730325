//! Neighbor search.

use super::{Benchmark, Demand, grouped, peer};

pub(super) fn tree(n: usize) -> Benchmark {
    Benchmark {
        name: "knn-tree".into(),
        work: format!("exact 12 neighbors, {} x 3, build included", grouped(n)),
        data: format!("swiss_roll-{n}-f64"),
        reference: Some("neighbors-12".into()),
        arguments: vec![("k", 12)],
        ours: "tree",
        rivals: vec![peer("SciPy cKDTree", "neighbors.py", "tree", Some(1.0))],
        demands: vec![Demand::AtLeast { figure: "recall", bound: 1.0 }],
    }
}

pub(super) fn brute(kind: &str, data: String, n: usize, element: &str) -> Benchmark {
    // Rounding in single precision can swap neighbors that are all but equally far.
    let recall = if element == "f32" { 0.9999 } else { 1.0 };
    Benchmark {
        name: format!("knn-brute-{kind}-{element}"),
        work: format!("exact 15 neighbors, {} x 784, {element}", grouped(n)),
        data,
        reference: Some("neighbors-15".into()),
        arguments: vec![("k", 15)],
        ours: "brute",
        rivals: vec![peer("scikit-learn brute", "neighbors.py", "brute", Some(2.0))],
        demands: vec![Demand::AtLeast { figure: "recall", bound: recall }],
    }
}

pub(super) fn approximate(n: usize) -> Benchmark {
    Benchmark {
        name: "knn-approximate".into(),
        work: format!("approximate 15 neighbors, {} x 784, f32, build included", grouped(n)),
        data: format!("mnist-{n}-f32"),
        reference: Some("neighbors-15".into()),
        arguments: vec![("k", 15)],
        ours: "approximate",
        rivals: vec![peer("pynndescent, warm", "neighbors.py", "approximate", Some(1.0))],
        demands: vec![Demand::AtLeast { figure: "recall", bound: 0.98 }],
    }
}
