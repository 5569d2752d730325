//! The fitted model: a linear model, with the Gaussian along its axes, and its parts by name.

use super::selection::Kept;
use super::{PCA, Pca};
use crate::matrix::AnyMatrix;
use crate::method::Entry;
use crate::model::{Archive, Attribute, Form, Model, Part, Report};
use crate::parameters::{Described, Value};
use crate::projective::spectrum::Spectrum;
use crate::projective::{AxisGaussian, LinearModel, Map};
use crate::{Admitted, AnyInput, Input, InputKind};
use lowland_base::{Error, Result, Run};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

const PARTS: &[Part] = &[
    ("components", "The directions, one a row, by descending variance.", Form::Matrix),
    ("explained_variance", "The variance (divisor n - 1) along each direction.", Form::Vector),
    ("explained_variance_ratio", "The share of the whole variance along each direction.", Form::Vector),
    ("singular_values", "The singular values of the centered data.", Form::Vector),
    ("mean", "The mean of each column of the data.", Form::Vector),
    ("noise_variance", "The mean variance along the directions left out.", Form::Number),
    ("n_samples", "The number of rows of the fit.", Form::Count),
];

/// A fitted principal component analysis.
#[derive(Debug, Clone, PartialEq)]
pub struct PcaModel {
    linear: LinearModel,
    density: AxisGaussian,
    rows: usize,
    total_variance: f64,
}

impl PcaModel {
    /// Keeps what was asked for. Directions that rounding hides become zero, with a warning.
    pub(super) fn new(pca: &Pca, spectrum: Spectrum) -> Result<Self> {
        Ok(Self::of(pca, pca.select(spectrum)?))
    }

    fn of(pca: &Pca, kept: Kept) -> Self {
        let noise = kept.noise();
        let Kept { rows, mean, directions, variances, total, report } = kept;
        let (k, d) = directions.dim();
        // By how much a coordinate is divided.
        let spread = |j: usize| if pca.whiten { variances[j].sqrt() } else { 1.0 };
        let divided = |value: f64, by: f64| if by > 0.0 { value / by } else { 0.0 };
        let forward = Array2::from_shape_fn((d, k), |(i, j)| divided(directions[(j, i)], spread(j)));
        let backward = Array2::from_shape_fn((k, d), |(i, j)| directions[(i, j)] * spread(i));
        // V L^-1/2 V' and V L^1/2 V': the roots of the inverse covariance and of the covariance.
        let (forward, backward) = if pca.symmetric && pca.whiten {
            (forward.dot(&directions), directions.t().dot(&backward))
        } else {
            (forward, backward)
        };
        let whole = if total > 0.0 { total } else { 1.0 };
        let singular = |variance: &f64| variance.sqrt() * ((rows - 1) as f64).sqrt();
        let found = vec![
            directions.clone().into(),
            Array1::from(variances.clone()).into(),
            variances.iter().map(|variance| variance / whole).collect::<Array1<f64>>().into(),
            variances.iter().map(singular).collect::<Array1<f64>>().into(),
            Array1::from(mean.clone()).into(),
            noise.into(),
            rows.into(),
        ];
        let density = AxisGaussian { mean: mean.clone(), directions, variances, noise };
        let map = Map { center: mean, forward, backward: Some(backward), density: None, found, report };
        let linear = LinearModel::new(&PCA, PARTS, pca.settings(), map);
        Self { linear, density, rows, total_variance: total }
    }

    /// With the embedding of the training rows, made by the very map that embeds new ones.
    pub(super) fn embedded(self, input: AnyInput<'_>, run: &Run) -> Result<Self> {
        Ok(Self { linear: self.linear.embedded(input, run)?, ..self })
    }

    /// The mean of each column of the data.
    pub fn mean(&self) -> ArrayView1<'_, f64> {
        self.linear.center()
    }

    /// The directions, one a row, by descending variance; in each the entry of largest magnitude is positive.
    pub fn directions(&self) -> ArrayView2<'_, f64> {
        self.density.directions.view()
    }

    /// The variance (divisor n - 1) along each direction.
    pub fn explained_variance(&self) -> ArrayView1<'_, f64> {
        ArrayView1::from(&self.density.variances[..])
    }

    /// The share of the whole variance along each direction.
    pub fn explained_variance_ratio(&self) -> Array1<f64> {
        self.linear.vector("explained_variance_ratio").map(|found| found.to_owned()).unwrap_or_default()
    }

    /// The singular values of the centered data.
    pub fn singular_values(&self) -> Array1<f64> {
        self.linear.vector("singular_values").map(|found| found.to_owned()).unwrap_or_default()
    }

    /// The mean variance along the directions left out (Burges eq. 1.9): the noise of the probabilistic model.
    pub fn noise_variance(&self) -> f64 {
        self.density.noise
    }

    /// The number of rows of the fit.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// From a file.
    pub(super) fn load(pca: &Pca, archive: &Archive) -> Result<Self> {
        Ok(Self::of(pca, Kept::load(archive)?))
    }
}

impl Model for PcaModel {
    fn entry(&self) -> &'static Entry {
        &PCA
    }

    fn parameters(&self) -> Vec<(&'static str, Value)> {
        self.linear.parameters()
    }

    fn features(&self) -> usize {
        self.linear.features()
    }

    fn components(&self) -> usize {
        self.linear.components()
    }

    fn row_kinds(&self) -> &'static [InputKind] {
        self.linear.row_kinds()
    }

    fn embedding(&self) -> Option<&AnyMatrix> {
        self.linear.embedding()
    }

    fn report(&self) -> &Report {
        self.linear.report()
    }

    fn report_mut(&mut self) -> &mut Report {
        self.linear.report_mut()
    }

    /// The directions and variances alone: the maps follow from them.
    fn archive(&self) -> Archive {
        let mut archive = Archive::new(self.parameters(), self.report());
        archive.put_fact("features", self.features());
        archive.put_fact("components", self.density.directions.nrows());
        archive.put_fact("rows", self.rows);
        archive.put_fact("total_variance", self.total_variance);
        archive.put_vector("mean", &self.density.mean);
        archive.put_vector("variances", &self.density.variances);
        archive.put("components", self.density.directions.clone());
        archive
    }

    fn transform_admitted(&self, input: Admitted<'_>, run: &Run) -> Result<AnyMatrix> {
        self.linear.transform_admitted(input, run)
    }

    fn inverse_admitted(&self, embedding: Admitted<'_>, run: &Run) -> Result<AnyMatrix> {
        self.linear.inverse_admitted(embedding, run)
    }

    fn log_density_admitted(&self, input: Admitted<'_>, run: &Run) -> Result<Array1<f64>> {
        match input.input() {
            AnyInput::F32(Input::Points(x)) => self.density.log_likelihood(x, PCA.name, run),
            AnyInput::F64(Input::Points(x)) => self.density.log_likelihood(x, PCA.name, run),
            _ => Err(Error::Unsupported {
                method: PCA.name.into(),
                what: format!("give the likelihood of {} rows", input.input().shape().kind),
                remedy: "give it points".into(),
            }),
        }
    }

    fn sample_reserved(&self, count: usize, run: &Run) -> Result<Array2<f64>> {
        self.density.sample(count, run)
    }

    fn attributes(&self) -> Vec<Attribute> {
        self.linear.attributes()
    }
}
