//! Completion of a kernel of which some rows are known.

use crate::{cloud, largest};
use lowland::Run;
use lowland::spectral::completion::complete;
use ndarray::{Array2, s};

/// The rows of these objects, and nothing else.
fn partly(kernel: &Array2<f64>, known: &[usize]) -> Array2<f64> {
    Array2::from_shape_fn(kernel.dim(), |(i, j)| if known.contains(&i) { kernel[(i, j)] } else { f64::NAN })
}

/// Burges eq. 1.24: exact where the rank of the kernel is that of the known block, whatever the scale.
#[test]
fn a_kernel_of_low_rank_is_completed_exactly() {
    let run = Run::new();
    for seed in 0..6 {
        for scale in [1.0, 1e150, 1e-150] {
            let x = (cloud(60, 4, seed) - 5.0) * scale;
            let kernel = x.dot(&x.t());
            let known = [3, 11, 20, 37, 42, 58];
            let found = complete(partly(&kernel, &known).view(), &run).unwrap();
            assert!(largest(&(&found.kernel - &kernel)) < 1e-9 * largest(&kernel), "{seed} {scale:e}");
            assert_eq!((found.known, found.rank, found.filled), (known.to_vec(), 4, 54 * 54));
            // What is given stays.
            assert_eq!(found.kernel.row(11), kernel.row(11));
            assert_eq!(found.kernel, found.kernel.t());
        }
    }
}

/// With fewer known rows than the rank, it is the Nyström approximation: what is missing of the kernel is positive
/// semidefinite, so that no diagonal entry is too large, and entries that are given stay.
#[test]
fn what_the_known_rows_do_not_span_is_left_out() {
    let run = Run::new();
    let x = cloud(40, 6, 9) - 5.0;
    let kernel = x.dot(&x.t());
    let mut partial = partly(&kernel, &[0, 1, 2]);
    let found = complete(partial.view(), &run).unwrap();
    assert_eq!(found.rank, 3);
    let missing = &kernel - &found.kernel;
    assert!(missing.diag().iter().all(|&rest| rest > -1e-10) && missing.diag().sum() > 0.1);
    // The block by the formula, with the inverse of the 3 x 3 matrix by cofactors.
    let a = kernel.slice(s![..3, ..3]);
    let minor = |i: usize, j: usize| {
        let (r, c) = ([(i + 1) % 3, (i + 2) % 3], [(j + 1) % 3, (j + 2) % 3]);
        a[(r[0], c[0])] * a[(r[1], c[1])] - a[(r[0], c[1])] * a[(r[1], c[0])]
    };
    let det: f64 = (0..3).map(|j| a[(0, j)] * minor(0, j)).sum();
    let inverse = Array2::from_shape_fn((3, 3), |(i, j)| minor(j, i) / det);
    let b = kernel.slice(s![..3, 3..]);
    let expected = b.t().dot(&inverse).dot(&b);
    let block = found.kernel.slice(s![3.., 3..]);
    assert!(largest(&(&block - &expected)) < 1e-8 * largest(&kernel));
    partial[(20, 30)] = 7.0;
    let given = complete(partial.view(), &run).unwrap();
    assert_eq!((given.kernel[(20, 30)], given.kernel[(30, 20)]), (7.0, 7.0));
    // Nothing to fill in.
    let same = complete(kernel.view(), &run).unwrap();
    assert_eq!((same.kernel, same.filled), (kernel, 0));
}

#[test]
fn what_is_no_partly_known_kernel_is_refused() {
    let run = Run::new();
    let problem = |kernel: Array2<f64>| match complete(kernel.view(), &run) {
        Err(error) => error.to_string(),
        other => panic!("{other:?}"),
    };
    assert!(problem(Array2::zeros((2, 3))).contains("square"));
    assert!(problem(Array2::from_elem((3, 3), f64::NAN)).contains("0 rows of the kernel are complete"));
    assert!(problem(Array2::from_elem((2, 2), f64::INFINITY)).contains("inf"));
}
