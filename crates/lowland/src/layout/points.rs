//! Layouts between the matrices that others see and the small arrays that loops are compiled for.

use faer::{Mat, MatRef};
use lowland_base::{Error, Result, Scalar, units};

/// The most components of a layout.
pub const MOST_COMPONENTS: usize = 32;

/// The rows of a matrix; components beyond its own are zero, and stay zero under every force.
pub fn from_matrix<T: Scalar, const D: usize>(matrix: MatRef<'_, f64>) -> Vec<[T; D]> {
    let width = matrix.ncols().min(D);
    let row = |i: usize| {
        let mut y = [T::zero(); D];
        for c in 0..width {
            y[c] = T::of(matrix[(i, c)]);
        }
        y
    };
    (0..matrix.nrows()).map(row).collect()
}

/// The first `width` components as a matrix.
pub fn to_matrix<T: Scalar, const D: usize>(layout: &[[T; D]], width: usize) -> Mat<f64> {
    Mat::from_fn(layout.len(), width, |i, c| layout[i][c].wide())
}

/// More components than loops are compiled for.
pub fn too_many(components: usize) -> Error {
    Error::parameter(
        "n_components",
        components,
        format!("1 to {MOST_COMPONENTS}"),
        "ask for fewer; two are usual",
    )
}

/// Refuses numbers of components that no loop is compiled for.
pub fn check_components(components: usize) -> Result<()> {
    if (1..=MOST_COMPONENTS).contains(&components) { Ok(()) } else { Err(too_many(components)) }
}

/// Refuses fewer than two rows, as many components as rows, and more than `most` neighbors.
pub fn check_shape(rows: usize, components: usize, neighbors: Option<usize>, most: usize) -> Result<()> {
    if rows < 2 {
        return Err(Error::TooFewRows { rows, needed: 2, what: "a layout".into() });
    }
    if components >= rows {
        let bound = format!("below {rows}, the number of rows");
        return Err(Error::too_many_components(components, rows - 1, bound, "rows"));
    }
    match neighbors.filter(|&k| k > most) {
        Some(k) => {
            let bound = format!("at most {most}, for {}", units::count(rows, "point"));
            Err(Error::parameter("n_neighbors", k, bound, "ask for fewer neighbors"))
        }
        None => check_components(components),
    }
}

/// Calls a function that is generic over the number of components, rounded up to one that it is compiled for.
macro_rules! with_components {
    ($components:expr, $function:ident::<$scalar:ty>($($argument:expr),* $(,)?)) => {
        match $components {
            1 => $function::<$scalar, 1>($($argument),*),
            2 => $function::<$scalar, 2>($($argument),*),
            3 => $function::<$scalar, 3>($($argument),*),
            4..=8 => $function::<$scalar, 8>($($argument),*),
            9..=32 => $function::<$scalar, 32>($($argument),*),
            components => Err($crate::layout::points::too_many(components)),
        }
    };
    ($components:expr, $function:ident($($argument:expr),* $(,)?)) => {
        match $components {
            1 => $function::<1>($($argument),*),
            2 => $function::<2>($($argument),*),
            3 => $function::<3>($($argument),*),
            4..=8 => $function::<8>($($argument),*),
            9..=32 => $function::<32>($($argument),*),
            components => Err($crate::layout::points::too_many(components)),
        }
    };
}
pub(super) use with_components;
