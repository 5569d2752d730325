//! The model of one connected component, and the four formulas by which new points get their coordinates; the first is
//! Bengio's eq. 23.

use super::anchors::{KernelRows, SparseRow};
use super::{Anchors, Normalizer, Relation, Spectrum, affinity};
use crate::Input;
use crate::extension::LocalLinear;
use crate::projective::Affine;
use lowland_base::{Csr, Result, Run, parallel};
use ndarray::{Array2, ArrayView1, ArrayView2, s};

/// New points at a time: their kernel rows are as wide as there are anchors.
const CHUNK: usize = 1024;
/// The same where their rows are sparse affinities to neighbors, which are searched the faster the more there are at once.
const SPARSE_CHUNK: usize = 1 << 16;

/// One connected component of the training points, fitted.
pub(crate) struct ComponentModel {
    /// The training rows that it is made of, ascending. Landmark models have all rows here.
    pub members: Vec<usize>,
    /// The coordinates of the anchors, one a row.
    pub coordinates: Array2<f64>,
    /// Added to the coordinates: components lie side by side.
    pub translation: Vec<f64>,
    /// `sum_r weight_r y_r(x) y_r(y)` is the kernel that the dimensions explain.
    pub weights: Vec<f64>,
    pub formula: Formula,
}

/// How new points get their coordinates.
pub(crate) enum Formula {
    /// The normalized kernel row times `v scale / l` (Bengio eq. 23).
    Kernel {
        anchors: Box<dyn Anchors>,
        normalizer: Normalizer,
        /// Anchors x dimensions.
        map: Array2<f64>,
        /// What was added to every eigenvalue, and so to the kernel of a point with itself.
        shift: f64,
    },
    /// The raw kernel row to the landmarks times a map into the space that they span, the mean taken out.
    Landmarks {
        anchors: Box<dyn Anchors>,
        /// Centers by the mean of all points, written as a combination of landmarks.
        normalizer: Normalizer,
        map: Array2<f64>,
        offset: Vec<f64>,
    },
    /// `sum_j w_j v_j / (d - m)` for a row of affinities `w` of degree `d`: the equation `(d - m) v = W v` of `D - W`, which
    /// the training rows satisfy, solved for one entry of `v`.
    Laplacian {
        anchors: Box<dyn Anchors>,
        normalizer: Normalizer,
        /// The eigenvalues `m`.
        eigenvalues: Vec<f64>,
        /// The least degree of a training row.
        least_degree: f64,
    },
    /// The sum of the neighbors' coordinates with weights that describe the point.
    LocalLinear(LocalLinear),
}

impl Formula {
    /// The anchors of a kernel; a local rule has none.
    pub fn anchors(&self) -> Option<&dyn Anchors> {
        match self {
            Self::Kernel { anchors, .. }
            | Self::Landmarks { anchors, .. }
            | Self::Laplacian { anchors, .. } => Some(&**anchors),
            Self::LocalLinear(_) => None,
        }
    }

    /// What a new row says about the training objects.
    pub fn relation(&self) -> &Relation {
        match self {
            Self::Kernel { anchors, .. }
            | Self::Landmarks { anchors, .. }
            | Self::Laplacian { anchors, .. } => anchors.relation(),
            Self::LocalLinear(rule) => rule.relation(),
        }
    }

    fn map_mut(&mut self) -> Option<&mut Array2<f64>> {
        match self {
            Self::Kernel { map, .. } | Self::Landmarks { map, .. } => Some(map),
            Self::Laplacian { .. } | Self::LocalLinear(_) => None,
        }
    }
}

impl ComponentModel {
    /// The model of all training points, the pairs of its normalized kernel made into coordinates.
    pub fn whole(anchors: Box<dyn Anchors>, normalizer: Normalizer, spectrum: &Spectrum) -> Self {
        let (map, shift) = (spectrum.map.clone(), spectrum.shift);
        Self::with(spectrum, Formula::Kernel { anchors, normalizer, map, shift })
    }

    /// As [`Self::whole`], by any formula.
    pub fn with(spectrum: &Spectrum, formula: Formula) -> Self {
        let (rows, count) = spectrum.coordinates.dim();
        Self {
            members: (0..rows).collect(),
            coordinates: spectrum.coordinates.clone(),
            translation: vec![0.0; count],
            weights: spectrum.weights.clone(),
            formula,
        }
    }

    /// The same model, new points by the equation of `D - W` itself: for affinities that are given, loops and all.
    pub fn by_equation(self, eigenvalues: Vec<f64>) -> Self {
        let formula = match self.formula {
            Formula::Kernel { anchors, normalizer, .. } => {
                let degrees = normalizer.raw_degrees().iter().copied();
                let least_degree = degrees.fold(f64::INFINITY, f64::min);
                Formula::Laplacian { anchors, normalizer, eigenvalues, least_degree }
            }
            other => other,
        };
        Self { formula, ..self }
    }

    /// The number of anchors.
    pub fn len(&self) -> usize {
        self.coordinates.nrows()
    }

    /// The affinities between the anchors, where they are a graph.
    pub fn affinities(&self) -> Option<&Csr<f64>> {
        self.formula.anchors().and_then(|anchors| anchors.affinities())
    }

    /// The distance of each row to the nearest training point.
    pub fn distances(&self, queries: ArrayView2<'_, f64>, no_edges: &[usize], run: &Run) -> Result<Vec<f64>> {
        self.formula.relation().distances(queries, no_edges, run)
    }

    /// Refuses rows that cannot be affinities, where that is what they are; the first of them is row `start`.
    pub fn admit(&self, queries: ArrayView2<'_, f64>, start: usize) -> Result<()> {
        if self.affinities().is_some() && self.formula.relation().similarities().is_some() {
            affinity::refuse_negative(queries, start)?;
        }
        Ok(())
    }

    /// Gives the columns of rows of numbers to all training objects other numbers.
    pub fn renumber(&mut self, number: impl Fn(usize) -> usize) {
        match &mut self.formula {
            Formula::Kernel { anchors, .. }
            | Formula::Landmarks { anchors, .. }
            | Formula::Laplacian { anchors, .. } => anchors.relation_mut().renumber(number),
            Formula::LocalLinear(rule) => rule.relation_mut().renumber(number),
        }
    }

    /// The rule for new points, where it is local-linear.
    pub fn local_rule(&self) -> Option<&LocalLinear> {
        if let Formula::LocalLinear(rule) = &self.formula { Some(rule) } else { None }
    }

    /// The points of the anchors, where they are points.
    pub fn points(&self) -> Option<ArrayView2<'_, f64>> {
        match self.formula.anchors().map(|anchors| anchors.relation()) {
            Some(Relation::Points(points)) => Some(points.view()),
            _ => None,
        }
    }

    /// The same with this number of dimensions: the first of them, or with zeros beyond.
    pub fn resize(&mut self, count: usize) {
        self.coordinates = resized(&self.coordinates, count);
        self.translation.resize(count, 0.0);
        self.weights.resize(count, 0.0);
        if let Some(map) = self.formula.map_mut() {
            *map = resized(map, count);
        }
        match &mut self.formula {
            Formula::Landmarks { offset, .. } => offset.resize(count, 0.0),
            Formula::Laplacian { eigenvalues, .. } => eigenvalues.truncate(count),
            Formula::Kernel { .. } | Formula::LocalLinear(_) => {}
        }
    }

    /// The normalized kernel between some rows and the anchors.
    pub fn kernel(&self, queries: ArrayView2<'_, f64>, run: &Run) -> Result<Array2<f64>> {
        let (anchors, normalizer, shift) = match &self.formula {
            Formula::Kernel { anchors, normalizer, shift, .. } => (anchors, normalizer, *shift),
            Formula::Landmarks { anchors, normalizer, .. }
            | Formula::Laplacian { anchors, normalizer, .. } => (anchors, normalizer, 0.0),
            // Its kernel is one of training points: `SpectralModel::gram`.
            Formula::LocalLinear(rule) => return Ok(Array2::zeros((queries.nrows(), rule.len()))),
        };
        let rows = anchors.rows(queries, run)?.dense(anchors.len());
        Ok(normalized(rows, queries, &**anchors, normalizer, shift))
    }

    /// The coordinates of new points.
    pub fn extend(&self, queries: ArrayView2<'_, f64>, run: &Run) -> Result<Array2<f64>> {
        let mut out = match &self.formula {
            Formula::LocalLinear(rule) => rule.extend(queries, self.coordinates.view(), run)?,
            _ => {
                let mut out = Array2::zeros((queries.nrows(), self.coordinates.ncols()));
                let sparse = self.affinities().is_some() && self.points().is_some();
                let size = if sparse { SPARSE_CHUNK } else { CHUNK };
                for chunk in parallel::chunks(queries.nrows(), size) {
                    run.check()?;
                    let part = self.extend_chunk(queries.slice(s![chunk.clone(), ..]), run)?;
                    out.slice_mut(s![chunk, ..]).assign(&part);
                }
                out
            }
        };
        if self.translation.iter().any(|&x| x != 0.0) {
            out += &ArrayView1::from(&self.translation);
        }
        Ok(out)
    }

    fn extend_chunk(&self, queries: ArrayView2<'_, f64>, run: &Run) -> Result<Array2<f64>> {
        let affine = |map: &Array2<f64>, offset: Option<&[f64]>, rows: Array2<f64>| {
            Affine { center: None, matrix: map.view(), offset }.apply(Input::Points(rows.view()), run)
        };
        match &self.formula {
            Formula::Kernel { anchors, normalizer, map, shift } => match anchors.rows(queries, run)? {
                KernelRows::Dense(rows) => {
                    affine(map, None, normalized(rows, queries, &**anchors, normalizer, *shift))
                }
                KernelRows::Sparse(rows) => self.sparsely(&rows, run, |row, out| {
                    let mut entries = row.entries.clone();
                    normalizer.sparse_row(&mut entries);
                    for (anchor, value) in entries {
                        let map = map.row(anchor as usize);
                        out.iter_mut().zip(map).for_each(|(out, map)| *out += value * map);
                    }
                }),
            },
            Formula::Landmarks { anchors, map, offset, .. } => {
                affine(map, Some(offset), anchors.rows(queries, run)?.dense(anchors.len()))
            }
            Formula::Laplacian { anchors, eigenvalues, least_degree, .. } => {
                let rows = anchors.rows(queries, run)?.sparse();
                let largest =
                    |column: ArrayView1<'_, f64>| column.iter().fold(0.0f64, |most, x| most.max(x.abs()));
                let bounds: Vec<f64> = self.coordinates.columns().into_iter().map(largest).collect();
                self.sparsely(&rows, run, |row, out| {
                    let degree: f64 = row.entries.iter().map(|entry| entry.1).sum();
                    for (c, (m, bound)) in eigenvalues.iter().zip(&bounds).enumerate() {
                        let weighted = |&(j, w): &(u32, f64)| w * self.coordinates[(j as usize, c)];
                        let sum: f64 = row.entries.iter().map(weighted).sum();
                        // Where the degree meets an eigenvalue the quotient could be anything: it is kept within the range
                        // of the training rows. Below an eigenvalue that all training degrees are above, it stays on the
                        // side of the vertices that it has edges to.
                        let divisor = degree - m;
                        let divisor = if m < least_degree { divisor.max(f64::MIN_POSITIVE) } else { divisor };
                        let coordinate = sum / divisor;
                        out[c] = if coordinate.is_nan() { 0.0 } else { coordinate.clamp(-bound, *bound) };
                    }
                })
            }
            Formula::LocalLinear(rule) => rule.extend(queries, self.coordinates.view(), run),
        }
    }

    /// The coordinates of sparse rows: of a known row the mean of the anchors that have it, of any other by the formula.
    fn sparsely(
        &self,
        rows: &[SparseRow],
        run: &Run,
        formula: impl Fn(&SparseRow, &mut [f64]) + Sync + Send,
    ) -> Result<Array2<f64>> {
        let width = self.coordinates.ncols();
        let mut out = Array2::zeros((rows.len(), width));
        let flat = out.as_slice_mut().unwrap_or_default();
        parallel::fill_rows(run, flat, width, 256, |range, out| {
            for (row, out) in rows[range].iter().zip(out.chunks_exact_mut(width.max(1))) {
                if row.known.is_empty() {
                    formula(row, out);
                    continue;
                }
                let share = 1.0 / row.known.len() as f64;
                for &anchor in &row.known {
                    let known = self.coordinates.row(anchor);
                    out.iter_mut().zip(known).for_each(|(out, x)| *out += share * x);
                }
            }
        })?;
        Ok(out)
    }
}

/// Raw rows to normalized ones.
fn normalized(
    mut rows: Array2<f64>,
    queries: ArrayView2<'_, f64>,
    anchors: &dyn Anchors,
    normalizer: &Normalizer,
    shift: f64,
) -> Array2<f64> {
    for (mut row, query) in rows.rows_mut().into_iter().zip(queries.rows()) {
        let Some(row) = row.as_slice_mut() else { continue };
        let same = if shift > 0.0 { anchors.same(query, row) } else { None };
        normalizer.row(row);
        if let Some(same) = same {
            row[same] += shift;
        }
    }
    rows
}

fn resized(matrix: &Array2<f64>, columns: usize) -> Array2<f64> {
    let kept = columns.min(matrix.ncols());
    let mut out = Array2::zeros((matrix.nrows(), columns));
    out.slice_mut(s![.., ..kept]).assign(&matrix.slice(s![.., ..kept]));
    out
}
