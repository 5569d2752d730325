//! From the eigenvectors of a graph to clusters: thresholds, k-means, discretization, and the number of clusters
//! (Burges 2.5.2, Bengio 2.3).

use crate::choices;
use crate::kmeans::{Effort, kmeans, refine};
use crate::model::Archive;
use faer::Mat;
use lowland_base::{Csr, Error, Result, Run};
use lowland_linalg::svd;
use ndarray::{Array2, ArrayView2, Axis};
use rand::RngExt;
use rand::seq::index::sample;

choices! {
    /// How points of the embedding become clusters.
    pub enum Assignment {
        /// k-means on rows of unit length (Ng, Jordan and Weiss 2002).
        KMeans = "k-means" | "kmeans",
        /// The rotation that brings rows of unit length nearest to the axes (Yu and Shi 2003).
        Discretize = "discretize" | "discretise",
        /// The threshold on the second vector with the least normalized cut (Shi and Malik 2000): two clusters.
        NormalizedCut = "normalized-cut" | "normalised-cut" | "ncut",
    }
}

/// A rule that assigns a row of the embedding to a cluster: the largest of some affine functions of it. A nearest
/// center, the nearest axis of a rotation and a threshold are all of this form.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Assigner {
    /// Whether rows are scaled to unit length first.
    pub unit: bool,
    /// Components x clusters.
    pub matrix: Array2<f64>,
    /// One a cluster.
    pub offset: Vec<f64>,
}

impl Assigner {
    /// The cluster of each row; ties go to the lower number.
    pub fn assign(&self, rows: &Array2<f64>) -> Vec<u32> {
        let best = |row: ndarray::ArrayView1<'_, f64>| {
            let length = if self.unit { row.iter().map(|x| x * x).sum::<f64>().sqrt() } else { 1.0 };
            let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
            let mut best = (f64::NEG_INFINITY, 0);
            for (c, (column, offset)) in self.matrix.columns().into_iter().zip(&self.offset).enumerate() {
                let score = offset + scale * row.iter().zip(column).map(|(x, m)| x * m).sum::<f64>();
                if score > best.0 {
                    best = (score, c as u32);
                }
            }
            best.1
        };
        rows.rows().into_iter().map(best).collect()
    }

    pub fn save(&self, archive: &mut Archive) {
        archive.put_fact("clusters", self.offset.len());
        archive.put_fact("unit_rows", usize::from(self.unit));
        archive.put("cluster_matrix", self.matrix.clone());
        archive.put_vector("cluster_offset", &self.offset);
    }

    pub fn load(components: usize, archive: &Archive) -> Result<Option<Self>> {
        if !archive.has_array("cluster_matrix") {
            return Ok(None);
        }
        let clusters = archive.count("clusters")?;
        Ok(Some(Self {
            unit: archive.count("unit_rows")? == 1,
            matrix: archive.matrix("cluster_matrix", (components, clusters))?,
            offset: archive.vector("cluster_offset", clusters)?.to_vec(),
        }))
    }
}

/// Rows of unit length; a row of zeros stays.
fn unit_rows(rows: ArrayView2<'_, f64>) -> Array2<f64> {
    let mut unit = rows.to_owned();
    for mut row in unit.rows_mut() {
        let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 0.0 {
            row.mapv_inplace(|x| x / length);
        }
    }
    unit
}

/// Rows on which the starts of k-means are compared.
const ENOUGH: usize = 2000;

/// Clusters by k-means on rows of unit length, and the summed squared distances to the centers.
pub(crate) fn by_kmeans(
    embedding: &Array2<f64>,
    clusters: usize,
    restarts: usize,
    run: &Run,
) -> Result<(Assigner, f64)> {
    let unit = unit_rows(embedding.view());
    let effort = Effort { restarts, ..Effort::default() };
    let enough = ENOUGH.max(100 * clusters);
    let found = if unit.nrows() <= 2 * enough {
        kmeans(unit.view(), clusters, effort, run)?
    } else {
        // The starts are compared on a sample; only the best one goes on with all rows.
        let mut rows = sample(&mut run.rng("k-means sample"), unit.nrows(), enough).into_vec();
        rows.sort_unstable();
        let first = kmeans(unit.select(Axis(0), &rows).view(), clusters, effort, run)?;
        refine(unit.view(), first.centers, effort.iterations, run)?
    };
    // The nearest center: the largest 2 x.c - |c|^2.
    let offset = found.centers.rows().into_iter().map(|c| -c.iter().map(|x| x * x).sum::<f64>()).collect();
    let matrix = Array2::from_shape_fn((embedding.ncols(), clusters), |(i, c)| 2.0 * found.centers[(c, i)]);
    Ok((Assigner { unit: true, matrix, offset }, found.inertia))
}

/// Rounds of the discretization, and the gain below which it ends.
const ROUNDS: usize = 100;
const GAIN: f64 = 1e-12;

/// Clusters by the rotation that brings the rows nearest to the axes: labels and rotation in turns. The embedding
/// must have as many columns as there are clusters.
pub(crate) fn by_rotation(embedding: &Array2<f64>, restarts: usize, run: &Run) -> Result<Assigner> {
    let k = embedding.ncols();
    let unit = unit_rows(embedding.view());
    let mut best: Option<(f64, Array2<f64>)> = None;
    for start in 0..restarts.max(1) {
        let (fit, rotation) = rotation(&unit, k, start, run)?;
        if best.as_ref().is_none_or(|best| fit > best.0) {
            best = Some((fit, rotation));
        }
    }
    let matrix = best.map(|best| best.1).ok_or(Error::Empty { what: "embedding", axis: "columns" })?;
    Ok(Assigner { unit: true, offset: vec![0.0; k], matrix })
}

fn rotation(unit: &Array2<f64>, k: usize, start: usize, run: &Run) -> Result<(f64, Array2<f64>)> {
    let n = unit.nrows();
    // Rows as orthogonal to each other as can be, from a random first.
    let mut rotation = Array2::zeros((k, k));
    let mut next = run.rng(&format!("discretization {start}")).random_range(0..n);
    let mut overlap = vec![0.0; n];
    for c in 0..k {
        rotation.column_mut(c).assign(&unit.row(next));
        for (overlap, row) in overlap.iter_mut().zip(unit.rows()) {
            *overlap += row.dot(&rotation.column(c)).abs();
        }
        next = (0..n).fold(0, |best, i| if overlap[i] < overlap[best] { i } else { best });
    }
    let mut fit = f64::NEG_INFINITY;
    for _ in 0..ROUNDS {
        run.check()?;
        let assigner = Assigner { unit: false, matrix: rotation.clone(), offset: vec![0.0; k] };
        let labels = assigner.assign(unit);
        let mut sums = Mat::<f64>::zeros(k, k);
        for (&label, row) in labels.iter().zip(unit.rows()) {
            row.iter().enumerate().for_each(|(j, x)| sums[(label as usize, j)] += x);
        }
        let found = svd::thin(sums.as_ref(), run)?;
        let now: f64 = found.values.iter().sum();
        rotation = Array2::from_shape_fn((k, k), |(i, j)| {
            (0..k).map(|l| found.right[(i, l)] * found.left[(j, l)]).sum::<f64>()
        });
        if now <= fit + GAIN * n as f64 {
            break;
        }
        fit = now;
    }
    Ok((fit, rotation))
}

/// The threshold on a vector whose two sides have the least normalized cut (Shi and Malik): every split between two
/// different values is tried, in one sweep. Gives the threshold and the cut.
pub(crate) fn threshold(vector: &[f64], weights: &Csr<f64>) -> (f64, f64) {
    let n = vector.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| vector[a].total_cmp(&vector[b]).then(a.cmp(&b)));
    let degree = |i: usize| weights.row(i).1.iter().sum::<f64>();
    let volume: f64 = (0..n).map(degree).sum();
    let mut inside = vec![false; n];
    let (mut cut, mut below) = (0.0, 0.0);
    let mut best = (0.0, f64::INFINITY);
    for pair in order.windows(2) {
        let (i, next) = (pair[0], pair[1]);
        inside[i] = true;
        below += degree(i);
        let (columns, values) = weights.row(i);
        for (&j, &weight) in columns.iter().zip(values).filter(|entry| *entry.0 as usize != i) {
            cut += if inside[j as usize] { -weight } else { weight };
        }
        let above = volume - below;
        if vector[i] < vector[next] && below > 0.0 && above > 0.0 {
            let normalized = cut / below + cut / above;
            if normalized < best.1 {
                best = (0.5 * (vector[i] + vector[next]), normalized);
            }
        }
    }
    best
}

/// The sum over the clusters of the affinities that leave them, as a share of their volume.
pub(crate) fn normalized_cut(labels: &[u32], clusters: usize, weights: &Csr<f64>) -> f64 {
    let (mut cut, mut volume) = (vec![0.0; clusters], vec![0.0; clusters]);
    for (i, &label) in labels.iter().enumerate() {
        let (columns, values) = weights.row(i);
        for (&j, &weight) in columns.iter().zip(values) {
            volume[label as usize] += weight;
            cut[label as usize] += if labels[j as usize] == label { 0.0 } else { weight };
        }
    }
    cut.iter().zip(&volume).map(|(cut, volume)| if *volume > 0.0 { cut / volume } else { 0.0 }).sum()
}

/// Eigenvalues of a Laplacian below this count as zero.
const ZERO: f64 = 1e-12;
/// From this factor on, the growth from one eigenvalue to the next separates those between clusters from those inside them.
/// The eigenvalues of a curve grow by 4, 9/4, 16/9, .., those of a surface or a ball more slowly.
pub(crate) const GAP: f64 = 5.0;

/// The number of clusters from ascending Laplacian eigenvalues: as many as come before the last gap, at least 2. A gap is
/// a factor, not a difference (Oveis Gharan and Trevisan 2014: where it is large, every cluster is better connected
/// inside than to the others), and the last one counts, since clusters of clusters make gaps, too. Without
/// any gap, as many as come before the largest growth. Returns the growth, too.
pub(crate) fn eigengap(values: &[f64]) -> (usize, f64) {
    let growth = |k: usize| values[k] / values[k - 1].max(ZERO);
    let counts = 2..values.len();
    let largest = || counts.clone().reduce(|best, k| if growth(k) > growth(best) { k } else { best });
    let last = counts.clone().rev().find(|&k| growth(k) >= GAP);
    last.or_else(largest).map_or((2, f64::INFINITY), |k| (k, growth(k)))
}
