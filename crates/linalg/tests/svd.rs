//! Singular values: the thin decomposition and the randomized one.

use faer::{Mat, MatRef};
use lowland_base::{Csr, Error, Run, Scalar};
use lowland_linalg::svd::{self, Randomized};
use lowland_linalg::{CenteredMatrix, DenseMatrix, Matrix, SparseMatrix, Svd};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

fn random(rows: usize, columns: usize, seed: u64) -> Mat<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Mat::from_fn(rows, columns, |_, _| StandardNormal.sample(&mut rng))
}

fn wide<T: Scalar>(a: MatRef<'_, T>) -> Mat<f64> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)].wide())
}

/// How far the vectors are from orthonormal.
fn skew<T: Scalar>(vectors: &Mat<T>) -> f64 {
    let v = wide(vectors.as_ref());
    let mut gram = v.transpose() * &v;
    for j in 0..v.ncols() {
        gram[(j, j)] -= 1.0;
    }
    gram.norm_max()
}

fn reconstruction<T: Scalar>(svd: &Svd<T>) -> Mat<f64> {
    let values =
        Mat::from_fn(
            svd.values.len(),
            svd.values.len(),
            |i, j| {
                if i == j { svd.values[i].wide() } else { 0.0 }
            },
        );
    wide(svd.left.as_ref()) * values * wide(svd.right.as_ref()).transpose()
}

fn signs_are_fixed<T: Scalar>(svd: &Svd<T>) -> bool {
    svd.right.col_iter().all(|v| {
        let leading = v.iter().map(|x| x.wide()).fold(0.0f64, |l, x| if x.abs() > l.abs() { x } else { l });
        leading > 0.0
    })
}

fn thin<T: Scalar>(power: i32) {
    let run = Run::new();
    for (rows, columns) in [(1, 1), (5, 1), (1, 5), (7, 7), (60, 20), (20, 60), (200, 150), (300, 10)] {
        let x = random(rows, columns, 3);
        let x = Mat::from_fn(rows, columns, |i, j| T::of(x[(i, j)] * 2f64.powi(power)));
        let svd = svd::thin(x.as_ref(), &run).unwrap();
        let bound = 30.0 * (rows.max(columns)) as f64 * T::EPSILON.wide();
        assert!(skew(&svd.left) < bound && skew(&svd.right) < bound);
        assert!(svd.values.is_sorted_by(|a, b| a >= b) && signs_are_fixed(&svd));
        let size = svd.values[0].wide();
        let off = reconstruction(&svd) - wide(x.as_ref());
        assert!(off.norm_max() < bound * size, "{rows} x {columns}: {:e}", off.norm_max() / size);
    }
}

#[test]
fn the_thin_decomposition_multiplies_back_at_every_scale() {
    for power in [0, 100, -100] {
        thin::<f32>(power);
    }
    for power in [0, 900, -900] {
        thin::<f64>(power);
    }
}

/// LAPACK's ratios (its tester DBDT01 and DORT01) of matrices whose columns depend on each other: products of
/// thin factors, repeated and zero columns, and centered data, tall and wide.
fn deficient<T: Scalar>(powers: &[i32]) {
    let run = Run::new();
    for (rows, columns) in [(300, 8), (260, 130), (150, 100), (90, 90)] {
        for rank in [1, 3, columns / 2] {
            let mut x = random(rows, rank, 11) * random(rank, columns, 12);
            let size = x.norm_max();
            for j in 0..columns {
                let mean = x.col(j).iter().sum::<f64>() / rows as f64;
                for i in 0..rows {
                    x[(i, j)] = match j % 7 {
                        5 => 0.0,
                        6 => x[(i, j - 2)],
                        3 => x[(i, j)] - mean,
                        _ => x[(i, j)],
                    } / size;
                }
            }
            for &power in powers {
                let x = Mat::from_fn(rows, columns, |i, j| T::of(x[(i, j)] * 2f64.powi(power)));
                for x in [x.clone(), x.transpose().to_owned()] {
                    let what = format!("{} {:?} of rank {rank} times 2^{power}", T::NAME, x.shape());
                    let svd = svd::thin(x.as_ref(), &run).unwrap_or_else(|e| panic!("{what}: {e}"));
                    let unit = rows as f64 * T::EPSILON.wide();
                    // Brought to one before the product: reconstruction() works in double precision.
                    let back = 2f64.powi(-power);
                    let values = svd.values.iter().map(|s| T::of(s.wide() * back)).collect();
                    let scaled = Svd { values, ..svd.clone() };
                    let off = reconstruction(&scaled) - wide(x.as_ref()) * faer::Scale(back);
                    let ratio = off.norm_l2() / (scaled.values[0].wide() * unit);
                    assert!(ratio < 60.0, "{what}: residual ratio {ratio}");
                    let skew = skew(&svd.left).max(skew(&svd.right)) / unit;
                    assert!(skew < 60.0, "{what}: orthogonality ratio {skew}");
                }
            }
        }
    }
}

#[test]
fn dependent_columns_cost_no_digits_at_any_scale() {
    deficient::<f32>(&[0, 100, -100]);
    deficient::<f64>(&[0, 1000, -960]);
}

#[test]
fn empty_zero_and_broken_matrices() {
    let run = Run::new();
    for (rows, columns) in [(0, 0), (0, 4), (4, 0)] {
        let svd = svd::thin(Mat::<f64>::zeros(rows, columns).as_ref(), &run).unwrap();
        assert_eq!((svd.left.shape(), svd.right.shape()), ((rows, 0), (columns, 0)));
    }
    let zero = Mat::<f64>::zeros(6, 4);
    let svd = svd::thin(zero.as_ref(), &run).unwrap();
    assert!(svd.values == [0.0; 4] && skew(&svd.left) < 1e-15 && skew(&svd.right) < 1e-15);
    let request = Randomized { count: 2, oversampling: 1, iterations: 1 };
    let svd = svd::randomized(&DenseMatrix(zero.as_ref()), &request, &run).unwrap();
    assert!(svd.values == [0.0; 2] && skew(&svd.left) < 1e-14 && skew(&svd.right) < 1e-14);
    let broken = Mat::from_fn(6, 4, |i, j| if (i, j) == (3, 2) { f64::INFINITY } else { 1.0 });
    let refused = svd::thin(broken.as_ref(), &run).unwrap_err();
    assert!(matches!(refused, Error::NotFinite { row: 3, column: 2, count: 1, .. }));
    assert!(matches!(
        svd::randomized(&DenseMatrix(broken.as_ref()), &request, &run),
        Err(Error::NotFinite { .. })
    ));
    let many = Randomized { count: 5, ..request };
    assert!(matches!(
        svd::randomized(&DenseMatrix(zero.as_ref()), &many, &run),
        Err(Error::Parameter { name, .. }) if name == "n_components"
    ));
    let none = Randomized { count: 0, ..request };
    assert!(svd::randomized(&DenseMatrix(zero.as_ref()), &none, &run).unwrap().values.is_empty());
}

/// `U S V'` with singular values `decay(i)`.
fn with_decay(rows: usize, columns: usize, decay: impl Fn(usize) -> f64) -> Mat<f64> {
    let run = Run::new();
    let u = svd::thin(random(rows, columns, 8).as_ref(), &run).unwrap();
    let s = Mat::from_fn(columns, columns, |i, j| if i == j { decay(i) } else { 0.0 });
    &u.left * s * u.right.transpose()
}

#[test]
fn the_randomized_values_are_the_leading_ones() {
    let run = Run::new();
    let x = with_decay(400, 80, |i| 0.8f64.powi(i as i32));
    let svd = svd::randomized(
        &DenseMatrix(x.as_ref()),
        &Randomized { count: 8, oversampling: 8, iterations: 3 },
        &run,
    )
    .unwrap();
    for (i, s) in svd.values.iter().enumerate() {
        assert!((s - 0.8f64.powi(i as i32)).abs() < 1e-12, "{i}: {s}");
    }
    assert!(svd.residuals.iter().all(|&r| r < 1e-8));
    assert!(skew(&svd.left) < 1e-13 && skew(&svd.right) < 1e-13 && signs_are_fixed(&svd));
    // A flat spectrum: values are within the theorem's factor 1 - e of the true ones (Musco and Musco 2015).
    let x = with_decay(300, 150, |i| 1.0 - i as f64 / 300.0);
    let request = Randomized { count: 5, oversampling: 10, iterations: 4 };
    let svd = svd::randomized(&DenseMatrix(x.as_ref()), &request, &run).unwrap();
    for (i, s) in svd.values.iter().enumerate() {
        let truth = 1.0 - i as f64 / 300.0;
        assert!(*s <= truth + 1e-13 && *s > 0.97 * truth, "{i}: {s} for {truth}");
    }
    // Reported residuals are the true ones.
    for j in 0..5 {
        let forth = &x * svd.right.col(j) - svd.left.col(j) * faer::Scale(svd.values[j]);
        let back = x.transpose() * svd.left.col(j) - svd.right.col(j) * faer::Scale(svd.values[j]);
        let truth = forth.norm_l2().max(back.norm_l2());
        assert!((svd.residuals[j] - truth).abs() < 1e-13);
    }
}

#[test]
fn a_low_rank_is_found_exactly_and_padded() {
    let run = Run::new();
    let x = random(50, 3, 1) * random(3, 30, 2);
    let request = Randomized { count: 6, oversampling: 5, iterations: 2 };
    let found = svd::randomized(&DenseMatrix(x.as_ref()), &request, &run).unwrap();
    let truth = svd::thin(x.as_ref(), &run).unwrap();
    for i in 0..6 {
        assert!((found.values[i] - truth.values[i]).abs() < 1e-13 * truth.values[0]);
    }
    assert!(skew(&found.left) < 1e-13 && skew(&found.right) < 1e-13);
}

#[test]
fn sparse_centered_data_is_never_formed_and_agrees_with_the_formed() {
    let run = Run::new();
    let full = random(120, 40, 4);
    let entries: Vec<_> = (0..120)
        .flat_map(|i| (0..40).map(move |j| (i, j)))
        .filter(|(i, j)| (i * 7 + j * 13) % 5 == 0)
        .map(|(i, j)| (i, j, full[(i, j)] + 2.0))
        .collect();
    let csr = Csr::from_entries(120, 40, &entries).unwrap();
    let mean: Vec<f64> =
        (0..40).map(|j| entries.iter().filter(|e| e.1 == j).map(|e| e.2).sum::<f64>() / 120.0).collect();
    let sparse = SparseMatrix::new(&csr);
    let centered = CenteredMatrix::new(&sparse, mean.clone()).unwrap();
    let mut formed = Mat::from_fn(120, 40, |_, j| -mean[j]);
    for &(i, j, value) in &entries {
        formed[(i, j)] += value;
    }
    let request = Randomized { count: 5, oversampling: 10, iterations: 2 };
    let found = svd::randomized(&centered as &dyn Matrix<f64>, &request, &run).unwrap();
    let truth = svd::thin(formed.as_ref(), &run).unwrap();
    // 15 directions for three rounds are all 40 of them: the result is exact.
    for j in 0..5 {
        assert!((found.values[j] - truth.values[j]).abs() < 1e-12 * truth.values[0]);
        let cosine: f64 = (0..40).map(|i| found.right[(i, j)] * truth.right[(i, j)]).sum();
        assert!((cosine - 1.0).abs() < 1e-10);
    }
}

#[test]
fn bits_depend_on_the_seed_only() {
    let x = random(200, 60, 9);
    let x = Mat::from_fn(200, 60, |i, j| x[(i, j)] as f32);
    let request = Randomized { count: 4, oversampling: 6, iterations: 2 };
    let of = |threads, seed| {
        let run = Run::new().with_threads(threads).unwrap().with_seed(seed);
        svd::randomized(&DenseMatrix(x.as_ref()), &request, &run).unwrap()
    };
    let one = of(1, 0);
    assert_eq!(one, of(2, 0));
    assert_eq!(one, of(3, 0));
    assert_ne!(one, of(1, 1));
}
