//! LAPACK's practice for symmetric eigenproblems (its testers DCHKST and DDRVST): kinds of matrices that
//! have broken solvers, and ratios that say by how many units of rounding a result is off.

#![allow(dead_code)]

use faer::{Mat, MatRef};
use lowland_base::{Csr, Run, Scalar};
use lowland_linalg::operator::{Dense, Operator};
use lowland_linalg::{Eigenpairs, Request, Solver, Which, eigen};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal, Uniform};

/// LAPACK's threshold for a ratio.
pub const THRESHOLD: f64 = 60.0;

/// The kinds 1 to 21 are DCHKST's, in its order; 22 and 23 reach for the limits of the number type itself.
pub const KINDS: std::ops::RangeInclusive<usize> = 1..=23;

/// The kinds that are positive semidefinite.
pub const SEMIDEFINITE: [usize; 8] = [1, 2, 16, 17, 18, 19, 20, 21];

#[derive(Clone, Copy)]
enum Form {
    Zero,
    Identity,
    Diagonal,
    Similar,
    Random,
    PositiveSimilar,
    Tridiagonal,
}

/// How the eigenvalues are spread from 1 down to the reciprocal condition number.
#[derive(Clone, Copy)]
enum Spread {
    None,
    Clustered,
    Geometric,
    Even,
}

/// The matrix of a kind, in double precision and in the type `T`: the second is what the solver gets.
pub fn matrix<T: Scalar>(kind: usize, n: usize) -> Mat<T> {
    use Form::*;
    use Spread::*;
    let (form, spread, size) = match kind {
        1 => (Zero, None, 1),
        2 => (Identity, None, 1),
        3 => (Diagonal, Even, 1),
        4 => (Diagonal, Geometric, 1),
        5 => (Diagonal, Clustered, 1),
        6 => (Diagonal, Even, 2),
        7 => (Diagonal, Even, 3),
        8 => (Similar, Even, 1),
        9 => (Similar, Geometric, 1),
        10 => (Similar, Clustered, 1),
        11 => (Similar, Even, 2),
        12 => (Similar, Even, 3),
        13 => (Random, None, 1),
        14 => (Random, None, 2),
        15 => (Random, None, 3),
        16 => (PositiveSimilar, Even, 1),
        17 => (PositiveSimilar, Geometric, 1),
        18 => (PositiveSimilar, Clustered, 1),
        19 => (PositiveSimilar, Even, 2),
        20 => (PositiveSimilar, Even, 3),
        21 => (Tridiagonal, Geometric, 1),
        22 => (Random, None, 4),
        _ => (Random, None, 5),
    };
    let ulp = T::EPSILON.wide();
    let (largest, smallest) = if size_of::<T>() == 8 {
        (f64::MAX, f64::MIN_POSITIVE)
    } else {
        (f32::MAX.into(), f32::MIN_POSITIVE.into())
    };
    let order = n.max(1) as f64;
    let size = match size {
        1 => 1.0,
        2 => largest.sqrt() * ulp / order,
        3 => smallest.sqrt() * order / ulp,
        4 => largest / order / 4.0,
        _ => smallest / ulp * 16.0,
    };
    let mut rng = ChaCha8Rng::seed_from_u64((kind * 10_000 + n) as u64);
    let sign = Uniform::new(-1.0, 1.0).unwrap();
    let condition = if kind <= 15 { 1.0 / ulp } else { 0.1 / ulp / order };
    let share = |i: usize| i as f64 / (n.max(2) - 1) as f64;
    let positive: Vec<f64> = (0..n)
        .map(|i| match spread {
            None => 1.0,
            Clustered => {
                if i == 0 {
                    1.0
                } else {
                    1.0 / condition
                }
            }
            Geometric => condition.powf(-share(i)),
            Even => 1.0 - share(i) * (1.0 - 1.0 / condition),
        })
        .collect();
    let signed: Vec<f64> =
        positive.iter().map(|&d| if sign.sample(&mut rng) < 0.0 { -d } else { d }).collect();
    let unit = match form {
        Zero => Mat::zeros(n, n),
        Identity => Mat::identity(n, n),
        Diagonal => diagonal(&signed),
        Similar => similar(diagonal(&signed), &mut rng),
        PositiveSimilar => similar(diagonal(&positive), &mut rng),
        Random => {
            let mut a = Mat::zeros(n, n);
            for j in 0..n {
                for i in j..n {
                    a[(i, j)] = sign.sample(&mut rng);
                    a[(j, i)] = a[(i, j)];
                }
            }
            a
        }
        Tridiagonal => {
            let mut a = diagonal(&positive);
            for i in 1..n {
                let bound = 0.5 * (positive[i] * positive[i - 1]).sqrt();
                a[(i, i - 1)] = bound * sign.sample(&mut rng);
                a[(i - 1, i)] = a[(i, i - 1)];
            }
            a
        }
    };
    Mat::from_fn(n, n, |i, j| T::of(unit[(i, j)] * size))
}

fn diagonal(entries: &[f64]) -> Mat<f64> {
    Mat::from_fn(entries.len(), entries.len(), |i, j| if i == j { entries[i] } else { 0.0 })
}

/// `U A U'` for a random orthogonal `U`, a product of four reflections.
fn similar(mut a: Mat<f64>, rng: &mut ChaCha8Rng) -> Mat<f64> {
    let n = a.nrows();
    for _ in 0..if n > 1 { 4 } else { 0 } {
        let mut v: Vec<f64> = (0..n).map(|_| StandardNormal.sample(rng)).collect();
        let norm = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        v.iter_mut().for_each(|x| *x /= norm);
        // (I - 2 v v') A (I - 2 v v') = A - v p' - p v'
        let av: Vec<f64> = (0..n).map(|i| (0..n).map(|j| a[(i, j)] * v[j]).sum()).collect();
        let vav: f64 = v.iter().zip(&av).map(|(x, y)| x * y).sum();
        let p: Vec<f64> = (0..n).map(|i| 2.0 * (av[i] - vav * v[i])).collect();
        for j in 0..n {
            for i in 0..n {
                a[(i, j)] -= v[i] * p[j] + p[i] * v[j];
            }
        }
    }
    Mat::from_fn(n, n, |i, j| a[(i.max(j), i.min(j))])
}

/// `|A V - V L| / (|A| n ulp)` and `|I - V'V| / (n ulp)`, in the one-norm.
pub fn ratios<T: Scalar>(a: MatRef<'_, T>, pairs: &Eigenpairs<T>) -> (f64, f64) {
    let n = a.nrows();
    let count = pairs.len();
    if n == 0 || count == 0 {
        return (0.0, 0.0);
    }
    let largest =
        (0..n).flat_map(|j| (0..n).map(move |i| (i, j))).map(|e| a[e].wide().abs()).fold(0.0, f64::max);
    let scale = if largest > 0.0 { largest } else { 1.0 };
    let wide = Mat::from_fn(n, n, |i, j| a[(i, j)].wide() / scale);
    let vectors = Mat::from_fn(n, count, |i, j| pairs.vectors[(i, j)].wide());
    let mut residual = &wide * &vectors;
    for j in 0..count {
        for i in 0..n {
            residual[(i, j)] -= pairs.values[j].wide() / scale * vectors[(i, j)];
        }
    }
    let mut skew = vectors.transpose() * &vectors;
    for j in 0..count {
        skew[(j, j)] -= 1.0;
    }
    let unit = n as f64 * T::EPSILON.wide();
    let norm = one_norm(wide.as_ref());
    let residual = one_norm(residual.as_ref());
    (if residual == 0.0 { 0.0 } else { residual / norm / unit }, one_norm(skew.as_ref()) / unit)
}

fn one_norm(a: MatRef<'_, f64>) -> f64 {
    a.col_iter().map(|column| column.iter().map(|x| x.abs()).sum()).fold(0.0, f64::max)
}

/// The entries that are not zero.
fn sparse<T: Scalar>(a: MatRef<'_, T>) -> Csr<T> {
    let n = a.nrows();
    let places = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    let entries: Vec<_> =
        places.map(|(i, j)| (i, j, a[(i, j)])).filter(|entry| entry.2 != T::zero()).collect();
    Csr::from_entries(n, n, &entries).unwrap()
}

/// The pairs of a kind, after checking everything that can be checked of them alone.
pub fn checked<T: Scalar>(
    kind: usize,
    a: MatRef<'_, T>,
    count: usize,
    which: Which,
    solver: Solver,
    run: &Run,
) -> Eigenpairs<T> {
    let what = format!("{} kind {kind}, n = {}, {count} {which:?} by {solver:?}", T::NAME, a.nrows());
    let (dense, csr) = (Dense::new(a).unwrap(), sparse(a));
    let of_sparse = matches!(solver, Solver::ShiftInvert | Solver::Filter);
    let op: &dyn Operator<T> = if of_sparse { &csr } else { &dense };
    let request = Request::new(count, which).by(solver);
    let pairs = eigen::solve(op, &request, run).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_eq!((pairs.len(), pairs.vectors.ncols(), pairs.residuals.len()), (count, count, count), "{what}");
    let (residual, orthogonality) = ratios(a, &pairs);
    assert!(residual < THRESHOLD, "{what}: residual ratio {residual}");
    assert!(orthogonality < THRESHOLD, "{what}: orthogonality ratio {orthogonality}");
    for pair in pairs.values.windows(2) {
        let (x, y) = (pair[0].wide(), pair[1].wide());
        let sorted = match which {
            Which::Largest => x >= y,
            Which::Smallest => x <= y,
            Which::LargestMagnitude => x.abs() >= y.abs(),
        };
        assert!(sorted, "{what}: {x} before {y}");
    }
    pairs
}

/// Runs a solver over kinds and counts of one order, and compares its values with those of the dense
/// decomposition: none may be missed.
pub fn run_kinds<T: Scalar>(
    solver: Solver,
    kinds: impl IntoIterator<Item = usize>,
    n: usize,
    requests: &[(usize, Which)],
) {
    let run = Run::new();
    for kind in kinds {
        let a = matrix::<T>(kind, n);
        let all = checked(kind, a.as_ref(), n, Which::Smallest, Solver::Dense, &run);
        let norm = all.values.iter().fold(0.0f64, |norm, v| norm.max(v.wide().abs()));
        for &(count, which) in requests.iter().filter(|&&(count, _)| count <= n) {
            let pairs = checked(kind, a.as_ref(), count, which, solver, &run);
            let mut expected: Vec<f64> = all.values.iter().map(|v| v.wide()).collect();
            match which {
                Which::Smallest => {}
                Which::Largest => expected.reverse(),
                Which::LargestMagnitude => expected.sort_by(|x, y| y.abs().total_cmp(&x.abs())),
            }
            for (found, &expected) in pairs.values.iter().zip(&expected) {
                let (mut found, mut expected) = (found.wide(), expected);
                if which == Which::LargestMagnitude {
                    // Opposite values of the same size may come in either order.
                    (found, expected) = (found.abs(), expected.abs());
                }
                let off = (found - expected).abs() / (norm * n as f64 * T::EPSILON.wide());
                let what = || format!("{} kind {kind}, n = {n}, {count} {which:?} by {solver:?}", T::NAME);
                assert!(off.is_nan() || off < THRESHOLD, "{}: {found} for {expected}", what());
            }
        }
    }
}
