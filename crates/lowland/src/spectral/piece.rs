//! One connected part of a model: anchors, normalization, and the map of Bengio's eq. 23, which is written here and
//! nowhere else.

use super::{Anchors, Normalizer, Sparse, Spectrum};
use crate::Input;
use crate::projective::Affine;
use lowland_base::{Result, Run, parallel};
use ndarray::{Array2, ArrayView1, ArrayView2, s};

/// New points at a time.
const CHUNK: usize = 1024;
/// Below this sum, the entries of a row of affinities lose digits, or vanish.
const FAINT: f64 = 1e-200;

/// One connected part of a model.
pub(crate) struct Piece {
    /// The training rows that it is made of, ascending. Landmark models have all rows here.
    pub members: Vec<usize>,
    pub anchors: Box<dyn Anchors>,
    pub normalizer: Normalizer,
    /// Anchors x components.
    pub map: Array2<f64>,
    /// Whether the map is for raw rows, and not for normalized ones.
    pub raw: bool,
    /// What was added to every eigenvalue.
    pub shift: f64,
    /// The eigenvalues `m` of `D - W`, where a row of affinities `w` of degree `d` is at `sum_j w_j v_j / (d - m)`.
    pub poles: Option<Vec<f64>>,
    /// Added to the coordinates.
    pub offset: Vec<f64>,
    /// Added last: pieces lie side by side.
    pub place: Vec<f64>,
    /// The coordinates of the anchors, before they are placed.
    pub coordinates: Array2<f64>,
    /// `sum_r weight_r y_r(x) y_r(y)` is the kernel that the components explain.
    pub weights: Vec<f64>,
}

impl Piece {
    /// The normalized kernel between some rows and the anchors.
    pub fn kernel(&self, queries: ArrayView2<'_, f64>, run: &Run) -> Result<Array2<f64>> {
        let mut rows = self.anchors.rows(queries, run)?;
        for (mut row, query) in rows.rows_mut().into_iter().zip(queries.rows()) {
            let Some(row) = row.as_slice_mut() else { continue };
            // Divided by their sum, it does not matter how small all entries are.
            if self.normalizer.divides() && row.iter().sum::<f64>() < FAINT {
                self.anchors.revive(query, row);
            }
            // What lifts the spectrum lifts the kernel of a point with itself.
            let own = if self.shift > 0.0 { self.anchors.same(query, row) } else { None };
            self.normalizer.row(row);
            if let Some(own) = own {
                row[own] += self.shift;
            }
        }
        Ok(rows)
    }

    /// The piece of all training points, the pairs of its normalized kernel made into coordinates.
    pub fn whole(anchors: Box<dyn Anchors>, normalizer: Normalizer, spectrum: &Spectrum) -> Self {
        let (rows, count) = spectrum.coordinates.dim();
        Self {
            members: (0..rows).collect(),
            anchors,
            normalizer,
            map: spectrum.map.clone(),
            raw: false,
            poles: None,
            shift: spectrum.shift,
            offset: vec![0.0; count],
            place: vec![0.0; count],
            coordinates: spectrum.coordinates.clone(),
            weights: spectrum.weights.clone(),
        }
    }

    /// The same piece, new points placed by the equation `(d - m) v = W v` of `D - W` itself, which training rows satisfy:
    /// for affinities that are given, loops and all.
    pub fn by_equation(self, poles: Vec<f64>) -> Self {
        Self { map: self.coordinates.clone(), raw: true, poles: Some(poles), ..self }
    }

    /// The coordinates of new points (Bengio eq. 23).
    pub fn extend(&self, queries: ArrayView2<'_, f64>, run: &Run) -> Result<Array2<f64>> {
        let offset: Vec<f64> = self.offset.iter().zip(&self.place).map(|(a, b)| a + b).collect();
        let mut out = Array2::zeros((queries.nrows(), self.map.ncols()));
        if let Some(rows) = self.anchors.sparse(queries, run)? {
            self.extend_sparse(rows, &offset, &mut out, run)?;
            return Ok(out);
        }
        let affine = Affine { center: None, matrix: self.map.view(), offset: Some(&offset) };
        for chunk in parallel::chunks(queries.nrows(), CHUNK) {
            run.check()?;
            let part = queries.slice(s![chunk.clone(), ..]);
            let rows = if self.raw { self.anchors.rows(part, run)? } else { self.kernel(part, run)? };
            out.slice_mut(s![chunk, ..]).assign(&affine.apply(Input::Points(rows.view()), run)?);
        }
        Ok(out)
    }

    /// The least degree of a training row, where there are affinities.
    fn least_degree(&self) -> f64 {
        let Some(affinities) = self.anchors.affinities() else { return 0.0 };
        let degree = |row: usize| affinities.row(row).1.iter().sum::<f64>();
        (0..affinities.nrows()).map(degree).fold(f64::INFINITY, f64::min)
    }

    fn extend_sparse(
        &self,
        rows: Vec<Sparse>,
        offset: &[f64],
        out: &mut Array2<f64>,
        run: &Run,
    ) -> Result<()> {
        let width = out.ncols();
        let largest = |column: ArrayView1<'_, f64>| column.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        let bounds = || -> Vec<f64> { self.coordinates.columns().into_iter().map(largest).collect() };
        let equation = self.poles.as_deref().map(|poles| (poles, bounds(), self.least_degree()));
        let flat = out.as_slice_mut().unwrap_or_default();
        parallel::fill_rows(run, flat, width, 256, |range, out| {
            for (row, out) in rows[range].iter().zip(out.chunks_exact_mut(width.max(1))) {
                out.copy_from_slice(offset);
                match (row, &equation) {
                    (Sparse::Own(own), _) => {
                        let share = 1.0 / own.len().max(1) as f64;
                        for &own in own {
                            let place = self.coordinates.row(own);
                            out.iter_mut().zip(place).for_each(|(out, x)| *out += share * x);
                        }
                    }
                    (Sparse::Row(entries), Some((poles, bounds, least))) => {
                        let degree: f64 = entries.iter().map(|entry| entry.1).sum();
                        for (c, (pole, bound)) in poles.iter().zip(bounds).enumerate() {
                            let sum: f64 = entries.iter().map(|&(j, w)| w * self.map[(j as usize, c)]).sum();
                            // Near a pole it could be anywhere: nobody lands farther out than the training rows. Beyond
                            // one that no training row is beyond, it is still on the side of those it is bound to.
                            let apart = degree - pole;
                            let apart = if pole < least { apart.max(f64::MIN_POSITIVE) } else { apart };
                            let place = sum / apart;
                            out[c] += if place.is_nan() { 0.0 } else { place.clamp(-bound, *bound) };
                        }
                    }
                    (Sparse::Row(entries), None) => {
                        let mut entries = entries.clone();
                        self.normalizer.sparse_row(&mut entries);
                        for (anchor, value) in entries {
                            let map = self.map.row(anchor as usize);
                            out.iter_mut().zip(map).for_each(|(out, map)| *out += value * map);
                        }
                    }
                }
            }
        })
    }
}
