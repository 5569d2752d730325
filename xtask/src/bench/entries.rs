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
    all.append(&mut baselines);
    all.push(eigenmaps("swiss_roll", size(20_000, 2_000), 10, "f64", 2.0));
    all.push(eigenmaps("swiss_roll", size(100_000, 5_000), 10, "f64", 4.0));
    all.push(eigenmaps("mnist", n, 12, "f64", 3.0));
    all.push(clusters(n));
    all.push(diffusion(size(5_000, 500)));
    all.push(copy(n));
    all
}

fn smallest(n: usize) -> Benchmark {
    // As LocallyLinearEmbedding asks for two components: they and the constant vector.
    Benchmark {
        name: "smallest-lle".into(),
        work: format!("3 smallest eigenpairs of the LLE matrix, n = {}, 12 neighbours", grouped(n)),
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
        work: format!("Laplacian eigenmaps, {kind}, n = {}, {k} neighbours, 2 components", grouped(n)),
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
        work: format!("spectral clustering, swiss roll, n = {}, 10 neighbours, 8 clusters", grouped(n)),
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
        work: format!("exact 12 neighbours, {} x 3, build included", grouped(n)),
        data: format!("swiss_roll-{n}-f64"),
        reference: Some("neighbors-12".into()),
        arguments: vec![("k", 12)],
        ours: "tree",
        rivals: vec![peer("SciPy cKDTree", "neighbors.py", "tree", Some(1.0))],
        demands: vec![Demand::AtLeast { figure: "recall", bound: 1.0 }],
    }
}

fn brute(kind: &str, data: String, n: usize, element: &str) -> Benchmark {
    // Rounding in single precision can swap neighbours that are all but equally far.
    let recall = if element == "f32" { 0.9999 } else { 1.0 };
    Benchmark {
        name: format!("knn-brute-{kind}-{element}"),
        work: format!("exact 15 neighbours, {} x 784, {element}", grouped(n)),
        data,
        reference: Some("neighbors-15".into()),
        arguments: vec![("k", 15)],
        ours: "brute",
        rivals: vec![peer("scikit-learn brute", "neighbors.py", "brute", Some(2.0))],
        demands: vec![Demand::AtLeast { figure: "recall", bound: recall }],
    }
}

fn approximate(n: usize) -> Benchmark {
    Benchmark {
        name: "knn-approximate".into(),
        work: format!("approximate 15 neighbours, {} x 784, f32, build included", grouped(n)),
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
