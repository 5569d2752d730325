//! Matrices whose spectrum is known, and random ones against the dense decomposition.

use super::*;

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
