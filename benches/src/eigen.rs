//! Eigenpairs.

use crate::npy::Array;
use crate::protocol::{Arguments, Figure, Outcome, serve};
use faer::MatRef;
use lowland_base::Csr;
use lowland_linalg::operator::Dense;
use lowland_linalg::{Eigenpairs, Request, Which, eigen};

/// The smallest pairs of a sparse matrix.
pub fn smallest(arguments: &Arguments) -> Outcome {
    let (offsets, indices): (Array<i64>, Array<i64>) =
        (arguments.load(".indptr")?, arguments.load(".indices")?);
    let values: Array<f64> = arguments.load(".values")?;
    let n = offsets.values.len() - 1;
    let offsets = offsets.values.into_iter().map(usize::try_from).collect::<Result<_, _>>()?;
    let indices = indices.values.into_iter().map(u32::try_from).collect::<Result<_, _>>()?;
    let matrix = Csr::new(n, n, offsets, indices, values.values)?;
    let row = |i: usize| {
        let (columns, values) = matrix.row(i);
        columns.iter().zip(values).map(|(&j, &v)| (j as usize, v))
    };
    let (run, request) = (arguments.run()?, request(arguments, Which::Smallest)?);
    serve(|| Ok(eigen::solve(&matrix, &request, &run)?), |pairs| Ok(judge(n, row, &pairs)))
}

/// The largest pairs of a dense matrix.
pub fn largest(arguments: &Arguments) -> Outcome {
    let data: Array<f64> = arguments.load("")?;
    let (n, columns) = data.rows_columns()?;
    let matrix = Dense::new(MatRef::from_row_major_slice(&data.values, n, columns))?;
    let row = |i: usize| data.values[i * n..(i + 1) * n].iter().copied().enumerate();
    let (run, request) = (arguments.run()?, request(arguments, Which::Largest)?);
    serve(|| Ok(eigen::solve(&matrix, &request, &run)?), |pairs| Ok(judge(n, row, &pairs)))
}

fn request(arguments: &Arguments, which: Which) -> Outcome<Request> {
    Ok(Request::new(arguments.number("pairs")?, which))
}

/// max ||A v - l v|| / (||A||_1 ||v||), from the matrix itself whatever the solver says, and the sum of the
/// values, which shows whether the same pairs were found.
fn judge<R: Iterator<Item = (usize, f64)>>(
    n: usize,
    row: impl Fn(usize) -> R,
    pairs: &Eigenpairs<f64>,
) -> Vec<Figure> {
    let norm = (0..n).map(|i| row(i).map(|(_, a)| a.abs()).sum::<f64>()).fold(0.0, f64::max);
    let residuals = pairs.values.iter().enumerate().map(|(pair, value)| {
        let v = pairs.vectors.col(pair);
        let wrong = (0..n).map(|i| row(i).map(|(j, a)| a * v[j]).sum::<f64>() - value * v[i]);
        wrong.map(|w| w * w).sum::<f64>().sqrt() / v.norm_l2()
    });
    let worst = residuals.fold(0.0, |worst, r| if r <= worst { worst } else { r });
    vec![("residual", worst / norm), ("eigenvalue_sum", pairs.values.iter().sum())]
}
