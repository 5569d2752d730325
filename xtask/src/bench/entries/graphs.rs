//! Methods of graphs.

use super::{Benchmark, Demand, grouped, peer};

pub(super) fn eigenmaps(kind: &str, n: usize, k: usize, element: &str, target: f64) -> Benchmark {
    Benchmark {
        name: format!("eigenmaps-{kind}-{n}"),
        work: format!("Laplacian eigenmaps, {kind}, n = {}, {k} neighbors, 2 components", grouped(n)),
        data: format!("{kind}-{n}-{element}"),
        reference: None,
        arguments: vec![("k", k), ("components", 2)],
        ours: "eigenmaps",
        rivals: vec![peer("scikit-learn arpack", "graphs.py", "eigenmaps", Some(target))],
        demands: vec![Demand::NoWorse { figure: "residual", floor: 1e-12 }],
    }
}

pub(super) fn clusters(n: usize) -> Benchmark {
    Benchmark {
        name: "spectral-clustering".into(),
        work: format!("spectral clustering, swiss roll, n = {}, 10 neighbors, 8 clusters", grouped(n)),
        data: format!("swiss_roll-{n}-f64"),
        reference: None,
        arguments: vec![("k", 10), ("components", 8)],
        ours: "clusters",
        rivals: vec![peer("scikit-learn arpack", "graphs.py", "clusters", Some(4.0))],
        demands: Vec::new(),
    }
}

pub(super) fn diffusion(n: usize) -> Benchmark {
    Benchmark {
        name: "diffusion-maps".into(),
        work: format!("diffusion maps, swiss roll, n = {}, all pairs, alpha = 1, 5 components", grouped(n)),
        data: format!("swiss_roll-{n}-f64"),
        reference: None,
        arguments: vec![("components", 5), ("width", 2)],
        ours: "diffusion",
        rivals: vec![peer("NumPy and SciPy eigsh", "graphs.py", "diffusion", Some(4.0))],
        demands: vec![Demand::NoWorse { figure: "residual", floor: 1e-12 }],
    }
}
