//! Fits a method once, saves the model, and embeds points that come later.
//!
//! `cargo run --release -p lowland --example new_points`

use lowland::methods::Isomap;
use lowland::{Method, Model, Run, data, load};

fn main() -> Result<(), lowland::Error> {
    let run = Run::new().with_seed(1);
    let roll = data::find("swiss-roll")?;

    // A method is a struct of parameters; fitting it gives a model.
    let training = roll.sample(1000, 0.0, 1)?;
    let isomap = Isomap { n_neighbors: 8, ..Isomap::default() };
    let model = isomap.fit_model(&training.points, &run)?;
    for quantity in &model.report().objective {
        println!("{}: {:.4}", quantity.name, quantity.value);
    }
    for warning in &model.report().warnings {
        println!("warning: {warning}");
    }

    // The model file holds the parameters, the arrays and a checksum, and executes nothing.
    let path = std::env::temp_dir().join("roll.lowland");
    model.save(&path)?;
    let model = load(&path)?;

    // Each new point has a place of its own: it does not depend on the others of its batch.
    let later = roll.sample(5, 0.0, 2)?;
    let embedded = model.transform((&later.points).into(), &run)?.into_f64();
    println!("{embedded:.3}");
    std::fs::remove_file(&path).ok();
    Ok(())
}
