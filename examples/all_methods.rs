//! All methods on one swiss roll, side by side: the picture of the README.
//!
//! `cargo run --release -p lowland-cli --example all_methods -- docs/all-methods.png`

use lowland::parameters::Value;
use lowland::{AnyInput, Error, Result, Run, registry};
use lowland_plot::{Coloring, Format, Panel, Size, Style, sheet};
use ndarray::Array2;

const ROWS: usize = 1500;

/// The embeddings of all methods, with their names; a method that needs labels gets those of eight parts of the roll.
fn embeddings(x: &Array2<f64>, along: &[f64], run: &Run) -> Result<Vec<(&'static str, Array2<f64>)>> {
    let (low, high) = along.iter().fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(*v), b.max(*v)));
    let labels: Vec<i64> = along.iter().map(|v| (7.99 * (v - low) / (high - low)) as i64).collect();
    let mut found = Vec::new();
    for entry in registry::all() {
        let mut method = (entry.create)();
        let _ = method.set("n_components", &Value::Integer(2));
        // More neighbors would reach from one winding of the roll to the next.
        if let Some(Value::Integer(_)) = method.get("n_neighbors") {
            method.set("n_neighbors", &Value::Integer(8))?;
        }
        let input = AnyInput::from(x);
        let fitted = match entry.capabilities.labels {
            true => method.fit_labeled(input, &labels, run),
            false => method.fit(input, run),
        };
        match fitted.and_then(|model| match model.embedding() {
            Some(embedding) => Ok(embedding.to_f64()),
            None => Ok(model.transform(input, run)?.to_f64()),
        }) {
            Ok(embedding) if embedding.ncols() >= 2 => found.push((entry.name, embedding)),
            Ok(_) | Err(Error::Malformed { .. } | Error::Parameter { .. } | Error::Conflict { .. }) => {}
            Err(error) => eprintln!("{}: {error}", entry.name),
        }
    }
    Ok(found)
}

fn main() -> Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "all-methods.png".into());
    let format = Format::of(&path)?;
    let data = lowland::data::find("swiss-roll")?.sample(ROWS, 0.0, 0)?;
    let along: Vec<f64> = data.truth.column(0).to_vec();
    let found = embeddings(&data.points, &along, &Run::new())?;
    let panels: Vec<Panel<'_>> =
        found.iter().map(|(name, coordinates)| Panel { name, coordinates: coordinates.view() }).collect();
    let subtitle =
        format!("{} methods, {ROWS} points, colored by their position along the roll", panels.len());
    let style = Style {
        title: "A swiss roll as every method sees it",
        subtitle: &subtitle,
        size: Size { width: 2400, height: 1800 },
        ..Style::default()
    };
    let picture = sheet(&panels, Coloring::Values(&along, "position"), &style);
    std::fs::write(&path, picture.encode(format)?).map_err(|e| Error::Io { path, problem: e.to_string() })
}
