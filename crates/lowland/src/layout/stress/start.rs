//! Where a stress begins: classical scaling of the dissimilarities (of their ranks, where only their order counts), or
//! random positions.

use super::gather::Gathered;
use super::majorize::Problem;
use super::objects::Objects;
use super::pairs::{Ends, apart};
use crate::choices;
use crate::layout::start::normal;
use crate::spectral::landmarks;
use faer::Mat;
use lowland_base::parallel::map_chunks;
use lowland_base::{Result, Run, pages};
use lowland_linalg::operator::{Centered, Packed, Shifted};
use lowland_linalg::{Operator, Request, Which, eigen};

choices! {
    /// Where a stress begins.
    pub enum StressInit {
        /// The classical scaling of the dissimilarities.
        Classical = "classical",
        /// Random positions.
        Random = "random",
    }
}

/// Landmarks of the classical scaling of many objects, a component.
const LANDMARKS: usize = 100;

/// Classical scaling of the pairs: of all of them, or of landmarks where only some are known.
pub(crate) fn classical<const D: usize>(
    objects: &Objects,
    gathered: &Gathered,
    components: usize,
    run: &Run,
) -> Result<Vec<[f64; D]>> {
    let _stage = run.stage("start", None);
    let pairs = &gathered.pairs;
    let n = pairs.n;
    if n < 2 {
        return Ok(vec![[0.0; D]; n]);
    }
    // Of pairs that were drawn, most squares would be guesses.
    if gathered.drawn {
        return by_landmarks(objects, gathered, components, run);
    }
    let mut square = pages::zeros(n * n)?;
    if pairs.ends != Ends::All {
        square.fill(f64::NAN);
        (0..n).for_each(|i| square[i * n + i] = 0.0);
    }
    pairs.each(0..pairs.len(), |index, i, j| {
        square[i * n + j] = pairs.given[index];
        square[j * n + i] = pairs.given[index];
    });
    run.check()?;
    complete(&mut square, n);
    square.iter_mut().for_each(|d| *d *= *d);
    let inner = Packed::from_lower(n, square)?;
    let found = scaled(&inner, components.min(n - 1), run)?;
    Ok((0..n)
        .map(|i| std::array::from_fn(|c| if c < found.values.len() { found.coordinate(i, c) } else { 0.0 }))
        .collect())
}

/// Puts the mean of what its two objects have for a pair that is missing.
fn complete(square: &mut [f64], n: usize) {
    if square.iter().all(|d| !d.is_nan()) {
        return;
    }
    let mean = |row: &[f64]| {
        let known = row.iter().filter(|d| !d.is_nan());
        known.clone().sum::<f64>() / (known.count() as f64 - 1.0).max(1.0)
    };
    let means: Vec<f64> = square.chunks_exact(n).map(mean).collect();
    for i in 0..n {
        for j in 0..n {
            if square[i * n + j].is_nan() {
                square[i * n + j] = 0.5 * (means[i] + means[j]);
            }
        }
    }
}

/// The largest eigenpairs of the double-centered squares.
struct Scaled {
    values: Vec<f64>,
    vectors: Mat<f64>,
}

impl Scaled {
    fn coordinate(&self, i: usize, c: usize) -> f64 {
        self.values[c].max(0.0).sqrt() * self.vectors[(i, c)]
    }
}

fn scaled(squares: &dyn Operator<f64>, count: usize, run: &Run) -> Result<Scaled> {
    let centered = Centered::new(squares);
    let halved = Shifted::new(&centered, 0.0, -0.5);
    match eigen::solve(&halved, &Request::new(count, Which::Largest), run) {
        Ok(pairs) => Ok(Scaled { values: pairs.values.to_vec(), vectors: pairs.vectors }),
        // A start need not be exact.
        Err(lowland_base::Error::NotConverged { .. }) => {
            Ok(Scaled { values: Vec::new(), vectors: Mat::zeros(0, 0) })
        }
        Err(error) => Err(error),
    }
}

/// Classical scaling of landmarks; the others by their distances to these (de Silva and Tenenbaum 2004).
fn by_landmarks<const D: usize>(
    objects: &Objects,
    gathered: &Gathered,
    components: usize,
    run: &Run,
) -> Result<Vec<[f64; D]>> {
    let first = &gathered.copies.first;
    let n = first.len();
    let (rows, numbers) = match objects {
        Objects::Pivots { pivots, .. } => (pivots.clone(), (0..pivots.len()).collect()),
        _ => {
            let rows = landmarks::uniform(n, (LANDMARKS * components).min(n).min(600), run)?;
            let numbers: Vec<usize> = rows.iter().map(|&row| first[row]).collect();
            (rows, numbers)
        }
    };
    let count = rows.len();
    // Where only the order counts, the rank of a distance among those of the pairs.
    let pairs = &gathered.pairs;
    let mean = pairs.given.iter().sum::<f64>() / pairs.len().max(1) as f64;
    let of = |d: f64| match &gathered.raw {
        // A pair that is missing.
        _ if d.is_nan() => mean,
        None => d * gathered.unit,
        Some(raw) => raw.partition_point(|&x| x < d * gathered.unit) as f64 / raw.len().max(1) as f64,
    };
    let squared = |i: usize, k: usize| {
        let d = if rows[k] == i { 0.0 } else { of(objects.between(first[i], numbers[k])) };
        d * d
    };
    let mut between = vec![0.0; count * count];
    for (a, &row) in rows.iter().enumerate() {
        run.check()?;
        (0..count).for_each(|b| between[a * count + b] = squared(row, b));
    }
    for a in 0..count {
        for b in 0..a {
            between[a * count + b] = 0.5 * (between[a * count + b] + between[b * count + a]);
            between[b * count + a] = between[a * count + b];
        }
    }
    let means: Vec<f64> =
        between.chunks_exact(count).map(|row| row.iter().sum::<f64>() / count as f64).collect();
    let found = scaled(&Packed::from_lower(count, between)?, components.min(count.saturating_sub(1)), run)?;
    let parts = map_chunks(run, n, 256, |range| {
        let position = |i: usize| {
            let squares: Vec<f64> = (0..count).map(|k| squared(i, k) - means[k]).collect();
            std::array::from_fn(|c| match found.values.get(c) {
                Some(&value) if value > 0.0 => {
                    let sum: f64 = (0..count).map(|k| squares[k] * found.vectors[(k, c)]).sum();
                    -0.5 * sum / value.sqrt()
                }
                _ => 0.0,
            })
        };
        range.map(position).collect::<Vec<[f64; D]>>()
    })?;
    Ok(parts.concat())
}

/// Normal noise.
pub(crate) fn random<const D: usize>(n: usize, components: usize, start: usize, run: &Run) -> Vec<[f64; D]> {
    let mut rng = run.rng(&format!("stress start {start}"));
    let mut position = || std::array::from_fn(|c| if c < components { normal(&mut rng) } else { 0.0 });
    (0..n).map(|_| position()).collect()
}

/// The start as large as fits the dissimilarities best; components in which nothing varies get a little noise, unless the
/// start is perfect without: a layout that is flat stays flat.
pub(crate) fn ready<const D: usize>(
    problem: &Problem,
    mut y: Vec<[f64; D]>,
    components: usize,
    run: &Run,
) -> Result<Vec<[f64; D]>> {
    let pairs = &problem.pairs;
    let [product, size] = pairs.sums(run, |index, i, j, weight| {
        let d = apart(&y[i], &y[j]);
        [weight * d * pairs.given[index], weight * d * d]
    })?;
    if size > 0.0 && product > 0.0 {
        let scale = product / size;
        y.iter_mut().flatten().for_each(|x| *x *= scale);
    }
    let spread = |y: &[[f64; D]], c: usize| {
        let low = y.iter().map(|y| y[c]).fold(f64::INFINITY, f64::min);
        y.iter().map(|y| y[c]).fold(f64::NEG_INFINITY, f64::max) - low
    };
    let widest = (0..components).map(|c| spread(&y, c)).fold(0.0, f64::max);
    let flat: Vec<usize> = (0..components).filter(|&c| spread(&y, c) <= 1e-9 * widest).collect();
    if flat.is_empty() || y.len() < 2 {
        return Ok(y);
    }
    let imperfect = problem.regress(&y, run)?.sums.stress() > 1e-20;
    if imperfect {
        let mut rng = run.rng("stress noise");
        let mean = pairs.given.iter().sum::<f64>() / pairs.len().max(1) as f64;
        let size = 0.05 * if widest > 0.0 { widest } else { 2.0 * mean };
        for y in &mut y {
            flat.iter().for_each(|&c| y[c] += size * normal(&mut rng));
        }
    }
    Ok(y)
}
