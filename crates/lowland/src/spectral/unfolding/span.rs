//! The few vectors that all coordinates are combinations of, for data with more points than the whole program can take.

use crate::Input;
use crate::matrix::faer_view;
use crate::spectral::kernel::Function;
use crate::spectral::landmarks::{self, Choice};
use crate::spectral::local::{Neighborhoods, weights};
use crate::spectral::smallest;
use faer::Mat;
use lowland_base::{Csr, Result, Run};
use lowland_linalg::Operator;
use lowland_linalg::eigen::SparseFactor;
use lowland_linalg::operator::ResidualGram;
use lowland_neighbors::Graph;
use ndarray::Array2;

/// Where the coordinates are looked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Span {
    /// Everywhere.
    All,
    /// Landmark MVU: each point is the combination of landmarks that its neighbors' weights make of it.
    Landmarks {
        /// How many.
        count: usize,
        choice: Choice,
    },
    /// Fast MVU: the smoothest vectors on the graph.
    Laplacian {
        /// How many.
        count: usize,
    },
}

impl Span {
    /// The landmarks among these points, if there are any.
    pub fn landmarks(self, points: &Array2<f64>, run: &Run) -> Result<Vec<usize>> {
        match self {
            Self::Landmarks { count, choice } if count < points.nrows() => {
                landmarks::choose(Input::Points(points.view()), &Function::Linear, count, choice, run)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// The vectors, one a column, of a connected graph; `None` for all.
    pub fn vectors(
        self,
        points: &Array2<f64>,
        graph: &Graph<f64>,
        lists: &dyn Neighborhoods,
        reg: f64,
        run: &Run,
    ) -> Result<Option<Mat<f64>>> {
        let n = points.nrows();
        Ok(match self {
            Self::Landmarks { count, .. } if count < n => {
                let chosen = self.landmarks(points, run)?;
                Some(transformation(points, lists, &chosen, reg, run)?)
            }
            Self::Laplacian { count } if count + 1 < n => {
                let smooth = smallest(&laplacian(graph)?, count, run)?;
                let vectors = faer_view(smooth.coordinates.view());
                Some(Mat::from_fn(n, count, |i, j| vectors[(i, j)]))
            }
            _ => None,
        })
    }
}

/// `Q` of Weinberger, Packer and Saul 2005: the coordinates of all points are `Q` times those of the landmarks. With the
/// weights `W` that rebuild each point from its neighbors, it minimizes `|(I - W) Q|` where the landmarks are fixed.
fn transformation(
    points: &Array2<f64>,
    lists: &dyn Neighborhoods,
    chosen: &[usize],
    reg: f64,
    run: &Run,
) -> Result<Mat<f64>> {
    let _stage = run.stage("landmark transformation", None);
    let n = points.nrows();
    let penalty = ResidualGram::new(&weights::matrix(points.view(), lists, reg, run)?)?;
    let diagonal = penalty.diagonal().unwrap_or_default();
    // A set of points that rebuild each other and see no landmark is held by this.
    let ridge = 1e-10 * diagonal.iter().sum::<f64>() / n as f64;
    let Some(penalty) = penalty.to_sparse(run)? else { return Ok(Mat::identity(n, chosen.len())) };
    let mut landmark = vec![None; n];
    chosen.iter().enumerate().for_each(|(number, &row)| landmark[row] = Some(number));
    let free: Vec<usize> = (0..n).filter(|&row| landmark[row].is_none()).collect();
    let mut number = vec![0u32; n];
    free.iter().enumerate().for_each(|(position, &row)| number[row] = position as u32);
    let mut right = vec![0.0; free.len() * chosen.len()];
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for (position, &row) in free.iter().enumerate() {
        let (columns, entries) = penalty.row(row);
        for (&column, &entry) in columns.iter().zip(entries) {
            match landmark[column as usize] {
                Some(landmark) => right[position * chosen.len() + landmark] -= entry,
                None => {
                    indices.push(number[column as usize]);
                    values.push(if column as usize == row { entry + ridge } else { entry });
                }
            }
        }
        offsets.push(indices.len());
    }
    let inner = Csr::new(free.len(), free.len(), offsets, indices, values)?;
    let solved = SparseFactor::new(&inner, run)?.solve(&right, chosen.len(), run)?;
    Ok(Mat::from_fn(n, chosen.len(), |row, column| match landmark[row] {
        Some(own) => f64::from(u8::from(own == column)),
        None => solved[number[row] as usize * chosen.len() + column],
    }))
}

/// `D - A` of the graph without its lengths.
fn laplacian(graph: &Graph<f64>) -> Result<Csr<f64>> {
    let n = graph.len();
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..n {
        let to = graph.neighbors(i).0;
        let at = to.partition_point(|&j| (j as usize) < i);
        indices.extend_from_slice(&to[..at]);
        indices.push(i as u32);
        indices.extend_from_slice(&to[at..]);
        let start = values.len();
        values.resize(start + to.len() + 1, -1.0);
        values[start + at] = to.len() as f64;
        offsets.push(indices.len());
    }
    Csr::new(n, n, offsets, indices, values)
}
