//! Tiny, indefinite and long problems; threads, budgets and refusals.

use super::*;

#[test]
fn tiny_zero_and_identity_matrices() {
    for n in [1, 2, 3, 5, 150] {
        let zero = Csr::<f64>::from_entries(n, n, &[]).unwrap();
        let triple =
            Csr::<f64>::from_entries(n, n, &(0..n).map(|i| (i, i, 3.0)).collect::<Vec<_>>()).unwrap();
        let line = laplacian(n, &path(n));
        for way in WAYS {
            for count in [0, 1, n / 2, n] {
                let pairs = smallest(&zero, count, None, way, &Run::new()).unwrap();
                check_pairs(&zero, &pairs, count, "zero");
                assert!(pairs.values.iter().all(|&v| v == 0.0));
                let pairs = smallest(&triple, count, None, way, &Run::new()).unwrap();
                check_pairs(&triple, &pairs, count, "identity");
                assert!(pairs.values.iter().all(|&v| (v - 3.0).abs() < 1e-14));
                check_pairs(&line, &smallest(&line, count, None, way, &Run::new()).unwrap(), count, "line");
            }
            assert!(matches!(smallest(&line, n + 1, None, way, &Run::new()), Err(Error::Parameter { .. })));
        }
    }
    let empty = Csr::<f64>::from_entries(0, 0, &[]).unwrap();
    assert!(smallest(&empty, 0, None, Solver::Auto, &Run::new()).unwrap().is_empty());
}

/// A matrix whose factor is so heavy that its fronts are shared among the threads, with a few loose nodes for small
/// eigenvalues that are apart.
fn heavy() -> Csr<f64> {
    let core = expander(7000, 10);
    let mut entries: Vec<_> = (0..7000)
        .flat_map(|i| core.row(i).0.iter().zip(core.row(i).1).map(move |(&j, &v)| (i, j as usize, v)))
        .collect();
    for i in 0..6 {
        let weight = 0.1 * (i + 1) as f64;
        let j = 7000 + i;
        entries.extend([(i, i, weight), (j, j, weight), (i, j, -weight), (j, i, -weight)]);
    }
    Csr::from_entries(7006, 7006, &entries).unwrap()
}

#[test]
fn the_bits_do_not_depend_on_the_threads() {
    let a = alignment(9000, 8, true, 3);
    let mesh = laplacian(70 * 80, &grid(70, 80));
    let heavy = heavy();
    assert!(factor_forecast(&heavy, &Run::new()).unwrap().unwrap().flops > 2e10);
    let cases = [(&a, 5, Solver::ShiftInvert), (&mesh, 5, Solver::Filter), (&heavy, 5, Solver::ShiftInvert)];
    for (a, count, way) in cases {
        let by = |threads| {
            let run = Run::new().with_threads(threads).unwrap();
            smallest(a, count, None, way, &run).unwrap()
        };
        let one = by(1);
        check_pairs(a, &one, count, "threads");
        assert_eq!(one, by(2));
        assert_eq!(one, by(3));
    }
}

#[test]
fn an_indefinite_matrix_gets_an_error_or_the_right_answer() {
    for shift in [-0.5, -1e-5, -1e-9] {
        let n = 300;
        let mut entries: Vec<_> = (0..n).map(|i| (i, i, shift)).collect();
        for (i, j) in path(n) {
            entries.extend([(i, j, -1.0), (j, i, -1.0), (i, i, 1.0), (j, j, 1.0)]);
        }
        let a = Csr::from_entries(n, n, &entries).unwrap();
        let exact: Vec<f64> = path_values(n).iter().map(|v| v + shift).collect();
        let right = |values: &[f64]| values.iter().zip(&exact).all(|(f, e)| (f - e).abs() < 1e-13);
        for way in [Solver::Filter, Solver::Auto] {
            let pairs = smallest(&a, 3, None, way, &Run::new()).unwrap();
            check_pairs(&a, &pairs, 3, "indefinite");
            assert!(right(&pairs.values));
        }
        match smallest(&a, 3, None, Solver::ShiftInvert, &Run::new()) {
            Ok(pairs) => assert!(right(&pairs.values)),
            Err(Error::Indefinite { smallest, .. }) => assert!(shift < -1e-7 && smallest >= shift - 1e-12),
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn wrong_input_is_refused() {
    let run = Run::new();
    let wide = Csr::<f64>::from_entries(2, 3, &[]).unwrap();
    assert!(matches!(smallest(&wide, 1, None, Solver::Auto, &run), Err(Error::NotSquare { .. })));
    let skew = Csr::from_entries(2, 2, &[(0, 1, 1.0), (1, 0, 1.1)]).unwrap();
    assert!(matches!(smallest(&skew, 1, None, Solver::Auto, &run), Err(Error::NotSymmetric { .. })));
    let nan = Csr::from_entries(3, 3, &[(0, 0, 1.0), (2, 1, f64::NAN), (1, 2, 1.0)]).unwrap();
    let refused = smallest(&nan, 1, None, Solver::Auto, &run);
    assert!(matches!(refused, Err(Error::NotFinite { row: 2, column: 1, count: 1, .. })));
    let line = laplacian(200, &path(200));
    for bad in [1.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(smallest(&line, 1, Some(bad), Solver::Auto, &run), Err(Error::Parameter { .. })));
    }
}

#[test]
fn a_tolerance_below_rounding_gets_what_rounding_allows() {
    let a = laplacian(200, &path(200));
    for way in WAYS {
        let pairs = smallest(&a, 3, Some(0.0), way, &Run::new()).unwrap();
        check_pairs(&a, &pairs, 3, "zero tolerance");
        let worst = pairs.worst_residual() / norm_one(&a);
        assert!(worst < 64.0 * f64::EPSILON, "{way:?}: {worst:e}");
    }
}

#[test]
fn a_way_that_cannot_is_refused_with_a_remedy() {
    let a = laplacian(200, &path(200));
    let products = Products(a.clone());
    let refused = smallest(&products, 2, None, Solver::ShiftInvert, &Run::new());
    assert!(matches!(refused, Err(Error::Unsupported { .. })));
    for which in [Which::Largest, Which::LargestMagnitude] {
        for solver in [Solver::ShiftInvert, Solver::Filter] {
            let refused = eigen::solve(&a, &Request::new(2, which).by(solver), &Run::new());
            assert!(matches!(refused, Err(Error::Unsupported { .. })));
        }
    }
}

#[test]
fn a_basis_over_the_budget_is_refused() {
    let a = laplacian(5000, &path(5000));
    for way in [Solver::ShiftInvert, Solver::Filter] {
        let refused = smallest(&a, 3, None, way, &Run::new().with_memory(100_000));
        assert!(matches!(refused, Err(Error::Memory { .. })), "{way:?}");
    }
}

/// Residuals are as good as rounding allows, not only as the bound demands.
#[test]
fn residuals_are_a_few_units_of_roundoff() {
    for (name, a) in [("grid", laplacian(6400, &grid(80, 80))), ("alignment", alignment(4000, 8, true, 2))] {
        let pairs = smallest(&a, 4, None, Solver::ShiftInvert, &Run::new()).unwrap();
        let worst = pairs.worst_residual() / norm_one(&a);
        assert!(worst < 8.0 * f64::EPSILON, "{name}: {worst:e}");
    }
}

/// A sparse matrix seen only through its products.
struct Products(Csr<f64>);

impl Operator<f64> for Products {
    fn order(&self) -> usize {
        self.0.nrows()
    }
    fn apply(
        &self,
        x: faer::MatRef<'_, f64>,
        mut out: faer::MatMut<'_, f64>,
        _: &Run,
    ) -> lowland_base::Result<()> {
        for j in 0..x.ncols() {
            for i in 0..x.nrows() {
                let (columns, values) = self.0.row(i);
                out[(i, j)] = columns.iter().zip(values).map(|(&c, v)| v * x[(c as usize, j)]).sum();
            }
        }
        Ok(())
    }
}

#[test]
fn an_operator_is_enough_for_the_filter() {
    for scale in [1e-150, 1.0, 1e150] {
        let mut a = laplacian(20 * 25, &grid(20, 25));
        a.values_mut().iter_mut().for_each(|v| *v *= scale);
        let pairs = smallest(&Products(a.clone()), 6, None, Solver::Filter, &Run::new()).unwrap();
        check_pairs(&a, &pairs, 6, "operator");
        let exact = grid_values(20, 25);
        assert!(pairs.values.iter().zip(&exact).all(|(f, e)| (f / scale - e).abs() < 1e-13 * 8.0));
    }
    let zero = Products(Csr::from_entries(200, 200, &[]).unwrap());
    assert_eq!(smallest(&zero, 2, None, Solver::Filter, &Run::new()).unwrap().values, vec![0.0, 0.0]);
}

#[test]
fn a_long_problem_stops_within_half_a_second() {
    let dense = expander(12_000, 6);
    let mesh = laplacian(300 * 300, &grid(300, 300));
    for (a, way, wait) in [
        (&dense, Solver::ShiftInvert, 30),
        (&dense, Solver::ShiftInvert, 500),
        (&mesh, Solver::Filter, 300),
        (&mesh, Solver::ShiftInvert, 60),
    ] {
        let run = Run::new();
        let (switch, wait) = (run.cancel_switch(), Duration::from_millis(wait));
        let begun = Instant::now();
        let thrower = std::thread::spawn(move || {
            std::thread::sleep(wait);
            switch.cancel();
        });
        assert_eq!(smallest(a, 6, None, way, &run), Err(Error::Canceled), "{way:?} was done before {wait:?}");
        let late = begun.elapsed().saturating_sub(wait);
        thrower.join().unwrap();
        assert!(late < Duration::from_millis(500), "{way:?} stopped {late:?} late");
    }
}

#[test]
fn the_forecast_sees_the_fill_and_the_budget() {
    let run = Run::new();
    let mesh = laplacian(60 * 60, &grid(60, 60));
    let dense = expander(3600, 6);
    let light = factor_forecast(&mesh, &run).unwrap().unwrap();
    let heavy = factor_forecast(&dense, &run).unwrap().unwrap();
    assert!(heavy.flops > 50.0 * light.flops && heavy.bytes > 5 * light.bytes);
    assert!(light.entries >= (mesh.nnz() + 3600) as u64 / 2);
    assert!(factor_is_affordable(&mesh, &run).unwrap());
    let poor = Run::new().with_memory(heavy.bytes / 2);
    assert!(!factor_is_affordable(&dense, &poor).unwrap());
    assert!(matches!(smallest(&dense, 2, None, Solver::ShiftInvert, &poor), Err(Error::Memory { .. })));
    // Without room for the factor the automatic choice still gets there.
    check_pairs(&dense, &smallest(&dense, 3, None, Solver::Auto, &poor).unwrap(), 3, "poor");
}

#[test]
fn nearly_symmetric_matrices_and_missing_diagonals_are_mended() {
    let mut a = alignment(200, 5, true, 1);
    let place = a.offsets()[7] + 1;
    a.values_mut()[place] *= 1.0 + f64::EPSILON;
    check_pairs(&a, &smallest(&a, 3, None, Solver::ShiftInvert, &Run::new()).unwrap(), 3, "mended");
    // Two empty rows: two more zeros.
    let b = laplacian(202, &path(200));
    let pairs = smallest(&b, 4, None, Solver::ShiftInvert, &Run::new()).unwrap();
    check_pairs(&b, &pairs, 4, "empty rows");
    assert!(pairs.values[2].abs() < 1e-14 && pairs.values[3] > 1e-5);
}

/// The factorization is one call; whoever watches sees how far it should be.
#[test]
fn a_long_factorization_reports_its_share() {
    #[derive(Default)]
    struct Seen {
        stages: Mutex<Vec<String>>,
        shares: Mutex<Vec<f64>>,
    }
    impl Progress for Seen {
        fn begin(&self, stage: &str, _total: Option<u64>) {
            self.stages.lock().unwrap().push(stage.to_owned());
        }
        fn advance(&self, _stage: &str, _done: u64) {}
        fn share(&self, share: f64) {
            if self.stages.lock().unwrap().last().is_some_and(|stage| stage == "factorization") {
                self.shares.lock().unwrap().push(share);
            }
        }
        fn end(&self, _stage: &str, _seconds: f64) {
            self.stages.lock().unwrap().pop();
        }
    }
    let seen = Arc::new(Seen::default());
    let run = Run::new().with_threads(1).unwrap().with_progress(seen.clone());
    smallest(&heavy(), 5, None, Solver::ShiftInvert, &run).unwrap();
    let shares = seen.shares.lock().unwrap();
    assert!(shares.len() >= 2 && shares.is_sorted(), "{shares:?}");
    assert!(shares.iter().all(|&share| share > 0.0 && share < 1.0), "{shares:?}");
    assert!(shares[shares.len() - 1] > 0.2, "the end is as far as the beginning: {shares:?}");
}
