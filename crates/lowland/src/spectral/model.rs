//! The model of every spectral method, made of pieces.

use super::kernel::Function;
use super::preimage::{self, Inverse, Preimage, Regression};
use super::source::query;
use super::{Anchors, Assigner, Normalizer, Piece};
use crate::AnyInput;
use crate::matrix::AnyMatrix;
use crate::method::Entry;
use crate::model::{Archive, Attribute, Model, Report};
use crate::parameters::Value;
use lowland_base::{Error, Result, Run, parallel};
use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use std::ops::Range;
use std::sync::OnceLock;

/// What a recipe hands over.
pub(crate) struct Fitted {
    pub entry: &'static Entry,
    pub settings: Vec<(&'static str, Value)>,
    /// The width of the rows of new points.
    pub features: usize,
    pub pieces: Vec<Piece>,
    /// All training rows.
    pub embedding: Array2<f64>,
    pub report: Report,
    /// What only this method has found: vectors.
    pub attributes: Vec<Attribute>,
}

/// A fitted spectral method.
pub struct SpectralModel {
    fitted: Fitted,
    embedding: AnyMatrix,
    inverse: Option<Inverse>,
    assigner: Option<Assigner>,
    /// Fitted when it is first asked for.
    regression: OnceLock<Regression>,
    /// Whether the training data were in single precision.
    single: bool,
}

impl std::fmt::Debug for SpectralModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SpectralModel").field("method", &self.fitted.entry.name).finish_non_exhaustive()
    }
}

impl SpectralModel {
    pub(crate) fn new(fitted: Fitted, input: AnyInput<'_>) -> Self {
        Self::of_precision(fitted, matches!(input, AnyInput::F32(_)))
    }

    /// The same model with a way back.
    pub(crate) fn with_inverse(mut self, inverse: Inverse) -> Self {
        self.inverse = Some(inverse);
        self
    }

    /// The same model, which also assigns points to clusters.
    pub(crate) fn with_assigner(mut self, assigner: Assigner) -> Self {
        self.assigner = Some(assigner);
        self
    }

    /// What the recipe handed over, to add to it.
    pub(crate) fn fitted_mut(&mut self) -> &mut Fitted {
        &mut self.fitted
    }

    /// All training rows, in double precision.
    pub(crate) fn wide_embedding(&self) -> &Array2<f64> {
        &self.fitted.embedding
    }

    /// The same model with its first components only. Of one piece.
    pub(crate) fn truncated(mut self, count: usize) -> Self {
        let first = |matrix: &Array2<f64>| matrix.slice(s![.., ..count]).to_owned();
        for piece in &mut self.fitted.pieces {
            piece.map = first(&piece.map);
            piece.coordinates = first(&piece.coordinates);
            piece.offset.truncate(count);
            piece.place.truncate(count);
            piece.weights.truncate(count);
        }
        self.fitted.report.eigenvalues.truncate(count);
        self.fitted.report.residuals.truncate(count);
        self.fitted.embedding = first(&self.fitted.embedding);
        self.embedding = rounded(&self.fitted.embedding, self.single);
        self
    }

    /// The same model, the embedding that of these rows: landmarks stand for all of them.
    pub(crate) fn spread(mut self, input: AnyInput<'_>, run: &Run) -> Result<Self> {
        let _stage = run.stage("extend", None);
        self.fitted.embedding = self.coordinates(input, run)?;
        self.embedding = rounded(&self.fitted.embedding, self.single);
        Ok(self)
    }

    /// Rows to their coordinates and back: what the components do not explain is taken away.
    pub fn denoise(&self, input: AnyInput<'_>, run: &Run) -> Result<AnyMatrix> {
        let coordinates = self.transform(input, run)?;
        self.inverse((&coordinates).into(), run)
    }

    fn points_of(
        &self,
        coordinates: ArrayView2<'_, f64>,
        inverse: Inverse,
        run: &Run,
    ) -> Result<Array2<f64>> {
        let lost = || Error::Unsupported {
            method: self.fitted.entry.name.into(),
            what: "go back from the embedding: it was not fitted to points".into(),
            remedy: "fit it to points".into(),
        };
        let [piece] = self.pieces() else { return Err(lost()) };
        let (points, function) = piece.anchors.points().ok_or_else(lost)?;
        let regression = match self.regression.get() {
            Some(regression) => regression,
            None => {
                let fitted = Regression::fit(piece.coordinates.view(), points, inverse.alpha, run)?;
                self.regression.get_or_init(|| fitted)
            }
        };
        let start = regression.points(coordinates, run)?;
        match (inverse.way, function) {
            (Preimage::Auto | Preimage::FixedPoint, Function::Gaussian { gamma }) => {
                preimage::fixed_point(piece, points, *gamma, coordinates, start, run)
            }
            (Preimage::FixedPoint, _) => Err(Error::parameter(
                "preimage",
                "fixed-point",
                "for the gaussian kernel only",
                "choose regression, or auto",
            )),
            _ => Ok(start),
        }
    }

    fn of_precision(fitted: Fitted, single: bool) -> Self {
        let embedding = rounded(&fitted.embedding, single);
        Self { fitted, embedding, inverse: None, assigner: None, regression: OnceLock::new(), single }
    }

    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.fitted.pieces
    }

    /// The normalized kernel between rows and the anchors of the model (its training points, or its
    /// landmarks): of the training rows themselves, the Gram matrix whose eigenvectors are the embedding. A
    /// model in several pieces has none across them: their columns are zero there.
    pub fn kernel(&self, input: AnyInput<'_>, run: &Run) -> Result<Array2<f64>> {
        let width: usize = self.pieces().iter().map(|piece| piece.anchors.len()).sum();
        let mut out = Array2::zeros((input.shape().rows, width));
        for block in blocks(&input) {
            let mut start = 0;
            for Share { piece, own, rows } in self.shares(input, block, run)? {
                let end = start + piece.anchors.len();
                let kernel = piece.kernel(rows.view(), run)?;
                for (row, values) in own.into_iter().zip(kernel.rows()) {
                    out.slice_mut(s![row, start..end]).assign(&values);
                }
                start = end;
            }
        }
        Ok(out)
    }

    /// Those of a block of rows that belong to each piece: to the one with the nearest point.
    pub(crate) fn shares(
        &self,
        input: AnyInput<'_>,
        block: Range<usize>,
        run: &Run,
    ) -> Result<Vec<Share<'_>>> {
        let sparse = input.shape().kind.is_sparse();
        if sparse && self.pieces().iter().any(|piece| !piece.anchors.takes_sparse()) {
            return Err(Error::Unsupported {
                method: "this model".into(),
                what: "embed sparse rows: what is not there has no meaning to it".into(),
                remedy: "give it dense rows".into(),
            });
        }
        let start = block.start;
        let queries = query(input, block);
        if queries.ncols() != self.fitted.features {
            let (expected, found) = (self.fitted.features, queries.ncols());
            return Err(Error::Width { what: "data", expected, found });
        }
        if let Some(piece) = self.pieces().first() {
            piece.anchors.admit(queries.view(), start)?;
        }
        let mut shares = share_out(self.pieces(), queries, run)?;
        shares.iter_mut().flat_map(|share| &mut share.own).for_each(|row| *row += start);
        Ok(shares)
    }

    fn coordinates(&self, input: AnyInput<'_>, run: &Run) -> Result<Array2<f64>> {
        let mut out = Array2::zeros((input.shape().rows, self.fitted.embedding.ncols()));
        for block in blocks(&input) {
            place(self.shares(input, block, run)?, &mut out, run)?;
        }
        Ok(out)
    }

    /// From a model file; `known` are the names and meanings of the method's own attributes, `anchors` reads those of
    /// a piece.
    pub(crate) fn load(
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        archive: &Archive,
        known: &'static [(&'static str, &'static str)],
        anchors: impl Fn(&str, usize, &Archive) -> Result<Box<dyn Anchors>>,
    ) -> Result<Self> {
        let features = archive.count("features")?;
        let (rows, components) = (archive.count("rows")?, archive.count("components")?);
        let count = archive.count("pieces")?;
        if count > rows {
            return Err(Error::ModelFile { problem: format!("{count} pieces of {rows} rows") });
        }
        let piece = |number: usize| -> Result<Piece> {
            let prefix = prefix(number);
            let anchors = anchors(&prefix, features, archive)?;
            let width = anchors.len();
            let poles = format!("{prefix}poles");
            let poles = if archive.has_array(&poles) {
                Some(archive.vector(&poles, archive.width(&poles))?.to_vec())
            } else {
                None
            };
            Ok(Piece {
                members: archive.indices(&format!("{prefix}members"), rows)?,
                normalizer: Normalizer::load(&prefix, width, archive)?,
                map: archive.matrix(&format!("{prefix}map"), (width, components))?,
                raw: archive.count(&format!("{prefix}raw"))? == 1,
                poles,
                shift: archive.number(&format!("{prefix}shift"))?,
                offset: archive.vector(&format!("{prefix}offset"), components)?.to_vec(),
                place: archive.vector(&format!("{prefix}place"), components)?.to_vec(),
                coordinates: archive.matrix(&format!("{prefix}coordinates"), (width, components))?,
                weights: archive.vector(&format!("{prefix}weights"), components)?.to_vec(),
                anchors,
            })
        };
        let fitted = Fitted {
            entry,
            settings,
            features,
            pieces: (0..count).map(piece).collect::<Result<_>>()?,
            embedding: archive.matrix("embedding", (rows, components))?,
            report: archive.report().clone(),
            attributes: known
                .iter()
                .map(|&(name, meaning)| {
                    let stored = format!("attribute.{name}");
                    Ok(Attribute::new(name, meaning, archive.vector(&stored, archive.width(&stored))?))
                })
                .collect::<Result<_>>()?,
        };
        let mut model = Self::of_precision(fitted, archive.count("single")? == 1);
        model.assigner = Assigner::load(components, archive)?;
        Ok(model)
    }
}

/// A piece and the new rows that belong to it.
pub(crate) struct Share<'m> {
    pub piece: &'m Piece,
    /// Their places in the batch.
    pub own: Vec<usize>,
    pub rows: Array2<f64>,
}

/// The rows that belong to each piece: to the one with the nearest point.
pub(crate) fn share_out<'m>(pieces: &'m [Piece], queries: Array2<f64>, run: &Run) -> Result<Vec<Share<'m>>> {
    if let [piece] = pieces {
        return Ok(vec![Share { piece, own: (0..queries.nrows()).collect(), rows: queries }]);
    }
    let mut best = vec![(f64::INFINITY, 0); queries.nrows()];
    for (number, piece) in pieces.iter().enumerate() {
        let distances = piece.anchors.nearest(queries.view(), run)?.unwrap_or_default();
        for (best, distance) in best.iter_mut().zip(distances) {
            if distance < best.0 {
                *best = (distance, number);
            }
        }
    }
    let share = |(number, piece)| {
        let own: Vec<usize> = (0..best.len()).filter(|&row| best[row].1 == number).collect();
        Share { piece, rows: queries.select(Axis(0), &own), own }
    };
    Ok(pieces.iter().enumerate().map(share).collect())
}

/// Rows that are taken together: all, or, where they are sparse, some, which are made dense.
pub(crate) fn blocks(input: &AnyInput<'_>) -> Vec<Range<usize>> {
    let shape = input.shape();
    let size = if shape.kind.is_sparse() { SPARSE_ROWS } else { shape.rows };
    parallel::chunks(shape.rows, size).collect()
}

/// Sparse rows that are dense at a time.
const SPARSE_ROWS: usize = 1024;

/// The coordinates of new rows, each by its piece.
pub(crate) fn place(shares: Vec<Share<'_>>, out: &mut Array2<f64>, run: &Run) -> Result<()> {
    for Share { piece, own, rows } in shares {
        for (row, values) in own.into_iter().zip(piece.extend(rows.view(), run)?.rows()) {
            out.row_mut(row).assign(&values);
        }
    }
    Ok(())
}

fn prefix(piece: usize) -> String {
    format!("piece{piece}.")
}

fn rounded(matrix: &Array2<f64>, single: bool) -> AnyMatrix {
    if single { AnyMatrix::F32(matrix.mapv(|value| value as f32)) } else { AnyMatrix::F64(matrix.clone()) }
}

impl Model for SpectralModel {
    fn entry(&self) -> &'static Entry {
        self.fitted.entry
    }

    fn parameters(&self) -> Vec<(&'static str, Value)> {
        self.fitted.settings.clone()
    }

    fn features(&self) -> usize {
        self.fitted.features
    }

    fn components(&self) -> usize {
        self.fitted.embedding.ncols()
    }

    fn embedding(&self) -> Option<&AnyMatrix> {
        Some(&self.embedding)
    }

    fn report(&self) -> &Report {
        &self.fitted.report
    }

    fn archive(&self) -> Archive {
        let mut archive = Archive::new(self.parameters(), self.report());
        archive.put_fact("features", self.fitted.features);
        archive.put_fact("components", self.components());
        archive.put_fact("rows", self.fitted.embedding.nrows());
        archive.put_fact("pieces", self.pieces().len());
        archive.put_fact("single", usize::from(self.single));
        archive.put("embedding", self.fitted.embedding.clone());
        for attribute in &self.fitted.attributes {
            archive.put_vector(&format!("attribute.{}", attribute.name), &attribute.value.numbers());
        }
        if let Some(assigner) = &self.assigner {
            assigner.save(&mut archive);
        }
        for (number, piece) in self.pieces().iter().enumerate() {
            let prefix = prefix(number);
            archive.put_indices(&format!("{prefix}members"), &piece.members);
            archive.put(&format!("{prefix}map"), piece.map.clone());
            archive.put(&format!("{prefix}coordinates"), piece.coordinates.clone());
            archive.put_fact(&format!("{prefix}raw"), usize::from(piece.raw));
            archive.put_fact(&format!("{prefix}shift"), piece.shift);
            if let Some(poles) = &piece.poles {
                archive.put_vector(&format!("{prefix}poles"), poles);
            }
            archive.put_vector(&format!("{prefix}offset"), &piece.offset);
            archive.put_vector(&format!("{prefix}place"), &piece.place);
            archive.put_vector(&format!("{prefix}weights"), &piece.weights);
            piece.normalizer.save(&prefix, &mut archive);
            piece.anchors.save(&prefix, &mut archive);
        }
        archive
    }

    fn transform_admitted(&self, input: AnyInput<'_>, run: &Run) -> Result<AnyMatrix> {
        let single = matches!(input, AnyInput::F32(_));
        Ok(rounded(&self.coordinates(input, run)?, single))
    }

    fn inverse_admitted(&self, embedding: AnyInput<'_>, run: &Run) -> Result<AnyMatrix> {
        let Some(inverse) = self.inverse else {
            return Err(Error::Unsupported {
                method: self.fitted.entry.name.into(),
                what: "go back from the embedding".into(),
                remedy: "choose a method with an inverse, such as pca or kernel-pca".into(),
            });
        };
        let single = matches!(embedding, AnyInput::F32(_));
        Ok(rounded(
            &self.points_of(query(embedding, 0..embedding.shape().rows).view(), inverse, run)?,
            single,
        ))
    }

    fn assign_admitted(&self, input: AnyInput<'_>, run: &Run) -> Result<Vec<u32>> {
        let Some(assigner) = &self.assigner else {
            return Err(Error::Unsupported {
                method: self.fitted.entry.name.into(),
                what: "assign points to clusters".into(),
                remedy: "choose spectral-clustering".into(),
            });
        };
        Ok(assigner.assign(&self.coordinates(input, run)?))
    }

    fn spectral(&self) -> Option<&SpectralModel> {
        Some(self)
    }

    fn attributes(&self) -> Vec<Attribute> {
        let mut attributes = vec![Attribute::new(
            "eigenvalues",
            "The eigenvalues behind the components.",
            Array1::from(self.report().eigenvalues.clone()),
        )];
        attributes.extend(self.fitted.attributes.iter().cloned());
        attributes
    }
}
