//! Whether neighbors stay neighbors in an embedding.

use crate::npy::Array;
use crate::protocol::{Arguments, Outcome, serve};
use faer::{Mat, MatRef};
use lowland::neighbors::Metric;
use lowland::quality::{Neighborhoods, Points};

/// Trustworthiness and continuity of a fixed projection to the plane.
pub fn preservation(arguments: &Arguments) -> Outcome {
    let data: Array<f64> = arguments.load("")?;
    let (n, width) = data.rows_columns()?;
    let x = MatRef::from_row_major_slice(&data.values, n, width);
    let waves = Mat::from_fn(width, 2, |j, c| if c == 0 { (j as f64).cos() } else { (j as f64).sin() });
    let y = Mat::from_fn(n, 2, |i, c| (0..width).map(|j| x[(i, j)] * waves[(j, c)]).sum::<f64>());
    let (k, run) = (arguments.number("k")?, arguments.run()?);
    let timed = || {
        let (data, embedding) =
            (Points::new(x, Metric::Euclidean, &run)?, Points::new(y.as_ref(), Metric::Euclidean, &run)?);
        let near = Neighborhoods::new(&data, &embedding, k, n, &run)?;
        Ok((near.trustworthiness(k)?.value, near.continuity(k)?.value))
    };
    serve(timed, |(trust, continuity)| Ok(vec![("distrust", 1.0 - trust), ("continuity", continuity)]))
}
