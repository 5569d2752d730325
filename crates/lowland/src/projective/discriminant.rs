//! Linear discriminants: the scatter within classes is whitened, and the singular vectors of the class means in that
//! space are the directions (Rao 1948).

use super::classes::{self, Means};
use super::signs::fix_columns;
use crate::matrix::{Element, faer_view, to_array};
use faer::Mat;
use lowland_base::{Error, Result, Run};
use lowland_linalg::operator::Dense;
use lowland_linalg::rows::{Center, Rows};
use lowland_linalg::{Request, Which, eigen, gram, svd};
use ndarray::{Array2, ArrayView2};

/// What the solver finds.
pub(crate) struct Discriminants {
    /// The mean of all rows.
    pub mean: Vec<f64>,
    /// The mean of each class.
    pub class_means: Array2<f64>,
    /// One a column, at most as many as the class means span, by descending ratio: the variance within classes is 1 along
    /// each.
    pub directions: Array2<f64>,
    /// The ratio of the variance between classes to that within, along all directions, also those left out.
    pub squares: Vec<f64>,
    /// How far the covariance within classes was shrunk.
    pub shrinkage: f64,
}

/// At most so many directions of rows in classes. `shrinkage` moves the covariance within classes toward a sphere, by what
/// Ledoit and Wolf estimate where it is not given; directions whose deviation within classes is below `tol` are left out.
pub(crate) fn solve<T: Element>(
    x: ArrayView2<'_, T>,
    of_row: &[usize],
    sizes: &[usize],
    (shrinkage, tol): (Option<f64>, f64),
    most: usize,
    run: &Run,
) -> Result<Discriminants> {
    let (n, d) = x.dim();
    let groups = sizes.len();
    let stage = run.stage("scatter", None);
    let view = faer_view(x);
    let Means { all, classes: means, scale } = classes::means(x, of_row, sizes, run)?;
    let scatter = gram(Rows { x: view, center: Center::Columns(&all), scale }, run)?;
    let weighted =
        Array2::from_shape_fn((groups, d), |(g, j)| means[(g, j)] * scale * (sizes[g] as f64).sqrt());
    let between = gram(Rows::plain(faer_view(weighted.view())), run)?;
    drop(stage);
    let stage = run.stage("directions", None);
    let freedom = n as f64;
    // The scatter within classes is the whole less that between the means (both about the mean of all), unless
    // the classes are so far apart that the subtraction would cost digits.
    let cancels = |j: usize| scatter[(j, j)] - between[(j, j)] < 1e-4 * scatter[(j, j)];
    let mut within = if (0..d).any(cancels) {
        let own = Array2::from_shape_fn((n, d), |(i, j)| (x[(i, j)].wide() - all[j]) - means[(of_row[i], j)]);
        let own = gram(Rows { x: faer_view(own.view()), center: Center::None, scale }, run)?;
        Mat::from_fn(d, d, |i, j| own[(i, j)] / freedom)
    } else {
        Mat::from_fn(d, d, |i, j| (scatter[(i, j)] - between[(i, j)]) / freedom)
    };
    let mean = (0..d).map(|j| within[(j, j)]).sum::<f64>() / d as f64;
    let rounding = 1e-14 * (0..d).map(|j| scatter[(j, j)]).fold(0.0, f64::max) / freedom;
    let shrinkage = shrinkage.unwrap_or_else(|| {
        let norms = x.rows().into_iter().zip(of_row).map(|(row, &class)| {
            let own = |j: usize| ((row[j].wide() - all[j]) - means[(class, j)]) * scale;
            (0..d).map(|j| own(j).powi(2)).sum()
        });
        ledoit_wolf(&within, norms)
    });
    if shrinkage > 0.0 {
        for j in 0..d {
            for i in 0..d {
                within[(i, j)] *= 1.0 - shrinkage;
            }
            within[(j, j)] += shrinkage * mean;
        }
    }
    // In units of each column's own deviation within classes.
    let deviations: Vec<f64> =
        (0..d).map(|j| if within[(j, j)] > rounding { within[(j, j)].sqrt() } else { 0.0 }).collect();
    let safe: Vec<f64> = deviations.iter().map(|&own| if own > 0.0 { 1.0 / own } else { 0.0 }).collect();
    let correlation = Mat::from_fn(d, d, |i, j| within[(i, j)] * safe[i] * safe[j]);
    let pairs = eigen::solve(&Dense::new(correlation.as_ref())?, &Request::new(d, Which::Largest), run)?;
    let first = pairs.values.first().copied().unwrap_or(0.0);
    let rank = pairs.values.iter().take_while(|&&v| v > tol * tol && v > 1e-13 * d as f64 * first).count();
    if rank == 0 {
        return Err(Error::Constant { what: "rows of each class" });
    }
    // Column by column, as the vectors are in memory.
    let roots: Vec<f64> = pairs.values.iter().take(rank).map(|value| value.sqrt()).collect();
    let scaled = |(j, i): (usize, usize)| pairs.vectors[(i, j)] * safe[i] / roots[j];
    let whiten = Array2::from_shape_fn((rank, d), scaled).reversed_axes();
    // The means of the classes, weighted, in these units; their singular vectors are the directions.
    let seen = (weighted.dot(&whiten)) / ((groups - 1) as f64).sqrt();
    let parted = svd::thin(faer_view(seen.view()), run)?;
    drop(stage);
    let sound = parted.values.iter().take_while(|&&v| v > 1e-10 * parted.values[0] && v > 0.0).count();
    let right: Array2<f64> = to_array(parted.right.as_ref().subcols(0, most.min(sound)));
    let mut directions = whiten.dot(&right) * scale;
    fix_columns(&mut directions);
    Ok(Discriminants {
        class_means: Array2::from_shape_fn((groups, d), |(g, j)| means[(g, j)] + all[j]),
        mean: all,
        directions,
        squares: parted.values.iter().map(|v| v * v).collect(),
        shrinkage,
    })
}

/// The shrinkage toward a sphere whose expected squared error is least (Ledoit and Wolf 2004), of the covariance of centered
/// rows and their squared lengths: `min(b, d) / d` with `d = |S - m I|^2` and `b = sum |x x' - S|^2 / n^2`.
fn ledoit_wolf(covariance: &Mat<f64>, lengths: impl Iterator<Item = f64>) -> f64 {
    let d = covariance.nrows();
    let (n, fourth) = lengths.fold((0.0, 0.0), |(n, sum), length: f64| (n + 1.0, sum + length * length));
    let whole = covariance.as_ref().squared_norm_l2();
    let mean = (0..d).map(|j| covariance[(j, j)]).sum::<f64>() / d as f64;
    let from_sphere = whole - d as f64 * mean * mean;
    let noise = (fourth / n - whole) / n;
    if from_sphere > 0.0 { (noise / from_sphere).clamp(0.0, 1.0) } else { 0.0 }
}
