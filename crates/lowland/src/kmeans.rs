//! k-means: careful seeding, Lloyd's iterations, restarts. Landmarks and spectral clustering use it.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use lowland_base::parallel::map_chunks;
use lowland_base::{Error, Result, Run};
use ndarray::{Array2, ArrayView2};
use rand::RngExt;

/// A clustering of rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Clusters {
    /// One center a row.
    pub centers: Array2<f64>,
    /// The cluster of each row.
    pub labels: Vec<u32>,
    /// The summed squared distances of the rows to their centers.
    pub inertia: f64,
    /// How many iterations the best start took.
    pub iterations: usize,
}

/// How hard to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Independent starts, of which the best counts.
    pub restarts: usize,
    /// Rounds of a start at most.
    pub iterations: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Self { restarts: 10, iterations: 300 }
    }
}

const CHUNK: usize = 256;

/// The best of several starts: seeded by k-means++ (Arthur and Vassilvitskii 2007), improved by Lloyd's iterations
/// until no label changes.
pub fn kmeans(points: ArrayView2<'_, f64>, clusters: usize, effort: Effort, run: &Run) -> Result<Clusters> {
    let n = points.nrows();
    if !(1..=n).contains(&clusters) {
        let bound = format!("1 to {n}, the number of points");
        return Err(Error::parameter("n_clusters", clusters, bound, "ask for fewer clusters"));
    }
    let rows = points.as_standard_layout();
    let starts = map_chunks(run, effort.restarts.max(1), 1, |start| {
        let seeds = seed(rows.view(), clusters, &format!("k-means start {}", start.start), run)?;
        lloyd(rows.view(), seeds, effort.iterations, run)
    })?;
    let mut best: Option<Clusters> = None;
    for found in starts {
        let found = found?;
        if best.as_ref().is_none_or(|best| found.inertia < best.inertia) {
            best = Some(found);
        }
    }
    best.ok_or(Error::Empty { what: "points", axis: "rows" })
}

/// The iterations alone, from these centers on.
pub(crate) fn refine(
    points: ArrayView2<'_, f64>,
    centers: Array2<f64>,
    iterations: usize,
    run: &Run,
) -> Result<Clusters> {
    lloyd(points.as_standard_layout().view(), centers, iterations, run)
}

/// k-means++: each next center is drawn with a chance in proportion to its squared distance from the nearest
/// so far. Where all distances are zero, any point.
pub(crate) fn seed(
    points: ArrayView2<'_, f64>,
    clusters: usize,
    purpose: &str,
    run: &Run,
) -> Result<Array2<f64>> {
    let (n, d) = points.dim();
    let mut rng = run.rng(purpose);
    let mut centers = Array2::zeros((clusters, d));
    let mut nearest = vec![f64::INFINITY; n];
    let mut next = rng.random_range(0..n);
    for c in 0..clusters {
        run.check()?;
        centers.row_mut(c).assign(&points.row(next));
        for (nearest, x) in nearest.iter_mut().zip(points.rows()) {
            let squared: f64 = x.iter().zip(centers.row(c)).map(|(a, b)| (a - b) * (a - b)).sum();
            *nearest = nearest.min(squared);
        }
        let total: f64 = nearest.iter().sum();
        let mut mark = rng.random::<f64>() * total;
        next = if total > 0.0 {
            let within = |w: &f64| {
                mark -= w;
                mark < 0.0 && *w > 0.0
            };
            nearest.iter().position(within).unwrap_or(n - 1)
        } else {
            rng.random_range(0..n)
        };
    }
    Ok(centers)
}

fn lloyd(
    points: ArrayView2<'_, f64>,
    mut centers: Array2<f64>,
    iterations: usize,
    run: &Run,
) -> Result<Clusters> {
    let (n, d) = points.dim();
    let k = centers.nrows();
    let mut labels = vec![u32::MAX; n];
    let mut inertia = f64::INFINITY;
    let mut iteration = 0;
    while iteration < iterations.max(1) {
        iteration += 1;
        let assigned = assign(points, centers.view(), run)?;
        let changed = assigned.iter().zip(&labels).any(|(a, &b)| a.0 != b);
        labels = assigned.iter().map(|a| a.0).collect();
        inertia = assigned.iter().map(|a| a.1).sum();
        if !changed {
            break;
        }
        let (mut sums, mut counts) = (Array2::<f64>::zeros((k, d)), vec![0_usize; k]);
        for (x, &label) in points.rows().into_iter().zip(&labels) {
            counts[label as usize] += 1;
            sums.row_mut(label as usize).iter_mut().zip(x).for_each(|(sum, x)| *sum += x);
        }
        // A cluster that has lost all its points begins anew at the point farthest from its center.
        let mut far = Vec::new();
        if counts.contains(&0) {
            far.extend(0..n);
            far.sort_by(|&a, &b| assigned[b].1.total_cmp(&assigned[a].1).then(a.cmp(&b)));
        }
        let mut far = far.into_iter();
        for (c, &count) in counts.iter().enumerate() {
            if count > 0 {
                centers.row_mut(c).assign(&(&sums.row(c) / count as f64));
            } else if let Some(point) = far.next() {
                centers.row_mut(c).assign(&points.row(point));
            }
        }
    }
    Ok(Clusters { centers, labels, inertia, iterations: iteration })
}

/// The nearest center of each row, ties by number, and the squared distance to it. The products only choose;
/// the distance is measured by differences.
pub(crate) fn assign(
    points: ArrayView2<'_, f64>,
    centers: ArrayView2<'_, f64>,
    run: &Run,
) -> Result<Vec<(u32, f64)>> {
    let (n, d) = points.dim();
    let k = centers.nrows();
    // Distances do not change when all is moved: to the first center, against cancellation.
    let origin = centers.row(0).to_vec();
    let moved = Array2::from_shape_fn((k, d), |(c, j)| centers[(c, j)] - origin[j]);
    let norms: Vec<f64> = moved.rows().into_iter().map(|c| c.iter().map(|x| x * x).sum()).collect();
    let flat = moved.as_slice().unwrap_or_default();
    let transposed = MatRef::from_row_major_slice(flat, k, d).transpose();
    let pieces = map_chunks(run, n, CHUNK, |rows| {
        let mut packed = vec![0.0; CHUNK * d];
        for (row, packed) in rows.clone().zip(packed.chunks_exact_mut(d.max(1))) {
            packed.iter_mut().zip(points.row(row)).zip(&origin).for_each(|((p, x), o)| *p = x - o);
        }
        let mut products = vec![0.0; CHUNK * k];
        let out = MatMut::from_row_major_slice_mut(&mut products, CHUNK, k);
        let packed = MatRef::from_row_major_slice(&packed, CHUNK, d);
        matmul(out, Accum::Replace, packed, transposed, 1.0, Par::Seq);
        rows.zip(products.chunks_exact(k))
            .map(|(row, products)| {
                let mut best = (f64::INFINITY, 0);
                for (c, (product, norm)) in products.iter().zip(&norms).enumerate() {
                    let score = norm - 2.0 * product;
                    if score < best.0 {
                        best = (score, c);
                    }
                }
                let squared =
                    points.row(row).iter().zip(centers.row(best.1)).map(|(a, b)| (a - b) * (a - b)).sum();
                (best.1 as u32, squared)
            })
            .collect::<Vec<_>>()
    })?;
    Ok(pieces.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separated_groups_are_found_and_the_centers_are_means() {
        let mut rng = Run::new().with_seed(4).rng("groups");
        let points = Array2::from_shape_fn((300, 3), |(i, j)| {
            10.0 * ((i % 5) as f64) * if j == 0 { 1.0 } else { -0.5 } + rng.random::<f64>() + 1e6
        });
        for threads in [1, 2] {
            let run = Run::new().with_threads(threads).unwrap();
            let found = kmeans(points.view(), 5, Effort::default(), &run).unwrap();
            for i in 0..300 {
                assert_eq!(found.labels[i], found.labels[i % 5]);
            }
            for c in 0..5 {
                let members: Vec<usize> = (0..300).filter(|&i| found.labels[i] == c).collect();
                assert_eq!(members.len(), 60);
                let mean = members.iter().map(|&i| points[(i, 0)]).sum::<f64>() / 60.0;
                assert!((mean - found.centers[(c as usize, 0)]).abs() < 1e-8);
            }
        }
    }

    #[test]
    fn identical_points_and_as_many_clusters_as_points() {
        let same = Array2::<f64>::ones((6, 2));
        let found = kmeans(same.view(), 3, Effort::default(), &Run::new()).unwrap();
        assert_eq!(found.inertia, 0.0);
        let apart = Array2::from_shape_fn((6, 1), |(i, _)| i as f64);
        let found = kmeans(apart.view(), 6, Effort::default(), &Run::new()).unwrap();
        assert_eq!(found.inertia, 0.0);
        assert!(kmeans(apart.view(), 7, Effort::default(), &Run::new()).is_err());
    }
}
