//! What every result of the entry point promises, and how it refuses.

use faer::{Mat, MatMut, MatRef};
use lowland_base::{Csr, Error, Result, Run, Scalar};
use lowland_linalg::operator::{Dense, Operator};
use lowland_linalg::{Eigenpairs, Request, Solver, Which, eigen};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::time::{Duration, Instant};

const ENDS: [Which; 3] = [Which::Largest, Which::Smallest, Which::LargestMagnitude];

fn symmetric<T: Scalar>(n: usize, seed: u64) -> Mat<T> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut a = Mat::zeros(n, n);
    for j in 0..n {
        for i in j..n {
            let x: f64 = StandardNormal.sample(&mut rng);
            a[(i, j)] = T::of(x);
            a[(j, i)] = a[(i, j)];
        }
    }
    a
}

/// Sorted, signs fixed, unit vectors, and residuals that are what they say.
fn invariants<T: Scalar>(a: MatRef<'_, T>, pairs: &Eigenpairs<T>, which: Which) {
    let n = a.nrows();
    let norm = a.norm_l2().wide();
    for (j, value) in pairs.values.iter().enumerate() {
        let vector: Vec<f64> = (0..n).map(|i| pairs.vectors[(i, j)].wide()).collect();
        let length: f64 = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!((length - 1.0).abs() < 20.0 * T::EPSILON.wide());
        let leading = vector.iter().fold(0.0f64, |l, &x| if x.abs() > l.abs() { x } else { l });
        assert!(leading > 0.0);
        let residual: f64 = (0..n)
            .map(|i| (0..n).map(|k| a[(i, k)].wide() * vector[k]).sum::<f64>() - value.wide() * vector[i])
            .map(|r| r * r)
            .sum::<f64>()
            .sqrt();
        let rounding = (n as f64 + 4.0) * T::EPSILON.wide() * norm;
        assert!((residual - pairs.residuals[j].wide()).abs() <= rounding);
        assert!(residual <= 10.0 * rounding);
    }
    assert!(pairs.values.is_sorted_by(|x, y| match which {
        Which::Largest => x >= y,
        Which::Smallest => x <= y,
        Which::LargestMagnitude => x.wide().abs() >= y.wide().abs(),
    }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn results_keep_their_invariants(
        n in 1usize..60, share in 0.0f64..=1.0, end in 0usize..3, power in -60i32..60, seed in 0u64..1_000_000,
    ) {
        let count = ((n as f64 * share) as usize).max(1);
        let scaled = |a: Mat<f64>| Mat::from_fn(n, n, |i, j| a[(i, j)] * 2f64.powi(power));
        let a = scaled(symmetric(n, seed));
        let single = Mat::from_fn(n, n, |i, j| a[(i, j)] as f32);
        for solver in [Solver::Auto, Solver::Dense, Solver::Lanczos] {
            let request = Request::new(count, ENDS[end]).by(solver);
            let run = Run::new().with_seed(seed);
            let pairs = eigen::solve(&Dense::new(a.as_ref()).unwrap(), &request, &run).unwrap();
            invariants(a.as_ref(), &pairs, ENDS[end]);
            let pairs = eigen::solve(&Dense::new(single.as_ref()).unwrap(), &request, &run).unwrap();
            invariants(single.as_ref(), &pairs, ENDS[end]);
        }
    }

    #[test]
    fn sorting_and_cutting_keep_pairs_together(values in prop::collection::vec(-5i32..5, 1..20), keep in 0usize..25) {
        let n = values.len();
        let tagged = |which| {
            let mut pairs = Eigenpairs {
                values: values.iter().map(|&v| f64::from(v)).collect(),
                vectors: Mat::from_fn(1, n, |_, j| j as f64 + 1.0),
                residuals: (0..n).map(|j| j as f64).collect(),
            };
            pairs.sort(which);
            pairs.truncate(keep);
            pairs
        };
        for which in ENDS {
            let pairs = tagged(which);
            prop_assert_eq!(pairs.len(), keep.min(n));
            for j in 0..pairs.len() {
                let original = pairs.residuals[j] as usize;
                prop_assert_eq!(pairs.values[j], f64::from(values[original]));
                prop_assert_eq!(pairs.vectors[(0, j)], original as f64 + 1.0);
            }
        }
        let mut expected = values.clone();
        expected.sort();
        let ascending = tagged(Which::Smallest);
        prop_assert!(ascending.values.iter().zip(&expected).all(|(&v, &e)| v == f64::from(e)));
    }
}

#[test]
fn lanczos_keeps_the_invariants_where_it_iterates() {
    let a = symmetric::<f64>(600, 4);
    let single = symmetric::<f32>(600, 4);
    for which in ENDS {
        let request = Request::new(7, which).by(Solver::Lanczos);
        let run = Run::new();
        let pairs = eigen::solve(&Dense::new(a.as_ref()).unwrap(), &request, &run).unwrap();
        invariants(a.as_ref(), &pairs, which);
        assert!(run.stages().iter().all(|(name, _)| name == "eigenpairs: Lanczos"), "{:?}", run.stages());
        let pairs = eigen::solve(&Dense::new(single.as_ref()).unwrap(), &request, &run).unwrap();
        invariants(single.as_ref(), &pairs, which);
    }
}

#[test]
fn the_sign_rule_takes_the_first_of_equal_magnitudes() {
    let mut pairs = Eigenpairs {
        values: vec![1.0, 2.0, 3.0],
        vectors: faer::mat![[0.5, -0.5, -0.1], [-0.5, 0.5, -0.9]],
        residuals: vec![0.0; 3],
    };
    pairs.fix_signs();
    assert_eq!(pairs.vectors, faer::mat![[0.5, 0.5, 0.1], [-0.5, -0.5, 0.9]]);
}

#[test]
fn counts_and_tolerances_out_of_range_are_refused() {
    let a = symmetric::<f64>(4, 1);
    let op = Dense::new(a.as_ref()).unwrap();
    let run = Run::new();
    for solver in [Solver::Auto, Solver::Dense, Solver::Lanczos] {
        let too_many = eigen::solve(&op, &Request::new(5, Which::Largest).by(solver), &run);
        assert!(matches!(too_many, Err(Error::Parameter { name, .. }) if name == "n_components"));
        let none = eigen::solve(&op, &Request::new(0, Which::Largest).by(solver), &run).unwrap();
        assert!(none.is_empty() && none.vectors.shape() == (4, 0));
    }
    for tolerance in [-1.0, f64::NAN, 1.0] {
        let request = Request { tolerance: Some(tolerance), ..Request::new(1, Which::Largest) };
        let refused = eigen::solve(&op, &request, &run);
        assert!(matches!(refused, Err(Error::Parameter { name, .. }) if name == "tolerance"));
    }
}

#[test]
fn entries_that_are_not_finite_are_refused() {
    for (n, solver) in [(3, Solver::Dense), (500, Solver::Lanczos), (500, Solver::Auto)] {
        for bad in [f64::NAN, f64::INFINITY] {
            let mut a = symmetric::<f64>(n, 1);
            (a[(2, 1)], a[(1, 2)]) = (bad, bad);
            let op = Dense::new(a.as_ref()).unwrap();
            let refused = eigen::solve(&op, &Request::new(2, Which::Largest).by(solver), &Run::new());
            assert!(matches!(refused, Err(Error::NotFinite { .. })), "{n} {solver:?}: {refused:?}");
        }
    }
}

#[test]
fn values_beyond_the_number_type_are_refused() {
    // All entries finite, the largest eigenvalue not.
    let a = Mat::from_fn(8, 8, |_, _| f64::MAX);
    let op = Dense::new(a.as_ref()).unwrap();
    let refused = eigen::solve(&op, &Request::new(1, Which::Largest), &Run::new());
    assert!(matches!(refused, Err(Error::TooLarge { .. })), "{refused:?}");
}

/// A path graph's smallest pairs: out of reach of a short Krylov space.
fn hard(n: usize) -> Csr<f64> {
    let mut entries = Vec::new();
    for i in 1..n {
        entries.extend([(i - 1, i, -1.0), (i, i - 1, -1.0), (i, i, 1.0), (i - 1, i - 1, 1.0)]);
    }
    Csr::from_entries(n, n, &entries).unwrap()
}

#[test]
fn a_stall_is_an_error_that_carries_what_was_found() {
    let n = 8000;
    let op = hard(n);
    // The basis fits; a wider one and the dense matrix do not.
    let run = Run::new().with_memory(20_000_000);
    let request = Request::new(3, Which::Smallest).by(Solver::Lanczos);
    match eigen::solve(&op, &request, &run) {
        Err(Error::NotConverged { found: Some(found), residual, tolerance, steps, .. }) => {
            assert!(residual > tolerance && steps > 100);
            assert_eq!((found.values.len(), found.vectors.shape(), found.residuals.len()), (3, (n, 3), 3));
            // Ritz values are never below the true ones, and the residual bounds the distance.
            for (j, &value) in found.values.iter().enumerate() {
                let truth = 2.0 - 2.0 * (std::f64::consts::PI * j as f64 / n as f64).cos();
                assert!(value > truth - 1e-13);
            }
        }
        other => panic!("{:?}", other.map(|pairs| pairs.residuals)),
    }
    let refused = eigen::solve(&op, &request, &Run::new().with_memory(1000));
    assert!(matches!(refused, Err(Error::Memory { .. })));
}

/// An operator that is slow, and throws the switch itself.
struct Slow(Run);

impl Operator<f64> for Slow {
    fn order(&self) -> usize {
        2000
    }

    fn apply(&self, x: MatRef<'_, f64>, mut out: MatMut<'_, f64>, _run: &Run) -> Result<()> {
        for j in 0..x.ncols() {
            for i in 0..x.nrows() {
                out[(i, j)] = x[(i, j)] * (i as f64).sqrt();
            }
        }
        self.0.cancel_switch().cancel();
        Ok(())
    }
}

#[test]
fn a_canceled_run_stops() {
    let run = Run::new();
    let request = Request::new(3, Which::Largest).by(Solver::Lanczos);
    assert_eq!(eigen::solve(&Slow(run.clone()), &request, &run), Err(Error::Canceled));

    let a = symmetric::<f64>(1500, 2);
    let run = Run::new();
    let switch = run.cancel_switch();
    let thrower = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        switch.cancel();
        Instant::now()
    });
    let op = Dense::new(a.as_ref()).unwrap();
    let result = eigen::solve(&op, &Request::new(1500, Which::Largest).by(Solver::Dense), &run);
    let late = thrower.join().unwrap().elapsed();
    assert_eq!(result, Err(Error::Canceled));
    assert!(late < Duration::from_millis(500), "{late:?}");
}
