//! What the methods make of the engine: inputs of every kind, starts, labels, densities.

use crate::layout::training::TrainingRows;
use crate::methods::{NegativeGradient, Pacmap, Tsne, Umap};
use crate::{AnyMatrix, Csr, Error, Input, Method, Model, Run};
use lowland_neighbors::{Metric, index};
use ndarray::{Array2, ArrayView2, Axis, s};

/// Three clusters of a different width each, in `d` dimensions; a row's cluster is its number modulo 3.
pub(super) fn clusters(n: usize, d: usize) -> Array2<f64> {
    let wave = |i: usize, j: usize| ((i * (2 * j + 3)) as f64 * 0.754_877 + j as f64).sin();
    Array2::from_shape_fn((n, d), |(i, j)| {
        let center = if j % 3 == i % 3 { 12.0 } else { 0.0 };
        center + wave(i, j) * [0.3, 1.0, 3.0][i % 3]
    })
}

fn values(matrix: &AnyMatrix) -> Array2<f64> {
    matrix.to_f64()
}

pub(super) fn embedding(model: &dyn Model) -> Array2<f64> {
    values(model.embedding().unwrap())
}

/// The share of rows whose nearest other row in the layout is of another cluster.
fn astray(y: ArrayView2<'_, f64>) -> f64 {
    let apart = |i: usize, j: usize| (&y.row(i) - &y.row(j)).mapv(|x| x * x).sum();
    let n = y.nrows();
    let wrong = (0..n).filter(|&i| {
        let others = (0..n).filter(|&j| j != i);
        others.min_by(|&a, &b| apart(i, a).total_cmp(&apart(i, b))).is_none_or(|j| j % 3 != i % 3)
    });
    wrong.count() as f64 / n as f64
}

fn sparse(x: &Array2<f64>) -> Csr<f64> {
    let entries: Vec<(usize, usize, f64)> =
        x.indexed_iter().filter(|(_, v)| **v != 0.0).map(|((i, j), v)| (i, j, *v)).collect();
    Csr::from_entries(x.nrows(), x.ncols(), &entries).unwrap()
}

/// The `k` nearest of every row with their distances, one way only.
fn lists(x: &Array2<f64>, k: usize) -> Csr<f64> {
    let run = Run::new();
    let view = crate::matrix::faer_view(x.view());
    let table = index::build(view, Metric::Euclidean, index::Choice::Brute, &run)
        .and_then(|index| index.k_nearest_of_all(k, &run))
        .unwrap();
    let entries: Vec<(usize, usize, f64)> = (0..x.nrows())
        .flat_map(|i| {
            let (near, distances) = table.row(i);
            near.iter().zip(distances).map(move |(&j, &d)| (i, j as usize, d)).collect::<Vec<_>>()
        })
        .collect();
    Csr::from_entries(x.nrows(), x.nrows(), &entries).unwrap()
}

pub(super) fn tsne() -> Tsne {
    Tsne { perplexity: Some(8.0), max_iter: 300, early_exaggeration_iter: 100, ..Tsne::default() }
}

pub(super) fn umap() -> Umap {
    Umap { n_neighbors: Some(12), n_epochs: Some(150), ..Umap::default() }
}

pub(super) fn pacmap() -> Pacmap {
    Pacmap { first_iter: 40, second_iter: 40, third_iter: 80, ..Pacmap::default() }
}

#[test]
fn a_perplexity_of_half_the_rows_does_not_collapse() {
    let x = clusters(100, 5);
    let model = Tsne { perplexity: Some(50.0), ..Tsne::default() }.fit_model(&x, &Run::new()).unwrap();
    let y = embedding(&model);
    assert!(y.iter().any(|value| value.abs() > 0.1), "{:?}", y.row(0));
    assert!(astray(y.view()) < 0.1, "{}", astray(y.view()));
}

#[test]
fn sparse_rows_and_neighbor_lists_are_laid_out_as_points_are() {
    let mut x = clusters(120, 9);
    // Zeros that a sparse row leaves out.
    x.mapv_inplace(|v| if v.abs() < 0.2 { 0.0 } else { v });
    let (rows, run) = (sparse(&x), Run::new());
    let new = x.slice(s![..30, ..]).mapv(|v| 1.01 * v);
    let new_rows = sparse(&new);
    for method in [&tsne() as &dyn Method, &umap(), &pacmap()] {
        let name = method.entry().name;
        let dense = method.fit((&x).into(), &run).unwrap();
        let model = method.fit(Input::Sparse(&rows).into(), &run).unwrap();
        assert!(astray(embedding(&*model).view()) < 0.03, "{name}");
        assert!(astray(embedding(&*dense).view()) < 0.03, "{name}");
        assert_eq!(values(&model.transform(Input::Sparse(&rows).into(), &run).unwrap()), embedding(&*model));
        let placed = values(&model.transform(Input::Sparse(&new_rows).into(), &run).unwrap());
        assert_eq!(values(&model.transform((&new).into(), &run).unwrap()), placed, "{name}");
        // A saved model does the same.
        let loaded = crate::load_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(
            values(&loaded.transform(Input::Sparse(&new_rows).into(), &run).unwrap()),
            placed,
            "{name}"
        );
    }
    let graph = lists(&x, 24);
    for method in [&tsne() as &dyn Method, &umap()] {
        let model = method.fit(Input::Graph(&graph).into(), &run).unwrap();
        assert!(astray(embedding(&*model).view()) < 0.03, "{}", method.entry().name);
        let name = method.entry().name;
        // The rows of the fit, sparse and dense, before and after loading.
        let dense = Array2::from_shape_fn((120, 120), |(i, j)| {
            let (columns, lengths) = graph.row(i);
            columns.binary_search(&(j as u32)).map_or(0.0, |at| lengths[at])
        });
        let loaded = crate::load_bytes(&model.to_bytes().unwrap()).unwrap();
        for model in [&model, &loaded] {
            let placed = model.transform(Input::Graph(&graph).into(), &run).unwrap();
            assert_eq!(values(&placed), embedding(&**model), "{name}");
            assert_eq!(model.transform((&dense).into(), &run).unwrap(), placed, "{name}");
        }
        // New rows have neighbors of their own number, whatever the others of their batch have.
        let cut = |i: usize, most: usize| -> Vec<(usize, usize, f64)> {
            let (columns, lengths) = graph.row(i);
            columns.iter().zip(lengths).take(most).map(|(&j, &d)| (0, j as usize, 1.01 * d)).collect()
        };
        let (one, two) = (cut(3, 20), cut(7, 5));
        let both: Vec<_> = one.iter().copied().chain(two.iter().map(|&(_, j, d)| (1, j, d))).collect();
        let rows = |entries: &[(usize, usize, f64)], count| Csr::from_entries(count, 120, entries).unwrap();
        let placed = |rows: &Csr<f64>| values(&model.transform(Input::Graph(rows).into(), &run).unwrap());
        let (together, alone) = (placed(&rows(&both, 2)), placed(&rows(&one, 1)));
        assert_eq!(together.row(0), alone.row(0), "{name}");
        assert_eq!(together.row(1), placed(&rows(&two, 1)).row(0), "{name}");
        let none = model.transform(Input::Graph(&rows(&one, 2)).into(), &run).unwrap_err().to_string();
        assert!(none.starts_with("row 1 of the neighbor graph has no neighbors"), "{none}");
    }
    assert!(matches!(pacmap().fit(Input::Graph(&graph).into(), &run), Err(Error::Unsupported { .. })));
    // The lists of all three clusters fall apart: that is no obstacle. A row without neighbors is.
    let broken = Csr::from_entries(4, 4, &[(0, 1, 1.0), (1, 0, 1.0), (2, 0, 1.0)]).unwrap();
    let refused = Umap::default().fit(Input::Graph(&broken).into(), &run).err().unwrap().to_string();
    assert!(refused.contains("row 3 of the neighbor graph has no neighbors"), "{refused}");
    let edges = [(0, 1, -1.0), (1, 0, 1.0), (2, 0, 1.0), (3, 0, 1.0)];
    let negative = Csr::from_entries(4, 4, &edges).unwrap();
    assert!(matches!(
        Umap::default().fit(Input::Graph(&negative).into(), &run),
        Err(Error::NotADistance { .. })
    ));
}

#[test]
fn a_layout_goes_on_from_given_coordinates() {
    let (x, run) = (clusters(90, 5), Run::new());
    let half = Tsne { max_iter: 250, ..tsne() };
    let first = half.fit_model(&x, &run).unwrap();
    let rest = Tsne { max_iter: 150, early_exaggeration_iter: 0, ..tsne() };
    let on = rest.fit_from((&x).into(), None, embedding(&first).view(), &run).unwrap();
    let whole = Tsne { max_iter: 400, ..tsne() }.fit_model(&x, &run).unwrap();
    let loss = |model: &dyn Model| model.report().objective[0].value;
    assert!(loss(&*on) < first.loss() && (loss(&*on) - whole.loss()).abs() < 0.05 * whole.loss());
    for method in [&tsne() as &dyn Method, &umap(), &pacmap()] {
        let start = Array2::from_shape_fn((90, 2), |(i, c)| ((i * 7 + c * 3) % 11) as f64);
        let run = Run::new();
        let model = method.fit_from((&x).into(), None, start.view(), &run).unwrap();
        assert!(embedding(&*model).iter().all(|value| value.is_finite()), "{}", method.entry().name);
        let order: Vec<usize> = (0..90).rev().collect();
        let (turned, start_turned) = (x.select(Axis(0), &order), start.select(Axis(0), &order));
        let other = method.fit_from((&turned).into(), None, start_turned.view(), &run).unwrap();
        assert_eq!(embedding(&*other), embedding(&*model).select(Axis(0), &order), "{}", method.entry().name);
        let refused = method.fit_from((&x).into(), None, start.slice(s![..80, ..]), &run).err();
        assert!(refused.unwrap().to_string().contains("80 x 2"));
        let mut broken = start.clone();
        broken[(3, 1)] = f64::NAN;
        assert!(matches!(
            method.fit_from((&x).into(), None, broken.view(), &run),
            Err(Error::NotFinite { row: 3, column: 1, .. })
        ));
    }
    let pca = crate::methods::Pca::default();
    let refused = Method::fit_from(&pca, (&x).into(), None, x.slice(s![.., ..2]), &run).err().unwrap();
    assert!(refused.to_string().contains("t-sne"), "{refused}");
}

#[test]
fn every_start_finds_the_clusters() {
    use crate::methods::LayoutInit;
    let (x, run) = (clusters(120, 6), Run::new());
    for init in [LayoutInit::Auto, LayoutInit::Pca, LayoutInit::Spectral, LayoutInit::Random] {
        let model = Tsne { init, ..tsne() }.fit_model(&x, &run).unwrap();
        assert!(astray(embedding(&model).view()) < 0.03, "{init:?}");
        let model = Umap { init, ..umap() }.fit_model(&x, &run).unwrap();
        assert!(astray(embedding(&model).view()) < 0.03, "{init:?}");
        let model = Pacmap { init, ..pacmap() }.fit_model(&x, &run).unwrap();
        assert!(astray(embedding(&model).view()) < 0.03, "{init:?}");
    }
}

/// Rows of 150 columns, reduced or not; those of 100 and fewer are not, whatever is asked for.
#[test]
fn pairs_of_wide_rows_are_looked_for_among_their_principal_components() {
    let run = Run::new();
    let mut x = clusters(120, 150);
    let copy = x.row(3).to_owned();
    x.row_mut(63).assign(&copy);
    for apply_pca in [false, true] {
        let model = Pacmap { apply_pca, ..pacmap() }.fit_model(&x, &run).unwrap();
        let y = embedding(&model);
        assert!(astray(y.view()) < 0.03, "{apply_pca}");
        assert_eq!(y.row(3), y.row(63), "{apply_pca}: equal rows");
        let placed = values(&model.transform((&x).into(), &run).unwrap());
        assert!(astray(placed.view()) < 0.03, "{apply_pca}: new rows");
    }
    let fits = |x: &Array2<f64>| {
        [false, true]
            .map(|apply_pca| embedding(&Pacmap { apply_pca, ..pacmap() }.fit_model(x, &run).unwrap()))
    };
    let [all, reduced] = fits(&x);
    assert_ne!(all, reduced);
    let [all, not_reduced] = fits(&x.slice(s![.., ..100]).to_owned());
    assert_eq!(all, not_reduced);
}

#[test]
fn approximate_neighbors_are_nearly_all_of_them_and_few_columns_have_exact_ones() {
    let run = Run::new();
    for (columns, least) in [(40, 0.95), (5, 1.0)] {
        let x = clusters(3000, columns);
        let rows = TrainingRows::of((&x).into(), Metric::Euclidean, &run).unwrap();
        let of = |large: f64| rows.neighbors_of_all(Metric::Euclidean, 15, large, &run).unwrap();
        let (near, exact) = (of(0.0), of(f64::INFINITY));
        let kept = |i: usize| near.row(i).0.iter().filter(|j| exact.row(i).0.contains(j)).count();
        let recall = (0..3000).map(kept).sum::<usize>() as f64 / 45_000.0;
        assert!(recall >= least, "{columns} columns: {recall}");
    }
}

#[test]
fn labels_part_what_the_data_do_not() {
    // One cloud; labels that have nothing to do with it.
    let x = Array2::from_shape_fn((150, 4), |(i, j)| ((i * (j + 2)) as f64 * 1.3).sin());
    let run = Run::new();
    let labels: Vec<i64> = (0..150).map(|i| if i % 10 == 9 { -1 } else { i % 3 }).collect();
    let plain = umap().fit_model_labeled(&x, &labels, &run).unwrap();
    assert_eq!(embedding(&plain), embedding(&umap().fit_model(&x, &run).unwrap()), "not asked to learn");
    let learned = Umap { target_weight: Some(0.9), ..umap() };
    let known: Vec<usize> = (0..150).filter(|i| i % 10 != 9 && i % 30 < 27).collect();
    let wrong = |model: &dyn Model| {
        let y = embedding(model);
        let apart = |i: usize, j: usize| (&y.row(i) - &y.row(j)).mapv(|x| x * x).sum();
        let strangers = known.iter().filter(|&&i| {
            let others = known.iter().copied().filter(|&j| j != i);
            others
                .min_by(|&a, &b| apart(i, a).total_cmp(&apart(i, b)))
                .is_some_and(|j| labels[j] != labels[i])
        });
        strangers.count() as f64 / known.len() as f64
    };
    let model = learned.fit_model_labeled(&x, &labels, &run).unwrap();
    assert!(wrong(&model) < 0.5 && wrong(&plain) > 0.6, "{} {}", wrong(&model), wrong(&plain));
    // All known, and nothing else counts.
    let all: Vec<i64> = (0..150).map(|i| i % 3).collect();
    let alone = Umap { target_weight: Some(1.0), ..umap() }.fit_model_labeled(&x, &all, &run).unwrap();
    assert!(astray(embedding(&alone).view()) < 0.1, "{}", astray(embedding(&alone).view()));
    // It is the parameter that needs them, and not the method.
    for weight in [0.5, 0.0] {
        let learned = Umap { target_weight: Some(weight), ..umap() };
        let refused = learned.fit_model(&x, &run).err().unwrap().to_string();
        let expected = format!(
            "target_weight = {weight:?} needs one label a row, and 0 are given; give labels, or leave target_weight at auto"
        );
        assert_eq!(refused, expected);
        let planned = crate::plan::plan(&learned, (&x).into(), None, &run).unwrap_err().to_string();
        assert_eq!(planned, expected);
    }
}

#[test]
fn densities_show_where_they_count() {
    let (x, run) = (clusters(180, 6), Run::new());
    // The spread of each cluster in the layout, and how it follows that in the data.
    let spread = |y: &Array2<f64>, cluster: usize| {
        let rows: Vec<usize> = (cluster..180).step_by(3).collect();
        let part = y.select(Axis(0), &rows);
        let mean = part.mean_axis(Axis(0)).unwrap();
        (&part - &mean).mapv(|v| v * v).sum().sqrt()
    };
    let ratio = |y: &Array2<f64>| spread(y, 2) / spread(y, 0);
    let plain = embedding(&umap().fit_model(&x, &run).unwrap());
    let dense = embedding(&Umap { dens_lambda: 2.0, ..umap() }.fit_model(&x, &run).unwrap());
    assert!(ratio(&dense) > 1.5 * ratio(&plain), "{} {}", ratio(&dense), ratio(&plain));
    assert!(astray(dense.view()) < 0.03);
}

#[test]
fn umap_leads_back_to_the_data() {
    let (x, run) = (clusters(150, 5), Run::new());
    let model = umap().fit_model(&x, &run).unwrap();
    let y = embedding(&model);
    let back = values(&model.inverse((&y).into(), &run).unwrap());
    assert!(back.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-9));
    // Half way between two neighbors of a cluster is a point of that cluster.
    let between = Array2::from_shape_fn((50, 2), |(i, c)| 0.5 * (y[(3 * i, c)] + y[(3 * ((i + 1) % 50), c)]));
    let found = values(&model.inverse((&between).into(), &run).unwrap());
    for row in found.rows() {
        assert!(row[0] > 9.0 && row[1] < 3.0 && row[2] < 3.0, "{row}");
    }
}

#[test]
fn rows_in_one_place_have_one_image_and_the_divergence_is_theirs() {
    let x = Array2::from_shape_fn((60, 3), |(i, j)| (((i % 20) * (j + 2)) % 13) as f64 + (i % 20) as f64);
    let run = Run::new();
    let model = tsne().fit_model(&x, &run).unwrap();
    let y = embedding(&model);
    for i in 20..60 {
        assert_eq!(y.row(i), y.row(i % 20));
    }
    assert!(model.loss().is_finite() && model.loss() >= 0.0);
    assert_eq!(values(&model.transform((&x).into(), &run).unwrap()), y);
}

#[test]
fn what_cannot_be_computed_is_refused_by_name() {
    let x = Array2::from_shape_fn((30, 5), |(i, j)| ((i * 7 + j * 3) % 11) as f64);
    let refused = |tsne: Tsne| match tsne.fit_model(&x, &Run::new()) {
        Err(Error::Parameter { name, .. }) => name,
        other => format!("{:?}", other.map(|model| model.loss())),
    };
    assert_eq!(refused(Tsne { perplexity: Some(30.0), ..Tsne::default() }), "perplexity");
    assert_eq!(refused(Tsne { n_neighbors: Some(30), ..Tsne::default() }), "n_neighbors");
    let four = Tsne { n_components: 4, ..Tsne::default() };
    let method = NegativeGradient::BarnesHut;
    assert_eq!(
        refused(Tsne { negative_gradient_method: method, ..four.clone() }),
        "negative_gradient_method"
    );
    assert_eq!(refused(Tsne { n_components: 30, ..four }), "n_components");
}

#[test]
fn tiny_and_hostile_tables_give_a_layout_or_a_named_error() {
    let run = Run::new();
    for method in
        [&Tsne { max_iter: 50, ..Tsne::default() } as &dyn Method, &umap(), &pacmap(), &Umap::default()]
    {
        for n in [1, 2, 3, 4, 7] {
            for x in [
                Array2::from_shape_fn((n, 3), |(i, j)| ((i * 5 + j * 3) % 7) as f64),
                Array2::from_elem((n, 3), 2.5),
                Array2::from_shape_fn((n, 3), |(i, j)| 1e8 + ((i * 5 + j * 3) % 7) as f64),
            ] {
                match method.fit((&x).into(), &run) {
                    Ok(model) => assert!(embedding(&*model).iter().all(|value| value.is_finite())),
                    Err(Error::Parameter { .. } | Error::TooFewRows { .. } | Error::Constant { .. }) => {}
                    Err(other) => panic!("{} of {n}: {other}", method.entry().name),
                }
            }
        }
    }
}
