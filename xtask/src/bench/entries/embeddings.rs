//! Neighbor embeddings: t-SNE, UMAP, PaCMAP.

use super::{Benchmark, Demand, Rival, grouped, peer};

fn layout(method: &'static str, data: String, n: usize, rivals: Vec<Rival>) -> Benchmark {
    let tsne = method == "t-sne";
    let mut arguments = vec![("n_components", 2), ("k", 10), ("judged", 1)];
    let mut demands = vec![
        Demand::Within { figure: "one_nn", factor: 1.05 },
        Demand::AtLeastShare { figure: "kept", share: 0.95 },
    ];
    if tsne {
        arguments.extend([("perplexity", 30), ("max_iter", 1000)]);
        demands = vec![Demand::Within { figure: "kl", factor: 1.01 }];
    }
    Benchmark {
        name: format!("{method}-{n}"),
        work: format!("{method} to 2, {}, n = {}", data.split('-').next().unwrap_or_default(), grouped(n)),
        data,
        reference: Some("neighbors-10".into()),
        arguments,
        ours: method,
        rivals,
        demands,
    }
}

/// Against what people use; numba's compiling is not counted.
pub(super) fn embeddings(quick: bool) -> Vec<Benchmark> {
    let size = |full: usize, small: usize| if quick { small } else { full };
    let by = |label, work, target| peer(label, "embeddings.py", work, Some(target));
    let (n, large) = (size(10_000, 500), size(70_000, 600));
    let principal = |n: usize| format!("mnist50-{n}-f64");
    let fft = |target| by("openTSNE fft", "opentsne-fft", target);
    let mut all = vec![
        layout(
            "t-sne",
            principal(n),
            n,
            vec![
                by("openTSNE bh", "opentsne-bh", 3.0),
                fft(3.0),
                by("scikit-learn", "sklearn-tsne", 3.0),
                by("tapkee", "tapkee-tsne", 3.0),
            ],
        ),
        layout("t-sne", principal(large), large, vec![fft(3.0)]),
        layout("umap", principal(n), n, vec![by("umap-learn", "umap", 4.0)]),
        layout("umap", format!("mnist-{large}-f64"), large, vec![by("umap-learn", "umap", 4.0)]),
        layout("pacmap", principal(n), n, vec![by("pacmap", "pacmap", 2.0)]),
        layout("pacmap", format!("mnist-{large}-f64"), large, vec![by("pacmap", "pacmap", 2.0)]),
    ];
    // Ours alone: the cost is to grow as the number of points.
    for method in ["t-sne", "umap", "pacmap"] {
        for n in [10_000, 100_000, 1_000_000].map(|full| size(full, full / 1000 + 100)) {
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
