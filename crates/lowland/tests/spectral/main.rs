//! Theorems of the spectral methods, on many random problems.

mod completion;
mod duplicates;
mod folding;
mod gram;
mod graphs;
mod isomap;
mod kernel_pca;
mod known_rows;
mod lle_distances;
mod local;
mod neighborhoods;
mod new_rows;
mod new_vertices;
mod nystrom;
mod provenance;
mod relatives;
mod scaling;
mod tearing;
mod unfolding;

use lowland::{AnyMatrix, Model, Run};
use ndarray::{Array2, ArrayView2};
use rand::RngExt;

/// Points in general position around an offset, their columns of different spread.
pub fn cloud(n: usize, d: usize, seed: u64) -> Array2<f64> {
    let mut rng = Run::new().with_seed(seed).rng("cloud");
    Array2::from_shape_fn((n, d), |(_, j)| {
        let normal: f64 = (0..6).map(|_| rng.random::<f64>() - 0.5).sum();
        5.0 + normal / (1.0 + j as f64)
    })
}

/// All Euclidean distances.
pub fn distances(x: ArrayView2<'_, f64>) -> Array2<f64> {
    let far = |i: usize, j: usize| {
        x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    };
    Array2::from_shape_fn((x.nrows(), x.nrows()), |(i, j)| far(i, j))
}

/// The training rows' coordinates.
pub fn embedding(model: &dyn Model) -> Array2<f64> {
    model.embedding().map(AnyMatrix::to_f64).expect("a spectral model keeps its embedding")
}

/// The largest magnitude.
pub fn largest(x: &Array2<f64>) -> f64 {
    x.iter().fold(0.0f64, |m, v| m.max(v.abs()))
}

/// The largest difference of two embeddings, each column up to its sign, relative to the first.
pub fn apart(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    assert_eq!(a.dim(), b.dim());
    let column = |j: usize| {
        let (a, b) = (a.column(j), b.column(j));
        let same = a.iter().zip(b).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        let mirrored = a.iter().zip(b).fold(0.0f64, |m, (a, b)| m.max((a + b).abs()));
        same.min(mirrored)
    };
    (0..a.ncols()).map(column).fold(0.0, f64::max) / largest(a)
}

/// A random rotation: the orthogonal factor of a random matrix, by Gram and Schmidt.
pub fn rotation(d: usize, seed: u64) -> Array2<f64> {
    let mut q = cloud(d, d, 1000 + seed) - 5.0;
    for j in 0..d {
        for _ in 0..2 {
            for i in 0..j {
                let along = q.column(i).dot(&q.column(j));
                let other = q.column(i).to_owned();
                q.column_mut(j).scaled_add(-along, &other);
            }
        }
        let length = q.column(j).dot(&q.column(j)).sqrt();
        q.column_mut(j).mapv_inplace(|v| v / length);
    }
    q
}

/// Points of the Swiss roll, and its arc length and height.
pub fn swiss_roll(n: usize, seed: u64) -> (Array2<f64>, Array2<f64>) {
    let made = lowland::data::find("swiss-roll").unwrap().sample(n, 0.0, seed).unwrap();
    (made.points, made.truth)
}

/// The correlation of each column of `truth` with its best affine fit from the columns of `y`.
pub fn recovered(y: &Array2<f64>, truth: &Array2<f64>) -> Vec<f64> {
    let n = y.nrows();
    let mean = |x: &Array2<f64>| x.mean_axis(ndarray::Axis(0)).unwrap();
    let (y, t) = (y - &mean(y), truth - &mean(truth));
    // Normal equations of two or three columns, solved by elimination.
    let d = y.ncols();
    let gram = y.t().dot(&y);
    let right = y.t().dot(&t);
    (0..t.ncols())
        .map(|c| {
            let mut a = gram.clone();
            let mut b = right.column(c).to_owned();
            for p in 0..d {
                for r in p + 1..d {
                    let factor = a[(r, p)] / a[(p, p)];
                    for q in p..d {
                        a[(r, q)] -= factor * a[(p, q)];
                    }
                    b[r] -= factor * b[p];
                }
            }
            for p in (0..d).rev() {
                for q in p + 1..d {
                    b[p] -= a[(p, q)] * b[q];
                }
                b[p] /= a[(p, p)];
            }
            let fit = y.dot(&b);
            let truth = t.column(c);
            assert_eq!(fit.len(), n);
            fit.dot(&truth) / (fit.dot(&fit) * truth.dot(&truth)).sqrt()
        })
        .collect()
}
