//! Eigenpairs.

use super::{Benchmark, Demand, grouped, peer};

pub(super) fn smallest(n: usize) -> Benchmark {
    // As LocallyLinearEmbedding asks for two components: they and the constant vector.
    Benchmark {
        name: "smallest-lle".into(),
        work: format!("3 smallest eigenpairs of the LLE matrix, n = {}, 12 neighbors", grouped(n)),
        data: format!("lle-{n}-12"),
        reference: None,
        arguments: vec![("pairs", 3)],
        ours: "smallest",
        rivals: vec![peer("SciPy eigsh, shift-invert", "eigen.py", "smallest", Some(3.0))],
        demands: vec![Demand::NoWorse { figure: "residual", floor: 1e-15 }],
    }
}

pub(super) fn largest(kind: &str, n: usize) -> Benchmark {
    Benchmark {
        name: format!("largest-dense-{kind}"),
        work: format!("10 largest eigenpairs, dense {kind}, n = {}", grouped(n)),
        data: format!("{kind}-{n}"),
        reference: None,
        arguments: vec![("pairs", 10)],
        ours: "largest",
        rivals: vec![peer("SciPy eigsh", "eigen.py", "largest", Some(2.0))],
        demands: vec![Demand::NoWorse { figure: "residual", floor: 1e-15 }],
    }
}
