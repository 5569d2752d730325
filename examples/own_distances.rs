//! A map of things that are no points: words, known by a distance of one's own.
//!
//! `cargo run --release -p lowland --example own_distances`

use lowland::methods::ClassicalMds;
use lowland::{Model, Run};

const WORDS: [&str; 8] =
    ["kernel", "kernels", "colonel", "manifold", "manifolds", "main fold", "graph", "graphs"];

/// The number of characters to insert, remove or replace.
fn edit_distance(a: &str, b: &str) -> f64 {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut next = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            next.push((row[j] + usize::from(x != *y)).min(next[j] + 1).min(row[j + 1] + 1));
        }
        row = next;
    }
    row[b.len()] as f64
}

fn main() -> Result<(), lowland::Error> {
    let run = Run::new();
    let distance = |i: usize, j: usize| edit_distance(WORDS[i], WORDS[j]);
    let model = ClassicalMds::default().fit_objects(WORDS.len(), distance, &run)?;
    if let Some(map) = model.embedding() {
        for (word, position) in WORDS.iter().zip(map.to_f64().rows()) {
            println!("{word:>10}  {:7.2} {:7.2}", position[0], position[1]);
        }
    }
    // Edit distances are not Euclidean: the report has the share that no map can show.
    for warning in &model.report().warnings {
        println!("warning: {warning}");
    }
    Ok(())
}
