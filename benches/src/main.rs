//! Our side of `cargo xtask bench`: one work a process, repeated as often as it is asked. CONTRIBUTING.md
//! describes the protocol.

mod eigen;
mod graphs;
mod neighbors;
mod npy;
mod pca;
mod products;
mod protocol;

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
    ("eigenmaps", graphs::eigenmaps),
    ("clusters", graphs::clusters),
    ("diffusion", graphs::diffusion),
    ("products", products::products),
    ("copy", products::copy),
];

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let name = words.next().unwrap_or_default();
    let Some((_, work)) = WORKS.iter().find(|(work, _)| *work == name) else {
        let names: Vec<&str> = WORKS.iter().map(|(name, _)| *name).collect();
        eprintln!("lowland-bench: no work `{name}`; usage: lowland-bench {} key=value...", names.join("|"));
        return ExitCode::from(2);
    };
    match Arguments::new(words).and_then(|arguments| work(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("lowland-bench {name}: {why}");
            ExitCode::FAILURE
        }
    }
}
