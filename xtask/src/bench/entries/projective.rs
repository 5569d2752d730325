//! PCA and the linear methods.

use super::{Benchmark, Demand, Program, Rival, grouped, peer};

/// At most 1.3 times as long as the two matrix products that no PCA of this kind can do without.
pub(super) const OVER_PRODUCTS: f64 = 1.0 / 1.3;

pub(super) fn pca(data: &str, n: usize, dimensions: usize, components: usize, element: &str) -> Benchmark {
    Benchmark {
        name: format!("pca-{dimensions}-{element}"),
        work: format!("PCA fit_transform, {} x {dimensions} to {components}, {element}", grouped(n)),
        data: data.into(),
        reference: Some(format!("components-{components}")),
        arguments: vec![("components", components)],
        ours: "pca",
        rivals: vec![
            peer("scikit-learn covariance_eigh", "pca.py", "pca", Some(1.0)),
            peer("NumPy, its two products alone", "products.py", "products", Some(OVER_PRODUCTS)),
            Rival {
                label: "our two products alone",
                program: Program::Ours("products"),
                target: Some(OVER_PRODUCTS),
            },
        ],
        demands: vec![Demand::NoWorse { figure: "subspace_error", floor: 1e-12 }],
    }
}

/// The linear methods beside PCA.
pub(super) fn projective(quick: bool) -> Vec<Benchmark> {
    let size = |full: usize, small: usize| if quick { small } else { full };
    let one = |name: &str, work: String, data: String, components: usize, ours: &'static str| Benchmark {
        name: name.into(),
        work,
        data,
        reference: None,
        arguments: vec![("components", components)],
        ours,
        rivals: vec![peer("scikit-learn", "projective.py", ours, Some(2.0))],
        demands: vec![],
    };
    let n = size(5_000, 500);
    let work = format!("factor analysis, {} x 100 to 10", grouped(n));
    let mut factors = one("factor-analysis", work, format!("factors-{n}x100-f64"), 10, "factors");
    // Both are log-likelihoods of a row: the same to all digits that matter.
    factors.demands = vec![Demand::NoWorse { figure: "loss", floor: 0.0 }];
    let n = size(20_000, 2_000);
    let mut ica =
        one("fast-ica", format!("FastICA, {} x 50", grouped(n)), format!("sources-{n}x50-f64"), 50, "ica");
    ica.demands = vec![Demand::NoWorse { figure: "amari_error", floor: 0.0 }];
    let (n, d, k) = (size(20_000, 1_000), size(2_000, 500), size(300, 50));
    let work = format!("Gaussian random projection, {} x {} to {k}", grouped(n), grouped(d));
    let mut random = one("random-projection", work, format!("gaussian-{n}x{d}-f64"), k, "random");
    random.rivals.push(peer(
        "NumPy, the product alone",
        "projective.py",
        "random_product",
        Some(OVER_PRODUCTS),
    ));
    random.demands = vec![Demand::NoWorse { figure: "distortion", floor: 0.0 }];
    let n = size(60_000, 2_000);
    let work = format!("LDA fit_transform, {} x 784", grouped(n));
    let mut lda = one("lda-mnist", work, format!("mnist-{n}-f64"), 9, "lda");
    lda.demands = vec![Demand::NoWorse { figure: "within_over_between", floor: 0.0 }];
    let n = size(10_000, 1_000);
    let work = format!("PPCA, a fifth missing, {} x 200 to 10", grouped(n));
    let mut missing = one("ppca-missing", work, format!("holes-{n}x200-f64"), 10, "missing");
    missing.rivals =
        vec![Rival { label: "our PPCA over means", program: Program::Ours("mean_imputed"), target: None }];
    vec![factors, ica, random, lda, missing]
}

pub(super) fn products(
    data: &str,
    n: usize,
    dimensions: usize,
    components: usize,
    element: &str,
) -> Benchmark {
    Benchmark {
        name: format!("products-{dimensions}-{element}"),
        work: format!("X'X and XV, {} x {dimensions}, V to {components}, {element}", grouped(n)),
        data: data.into(),
        reference: Some(format!("components-{components}")),
        arguments: vec![("components", components)],
        ours: "products",
        rivals: vec![peer("NumPy", "products.py", "products", None)],
        demands: vec![],
    }
}
