//! Nyström's method as a tool of its own.

use crate::cloud;
use lowland::Run;
use lowland::spectral::kernel::Function;
use lowland::spectral::landmarks::Choice;
use lowland::spectral::nystrom::{Approximation, Variant, eigenpairs, frobenius_error};
use ndarray::Array2;

fn request(landmarks: usize, rank: usize, variant: Variant, choice: Choice) -> Approximation {
    Approximation { landmarks, choice, rank, variant }
}

fn reconstruction(values: &[f64], vectors: &Array2<f64>) -> Array2<f64> {
    let weighted = vectors * &ndarray::Array1::from(values.to_vec());
    weighted.dot(&vectors.t())
}

#[test]
fn the_decomposition_is_exact_when_the_rank_allows_and_the_error_says_so() {
    let run = Run::new();
    for seed in 0..8 {
        let x = cloud(120, 3, seed);
        let gram = x.dot(&x.t());
        for choice in [Choice::Uniform, Choice::Farthest, Choice::KMeans, Choice::Leverage] {
            let found =
                eigenpairs(&Function::Linear, x.view(), &request(8, 3, Variant::Orthogonal, choice), &run)
                    .unwrap();
            assert!(found.relative_error < 1e-10, "{choice:?} {}", found.relative_error);
            let again = reconstruction(&found.values, &found.vectors);
            let scale = gram.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            assert!((&again - &gram).iter().all(|v| v.abs() < 1e-9 * scale), "{choice:?} seed {seed}");
            let unit = found.vectors.t().dot(&found.vectors);
            for ((i, j), v) in unit.indexed_iter() {
                assert!((v - f64::from(i == j)).abs() < 1e-9);
            }
        }
    }
}

/// The reported error is the trace of `K - C W^+ C'`, and falls as landmarks are added; the orthogonal variant
/// reproduces that approximation itself.
#[test]
fn the_schur_complement_is_the_error() {
    let run = Run::new();
    let x = cloud(100, 3, 9);
    let kernel = Function::Gaussian { gamma: 0.5 };
    let mut before = f64::INFINITY;
    for landmarks in [5, 10, 20, 40, 100] {
        let request = request(landmarks, landmarks, Variant::Orthogonal, Choice::Farthest);
        let found = eigenpairs(&kernel, x.view(), &request, &run).unwrap();
        let again = reconstruction(&found.values, &found.vectors);
        let left = 100.0 - again.diag().sum();
        assert!((left - found.error).abs() < 1e-8 * 100.0, "{left} {}", found.error);
        assert!(found.error <= before + 1e-9);
        before = found.error;
    }
    assert!(before < 1e-8, "all points as landmarks leave nothing");
}

#[test]
fn the_plain_variant_extends_the_landmarks_own_pairs() {
    let run = Run::new();
    let x = cloud(200, 2, 10);
    let kernel = Function::Gaussian { gamma: 0.2 };
    let few = eigenpairs(&kernel, x.view(), &request(60, 3, Variant::Plain, Choice::Uniform), &run).unwrap();
    // The landmarks by themselves: their pairs, the values in proportion to the numbers of points.
    let alone = x.select(ndarray::Axis(0), &few.landmarks);
    let own =
        eigenpairs(&kernel, alone.view(), &request(60, 3, Variant::Plain, Choice::Uniform), &run).unwrap();
    for j in 0..3 {
        assert!((few.values[j] - own.values[j] * 200.0 / 60.0).abs() < 1e-10 * few.values[j]);
        for (row, &landmark) in few.landmarks.iter().enumerate() {
            let scaled = own.vectors[(row, j)] * (60.0f64 / 200.0).sqrt();
            assert!((few.vectors[(landmark, j)] - scaled).abs() < 1e-10);
        }
    }
    assert!(eigenpairs(&kernel, x.view(), &request(3, 4, Variant::Plain, Choice::Uniform), &run).is_err());
    assert!(eigenpairs(&kernel, x.view(), &request(201, 4, Variant::Plain, Choice::Uniform), &run).is_err());
}

#[test]
fn the_error_in_the_frobenius_norm_is_that_of_the_matrices() {
    let run = Run::new();
    for seed in 0..5 {
        let x = cloud(70, 3, 30 + seed);
        let gamma = 0.3;
        let entry = |i: usize, j: usize| {
            (-gamma * x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()).exp()
        };
        let k = Array2::from_shape_fn((70, 70), |(i, j)| entry(i, j));
        let landmarks: Vec<usize> = (0..6).map(|l| l * 11 + seed as usize).collect();
        // C W^-1 C' by Gauss and Jordan: W is 6 x 6 and well conditioned here.
        let mut w = Array2::from_shape_fn((6, 76), |(a, b)| {
            if b < 6 { entry(landmarks[a], landmarks[b]) } else { entry(landmarks[a], b - 6) }
        });
        for p in 0..6 {
            let pivot = w[(p, p)];
            w.row_mut(p).mapv_inplace(|v| v / pivot);
            for r in (0..6).filter(|&r| r != p) {
                let factor = w[(r, p)];
                let row = w.row(p).to_owned();
                w.row_mut(r).scaled_add(-factor, &row);
            }
        }
        let c = Array2::from_shape_fn((70, 6), |(i, a)| entry(i, landmarks[a]));
        let rest = &k - &c.dot(&w.slice(ndarray::s![.., 6..]));
        let norm = |m: &Array2<f64>| m.iter().map(|v| v * v).sum::<f64>().sqrt();
        let kernel = Function::Gaussian { gamma };
        let (error, relative) = frobenius_error(&kernel, x.view(), &landmarks, &run).unwrap();
        assert!((error - norm(&rest)).abs() < 1e-8 * norm(&k), "{error} {}", norm(&rest));
        assert!((relative - norm(&rest) / norm(&k)).abs() < 1e-8);
        // All points as landmarks leave nothing; a row that is none is refused.
        let all: Vec<usize> = (0..70).collect();
        assert!(frobenius_error(&kernel, x.view(), &all, &run).unwrap().1 < 1e-6);
        assert!(frobenius_error(&kernel, x.view(), &[70], &run).is_err());
    }
}
