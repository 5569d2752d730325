//! Which method to trust on these data: several are fitted, judged by the same measures, and ranked.
//!
//! `cargo run --release -p lowland --example which_method`

use lowland::quality::Evaluator;
use lowland::{Run, data, registry};

fn main() -> Result<(), lowland::Error> {
    let run = Run::new();
    let helix = data::find("helix")?.sample(500, 0.0, 1)?;
    let mut results = Vec::new();
    for name in ["pca", "isomap", "lle", "laplacian-eigenmaps"] {
        // By name, as the program and Python do it: every method keeps the same contract.
        let method = (registry::find(name)?.create)();
        let model = method.fit((&helix.points).into(), &run)?;
        let Some(embedding) = model.embedding() else { continue };
        let judged = Evaluator::default().evaluate((&helix.points).into(), embedding.into(), &run)?;
        let value = |measure: &str| judged.get(measure).map_or(f64::NAN, |estimate| estimate.value);
        results.push((name, value("trustworthiness"), value("continuity")));
    }
    results.sort_by(|a, b| (b.1 + b.2).total_cmp(&(a.1 + a.2)));
    println!("{:>20} {:>16} {:>12}", "method", "trustworthiness", "continuity");
    for (name, trustworthiness, continuity) in results {
        println!("{name:>20} {trustworthiness:>16.3} {continuity:>12.3}");
    }
    Ok(())
}
