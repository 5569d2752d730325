//! Judging an embedding.

use super::{Benchmark, Demand, grouped, peer};

/// Ours finds continuity as well.
pub(super) fn preservation(n: usize) -> Benchmark {
    Benchmark {
        name: "trustworthiness".into(),
        work: format!(
            "trustworthiness and continuity (peer: the first alone), {} x 784 to 2, k = 12",
            grouped(n)
        ),
        data: format!("mnist-{n}-f64"),
        reference: None,
        arguments: vec![("k", 12)],
        ours: "preservation",
        rivals: vec![peer("scikit-learn", "quality.py", "preservation", Some(5.0))],
        demands: vec![Demand::NoWorse { figure: "distrust", floor: 0.0 }],
    }
}
