//! The matrices against their definitions, written out with full dense decompositions.

use super::*;
use crate::extension::small::LeftVectors;

/// The whole left singular basis and the singular values of some rows.
fn left(rows: &Mat<f64>) -> (Mat<f64>, Vec<f64>) {
    let svd = rows.svd().unwrap();
    (svd.U().to_owned(), svd.S().column_vector().iter().copied().collect())
}

/// The rows of a neighborhood less `origin`, or less their mean.
fn rows(points: &Array2<f64>, list: &[u32], origin: Option<usize>) -> Mat<f64> {
    let mean = |c: usize| list.iter().map(|&j| points[(j as usize, c)]).sum::<f64>() / list.len() as f64;
    Mat::from_fn(list.len(), points.ncols(), |a, c| {
        points[(list[a] as usize, c)] - origin.map_or_else(|| mean(c), |i| points[(i, c)])
    })
}

fn assert_close(name: &str, matrix: &Csr<f64>, expected: &Mat<f64>) {
    let run = Run::new();
    let worst = (matrix.to_dense(&run).unwrap() - expected).norm_max();
    assert!(worst < 1e-11, "{name}: {worst:e}");
}

#[test]
fn each_matrix_is_its_definition() {
    let run = Run::new();
    // More neighbors than columns, and fewer.
    for (columns, k, d) in [(3, 9, 2), (14, 10, 3)] {
        let points = normal(60, columns, &run);
        let table = neighbors(points.view(), k);
        let (mut ltsa, mut hessian) = (Mat::<f64>::zeros(60, 60), Mat::<f64>::zeros(60, 60));
        for i in 0..60 {
            let mut list = table.of(i).to_vec();
            if (0..60).all(|j| !table.of(j).contains(&(i as u32))) {
                list.push(i as u32);
            }
            let (list, k) = (&list[..], list.len());
            let u = left(&rows(&points, list, None)).0;
            let mut quadratic = Mat::<f64>::ones(k, 1 + d + d * (d + 1) / 2);
            quadratic.as_mut().subcols_mut(1, d).copy_from(u.subcols(0, d));
            let mut next = 1 + d;
            for a in 0..d {
                for b in a..d {
                    (0..k).for_each(|r| quadratic[(r, next)] = u[(r, a)] * u[(r, b)]);
                    next += 1;
                }
            }
            let q = quadratic.qr().compute_thin_Q();
            let affine = q.subcols(0, d + 1);
            let beyond = q.subcols(d + 1, d * (d + 1) / 2);
            let l = Mat::<f64>::identity(k, k) - affine * affine.transpose();
            let h = beyond * beyond.transpose();
            for a in 0..k {
                for b in 0..k {
                    ltsa[(list[a] as usize, list[b] as usize)] += l[(a, b)];
                    hessian[(list[a] as usize, list[b] as usize)] += h[(a, b)];
                }
            }
        }
        assert_close("LTSA", &tangent::alignment(points.view(), &table, d, &run).unwrap(), &ltsa);
        assert_close("Hessian LLE", &hessian::alignment(points.view(), &table, d, &run).unwrap(), &hessian);
        let modified = modified::alignment(points.view(), &table, d, REG, &run).unwrap();
        assert_close("modified LLE", &modified, &modified_definition(&points, &table, d));
    }
}

/// Zhang and Wang: `s` the largest number of trailing directions, `k - d` at most, whose share is below the
/// median over all points of the share beyond `d`.
fn modified_definition(points: &Array2<f64>, table: &Table<f64>, d: usize) -> Mat<f64> {
    let (n, k) = (points.nrows(), table.k);
    let spectra: Vec<_> = (0..n).map(|i| left(&rows(points, table.of(i), Some(i)))).collect();
    let sum = |values: &[f64]| values.iter().map(|v| v * v).sum::<f64>();
    let ratio = |values: &[f64], s: usize| {
        let kept = (k - s).min(values.len());
        sum(&values[kept..]) / sum(&values[..kept])
    };
    let mut ratios: Vec<f64> = spectra.iter().map(|(_, values)| ratio(values, k - d)).collect();
    ratios.sort_by(f64::total_cmp);
    let eta = 0.5 * (ratios[n / 2 - 1] + ratios[n / 2]);
    let weights = weights::matrix(points.view(), table, REG, &Run::new()).unwrap();
    let mut matrix = Mat::zeros(n, n);
    for (i, (u, values)) in spectra.iter().enumerate() {
        let s = (1..=k - d).rev().find(|&s| ratio(values, s) < eta).unwrap_or(1);
        let v = u.subcols(k - s, s);
        let sums: Vec<f64> = v.col_iter().map(|c| c.iter().sum()).collect();
        let alpha = (sums.iter().map(|x| x * x).sum::<f64>() / s as f64).sqrt();
        let mut h: Vec<f64> = sums.iter().map(|x| alpha - x).collect();
        let length = h.iter().map(|x| x * x).sum::<f64>().sqrt();
        h.iter_mut().for_each(|x| *x /= length);
        let list: Vec<usize> = table.of(i).iter().map(|&j| j as usize).collect();
        let (columns, entries) = weights.row(i);
        for c in 0..s {
            // One weight vector, and -1 at the point itself.
            let mut vector = vec![0.0; n];
            vector[i] = -1.0;
            for (a, &j) in list.iter().enumerate() {
                let reflected = v[(a, c)] - 2.0 * h[c] * (0..s).map(|e| v[(a, e)] * h[e]).sum::<f64>();
                let position = columns.binary_search(&(j as u32)).unwrap();
                vector[j] += reflected + (1.0 - alpha) * entries[position];
            }
            for a in list.iter().chain([&i]) {
                for b in list.iter().chain([&i]) {
                    matrix[(*a, *b)] += vector[*a] * vector[*b];
                }
            }
        }
    }
    matrix
}

#[test]
fn left_vectors_are_accurate_for_small_singular_values_too() {
    let run = Run::new();
    for (k, width) in [(12, 3), (7, 7), (6, 40), (1, 5), (5, 1)] {
        // Columns of very different size: a Gram matrix would lose the small ones.
        let random = normal(k, width, &run);
        let scaled =
            Array2::from_shape_fn((k, width), |(i, j)| random[(i, j)] * 10f64.powi(-2 * (j as i32 % 5)));
        let mut rows: Vec<f64> = scaled.iter().copied().collect();
        let mut found = LeftVectors::default();
        found.decompose(&mut rows, k);
        let expected = left(&Mat::from_fn(k, width, |i, j| scaled[(i, j)]));
        let count = k.min(width);
        assert_eq!(found.rank, count);
        for c in 0..count {
            let (value, exact) = (found.values[c], expected.1[c]);
            assert!((value - exact).abs() < 1e-14 * expected.1[0], "{k} x {width}: {value:e} {exact:e}");
            for e in 0..count {
                let inner: f64 = found.vector(c).iter().zip(found.vector(e)).map(|(x, y)| x * y).sum();
                let unit = if c == e { 1.0 } else { 0.0 };
                assert!((inner - unit).abs() < 1e-13, "{k} x {width}: {c} {e} {inner:e}");
            }
            // Each vector takes the rows to its own singular value.
            let image = (0..width).map(|j| (0..k).map(|i| found.vector(c)[i] * scaled[(i, j)]).sum::<f64>());
            let length = image.map(|x| x * x).sum::<f64>().sqrt();
            assert!((length / value - 1.0).abs() < 1e-8, "{k} x {width}: {length:e} {value:e}");
        }
    }
    let mut found = LeftVectors::default();
    found.decompose(&mut [0.0; 12], 4);
    assert_eq!((found.rank, found.values.as_slice()), (0, [0.0; 3].as_slice()));
}
