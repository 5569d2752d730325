//! Ham, Lee, Mika and Schölkopf 2004: the kernels with which kernel PCA is Isomap, Laplacian eigenmaps or LLE, on the S-curve.

mod consistency;

use crate::draw::{self, Series};
use crate::findings::{Claim, Compared, Figure, Reading, Section, Unit};
use crate::statistics::{mean, method, pearson};
use crate::{Context, Experiment};
use lowland::neighbors::graph::Symmetrize;
use lowland::neighbors::index::{self, Choice};
use lowland::neighbors::{Graph, Metric};
use lowland::parameters::Value;
use lowland::spectral::ham;
use lowland::spectral::local::weights;
use lowland::{AnyInput, Csr, Error, Input, MatRef, Result, Run, data};
use lowland_plot::{Coloring, Spectrum};
use ndarray::{Array2, ArrayView2};
use rand::RngExt;
use std::collections::BTreeMap;

/// The neighbors of figure 1.
const NEIGHBORS: usize = 10;
/// The ridge of LLE's weights.
const RIDGE: f64 = 1e-3;
/// Eigenvalues that are shown.
const SHOWN: usize = 10;
/// Pairs whose distances are compared.
const PAIRS: usize = 4_000;

/// One of the three kernels.
#[derive(Clone, Copy)]
enum Kernel {
    Isomap,
    Laplacian,
    Lle,
}

const KERNELS: [(Kernel, &str, &str); 3] = [
    (Kernel::Isomap, "Isomap", "figure 2"),
    (Kernel::Laplacian, "Laplacian eigenmap", "figure 3"),
    (Kernel::Lle, "LLE", "figure 4"),
];

pub fn run(context: &Context<'_>) -> Result<Experiment> {
    let n = if context.quick { 300 } else { 1_350 };
    let sample = data::find("s-curve")?.sample(n, 0.0, context.run.seed())?;
    let mut sections = Vec::new();
    let mut panels = Vec::new();
    let mut drops = Vec::new();
    for (kernel, name, place) in KERNELS {
        let stage = context.run.stage(name, None);
        let key = format!("ham {place}: {n} points");
        let seen: Seen =
            context.work.remember(&key, context.run, || look(kernel, sample.points.view(), context.run))?;
        drop(stage);
        panels.push((name.to_owned(), seen.embedding.clone()));
        let (section, drop_of) = figure(context, (name, place), n, &seen)?;
        sections.push(section);
        drops.push(format!("{name}: {drop_of:.1}"));
    }
    let colors: Vec<f64> = sample.truth.column(0).to_vec();
    let words = format!("{n} points of the S-curve, {NEIGHBORS} neighbors");
    let file = draw::sheet(
        context,
        "embeddings.svg",
        ("The S-curve by three kernels", &words),
        &panels,
        Coloring::Values(&colors, "position along the curve"),
    )?;
    let unfolded: Vec<(String, f64)> =
        panels.iter().map(|(name, points)| (name.clone(), unrolled(points, &colors))).collect();
    let first = Section {
        title: "Figure 1: embeddings".into(),
        text: vec![format!("{words}. Kernel PCA of each kernel, two components.")],
        claims: vec![Claim::new(
            "figure 1",
            "all three reduce the manifold to two dimensions",
            format!(
                "the largest correlation of a coordinate with the position along the curve: {}",
                unfolded.iter().map(|(name, r)| format!("{name} {r:.3}")).collect::<Vec<_>>().join(", ")
            ),
            Some(unfolded.iter().all(|(_, r)| *r > 0.9)),
        )],
        figures: vec![Figure { file, caption: "Isomap, Laplacian eigenmap and LLE.".into() }],
        ..Section::default()
    };
    sections.insert(0, first);
    sections.push(consistency::section(context)?);
    Ok(Experiment {
        title: "A kernel view of the dimensionality reduction of manifolds, figures 1 to 5".into(),
        paper: "J. Ham, D. D. Lee, S. Mika, B. Schölkopf, A kernel view of the dimensionality reduction of manifolds, ICML \
                2004",
        summary: vec![format!(
            "The second eigenvalue over the third: {}. The paper has no numbers: its figures are set beside ours in words.",
            drops.join(", ")
        )],
        missing: Vec::new(),
        sections,
    })
}

/// What the figures of a kernel show.
#[derive(serde::Serialize, serde::Deserialize)]
struct Seen {
    eigenvalues: Vec<f64>,
    embedding: Vec<[f64; 2]>,
    /// For some pairs: the distance in the data, in the embedding, in feature space.
    pairs: Vec<[f64; 3]>,
    /// From a point on the boundary and from one in the center: its distance in feature space to all.
    contours: [Vec<f64>; 2],
    trace: f64,
}

fn look(kernel: Kernel, x: ArrayView2<'_, f64>, run: &Run) -> Result<Seen> {
    let gram = gram(kernel, x, run)?;
    let n = x.nrows();
    let pca = method("kernel-pca", &[("n_components", Value::Integer(SHOWN as i64))])?;
    let model = pca.fit(AnyInput::from(Input::Kernel(gram.view())), run)?;
    let embedding = model.embedding().map(|y| y.to_f64()).unwrap_or_default();
    let flat = draw::flat(&embedding);
    let mut rng = run.rng("pairs of a kernel");
    let pairs = (0..PAIRS)
        .map(|_| {
            let (i, j) = (rng.random_range(0..n), rng.random_range(0..n));
            let in_data = x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            let [a, b] = [0, 1].map(|c| flat[i][c] - flat[j][c]);
            [in_data, a.hypot(b), feature_distance(&gram, i, j)]
        })
        .collect();
    let middle = [0, 1].map(|c| mean(&flat.iter().map(|point| point[c]).collect::<Vec<_>>()));
    let off = |&i: &usize| (flat[i][0] - middle[0]).hypot(flat[i][1] - middle[1]);
    let center = (0..n).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(0);
    let boundary = (0..n).max_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(0);
    let contours =
        [boundary, center].map(|from| (0..n).map(|to| feature_distance(&gram, from, to)).collect());
    Ok(Seen {
        eigenvalues: model.report().eigenvalues.clone(),
        embedding: flat,
        pairs,
        contours,
        trace: gram.diag().sum(),
    })
}

fn feature_distance(gram: &Array2<f64>, i: usize, j: usize) -> f64 {
    (gram[(i, i)] + gram[(j, j)] - 2.0 * gram[(i, j)]).max(0.0).sqrt()
}

/// The centered kernel between all points.
fn gram(kernel: Kernel, x: ArrayView2<'_, f64>, run: &Run) -> Result<Array2<f64>> {
    let mut gram = match kernel {
        Kernel::Isomap => {
            let settings =
                [("n_components", Value::Integer(2)), ("n_neighbors", Value::Integer(NEIGHBORS as i64))];
            let model = method("isomap", &settings)?.fit(AnyInput::from(x), run)?;
            let spectral = model.spectral().ok_or_else(|| Error::Unsupported {
                method: "isomap".into(),
                what: "show its kernel".into(),
                remedy: "please report it".into(),
            })?;
            spectral.kernel(AnyInput::from(x), run)?
        }
        Kernel::Laplacian | Kernel::Lle => {
            let owned = x.as_standard_layout();
            let values = owned.as_slice().unwrap_or_default();
            let view = MatRef::from_row_major_slice(values, x.nrows(), x.ncols());
            let table =
                index::build(view, Metric::Euclidean, Choice::Auto, run)?.k_nearest_of_all(NEIGHBORS, run)?;
            let matrix = if matches!(kernel, Kernel::Laplacian) {
                let mut edges = Vec::new();
                for i in 0..x.nrows() {
                    edges.extend(table.row(i).0.iter().map(|&j| (i, j as usize, 1.0)));
                }
                let graph =
                    Graph::from_csr(Csr::from_entries(x.nrows(), x.nrows(), &edges)?, Symmetrize::Either)?;
                ham::laplacian(&graph)?
            } else {
                penalty(&weights::matrix(x, &table, RIDGE, run)?)?
            };
            ham::pseudo_inverse(&matrix, run)?
        }
    };
    center(&mut gram);
    Ok(gram)
}

/// `(I - W)'(I - W)`.
fn penalty(weights: &Csr<f64>) -> Result<Csr<f64>> {
    let n = weights.nrows();
    let mut sums: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for i in 0..n {
        let (columns, values) = weights.row(i);
        let mut row: Vec<(usize, f64)> = columns.iter().zip(values).map(|(&j, w)| (j as usize, -w)).collect();
        row.push((i, 1.0));
        for &(a, u) in &row {
            for &(b, v) in &row {
                *sums.entry((a, b)).or_insert(0.0) += u * v;
            }
        }
    }
    let entries: Vec<(usize, usize, f64)> = sums.into_iter().map(|((a, b), v)| (a, b, v)).collect();
    Csr::from_entries(n, n, &entries)
}

/// Subtracts the means of rows and columns (Ham eq. 7).
fn center(gram: &mut Array2<f64>) {
    let n = gram.nrows().max(1) as f64;
    let rows: Vec<f64> = gram.rows().into_iter().map(|row| row.sum() / n).collect();
    let all = mean(&rows);
    let symmetric = Array2::from_shape_fn(gram.dim(), |(i, j)| {
        0.5 * (gram[(i, j)] + gram[(j, i)]) - rows[i] - rows[j] + all
    });
    *gram = symmetric;
}

/// The largest correlation of a coordinate with the position along the curve.
fn unrolled(points: &[[f64; 2]], along: &[f64]) -> f64 {
    let column = |c: usize| points.iter().map(|point| point[c]).collect::<Vec<f64>>();
    [0, 1].map(|c| pearson(&column(c), along).abs()).into_iter().fold(0.0, f64::max)
}

/// The section of a kernel, and its second eigenvalue over the third.
fn figure(
    context: &Context<'_>,
    (name, place): (&str, &str),
    n: usize,
    seen: &Seen,
) -> Result<(Section, f64)> {
    let file = |what: &str| format!("{}-{what}.svg", name.to_lowercase().replace(' ', "-"));
    let title = format!("The spectrum of {name}'s kernel");
    let subtitle = format!("S-curve, {n} points");
    let spectrum = Spectrum {
        eigenvalues: &seen.eigenvalues[..seen.eigenvalues.len().min(2)],
        further: seen.eigenvalues.get(2..).unwrap_or_default(),
        norm: seen.trace,
        share: None,
        residual_variance: &[],
        style: draw::style((&title, &subtitle)),
    };
    let mut section = Section {
        title: format!("{}{}: the kernel of {name}", place[..1].to_uppercase(), &place[1..]),
        text: vec![
            "The correlation of distances between embedded points with those in input space and in feature space. That distances in \
             feature space depend on those in input space 'more simply' where they are small is judged by the correlation within \
             tenths of the pairs; a rule before this one, which could hardly fail, was replaced after its result had been seen."
                .into(),
        ],
        ..Section::default()
    };
    let spectrum = draw::keep(context, &file("spectrum"), &lowland_plot::spectrum(&spectrum))?;
    section.figures.push(Figure { file: spectrum, caption: format!("{title} (A).") });
    let logs: Vec<[f64; 2]> = seen
        .eigenvalues
        .iter()
        .enumerate()
        .map(|(i, value)| [i as f64 + 1.0, value.max(f64::MIN_POSITIVE).log10()])
        .collect();
    let series = [Series { name: name.into(), points: logs, ..Series::default() }];
    let logs = draw::curves(
        context,
        &file("log-spectrum"),
        (&title, "on a logarithmic scale"),
        ("component", "log10 of the eigenvalue"),
        &series,
        None,
    )?;
    section.figures.push(Figure { file: logs, caption: "The same on a logarithmic scale (B).".into() });
    for (from, words, letters) in [(0, "input space", ["C", "D"]), (2, "feature space", ["E", "F"])] {
        let mut order: Vec<&[f64; 3]> = seen.pairs.iter().collect();
        order.sort_by(|a, b| a[from].total_cmp(&b[from]));
        let near = &order[..order.len() / 10];
        for (pairs, scale, letter) in
            [(&order[..], "all pairs", letters[0]), (near, "the nearest tenth", letters[1])]
        {
            let both = [from, 1].map(|c| pairs.iter().map(|pair| pair[c]).collect::<Vec<f64>>());
            let matrix = Array2::from_shape_fn((pairs.len(), 2), |(i, j)| both[j][i]);
            let (heading, across) = (format!("Distances of {name}"), format!("distance in {words}"));
            let subtitle = format!("in the embedding over those in {words}, {scale}");
            // The line of a Shepard diagram is the equality of both only where they have one scale; here it follows the dots.
            let plot = lowland_plot::Scatter {
                coordinates: matrix.view(),
                coloring: Coloring::Plain,
                edges: &[],
                images: None,
                axes: Some([across.as_str(), "distance in the embedding"]),
                style: draw::style((&heading, &subtitle)),
            };
            let what = format!("distances-{}-{}", words, scale).replace(' ', "-");
            let file = draw::keep(context, &file(&what), &lowland_plot::scatter(&plot))?;
            section.figures.push(Figure { file, caption: format!("{heading}, {subtitle} ({letter}).") });
            let value = pearson(&both[0], &both[1]);
            let reading = Reading {
                name: "correlation".into(),
                value,
                low: value,
                high: value,
                seeds: 1,
                setting: format!("{} pairs", pairs.len()),
            };
            let cell = (words, scale, "correlation with the distance in the embedding");
            section.cells.push(Compared::new(cell, Unit::Score, None, 0.0, vec![reading], false));
        }
    }
    for (distances, from, letter) in [
        (&seen.contours[0], "a point on the boundary", "G"),
        (&seen.contours[1], "a point in the center", "H"),
    ] {
        let matrix = Array2::from_shape_fn((seen.embedding.len(), 2), |(i, c)| seen.embedding[i][c]);
        let (heading, subtitle) =
            (format!("The embedding of {name}"), format!("distance in feature space from {from}"));
        let plot = lowland_plot::Scatter {
            coordinates: matrix.view(),
            coloring: Coloring::Values(distances, "distance"),
            edges: &[],
            images: None,
            axes: None,
            style: draw::style((&heading, &subtitle)),
        };
        let what = format!("contours-{}", letter.to_lowercase());
        let file = draw::keep(context, &file(&what), &lowland_plot::scatter(&plot))?;
        section
            .figures
            .push(Figure { file, caption: format!("{heading}, colored by the {subtitle} ({letter}).") });
    }
    let value = |i: usize| seen.eigenvalues.get(i).copied().unwrap_or(f64::NAN);
    let drop_of = value(1) / value(2);
    if name == "Isomap" {
        section.claims.push(Claim::new(
            place,
            "the slope of the spectrum changes between the second and the third eigenvalue",
            format!(
                "the second is {drop_of:.1} times the third, and the third {:.1} times the fourth",
                value(2) / value(3)
            ),
            Some(drop_of > 2.0 * value(2) / value(3)),
        ));
        let column = |c: usize| seen.pairs.iter().map(|pair| pair[c]).collect::<Vec<f64>>();
        let linear = pearson(&column(2), &column(1));
        section.claims.push(Claim::new(
            place,
            "distances in the embedding are linear in those of feature space",
            format!("their correlation is {linear:.4}"),
            Some(linear > 0.98),
        ));
    }
    let (all, near, others) = directness(&seen.pairs);
    section.claims.push(Claim::new(
        "section 6",
        &format!(
            "{name}: the distance in feature space does not depend simply on that in input space; it does so more at small distances"
        ),
        format!(
            "the correlation of both distances is {all:.2} over all pairs, {near:.2} within the nearest tenth of them, and \
             {others:.2} within the other tenths, on average"
        ),
        Some(all < SIMPLE && near > others + MORE),
    ));
    Ok((section, drop_of))
}

/// Distances of a higher correlation than this depend on each other simply.
const SIMPLE: f64 = 0.95;
/// By how much a correlation must be higher to be called so.
const MORE: f64 = 0.1;
const TENTHS: usize = 10;

/// The correlation of distances in input and in feature space: over all pairs, within the tenth of the pairs that are nearest in
/// input space, and within the other tenths, on average.
fn directness(pairs: &[[f64; 3]]) -> (f64, f64, f64) {
    let mut order = pairs.to_vec();
    order.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let correlation = |pairs: &[[f64; 3]]| {
        let column = |c: usize| pairs.iter().map(|pair| pair[c]).collect::<Vec<f64>>();
        pearson(&column(0), &column(2))
    };
    let tenths: Vec<f64> = order.chunks(order.len().div_ceil(TENTHS).max(1)).map(correlation).collect();
    (correlation(&order), tenths.first().copied().unwrap_or(0.0), mean(tenths.get(1..).unwrap_or_default()))
}
