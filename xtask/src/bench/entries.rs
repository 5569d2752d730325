//! The benchmarks: what is done on which data, who does it, and what is aimed at.

/// One piece of work for two or more contestants. All get the same data and arguments.
pub struct Benchmark {
    pub name: String,
    /// In words, for the table.
    pub work: String,
    /// A name that `benches/make_data.py` understands.
    pub data: String,
    /// What the quality is measured against: a reference that `make_data.py` computes once.
    pub reference: Option<String>,
    pub arguments: Vec<(&'static str, usize)>,
    /// The work of `lowland-bench`.
    pub ours: &'static str,
    pub rivals: Vec<Rival>,
    pub demands: Vec<Demand>,
}

/// Somebody to compare with.
pub struct Rival {
    pub label: &'static str,
    pub program: Program,
    /// How many times faster than this rival we aim to be.
    pub target: Option<f64>,
}

pub enum Program {
    /// A work of `lowland-bench`.
    Ours(&'static str),
    /// A work of a script in `benches/peers`.
    Peer { script: &'static str, work: &'static str },
}

/// What the quality of our result must be for a target to count as met.
pub enum Demand {
    AtLeast {
        figure: &'static str,
        bound: f64,
    },
    AtMost {
        figure: &'static str,
        bound: f64,
    },
    /// At most twice the rival's; below `floor` both are rounding.
    NoWorse {
        figure: &'static str,
        floor: f64,
    },
}

impl Benchmark {
    /// Puts the data that were really made in the place of those asked for.
    pub fn use_data(&mut self, made: &str) {
        let kind = |name: &str| name.split('-').next().unwrap_or_default().to_owned();
        let (asked, found) = (kind(&self.data), kind(made));
        if asked != found {
            self.name = self.name.replace(&asked, &found);
            self.data = made.to_owned();
        }
    }
}

fn peer(label: &'static str, script: &'static str, work: &'static str, target: Option<f64>) -> Rival {
    Rival { label, program: Program::Peer { script, work }, target }
}

/// `1,000,000` of 1000000.
fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Every benchmark, in the order of the table; `quick` makes them small.
pub fn all(quick: bool) -> Vec<Benchmark> {
    let size = |full: usize, small: usize| if quick { small } else { full };
    let mut all = vec![smallest(size(20_000, 2_000))];
    all.extend(["symmetric", "kernel"].map(|kind| largest(kind, size(5_000, 500))));
    all.push(tree(size(100_000, 5_000)));
    let n = size(20_000, 2_000);
    for element in ["f64", "f32"] {
        all.push(brute("mnist", format!("mnist-{n}-{element}"), n, element));
        all.push(brute("gaussian", format!("gaussian-{n}x784-{element}"), n, element));
    }
    all.push(approximate(size(60_000, 5_000)));
    let mut baselines = Vec::new();
    for (dimensions, components, n) in [(784, 50, n), (100, 10, size(100_000, 5_000))] {
        for element in ["f64", "f32"] {
            let data = match dimensions {
                784 => format!("mnist-{n}-{element}"),
                _ => format!("decay-{n}x{dimensions}-{element}"),
            };
            all.push(pca(&data, n, dimensions, components, element));
            baselines.push(products(&data, n, dimensions, components, element));
        }
    }
    all.extend(projective(quick));
    all.append(&mut baselines);
    for n in [size(5_000, 500), size(10_000, 1_000)] {
        all.push(isomap("roll", format!("swiss_roll-{n}-f64"), n, 12));
    }
    let n_images = size(5_000, 500);
    all.push(isomap("mnist", format!("mnist-{n_images}-f64"), n_images, 12));
    all.push(landmark_isomap(size(10_000, 1_000), size(500, 100), true));
    all.push(landmark_isomap(size(100_000, 5_000), size(500, 100), false));
    all.push(kernel_pca(size(5_000, 500)));
    all.push(classical_mds(size(3_000, 500)));
    for n in [10_000, 100_000, 1_000_000].map(|n| size(n, n / 100)) {
        all.push(growth("landmark-isomap", n));
        all.push(growth("landmark-mds", n));
        all.push(growth("kernel-pca", n));
    }
    all.extend(local_geometry(quick));
    all.push(eigenmaps("swiss_roll", size(20_000, 2_000), 10, "f64", 2.0));
    all.push(eigenmaps("swiss_roll", size(100_000, 5_000), 10, "f64", 4.0));
    all.push(eigenmaps("mnist", n, 12, "f64", 3.0));
    all.push(clusters(n));
    all.push(diffusion(size(5_000, 500)));
    all.push(preservation(size(20_000, 2_000)));
    all.push(copy(n));
    all.push(csv(size(100_000, 2_000)));
    all.push(startup());
    all
}

fn smallest(n: usize) -> Benchmark {
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

fn largest(kind: &str, n: usize) -> Benchmark {
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

fn eigenmaps(kind: &str, n: usize, k: usize, element: &str, target: f64) -> Benchmark {
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

fn clusters(n: usize) -> Benchmark {
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

fn diffusion(n: usize) -> Benchmark {
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

fn tree(n: usize) -> Benchmark {
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

fn brute(kind: &str, data: String, n: usize, element: &str) -> Benchmark {
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

/// Ours finds continuity as well.
fn preservation(n: usize) -> Benchmark {
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

fn approximate(n: usize) -> Benchmark {
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

/// At most 1.3 times as long as the two matrix products that no PCA of this kind can do without.
const OVER_PRODUCTS: f64 = 1.0 / 1.3;

fn pca(data: &str, n: usize, dimensions: usize, components: usize, element: &str) -> Benchmark {
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
fn projective(quick: bool) -> Vec<Benchmark> {
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

fn products(data: &str, n: usize, dimensions: usize, components: usize, element: &str) -> Benchmark {
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

fn isomap(kind: &str, data: String, n: usize, k: usize) -> Benchmark {
    // Geodesics of images lie on no roll that could be recovered.
    let roll = Demand::AtLeast { figure: "recovered", bound: 0.99 };
    Benchmark {
        name: format!("isomap-{kind}-{n}"),
        work: format!("Isomap to 2, {kind}, n = {}, {k} neighbors", grouped(n)),
        data,
        reference: None,
        arguments: vec![("n_components", 2), ("n_neighbors", k)],
        ours: "isomap",
        rivals: vec![peer("scikit-learn", "manifold.py", "isomap", Some(5.0))],
        demands: if kind == "roll" { vec![roll] } else { vec![] },
    }
}

/// The larger size takes tapkee too long to be asked.
fn landmark_isomap(n: usize, landmarks: usize, with_peer: bool) -> Benchmark {
    let rival = peer("tapkee", "manifold.py", "landmark-isomap", Some(2.0));
    Benchmark {
        name: format!("landmark-isomap-{n}"),
        work: format!("landmark Isomap to 2, swiss roll, n = {}, {landmarks} landmarks", grouped(n)),
        data: format!("swiss_roll-{n}-f64"),
        reference: None,
        arguments: vec![("n_components", 2), ("n_neighbors", 12), ("landmarks", landmarks)],
        ours: "landmark-isomap",
        rivals: if with_peer { vec![rival] } else { vec![] },
        demands: vec![Demand::AtLeast { figure: "recovered", bound: 0.99 }],
    }
}

fn kernel_pca(n: usize) -> Benchmark {
    Benchmark {
        name: "kernel-pca".into(),
        work: format!("kernel PCA, gaussian, {} x 50 to 10", grouped(n)),
        data: format!("decay-{n}x50-f64"),
        reference: None,
        arguments: vec![("n_components", 10), ("gamma_thousandths", 20)],
        ours: "kernel-pca",
        rivals: vec![peer("scikit-learn arpack", "manifold.py", "kernel-pca", Some(2.0))],
        demands: vec![Demand::NoWorse { figure: "residual", floor: 1e-14 }],
    }
}

fn classical_mds(n: usize) -> Benchmark {
    Benchmark {
        name: "classical-mds".into(),
        work: format!("classical scaling to 2, {} x 50", grouped(n)),
        data: format!("decay-{n}x50-f64"),
        reference: None,
        arguments: vec![("n_components", 2)],
        ours: "classical-mds",
        rivals: vec![
            peer("scikit-learn ClassicalMDS", "manifold.py", "classical-mds", Some(10.0)),
            peer("SciPy cdist, eigsh", "manifold.py", "scaling-eigsh", Some(1.0)),
        ],
        demands: vec![],
    }
}

/// LLE and its relatives: the smallest eigenpairs of a sparse matrix.
fn local_geometry(quick: bool) -> Vec<Benchmark> {
    let size = |full: usize, small: usize| if quick { small } else { full };
    let one = |method: &'static str, kind: &str, n: usize, rivals: Vec<Rival>| Benchmark {
        name: format!("{method}-{kind}-{n}"),
        work: format!("{method} to 2, {kind}, n = {}, 12 neighbors", grouped(n)),
        data: if kind == "roll" { format!("swiss_roll-{n}-f64") } else { format!("{kind}-{n}-f64") },
        reference: None,
        arguments: vec![("n_components", 2), ("n_neighbors", 12)],
        ours: method,
        rivals,
        demands: vec![Demand::AtMost { figure: "residual", bound: 1e-13 }],
    };
    let arpack = |work, target| peer("scikit-learn arpack", "manifold.py", work, Some(target));
    let tapkee = |work| peer("tapkee", "manifold.py", work, Some(20.0));
    let n = size(20_000, 2_000);
    vec![
        one("lle", "roll", n, vec![arpack("lle", 4.0)]),
        // scikit-learn's method of this name keeps too many directions; the work is the same.
        one("hessian-lle", "roll", n, vec![arpack("hessian-lle", 20.0), tapkee("tapkee-hlle")]),
        one("ltsa", "roll", n, vec![arpack("ltsa", 20.0), tapkee("tapkee-ltsa")]),
        one("modified-lle", "roll", n, vec![arpack("modified-lle", 20.0)]),
        one("lle", "mnist", n, vec![arpack("lle", 3.0)]),
        one("lle", "roll", size(1_000_000, 10_000), vec![]),
    ]
}

/// Ours alone, at three sizes: the cost of landmarks is to grow as the number of points.
fn growth(method: &'static str, n: usize) -> Benchmark {
    Benchmark {
        name: format!("growth-{method}-{n}"),
        work: format!("{method} to 2, swiss roll, n = {}, 100 landmarks", grouped(n)),
        data: format!("swiss_roll-{n}-f64"),
        reference: None,
        arguments: vec![("n_components", 2), ("n_neighbors", 12), ("landmarks", 100)],
        ours: method,
        rivals: vec![],
        demands: vec![],
    }
}

fn copy(n: usize) -> Benchmark {
    Benchmark {
        name: "copy".into(),
        work: format!("copy of {} MB", n * 784 * 8 / 1_000_000),
        data: format!("gaussian-{n}x784-f64"),
        reference: None,
        arguments: vec![],
        ours: "copy",
        rivals: vec![peer("NumPy", "products.py", "copy", None)],
        demands: vec![],
    }
}

fn csv(n: usize) -> Benchmark {
    Benchmark {
        name: "read-csv".into(),
        work: format!("reading of a CSV file of {} x 100 doubles", grouped(n)),
        data: format!("csv-{n}x100-f64"),
        reference: None,
        arguments: vec![],
        ours: "csv",
        rivals: vec![
            peer("numpy.loadtxt", "files.py", "loadtxt", Some(5.0)),
            peer("pandas.read_csv", "files.py", "pandas", Some(1.0)),
            peer("pandas.read_csv, pyarrow", "files.py", "pandas_pyarrow", None),
        ],
        demands: vec![Demand::AtMost { figure: "wrong_values", bound: 0.0 }],
    }
}

fn startup() -> Benchmark {
    Benchmark {
        name: "startup".into(),
        work: "`lowland --version`, from nothing".into(),
        data: "swiss_roll-10-f64".into(),
        reference: None,
        arguments: vec![],
        ours: "startup",
        rivals: vec![peer("Python with scikit-learn's PCA", "files.py", "startup", Some(1.0))],
        demands: vec![Demand::AtMost { figure: "milliseconds", bound: 20.0 }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stand_in_shows_in_the_name() {
        let mut benchmark = brute("mnist", "mnist-2000-f64".into(), 2_000, "f64");
        benchmark.use_data("mnist-2000-f64");
        assert_eq!(benchmark.name, "knn-brute-mnist-f64");
        benchmark.use_data("blots-2000-f64");
        assert_eq!((&*benchmark.name, &*benchmark.data), ("knn-brute-blots-f64", "blots-2000-f64"));
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
