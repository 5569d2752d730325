//! The smallest eigenpairs of sparse semidefinite matrices, against spectra known in closed form.

use lowland_base::Result;
use lowland_base::{Csr, Error, Run, Scalar};
use lowland_linalg::eigen::{self, factor_forecast, factor_is_affordable};
use lowland_linalg::{Eigenpairs, Operator, Request, Solver, Which};
use rand::Rng;
use rand_distr::{Distribution, StandardNormal, Uniform};
use std::f64::consts::PI;
use std::time::{Duration, Instant};

const WAYS: [Solver; 3] = [Solver::ShiftInvert, Solver::Filter, Solver::Auto];

fn smallest<T: Scalar>(
    op: &dyn Operator<T>,
    count: usize,
    tolerance: Option<f64>,
    solver: Solver,
    run: &Run,
) -> Result<Eigenpairs<T>> {
    eigen::solve(op, &Request { count, which: Which::Smallest, solver, tolerance }, run)
}

fn laplacian(n: usize, edges: &[(usize, usize)]) -> Csr<f64> {
    let mut entries = vec![];
    for &(i, j) in edges {
        entries.extend([(i, j, -1.0), (j, i, -1.0), (i, i, 1.0), (j, j, 1.0)]);
    }
    Csr::from_entries(n, n, &entries).unwrap()
}

fn path(n: usize) -> Vec<(usize, usize)> {
    (1..n).map(|i| (i - 1, i)).collect()
}

fn cycle(n: usize) -> Vec<(usize, usize)> {
    (0..n).map(|i| (i, (i + 1) % n)).collect()
}

fn grid(rows: usize, columns: usize) -> Vec<(usize, usize)> {
    let mut edges = vec![];
    for i in 0..rows {
        for j in 0..columns {
            if i + 1 < rows {
                edges.push((i * columns + j, (i + 1) * columns + j));
            }
            if j + 1 < columns {
                edges.push((i * columns + j, i * columns + j + 1));
            }
        }
    }
    edges
}

/// Every node linked to random others: a graph without small separators, whose factor is nearly dense.
fn expander(n: usize, degree: usize) -> Csr<f64> {
    let mut rng = Run::new().rng("expander");
    let mut edges = cycle(n);
    for i in 0..n {
        for _ in 0..degree {
            edges.push((i, (i + 1 + (rng.next_u64() as usize) % (n - 1)) % n));
        }
    }
    laplacian(n, &edges)
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

fn path_values(n: usize) -> Vec<f64> {
    (0..n).map(|k| 4.0 * (PI * k as f64 / (2 * n) as f64).sin().powi(2)).collect()
}

fn cycle_values(n: usize) -> Vec<f64> {
    sorted((0..n).map(|k| 4.0 * (PI * k as f64 / n as f64).sin().powi(2)).collect())
}

fn grid_values(rows: usize, columns: usize) -> Vec<f64> {
    let (p, q) = (path_values(rows), path_values(columns));
    sorted(p.iter().flat_map(|a| q.iter().map(move |b| a + b)).collect())
}

fn norm_one<T: Scalar>(a: &Csr<T>) -> f64 {
    (0..a.nrows()).map(|i| a.row(i).1.iter().map(|v| v.wide().abs()).sum::<f64>()).fold(0.0, f64::max)
}

/// LAPACK's test ratios, the order and the signs, and that the reported residuals are the true ones.
fn check_pairs<T: Scalar>(a: &Csr<T>, pairs: &Eigenpairs<T>, count: usize, what: &str) {
    let (n, ulp) = (a.nrows(), T::EPSILON.wide());
    assert_eq!((pairs.len(), pairs.vectors.nrows(), pairs.vectors.ncols()), (count, n, count), "{what}");
    let norm = norm_one(a).max(f64::MIN_POSITIVE);
    let unit = n.max(1) as f64 * ulp;
    for j in 0..count {
        let vector: Vec<f64> = (0..n).map(|i| pairs.vectors[(i, j)].wide()).collect();
        let mut square = 0.0;
        for i in 0..n {
            let (columns, values) = a.row(i);
            let terms = columns.iter().zip(values).map(|(&c, v)| v.wide() / norm * vector[c as usize]);
            square += (terms.sum::<f64>() - pairs.values[j].wide() / norm * vector[i]).powi(2);
        }
        let residual = square.sqrt();
        assert!(residual / unit < 60.0, "{what}: residual ratio {}", residual / unit);
        assert!(
            (residual - pairs.residuals[j].wide() / norm).abs() <= 8.0 * ulp,
            "{what}: reported residual"
        );
        for k in 0..=j {
            let dot: f64 = (0..n).map(|i| vector[i] * pairs.vectors[(i, k)].wide()).sum();
            let error = (dot - f64::from(u8::from(j == k))).abs();
            assert!(error / unit < 60.0, "{what}: orthogonality ratio {} of {j}, {k}", error / unit);
        }
        let largest = vector.iter().fold(0.0, |m: f64, &v| if v.abs() > m.abs() { v } else { m });
        assert!(largest > 0.0, "{what}: sign");
        assert!(j == 0 || pairs.values[j - 1] <= pairs.values[j], "{what}: order");
    }
}

/// All ways find the leading `counts` of the exact spectrum.
fn check(name: &str, a: &Csr<f64>, exact: &[f64], counts: &[usize]) {
    for &count in counts {
        for way in WAYS {
            let what = format!("{name}, n = {}, {count} by {way:?}", a.nrows());
            let pairs = smallest(a, count, None, way, &Run::new()).unwrap_or_else(|e| panic!("{what}: {e}"));
            check_pairs(a, &pairs, count, &what);
            for (found, exact) in pairs.values.iter().zip(exact) {
                assert!((found - exact).abs() < 1e-13 * norm_one(a), "{what}: {found} is not {exact}");
            }
        }
    }
}

#[test]
fn paths_and_cycles() {
    for n in [129, 400, 1000] {
        check("path", &laplacian(n, &path(n)), &path_values(n), &[1, 2, 5, 12]);
        check("cycle", &laplacian(n, &cycle(n)), &cycle_values(n), &[1, 2, 3, 4, 7]);
    }
}

#[test]
fn grids_have_pairs_and_hypercubes_binomial_multiplicities() {
    check("grid", &laplacian(17 * 23, &grid(17, 23)), &grid_values(17, 23), &[1, 6, 13]);
    check("square grid", &laplacian(900, &grid(30, 30)), &grid_values(30, 30), &[2, 3, 9]);
    let d = 9;
    let links = |i: usize| (0..d).map(move |b| (i, i ^ (1 << b))).filter(|e| e.0 < e.1);
    let edges: Vec<_> = (0..1usize << d).flat_map(links).collect();
    let exact = sorted((0..1usize << d).map(|i| 2.0 * f64::from(i.count_ones())).collect());
    // Eigenspaces of dimension 1, 9, 36: the counts end at, inside and after them.
    check("hypercube", &laplacian(1 << d, &edges), &exact, &[1, 4, 10, 20, 46]);
}

#[test]
fn complete_graphs_and_stars() {
    for n in [130, 200] {
        let edges: Vec<_> = (0..n).flat_map(|i| (0..i).map(move |j| (j, i))).collect();
        let mut exact = vec![n as f64; n];
        exact[0] = 0.0;
        check("complete", &laplacian(n, &edges), &exact, &[1, 2, 9]);
        let edges: Vec<_> = (1..n).map(|i| (0, i)).collect();
        let mut exact = vec![1.0; n];
        (exact[0], exact[n - 1]) = (0.0, n as f64);
        check("star", &laplacian(n, &edges), &exact, &[1, 2, 9]);
    }
}

/// Cliques on their own: each eigenvalue but zero has hundreds of copies, which no Krylov space of a few vectors has. The
/// dense decomposition is quicker than looking for them.
#[test]
fn hundreds_of_copies() {
    let (size, cliques) = (30, 20);
    let pairs = (0..size).flat_map(|i| (0..i).map(move |j| (j, i)));
    let edges: Vec<_> =
        pairs.flat_map(|(i, j)| (0..cliques).map(move |c| (c * size + i, c * size + j))).collect();
    let a = laplacian(size * cliques, &edges);
    for count in [18, 20, 25, 41] {
        let pairs = smallest(&a, count, None, Solver::Auto, &Run::new()).unwrap();
        check_pairs(&a, &pairs, count, "cliques");
        for (c, value) in pairs.values.iter().enumerate() {
            let exact = if c < cliques { 0.0 } else { size as f64 };
            assert!((value - exact).abs() < 1e-12 * size as f64, "{count}: {c} is {value}");
        }
    }
}

#[test]
fn every_component_has_its_zero() {
    for (pieces, size) in [(2, 100), (5, 40), (23, 31), (40, 10)] {
        let ring = |p: usize| cycle(size).into_iter().map(move |(i, j)| (p * size + i, p * size + j));
        let edges: Vec<_> = (0..pieces).flat_map(ring).collect();
        let exact = sorted((0..pieces).flat_map(|_| cycle_values(size)).collect());
        check("union", &laplacian(pieces * size, &edges), &exact, &[1, pieces, pieces + 3]);
    }
}

#[test]
fn diagonals_with_geometric_spectra() {
    for n in [150, 700] {
        let value = |i: usize| 10f64.powf(-14.0 * i as f64 / (n - 1) as f64);
        let entries: Vec<_> = (0..n).map(|i| (i, i, value((i * 37) % n))).collect();
        let a = Csr::from_entries(n, n, &entries).unwrap();
        let exact = sorted((0..n).map(value).collect());
        for count in [1, 4, 10] {
            let pairs = smallest(&a, count, None, Solver::ShiftInvert, &Run::new()).unwrap();
            check_pairs(&a, &pairs, count, "geometric");
            for (found, exact) in pairs.values.iter().zip(&exact) {
                // Down to 1e-14 of the norm, each to roundoff of the norm.
                assert!((found - exact).abs() < 1e-15, "{found} is not {exact}");
            }
        }
    }
}

/// `(I - W)'(I - W)` with rows of `W` that sum to one over random neighbors, as LLE makes it.
fn alignment(n: usize, k: usize, local: bool, seed: u64) -> Csr<f64> {
    let mut rng = Run::new().with_seed(seed).rng("alignment");
    let mut entries = vec![];
    for i in 0..n {
        let mut row: Vec<(usize, f64)> = vec![];
        while row.len() < k {
            let (reach, back) = if local { (2 * k, k) } else { (n, 0) };
            let j = (i + n - back + Uniform::new(0, reach).unwrap().sample(&mut rng)) % n;
            if j != i && !row.iter().any(|e| e.0 == j) {
                let noise: f64 = StandardNormal.sample(&mut rng);
                row.push((j, 1.0 + 0.3 * noise));
            }
        }
        let sum: f64 = row.iter().map(|e| e.1).sum();
        row.iter_mut().for_each(|e| e.1 /= -sum);
        row.push((i, 1.0));
        entries.extend(row.iter().flat_map(|&(i, x)| row.iter().map(move |&(j, y)| (i, j, x * y))));
    }
    Csr::from_entries(n, n, &entries).unwrap()
}

#[test]
fn random_alignment_matrices_agree_with_the_dense_decomposition() {
    for seed in 0..12 {
        let n = 140 + 23 * seed as usize;
        let a = alignment(n, 4 + seed as usize % 5, seed % 2 == 0, seed);
        let dense = smallest(&a, n, None, Solver::Dense, &Run::new()).unwrap();
        let error = 1e-14 * dense.values[n - 1];
        for (count, way) in [1, 3, 9].into_iter().flat_map(|count| WAYS.map(|way| (count, way))) {
            let what = format!("alignment {seed}, {count} by {way:?}");
            let pairs = smallest(&a, count, None, way, &Run::new()).unwrap();
            check_pairs(&a, &pairs, count, &what);
            // Davis and Kahan: the sine of the angle to the true span is at most residual / gap.
            let bound =
                10.0 * (count as f64).sqrt() * error / (dense.values[count] - dense.values[count - 1]);
            for j in 0..count {
                assert!((pairs.values[j] - dense.values[j]).abs() < error, "{what}: value");
                let mut outside: Vec<f64> = (0..n).map(|i| pairs.vectors[(i, j)]).collect();
                for k in 0..count {
                    let dot: f64 = (0..n).map(|i| outside[i] * dense.vectors[(i, k)]).sum();
                    outside.iter_mut().enumerate().for_each(|(i, v)| *v -= dot * dense.vectors[(i, k)]);
                }
                let sine = outside.iter().map(|v| v * v).sum::<f64>().sqrt();
                assert!(sine < bound, "{what}: sine {sine:e}, bound {bound:e}");
            }
        }
    }
}

#[test]
fn scaling_the_matrix_scales_the_values_and_nothing_else() {
    let a = alignment(300, 6, true, 5);
    let times = |scale: f64| {
        let mut b = a.clone();
        b.values_mut().iter_mut().for_each(|v| *v *= scale);
        b
    };
    for way in WAYS {
        let plain = smallest(&a, 4, None, way, &Run::new()).unwrap();
        for scale in [2f64.powi(-500), 2f64.powi(500)] {
            let scaled = smallest(&times(scale), 4, None, way, &Run::new()).unwrap();
            assert_eq!(scaled.vectors, plain.vectors);
            assert!(scaled.values.iter().zip(&plain.values).all(|(s, p)| *s == p * scale));
        }
        for scale in [1e-150, 1e150] {
            let b = times(scale);
            check_pairs(&b, &smallest(&b, 4, None, way, &Run::new()).unwrap(), 4, "scaled");
        }
        for scale in [1e-15f32, 1.0, 1e15] {
            let values = a.values().iter().map(|&v| v as f32 * scale).collect();
            let b = Csr::new(300, 300, a.offsets().to_vec(), a.indices().to_vec(), values).unwrap();
            check_pairs(&b, &smallest(&b, 4, None, way, &Run::new()).unwrap(), 4, "single precision");
        }
    }
}

#[test]
fn single_precision_data_is_solved_in_double() {
    // The second eigenvalue, 2.5e-6 of the norm, would have one digit in single-precision arithmetic.
    let n = 1000;
    let a = laplacian(n, &path(n));
    let values = a.values().iter().map(|&v| v as f32).collect();
    let narrow = Csr::<f32>::new(n, n, a.offsets().to_vec(), a.indices().to_vec(), values).unwrap();
    let exact = path_values(n);
    for way in WAYS {
        let pairs = smallest(&narrow, 3, None, way, &Run::new()).unwrap();
        check_pairs(&narrow, &pairs, 3, "single");
        for j in 1..3 {
            assert!((f64::from(pairs.values[j]) / exact[j] - 1.0).abs() < 1e-6, "{way:?}");
        }
    }
}

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

#[test]
fn the_bits_do_not_depend_on_the_threads() {
    let a = alignment(9000, 8, true, 3);
    let mesh = laplacian(70 * 80, &grid(70, 80));
    // A factor so heavy that its fronts are shared among the threads, with a few loose nodes for small
    // eigenvalues that are apart.
    let core = expander(7000, 10);
    let mut entries: Vec<_> = (0..7000)
        .flat_map(|i| core.row(i).0.iter().zip(core.row(i).1).map(move |(&j, &v)| (i, j as usize, v)))
        .collect();
    for i in 0..6 {
        let weight = 0.1 * (i + 1) as f64;
        let j = 7000 + i;
        entries.extend([(i, i, weight), (j, j, weight), (i, j, -weight), (j, i, -weight)]);
    }
    let heavy = Csr::from_entries(7006, 7006, &entries).unwrap();
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
