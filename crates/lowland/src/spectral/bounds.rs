//! What the methods of dense kernels refuse, and what they cost.

use crate::method::Forecast;
use crate::{InputKind, Shape};
use lowland_base::{Error, Result};

/// Refuses more components than points or landmarks, and more landmarks than points.
pub(crate) fn check_landmarks(components: usize, landmarks: Option<usize>, rows: usize) -> Result<()> {
    if let Some(count) = landmarks.filter(|&count| count > rows) {
        let bound = format!("at most {rows}, the number of points");
        return Err(Error::parameter("landmarks", count, bound, "ask for fewer landmarks"));
    }
    let most = landmarks.unwrap_or(rows);
    if components > most {
        let what = if landmarks.is_some() { "landmarks" } else { "points" };
        let bound = format!("at most {most}, the number of {what}");
        return Err(Error::too_many_components(components, most, bound, what));
    }
    Ok(())
}

/// The numbers that are held while eigenpairs are found by a sparse factor: with these bytes of the matrices, the factor and the
/// basis, its symbolic form and what the allocator and the threads of the factorization keep.
pub(crate) fn by_factor(bytes: u64) -> f64 {
    1.45 * bytes as f64 / 8.0
}

/// The number of landmarks where none is given.
pub(crate) fn usual_landmarks(rows: usize, components: usize) -> usize {
    ((rows as f64).sqrt().ceil() as usize).max(50).max(10 * components).min(rows)
}

/// What makes a fit smaller beside its parameters: edges and similarities are not those of a part.
pub(crate) fn fewer_points(kind: InputKind) -> &'static str {
    match kind {
        InputKind::Graph | InputKind::Kernel => "give fewer rows",
        _ => "fit to a sample and transform the rest",
    }
}

/// What a dense kernel costs: its matrix and the eigensolver's basis, or those of the landmarks.
pub(crate) fn forecast(shape: &Shape, landmarks: Option<usize>, components: usize) -> Forecast {
    let (n, d, k) = (shape.rows as f64, shape.columns as f64, components as f64);
    let m = landmarks.map_or(n, |count| count as f64);
    let whole = landmarks.is_none();
    // A dense decomposition holds the matrix, its vectors and work space.
    let dense = if m <= 300.0 || 8.0 * k >= m { 4.0 * m * m } else { m * (4.0 * k + 400.0) };
    let solver = if whole { dense } else { 5.0 * m * m };
    let kernel = if whole { 0.5 * m * (m + 64.0) } else { 2.0 * m * m + 1024.0 * m * 3.0 };
    let given = if shape.kind == InputKind::Points { 3.0 * n * d } else { n * n };
    let numbers = kernel + solver + given + 4.0 * (n + m) * k + 64.0 * 2.0 * (d + m);
    let products = if whole { n * n * (10.0 * k + 60.0) } else { 2.0 * n * m * m + 9.0 * m * m * m };
    Forecast {
        // What the allocator holds beside it.
        bytes: (8.4 * numbers) as u64,
        flops: n * m * d + products,
        remedy: fewer_points(shape.kind).into(),
    }
}

/// The error of a method that cannot take this kind of input.
pub(crate) fn unsupported(method: &str, kind: InputKind, instead: &str) -> Error {
    Error::Unsupported {
        method: method.into(),
        what: format!("take {}", kind.words()),
        remedy: format!("give it {instead}"),
    }
}
