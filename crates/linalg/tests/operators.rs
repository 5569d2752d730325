//! Every operator against its explicitly formed matrix, on many random problems, and to the bit for every
//! number of threads.

use faer::{Mat, MatRef};
use lowland_base::{Csr, Error, Run, Scalar};
use lowland_linalg::operator::{
    Assembled, Centered, Dense, GramOperator, Normalized, Operator, ResidualGram, Shifted, Side,
};
use lowland_linalg::{CenteredMatrix, DenseMatrix, Matrix, SparseMatrix};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal, Uniform};

fn runs() -> Vec<Run> {
    (1..=3).map(|threads| Run::new().with_threads(threads).unwrap()).collect()
}

fn random(rows: usize, columns: usize, seed: u64) -> Mat<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Mat::from_fn(rows, columns, |_, _| StandardNormal.sample(&mut rng))
}

fn symmetric(n: usize, seed: u64) -> Mat<f64> {
    let a = random(n, n, seed);
    Mat::from_fn(n, n, |i, j| a[(i.max(j), i.min(j))])
}

fn cast<T: Scalar>(a: MatRef<'_, f64>) -> Mat<T> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| T::of(a[(i, j)]))
}

fn wide<T: Scalar>(a: MatRef<'_, T>) -> Mat<f64> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)].wide())
}

/// About `fill` of the entries of a dense matrix.
fn sparse<T: Scalar>(a: MatRef<'_, T>, fill: f64, both: bool, seed: u64) -> Csr<T> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x5eed);
    let coin = Uniform::new(0.0, 1.0).unwrap();
    let mut entries = Vec::new();
    for i in 0..a.nrows() {
        for j in 0..a.ncols() {
            let stored = coin.sample(&mut rng) < fill;
            if both && j <= i && stored {
                entries.push((i, j, a[(i, j)]));
                if i != j {
                    entries.push((j, i, a[(i, j)]));
                }
            } else if !both && stored {
                entries.push((i, j, a[(i, j)]));
            }
        }
    }
    Csr::from_entries(a.nrows(), a.ncols(), &entries).unwrap()
}

fn formed<T: Scalar>(a: &Csr<T>) -> Mat<f64> {
    let mut dense = Mat::zeros(a.nrows(), a.ncols());
    for i in 0..a.nrows() {
        let (columns, values) = a.row(i);
        for (&j, &value) in columns.iter().zip(values) {
            dense[(i, j as usize)] = value.wide();
        }
    }
    dense
}

fn close(found: MatRef<'_, f64>, expected: MatRef<'_, f64>, bound: f64) {
    assert_eq!(found.shape(), expected.shape());
    for j in 0..found.ncols() {
        for i in 0..found.nrows() {
            let off = (found[(i, j)] - expected[(i, j)]).abs();
            assert!(off <= bound, "({i}, {j}): {} for {}", found[(i, j)], expected[(i, j)]);
        }
    }
}

/// Products of several widths, and all other views of the operator, against the matrix `expected`, which
/// was made of entries of size `size` or less.
fn check<T: Scalar>(op: &dyn Operator<T>, expected: &Mat<f64>, size: f64) {
    let n = op.order();
    assert_eq!(n, expected.nrows());
    let runs = runs();
    let bound = 8.0 * (n + 2) as f64 * T::EPSILON.wide() * (size + 1.0);
    for width in [0, 1, 2, 3, 4, 6, 9, 17] {
        let x = cast::<T>(random(n, width, 99).as_ref());
        let mut first: Option<Mat<T>> = None;
        for run in &runs {
            let mut out = Mat::from_fn(n, width, |_, _| T::of(f64::NAN));
            op.apply(x.as_ref(), out.as_mut(), run).unwrap();
            close(wide(out.as_ref()).as_ref(), (expected * wide(x.as_ref())).as_ref(), 6.0 * bound);
            assert!(first.get_or_insert_with(|| out.clone()) == &out, "the bits depend on the threads");
        }
    }
    close(wide(op.to_dense(&runs[0]).unwrap().as_ref()).as_ref(), expected.as_ref(), bound);
    if let Some(diagonal) = op.diagonal() {
        for (i, d) in diagonal.iter().enumerate() {
            assert!((d.wide() - expected[(i, i)]).abs() <= bound);
        }
    }
    if let Some(sparse) = op.to_sparse(&runs[0]).unwrap() {
        assert!(sparse.is_symmetric());
        close(formed(&sparse).as_ref(), expected.as_ref(), bound);
    }
}

fn all_operators<T: Scalar>(n: usize, seed: u64) {
    let a = cast::<T>(symmetric(n, seed).as_ref());
    let a_wide = wide(a.as_ref());
    let dense = Dense::new(a.as_ref()).unwrap();
    check(&dense, &a_wide, 5.0);
    let rows = Mat::from_fn(n, n, |i, j| a[(j, i)]);
    check(&Dense::new(rows.as_ref().transpose()).unwrap(), &a_wide, 5.0);
    // A view that is contiguous in neither direction.
    let turned = Mat::from_fn(n, n, |i, j| a[(n - 1 - i, n - 1 - j)]);
    check(&Dense::new(turned.as_ref().reverse_rows_and_cols()).unwrap(), &a_wide, 5.0);

    let csr = sparse(a.as_ref(), 0.3, true, seed);
    let csr_wide = formed(&csr);
    check(&csr, &csr_wide, 5.0);

    let size = 5.0 * n as f64;
    let centering = Mat::from_fn(n, n, |i, j| f64::from(i == j) - 1.0 / n as f64);
    check(&Centered::new(&dense), &(&centering * &a_wide * &centering), size);
    let mut weights: Vec<f64> = (0..n).map(|i| 1.0 + (i % 3) as f64).collect();
    let total: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|w| *w /= total);
    let p = Mat::from_fn(n, n, |i, j| f64::from(i == j) - weights[j]);
    let weighted = Centered::weighted(&csr, weights.iter().map(|&w| T::of(w)).collect()).unwrap();
    check(&weighted, &(&p * &csr_wide * p.transpose()), size);

    let degrees: Vec<f64> = (0..n).map(|i| if i % 5 == 4 { 0.0 } else { 1.0 + i as f64 }).collect();
    let factor = |i: usize| if degrees[i] > 0.0 { degrees[i].powf(-0.5) } else { 0.0 };
    let given: Vec<T> = degrees.iter().map(|&d| T::of(d)).collect();
    let scaled = Mat::from_fn(n, n, |i, j| factor(i) * csr_wide[(i, j)] * factor(j));
    check(&Normalized::new(&csr, &given).unwrap(), &scaled, 5.0);

    let shifted = Mat::from_fn(n, n, |i, j| 3.0 * f64::from(i == j) - 0.5 * csr_wide[(i, j)]);
    check(&Shifted::new(&csr, T::of(3.0), T::of(-0.5)), &shifted, 5.0);
    let shifted = Mat::from_fn(n, n, |i, j| 3.0 * f64::from(i == j) - 0.5 * a_wide[(i, j)]);
    check(&Shifted::new(&dense, T::of(3.0), T::of(-0.5)), &shifted, 5.0);

    let w = sparse(cast::<T>(random(n, n, seed + 1).as_ref()).as_ref(), 0.2, false, seed);
    let w_wide = formed(&w);
    let residual = Mat::from_fn(n, n, |i, j| f64::from(i == j) - w_wide[(i, j)]);
    let gram = ResidualGram::new(&w).unwrap();
    check(&gram, &(residual.transpose() * &residual), 25.0 * n as f64);
    check(&Assembled::new(&gram, &Run::new()).unwrap(), &(residual.transpose() * &residual), 25.0 * n as f64);
}

fn all_grams<T: Scalar>(rows: usize, columns: usize, seed: u64) {
    let x = cast::<T>(random(rows, columns, seed).as_ref());
    let reversed = x.as_ref().reverse_rows();
    let csr = sparse(x.as_ref(), 0.4, false, seed);
    let mean: Vec<T> = (0..columns).map(|j| T::of(j as f64 - 1.5)).collect();
    let (sparse_x, dense_x, reversed_x) =
        (SparseMatrix::new(&csr), DenseMatrix(x.as_ref().transpose()), DenseMatrix(reversed));
    let turned = wide(x.as_ref().transpose());
    let matrices: [(&dyn Matrix<T>, Mat<f64>); 3] =
        [(&dense_x, turned), (&reversed_x, wide(reversed)), (&sparse_x, formed(&csr))];
    for (matrix, formed) in &matrices {
        let size = 25.0 * rows.max(columns) as f64;
        check(&GramOperator::new(*matrix, Side::Rows), &(formed * formed.transpose()), size);
        check(&GramOperator::new(*matrix, Side::Columns), &(formed.transpose() * formed), size);
    }
    for (matrix, formed) in &matrices[1..] {
        let centered = CenteredMatrix::new(*matrix, mean.clone()).unwrap();
        let formed = Mat::from_fn(rows, columns, |i, j| formed[(i, j)] - mean[j].wide());
        let size = (5.0 + columns as f64).powi(2) * rows.max(columns) as f64;
        check(&GramOperator::new(&centered, Side::Rows), &(&formed * formed.transpose()), size);
        check(&GramOperator::new(&centered, Side::Columns), &(formed.transpose() * &formed), size);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn operators_are_their_matrices(n in 1usize..70, seed in 0u64..1_000_000) {
        all_operators::<f64>(n, seed);
        all_operators::<f32>(n, seed);
    }

    #[test]
    fn gram_operators_are_their_matrices(rows in 1usize..50, columns in 1usize..20, seed in 0u64..1_000_000) {
        all_grams::<f64>(rows, columns, seed);
        all_grams::<f32>(rows, columns, seed);
    }
}

#[test]
fn operators_of_more_than_one_tile_are_their_matrices() {
    let a = symmetric(2500, 5);
    let op = Dense::new(a.as_ref()).unwrap();
    let x = random(2500, 5, 6);
    let expected = &a * &x;
    let mut first: Option<Mat<f64>> = None;
    for run in runs() {
        let mut out = Mat::zeros(2500, 5);
        op.apply(x.as_ref(), out.as_mut(), &run).unwrap();
        close(out.as_ref(), expected.as_ref(), 1e-10);
        assert!(first.get_or_insert_with(|| out.clone()) == &out);
    }
}

#[test]
fn operators_of_order_zero_and_wrong_shapes() {
    let run = Run::new();
    let empty = Mat::<f64>::zeros(0, 0);
    let dense = Dense::new(empty.as_ref()).unwrap();
    let none = Csr::<f64>::from_entries(0, 0, &[]).unwrap();
    let centered = Centered::new(&dense);
    let gram = ResidualGram::new(&none).unwrap();
    for op in [&dense as &dyn Operator<f64>, &none, &centered, &gram] {
        let mut out = Mat::zeros(0, 2);
        op.apply(Mat::zeros(0, 2).as_ref(), out.as_mut(), &run).unwrap();
        assert_eq!(op.to_dense(&run).unwrap().shape(), (0, 0));
    }
    let wide = Csr::<f64>::from_entries(2, 3, &[]).unwrap();
    let not_square = |e: Error| matches!(e, Error::NotSquare { rows: 2, columns: 3, .. });
    assert!(not_square(ResidualGram::new(&wide).err().unwrap()));
    assert!(not_square(Dense::new(Mat::<f64>::zeros(2, 3).as_ref()).err().unwrap()));
    let square = Csr::from_entries(2, 2, &[(0, 0, 1.0)]).unwrap();
    assert!(matches!(Normalized::new(&square, &[1.0]).err(), Some(Error::Width { .. })));
    assert!(matches!(Normalized::new(&square, &[1.0, -1.0]).err(), Some(Error::Malformed { .. })));
    assert!(matches!(Normalized::new(&square, &[1.0, f64::NAN]).err(), Some(Error::Malformed { .. })));
}

/// The rows of the sparse form are made in chunks; chunks and threads change nothing.
#[test]
fn the_sparse_form_of_a_residual_gram_is_that_of_its_products() {
    let n = 2500;
    let mut entries = Vec::new();
    for i in 0..n {
        for k in 1..5 {
            entries.push((i, (i * 7 + k * k * 31) % n, 0.25 + 0.01 * k as f64));
        }
    }
    entries.retain(|entry: &(usize, usize, f64)| entry.0 != entry.1);
    let gram = ResidualGram::new(&Csr::from_entries(n, n, &entries).unwrap()).unwrap();
    let of = |threads| gram.to_sparse(&Run::new().with_threads(threads).unwrap()).unwrap().unwrap();
    let sparse = of(1);
    assert!(sparse.is_symmetric() && sparse == of(2) && sparse == of(3));
    let x = Mat::from_fn(n, 2, |i, c| ((i * (c + 3)) as f64 * 0.37).sin());
    let (mut by_factor, mut by_matrix) = (Mat::zeros(n, 2), Mat::zeros(n, 2));
    gram.apply(x.as_ref(), by_factor.as_mut(), &Run::new()).unwrap();
    sparse.apply(x.as_ref(), by_matrix.as_mut(), &Run::new()).unwrap();
    assert!((by_factor - by_matrix).norm_max() < 1e-13);
}
