//! The benchmarks: what is done on which data, who does it, and what is aimed at.

mod embeddings;
mod files;
mod graphs;
mod linalg;
mod neighbors;
mod neural;
mod projective;
mod quality;
mod spectral;
mod stress;

use embeddings::*;
use files::*;
use graphs::*;
use linalg::*;
use neighbors::*;
use neural::*;
use projective::*;
use quality::*;
use spectral::*;
use std::path::{Path, PathBuf};
use stress::*;

/// One task for two or more contestants. All get the same data and arguments.
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

/// The script that needs an environment of its own, for its peer is large.
pub const TORCH: &str = "neural.py";

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
    /// The same work of another build of `lowland-bench`.
    Build { program: PathBuf, work: &'static str },
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
    /// At most so many times the rival's.
    Within {
        figure: &'static str,
        factor: f64,
    },
    /// At least this share of the rival's.
    AtLeastShare {
        figure: &'static str,
        share: f64,
    },
    /// At most twice the rival's; below `floor` both are rounding.
    NoWorse {
        figure: &'static str,
        floor: f64,
    },
}

impl Benchmark {
    /// Puts another build of `lowland-bench` in the place of the peers: the same work before and after a change.
    pub fn compare_with_build(&mut self, program: &Path) {
        let program = Program::Build { program: program.to_owned(), work: self.ours };
        self.rivals = vec![Rival { label: "before", program, target: None }];
    }

    /// Whether a rival is in the large environment.
    pub fn needs_torch(&self) -> bool {
        self.rivals.iter().any(|rival| matches!(rival.program, Program::Peer { script: TORCH, .. }))
    }

    /// Replaces the data asked for by those that were really made.
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
    all.extend(new_rows(quick));
    all.extend(embeddings(quick));
    all.extend(stress(quick));
    all.extend([true, false].map(|tied| epochs(size(5_000, 500), tied)));
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
