//! Where a layout begins: the first principal components, given coordinates, or random ones. Small, so that points can
//! still pass each other (Kobak and Berens 2019).

use faer::{Mat, MatRef};
use lowland_base::{Result, Run, Scalar};
use lowland_linalg::operator::Dense;
use lowland_linalg::rows::{Center, centering};
use lowland_linalg::svd::Randomized;
use lowland_linalg::{Matrix, Request, Rows, Which, eigen, gram, svd};
use rand::Rng;

/// The standard deviation of a start's first component.
pub const SPREAD: f64 = 1e-4;
/// Up to so many columns the covariance is formed.
const NARROW: usize = 1024;

/// The first principal components of points, scaled; noise of a hundredth parts those that fall together.
pub fn principal<T: Scalar>(points: MatRef<'_, T>, components: usize, run: &Run) -> Result<Mat<f64>> {
    let (n, width) = points.shape();
    let about = centering(points, run)?;
    let rows = Rows { x: points, center: Center::Columns(&about.mean), scale: about.scale };
    let count = components.min(width).min(n);
    let mut scores = Mat::<f64>::zeros(n, components);
    if width <= NARROW {
        let covariance = gram(rows, run)?;
        let pairs =
            eigen::solve(&Dense::new(covariance.as_ref())?, &Request::new(count, Which::Largest), run)?;
        let axes = Mat::from_fn(width, count, |i, c| T::of(pairs.vectors[(i, c)]));
        let mut found = Mat::<T>::zeros(n, count);
        rows.apply(axes.as_ref(), found.as_mut(), run)?;
        (0..count).for_each(|c| (0..n).for_each(|i| scores[(i, c)] = found[(i, c)].wide()));
    } else {
        let found = svd::randomized(&rows, &Randomized { count, oversampling: 10, iterations: 4 }, run)?;
        for c in 0..count {
            (0..n).for_each(|i| scores[(i, c)] = (found.left[(i, c)] * found.values[c]).wide());
        }
    }
    Ok(jittered(scaled(scores, SPREAD, run), run))
}

/// Normal noise of the usual spread.
pub fn random(n: usize, components: usize, run: &Run) -> Mat<f64> {
    let mut rng = run.rng("layout start");
    Mat::from_fn(n, components, |_, _| SPREAD * normal(&mut rng))
}

/// Centered, and scaled so that the first component has this standard deviation. Where nothing varies, random.
pub fn scaled(mut start: Mat<f64>, spread: f64, run: &Run) -> Mat<f64> {
    let n = start.nrows().max(1) as f64;
    for c in 0..start.ncols() {
        let mean = start.col(c).iter().sum::<f64>() / n;
        start.col_mut(c).iter_mut().for_each(|x| *x -= mean);
    }
    let deviation = |c: usize| (start.col(c).iter().map(|x| x * x).sum::<f64>() / n).sqrt();
    let first = (0..start.ncols()).map(deviation).fold(0.0, f64::max);
    if !(first > 0.0 && first.is_finite()) {
        return random(start.nrows(), start.ncols(), run);
    }
    Mat::from_fn(start.nrows(), start.ncols(), |i, c| start[(i, c)] / first * spread)
}

fn jittered(mut start: Mat<f64>, run: &Run) -> Mat<f64> {
    let mut rng = run.rng("layout jitter");
    for i in 0..start.nrows() {
        for c in 0..start.ncols() {
            start[(i, c)] += 0.01 * SPREAD * normal(&mut rng);
        }
    }
    start
}

/// A standard normal number, by Box and Muller's formula.
fn normal(rng: &mut impl Rng) -> f64 {
    let uniform = |bits: u64| ((bits >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
    let (a, b) = (uniform(rng.next_u64()), uniform(rng.next_u64()));
    (-2.0 * a.ln()).sqrt() * (2.0 * std::f64::consts::PI * b).cos()
}
