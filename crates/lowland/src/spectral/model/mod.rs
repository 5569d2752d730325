//! The model of every spectral method: one model for each connected component of the training points.

mod archive;
mod shares;

pub(crate) use shares::{Share, blocks, extend, share_out};

use super::kernel::Function;
use super::preimage::{self, Inverse, Preimage, Regression};
use super::source::query;
use super::{Assigner, ComponentModel, Origin};
use crate::extension::LocalLinear;
use crate::matrix::AnyMatrix;
use crate::method::Entry;
use crate::model::{Archive, Attribute, Model, Report, unable};
use crate::parameters::Value;
use crate::{Admitted, AnyInput, InputKind, admitted};
use lowland_base::{Error, Result, Run};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, s};
use std::sync::OnceLock;

/// What a recipe hands over.
pub(crate) struct Fitted {
    pub entry: &'static Entry,
    pub settings: Vec<(&'static str, Value)>,
    /// The width of the rows of new points.
    pub features: usize,
    /// One a connected component.
    pub connected_components: Vec<ComponentModel>,
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
    /// What the kernel is a function of, where that is not two rows.
    origin: Option<Origin>,
    /// Fitted when it is first asked for.
    regression: OnceLock<Regression>,
    /// The local-linear rule with points and images exchanged, and the points: made when it is first asked for.
    back: OnceLock<(LocalLinear, Array2<f64>)>,
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

    /// The same model with an inverse.
    pub(crate) fn with_inverse(mut self, inverse: Inverse) -> Self {
        self.inverse = Some(inverse);
        self
    }

    /// The same model, which also assigns points to clusters.
    pub(crate) fn with_assigner(mut self, assigner: Assigner) -> Self {
        self.assigner = Some(assigner);
        self
    }

    /// The same model, whose kernel is a function of a matrix of all training points.
    pub(crate) fn with_origin(mut self, origin: Option<Origin>) -> Self {
        self.origin = origin;
        self
    }

    pub(crate) fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
    }

    /// What the recipe handed over, to add to it.
    pub(crate) fn fitted_mut(&mut self) -> &mut Fitted {
        &mut self.fitted
    }

    /// All training rows, in double precision.
    pub(crate) fn wide_embedding(&self) -> &Array2<f64> {
        &self.fitted.embedding
    }

    /// The same model with its first dimensions only.
    pub(crate) fn truncated(mut self, count: usize) -> Self {
        let first = |matrix: &Array2<f64>| matrix.slice(s![.., ..count]).to_owned();
        self.fitted.connected_components.iter_mut().for_each(|part| part.resize(count));
        self.fitted.report.eigenvalues.truncate(count);
        self.fitted.report.residuals.truncate(count);
        self.fitted.embedding = first(&self.fitted.embedding);
        self.embedding = AnyMatrix::rounded(self.fitted.embedding.clone(), self.single);
        self
    }

    /// The same model, the embedding that of these rows: landmarks stand for all of them.
    pub(crate) fn spread(mut self, input: AnyInput<'_>, run: &Run) -> Result<Self> {
        let _stage = run.stage("extend", None);
        self.fitted.embedding = self.coordinates(input, run)?;
        self.embedding = AnyMatrix::rounded(self.fitted.embedding.clone(), self.single);
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
        let [part] = self.connected_components() else { return Err(lost()) };
        let points = part.points().ok_or_else(lost)?;
        let function = part.formula.anchors().and_then(|anchors| anchors.function()).ok_or_else(lost)?;
        let regression = match self.regression.get() {
            Some(regression) => regression,
            None => {
                let fitted = Regression::fit(part.coordinates.view(), points, inverse.alpha, run)?;
                self.regression.get_or_init(|| fitted)
            }
        };
        let start = regression.points(coordinates, run)?;
        match (inverse.way.of(function), function) {
            (Preimage::FixedPoint, Function::Gaussian { gamma }) => {
                preimage::fixed_point(part, points, *gamma, coordinates, start, run)
            }
            (Preimage::FixedPoint, _) => Err(Error::conflict(
                "preimage",
                "preimage = fixed-point needs the Gaussian kernel",
                "choose regression, or auto",
            )),
            _ => Ok(start),
        }
    }

    /// From the embedding to the points, where new points are embedded by weights over their neighbors.
    fn rule_back(&self) -> Option<&(LocalLinear, Array2<f64>)> {
        let rule = |part| {
            let rule: &LocalLinear = ComponentModel::local_rule(part)?;
            Some((part, rule, rule.relation().points()?))
        };
        let rules: Vec<_> = self.connected_components().iter().map(rule).collect::<Option<_>>()?;
        let (_, first, _) = rules.first()?;
        Some(self.back.get_or_init(|| {
            let count = rules.iter().map(|(part, ..)| part.len()).sum();
            let mut images = Array2::zeros((count, self.fitted.embedding.ncols()));
            let mut points = Array2::zeros((count, self.fitted.features));
            let mut start = 0;
            for (part, _, of_component) in &rules {
                let rows = s![start..start + part.len(), ..];
                images.slice_mut(rows).assign(&(&part.coordinates + &ArrayView1::from(&part.translation)));
                points.slice_mut(rows).assign(of_component);
                start += part.len();
            }
            (first.turned(images), points)
        }))
    }

    fn of_precision(fitted: Fitted, single: bool) -> Self {
        let embedding = AnyMatrix::rounded(fitted.embedding.clone(), single);
        Self {
            fitted,
            embedding,
            inverse: None,
            assigner: None,
            origin: None,
            regression: OnceLock::new(),
            back: OnceLock::new(),
            single,
        }
    }

    pub(crate) fn connected_components(&self) -> &[ComponentModel] {
        &self.fitted.connected_components
    }

    /// The normalized kernel between rows and the anchors of the model (its training points, or its
    /// landmarks): of the training rows themselves, the Gram matrix whose eigenvectors are the embedding. The
    /// kernel between different connected components is zero. Refused where the kernel is one of training points
    /// only: see [`SpectralModel::gram`].
    pub fn kernel(&self, input: AnyInput<'_>, run: &Run) -> Result<Array2<f64>> {
        self.admit_kernel_rows()?;
        admitted::rows(self, input, run)?;
        let width: usize = self.connected_components().iter().map(ComponentModel::len).sum();
        run.reserve_rows("the kernel between the rows and the anchors", input.shape().rows, width)?;
        let mut out = Array2::zeros((input.shape().rows, width));
        for block in blocks(&input, input.shape().rows) {
            let mut start = 0;
            for Share { part, positions, rows } in self.shares(input, block, run)? {
                let end = start + part.len();
                let kernel = part.kernel(rows.view(), run)?;
                for (row, values) in positions.into_iter().zip(kernel.rows()) {
                    out.slice_mut(s![row, start..end]).assign(&values);
                }
                start = end;
            }
        }
        Ok(out)
    }

    fn coordinates(&self, input: AnyInput<'_>, run: &Run) -> Result<Array2<f64>> {
        let mut out = Array2::zeros((input.shape().rows, self.fitted.embedding.ncols()));
        for block in blocks(&input, input.shape().rows) {
            extend(self.shares(input, block, run)?, self.fitted.embedding.view(), &mut out, run)?;
        }
        Ok(out)
    }
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

    fn row_kinds(&self) -> &'static [InputKind] {
        self.connected_components()
            .first()
            .map_or(&[InputKind::Points], |part| part.formula.relation().kinds())
    }

    fn embedding(&self) -> Option<&AnyMatrix> {
        Some(&self.embedding)
    }

    fn report(&self) -> &Report {
        &self.fitted.report
    }

    fn report_mut(&mut self) -> &mut Report {
        &mut self.fitted.report
    }

    fn archive(&self) -> Archive {
        self.saved()
    }

    fn transform_admitted(&self, input: Admitted<'_>, run: &Run) -> Result<AnyMatrix> {
        let input = input.input();
        let single = matches!(input, AnyInput::F32(_));
        Ok(AnyMatrix::rounded(self.coordinates(input, run)?, single))
    }

    fn inverse_admitted(&self, embedding: Admitted<'_>, run: &Run) -> Result<AnyMatrix> {
        let embedding = embedding.input();
        let single = matches!(embedding, AnyInput::F32(_));
        if self.fitted.entry.capabilities.inverse
            && let Some((rule, points)) = self.rule_back()
        {
            let queries = query(embedding, 0..embedding.shape().rows);
            return Ok(AnyMatrix::rounded(rule.extend(queries.view(), points.view(), run)?, single));
        }
        let inverse = self.inverse.ok_or_else(|| unable::to_invert(self.fitted.entry))?;
        let points = self.points_of(query(embedding, 0..embedding.shape().rows).view(), inverse, run)?;
        Ok(AnyMatrix::rounded(points, single))
    }

    fn assign_admitted(&self, input: Admitted<'_>, run: &Run) -> Result<Vec<u32>> {
        let assigner = self.assigner.as_ref().ok_or_else(|| unable::to_assign(self.fitted.entry))?;
        Ok(assigner.assign(&self.coordinates(input.input(), run)?))
    }

    fn spectral(&self) -> Option<&SpectralModel> {
        Some(self)
    }

    fn attributes(&self) -> Vec<Attribute> {
        let mut attributes = Vec::new();
        // FastMap has none.
        if !self.report().eigenvalues.is_empty() {
            let eigenvalues = Array1::from(self.report().eigenvalues.clone());
            let meaning = "The eigenvalues behind the components.";
            attributes.push(Attribute::new("eigenvalues", meaning, eigenvalues));
        }
        attributes.extend(self.fitted.attributes.iter().cloned());
        attributes
    }
}
