use super::*;
use lowland_neighbors::{Metric, index};

fn perplexity(row: &[f64]) -> f64 {
    (-row.iter().filter(|&&p| p > 0.0).map(|p| p * p.ln()).sum::<f64>()).exp()
}

fn distances(k: usize, seed: usize) -> Vec<f64> {
    (0..k).map(|j| 1.0 + ((j * 37 + seed * 11) % 101) as f64 / 17.0).collect()
}

#[test]
fn every_row_has_the_perplexity_asked_for() {
    for (offset, scale) in [(0.0, 1.0), (1e8, 1.0), (0.0, 1e-160), (0.0, 1e150)] {
        for wanted in [1.5, 5.0, 30.0, 89.9] {
            for seed in 0..20 {
                let row: Vec<f64> = distances(90, seed).iter().map(|d| (d + offset) * scale).collect();
                let row = conditional_row(&row, wanted);
                let found = perplexity(&row);
                assert!((found / wanted - 1.0).abs() < 1e-5, "{offset} {scale}: {found}, not {wanted}");
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn ties_and_zeros_share() {
    assert_eq!(conditional_row(&[2.0; 4], 2.0), [0.25; 4]);
    assert_eq!(conditional_row(&[0.0; 4], 3.0), [0.25; 4]);
    assert_eq!(conditional_row(&[0.0, 0.0, 0.0, 1.0], 2.0), [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.0]);
    assert_eq!(conditional_row(&[1.0], 1.0), [1.0]);
    assert_eq!(conditional_row::<f64>(&[], 1.0), [0.0; 0]);
}

/// Points on a circle, three neighbors each.
fn ring(n: usize) -> Table<f64> {
    let mut table = Table { k: 3, indices: Vec::new(), distances: Vec::new() };
    for i in 0..n {
        table.indices.extend([((i + 1) % n) as u32, ((i + n - 1) % n) as u32, ((i + 2) % n) as u32]);
        table.distances.extend([1.0, 1.0, 2.0 + (i % 3) as f64]);
    }
    table
}

#[test]
fn joint_affinities_are_symmetric_with_sum_one() {
    let run = Run::new();
    let several = Affinity::Perplexity(vec![1.5, 2.5]);
    for affinity in [Affinity::Perplexity(vec![2.5]), several, Affinity::Uniform] {
        let joint = affinity.joint(&ring(50), &run).unwrap();
        assert!(joint.is_symmetric());
        assert!((joint.values().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
    let uniform = Affinity::Uniform.joint(&ring(50), &run).unwrap();
    assert!(uniform.values().iter().all(|&p| p == uniform.values()[0]) && uniform.nnz() == 200);
}

#[test]
fn several_perplexities_are_the_mean_of_each() {
    let near = distances(20, 3);
    let both = Affinity::Perplexity(vec![3.0, 9.0]).row(&near);
    let (a, b) = (conditional_row(&near, 3.0), conditional_row(&near, 9.0));
    assert!(both.iter().zip(a.iter().zip(&b)).all(|(m, (a, b))| (m - 0.5 * (a + b)).abs() < 1e-15));
}

#[test]
fn perplexities_that_no_neighbors_give_are_refused() {
    for wrong in [vec![], vec![0.5], vec![f64::NAN], vec![4.0]] {
        assert!(Affinity::Perplexity(wrong).joint(&ring(20), &Run::new()).is_err());
    }
}

#[test]
fn a_fuzzy_point_has_the_logarithm_of_its_neighbors() {
    let fuzzy = Fuzzy::default();
    for seed in 0..20 {
        let mut near = distances(14, seed);
        near.sort_by(f64::total_cmp);
        let membership = fuzzy.membership(&near, 1.0);
        assert_eq!(membership.nearest, near[0]);
        let sum: f64 = near.iter().map(|&d| membership.at(d)).sum();
        assert!((sum - 15f64.log2()).abs() < 1e-5);
    }
    let between = Fuzzy { local_connectivity: 1.5, ..fuzzy };
    assert_eq!(between.membership(&[0.0, 1.0, 2.0, 3.0], 1.0).nearest, 1.5);
    assert_eq!(fuzzy.membership(&[0.0; 4], 2.0).nearest, 0.0);
    assert!(fuzzy.membership(&[0.0; 4], 2.0).width >= 2e-3);
}

#[test]
fn the_fuzzy_graph_is_a_union_or_an_intersection() {
    let run = Run::new();
    let union = Fuzzy::default().graph(&ring(30), &run).unwrap();
    let intersection = Fuzzy { set_op_mix_ratio: 0.0, ..Fuzzy::default() }.graph(&ring(30), &run).unwrap();
    assert!(union.is_symmetric() && intersection.is_symmetric());
    assert!(union.values().iter().zip(intersection.values()).all(|(u, i)| u >= i && *u <= 1.0 && *i >= 0.0));
    assert!(Fuzzy { set_op_mix_ratio: 2.0, ..Fuzzy::default() }.graph(&ring(30), &run).is_err());
}

/// The points of `benches/make_reference.py`, and the neighbors of each.
fn reference_points(k: usize) -> Table<f64> {
    let (n, d) = (40, 5);
    let mut x = faer::Mat::from_fn(n, d, |i, j| (d - j) as f64 * ((7 * i * (j + 1) + 3 * j) as f64).sin());
    (0..d).for_each(|j| x[(n - 1, j)] = x[(n - 2, j)]);
    let run = Run::new();
    index::build(x.as_ref(), Metric::Euclidean, index::Choice::Brute, &run)
        .and_then(|index| index.k_nearest_of_all(k, &run))
        .unwrap()
}

/// The largest difference from the entries of a reference; entries that either lacks are zero there.
fn apart(found: &Csr<f64>, reference: &str) -> f64 {
    let entries: Vec<(usize, usize, f64)> = serde_json::from_str(reference).unwrap();
    let mut wanted = faer::Mat::<f64>::zeros(found.nrows(), found.ncols());
    entries.iter().for_each(|&(i, j, value)| wanted[(i, j)] = value);
    for i in 0..found.nrows() {
        let (columns, values) = found.row(i);
        columns.iter().zip(values).for_each(|(&j, value)| wanted[(i, j as usize)] -= value);
    }
    (0..wanted.ncols()).flat_map(|j| wanted.col(j).iter()).fold(0.0, |most: f64, gap| most.max(gap.abs()))
}

#[test]
fn affinities_are_those_of_open_tsne() {
    let run = Run::new();
    for (perplexities, k, reference) in [
        (vec![5.0], 15, include_str!("reference/perplexity.json")),
        (vec![3.0, 9.0], 27, include_str!("reference/multiscale.json")),
    ] {
        let joint = Affinity::Perplexity(perplexities).joint(&reference_points(k), &run).unwrap();
        let gap = apart(&joint, reference);
        assert!(gap < 1e-8, "{k} neighbors: {gap:e}");
    }
}

#[test]
fn the_fuzzy_graph_is_that_of_umap_learn() {
    let run = Run::new();
    let mixed = Fuzzy { local_connectivity: 1.5, set_op_mix_ratio: 0.25 };
    for (fuzzy, reference) in [
        (Fuzzy::default(), include_str!("reference/fuzzy.json")),
        (mixed, include_str!("reference/fuzzy_mixed.json")),
    ] {
        let graph = fuzzy.graph(&reference_points(7), &run).unwrap();
        let gap = apart(&graph, reference);
        assert!(gap < 1e-6, "{fuzzy:?}: {gap:e}");
    }
    let labels: Vec<i64> = (0..40).map(|i| if i % 7 == 0 { -1 } else { i % 3 }).collect();
    let graph = Fuzzy::default().graph(&reference_points(7), &run).unwrap();
    let learned = supervised::with_labels(&graph, &labels, 0.5, &run).unwrap();
    let gap = apart(&learned, include_str!("reference/supervised.json"));
    assert!(gap < 1e-6, "supervised: {gap:e}");
}
