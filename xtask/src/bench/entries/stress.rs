//! Layouts by stress: metric and non-metric scaling, Sammon mapping.

use super::{Benchmark, Demand, Rival, grouped, peer};

fn layout(method: &'static str, n: usize, rival: Rival) -> Benchmark {
    Benchmark {
        name: format!("{method}-{n}"),
        work: format!("{method} to 2, mnist50, n = {}", grouped(n)),
        data: format!("mnist50-{n}-f64"),
        reference: None,
        arguments: vec![("n_components", 2), ("judged", 1)],
        ours: method,
        rivals: vec![rival],
        demands: vec![Demand::Within { figure: "stress", factor: 1.001 }],
    }
}

/// To the same stress, or a lower one.
pub(super) fn stress(quick: bool) -> Vec<Benchmark> {
    let size = |full: usize, small: usize| if quick { small } else { full };
    let by = |label, work, target| peer(label, "stress.py", work, Some(target));
    let n = size(2_000, 200);
    let mut all = vec![
        layout("mds", n, by("scikit-learn", "sklearn-mds", 5.0)),
        layout("nonmetric-mds", n, by("scikit-learn", "sklearn-nonmetric", 5.0)),
        layout("sammon", size(1_000, 100), by("sammon-mapping", "sammon-mapping", 50.0)),
    ];
    // Ours alone: the cost of sampled pairs is to grow as the number of points.
    for method in ["mds", "nonmetric-mds", "sammon"] {
        for n in [1_000, 10_000, 100_000].map(|full| size(full, full / 100 + 100)) {
            all.push(Benchmark {
                name: format!("growth-{method}-{n}"),
                work: format!("{method} to 2, {} x 50 with decaying variances", grouped(n)),
                data: format!("decay-{n}x50-f64"),
                reference: None,
                arguments: vec![("n_components", 2)],
                ours: method,
                rivals: vec![],
                demands: vec![],
            });
        }
    }
    all
}
