//! Layouts by stress, judged by the formulas of `benches/peers/stress.py`.

use crate::method::configured;
use crate::npy::Array;
use crate::protocol::{Arguments, Figure, Outcome, serve};
use lowland::layout::stress::isotonic;
use ndarray::{ArrayView1, ArrayView2};

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
            Ok(if judged { judge(x, y.view(), entry.name) } else { reported(model.as_ref()) })
        },
    )
}

/// What the model says of itself: of many points, a stress over pairs that the layout was not made from.
fn reported(model: &dyn lowland::Model) -> Vec<Figure> {
    let objective = &model.report().objective;
    let other = objective.iter().find(|quantity| quantity.name.ends_with("other pairs"));
    other.or(objective.first()).map(|quantity| ("stress", quantity.value)).into_iter().collect()
}

fn judge(x: ArrayView2<'_, f64>, y: ArrayView2<'_, f64>, method: &str) -> Vec<Figure> {
    let apart = |a: ArrayView1<'_, f64>, b: ArrayView1<'_, f64>| {
        a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    };
    let n = x.nrows();
    let mut pairs: Vec<(f64, f64)> = (0..n)
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .map(|(i, j)| (apart(x.row(i), x.row(j)), apart(y.row(i), y.row(j))))
        .collect();
    let squares: f64 = pairs.iter().map(|pair| pair.1 * pair.1).sum();
    let stress = match method {
        "sammon" => {
            let total: f64 = pairs.iter().map(|pair| pair.0).sum();
            let lost =
                |pair: &(f64, f64)| if pair.0 > 0.0 { (pair.0 - pair.1).powi(2) / pair.0 } else { 0.0 };
            pairs.iter().map(lost).sum::<f64>() / total
        }
        "mds" => pairs.iter().map(|pair| (pair.0 - pair.1).powi(2)).sum(),
        _ => {
            pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
            let distances: Vec<f64> = pairs.iter().map(|pair| pair.1).collect();
            let mut fitted = distances.clone();
            isotonic::pool(&mut fitted, |_| 1.0);
            let residual: f64 = distances.iter().zip(&fitted).map(|(d, t)| (d - t) * (d - t)).sum();
            (residual / squares).sqrt()
        }
    };
    vec![("stress", stress)]
}
