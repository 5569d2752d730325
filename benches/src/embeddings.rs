//! Neighbor embeddings, judged as `benches/peers/embeddings.py` judges the peers'.

use crate::method::configured;
use crate::neighbors::recall;
use crate::npy::Array;
use crate::protocol::{Arguments, Figure, Outcome, serve};
use faer::MatRef;
use lowland::layout::tsne::{self, Schedule};
use lowland::layout::{Affinity, Approach};
use lowland_base::Run;
use lowland_neighbors::{Metric, index};
use ndarray::ArrayView2;

/// The perplexity of every contestant, three times which is the number of neighbors.
const PERPLEXITY: usize = 30;

/// Fit and embedding in one.
pub fn fit(method: &str, arguments: &Arguments) -> Outcome {
    let data: Array<f64> = arguments.load("")?;
    let x = ArrayView2::from_shape(data.rows_columns()?, &data.values)?;
    let run = arguments.run()?;
    let entry = lowland::registry::find(method)?;
    let method = configured(entry, arguments)?;
    let judged = arguments.number("judged").is_ok();
    serve(
        || Ok(method.fit(x.into(), &run)?),
        |model| {
            let y = model.embedding().ok_or("no embedding")?.to_f64();
            let y = y.as_standard_layout();
            let (n, d) = y.dim();
            let y = MatRef::from_row_major_slice(y.as_slice().ok_or("no rows")?, n, d);
            let (n, d) = x.dim();
            let x = MatRef::from_row_major_slice(&data.values, n, d);
            let mut figures = Vec::new();
            if judged {
                figures.extend(kept(arguments, x, y, &run)?);
                if entry.name == "t-sne" {
                    figures.push(("kl", divergence(x, y, &run)?));
                }
            }
            Ok(figures)
        },
    )
}

fn kept(arguments: &Arguments, x: MatRef<'_, f64>, y: MatRef<'_, f64>, run: &Run) -> Outcome<Vec<Figure>> {
    let labels: Array<i64> = arguments.load(".labels")?;
    let table = index::build(y, Metric::Euclidean, index::Choice::Tree, run)?
        .k_nearest_of_all(arguments.number("k")?, run)?;
    let wrong =
        (0..y.nrows()).filter(|&i| labels.values[i] != labels.values[table.row(i).0[0] as usize]).count();
    let mut figures = vec![("one_nn", wrong as f64 / y.nrows() as f64)];
    let [(_, share)] = recall(arguments, x, &table)?[..] else { return Err("no recall".into()) };
    figures.push(("kept", share));
    Ok(figures)
}

/// The divergence that t-SNE minimizes, summed over all pairs, from exact neighbors.
fn divergence(x: MatRef<'_, f64>, y: MatRef<'_, f64>, run: &Run) -> Outcome<f64> {
    let table = index::build(x, Metric::Euclidean, index::Choice::Brute, run)?
        .k_nearest_of_all(3 * PERPLEXITY, run)?;
    let joint = Affinity::Perplexity(vec![PERPLEXITY as f64]).joint(&table, run)?;
    Ok(tsne::value(&joint, y, &Schedule { approach: Approach::Exact, ..Schedule::default() }, run)?)
}
