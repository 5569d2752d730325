//! Our side of `cargo xtask bench`: one work a process, repeated as often as it is asked. CONTRIBUTING.md
//! describes the protocol.

mod eigen;
mod embeddings;
mod files;
mod graphs;
mod method;
mod neighbors;
mod neural;
mod npy;
mod pca;
mod products;
mod projective;
mod protocol;
mod quality;
mod stress;

use protocol::{Arguments, Outcome};
use std::process::ExitCode;

/// Every work by its name: a function that reads its data, and then serves.
const WORKS: &[(&str, fn(&Arguments) -> Outcome)] = &[
    ("smallest", eigen::smallest),
    ("largest", eigen::largest),
    ("tree", neighbors::tree),
    ("brute", neighbors::brute),
    ("approximate", neighbors::approximate),
    ("pca", pca::pca),
    ("factors", projective::factors),
    ("ica", projective::ica),
    ("random", projective::random),
    ("lda", projective::lda),
    ("missing", projective::missing),
    ("mean_imputed", projective::mean_imputed),
    ("eigenmaps", graphs::eigenmaps),
    ("clusters", graphs::clusters),
    ("diffusion", graphs::diffusion),
    ("transform-isomap", |arguments| method::transform("isomap", arguments)),
    ("transform-landmark-isomap", |arguments| method::transform("landmark-isomap", arguments)),
    ("transform-lle", |arguments| method::transform("lle", arguments)),
    ("transform-eigenmaps", |arguments| method::transform("laplacian-eigenmaps", arguments)),
    ("t-sne", |arguments| embeddings::fit("t-sne", arguments)),
    ("umap", |arguments| embeddings::fit("umap", arguments)),
    ("pacmap", |arguments| embeddings::fit("pacmap", arguments)),
    ("mds", |arguments| stress::fit("mds", arguments)),
    ("nonmetric-mds", |arguments| stress::fit("nonmetric-mds", arguments)),
    ("sammon", |arguments| stress::fit("sammon", arguments)),
    ("autoencoder-epochs", neural::epochs),
    ("preservation", quality::preservation),
    ("products", products::products),
    ("copy", products::copy),
    ("csv", files::csv),
    ("startup", files::startup),
];

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let name = words.next().unwrap_or_default();
    let found = WORKS.iter().find(|(work, _)| *work == name).map(|(_, work)| *work);
    // Whatever is no work of its own is a method of the registry.
    let method = lowland::registry::all().iter().find(|entry| entry.name == name);
    let outcome = |arguments: &Arguments| match (found, method) {
        (Some(work), _) => work(arguments),
        (None, Some(entry)) => method::fit(entry, arguments),
        (None, None) => Ok(()),
    };
    if found.is_none() && method.is_none() {
        let names: Vec<&str> = WORKS.iter().map(|(name, _)| *name).collect();
        eprintln!(
            "lowland-bench: no work `{name}`; usage: lowland-bench METHOD|{} key=value...",
            names.join("|")
        );
        return ExitCode::from(2);
    }
    match Arguments::new(words).and_then(|arguments| outcome(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("lowland-bench {name}: {why}");
            ExitCode::FAILURE
        }
    }
}
