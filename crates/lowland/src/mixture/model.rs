//! The model of every method over a mixture: a row's image is the mean of what the analyzers say, weighted by their
//! responsibilities, `y = sum_j r_j [1 z_j] L_j`; and the same mixture is a density of the data.

use super::evaluate::{BLOCK, Block};
use super::inverse::Inverse;
use super::{Local, Mixture};
use crate::input::on_points;
use crate::matrix::{AnyMatrix, Element};
use crate::method::Entry;
use crate::model::{Archive, Attribute, Datum, Model, Part, Report, unable};
use crate::parameters::Value;
use crate::{Admitted, AnyInput, InputKind, admitted};
use lowland_base::{Result, Run};
use ndarray::{Array1, Array2, ArrayView2};

/// A fitted mixture with an embedding.
#[derive(Clone)]
pub struct MixtureModel {
    pub(crate) entry: &'static Entry,
    pub(crate) parts: &'static [Part],
    pub(crate) parameters: Vec<(&'static str, Value)>,
    pub(crate) mixture: Mixture,
    /// (analyzers x (1 + factors)) x components.
    pub(crate) maps: Array2<f64>,
    pub(crate) back: Option<Inverse>,
    /// A value for each of the method's parts.
    pub(crate) found: Vec<Datum>,
    pub(crate) report: Report,
    pub(crate) embedding: Option<AnyMatrix>,
}

impl std::fmt::Debug for MixtureModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MixtureModel").field("entry", &self.entry).field("mixture", &self.mixture).finish()
    }
}

impl MixtureModel {
    /// With the embedding of the training rows, made by the very map that embeds new ones.
    pub(crate) fn embedded(mut self, input: AnyInput<'_>, run: &Run) -> Result<Self> {
        let _stage = run.stage("project", None);
        self.embedding = Some(on_points!(input, x => self.transform_typed(x, run))?);
        Ok(self)
    }

    /// The share of each analyzer.
    pub fn weights(&self) -> &[f64] {
        &self.mixture.weights
    }

    /// The means of the analyzers, one a row.
    pub fn means(&self) -> Array2<f64> {
        self.mixture.means()
    }

    /// A vector that the method has found.
    pub fn vector(&self, name: &str) -> Option<Array1<f64>> {
        let found = self.attributes().into_iter().find(|attribute| attribute.name == name)?;
        if let Datum::Vector(vector) = found.value { Some(vector) } else { None }
    }

    /// How far apart the analyzers place each row: the root of the mean squared distance from its image.
    pub fn disagreement(&self, rows: ArrayView2<'_, f64>, run: &Run) -> Result<Array1<f64>> {
        Ok(super::align::disagreement(&self.local(rows, run)?, &self.maps).0)
    }

    fn local(&self, rows: ArrayView2<'_, f64>, run: &Run) -> Result<Local> {
        admitted::rows(self, rows.into(), run)?;
        self.mixture.local(rows, run)
    }

    /// From a file.
    pub(crate) fn load(
        entry: &'static Entry,
        parts: &'static [Part],
        parameters: Vec<(&'static str, Value)>,
        archive: &Archive,
    ) -> Result<Self> {
        let (d, components) = (archive.count("features")?, archive.count("components")?);
        let mixture = Mixture::load(archive, d)?;
        let m = mixture.weights.len();
        let rows = m.saturating_mul(mixture.factors() + 1);
        let maps = archive.matrix("maps", (rows, components))?;
        let back =
            entry.capabilities.inverse.then(|| Inverse::load(archive, m, components, d)).transpose()?;
        let found = archive.parts(parts)?;
        let report = archive.report().clone();
        Ok(Self { entry, parts, parameters, mixture, maps, back, found, report, embedding: None })
    }

    fn transform_typed<T: Element>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<AnyMatrix> {
        let (k, d) = (self.mixture.factors(), self.components());
        let visit = |block: &Block, rows: usize, out: &mut [f64]| {
            for (row, out) in (0..rows).zip(out.chunks_exact_mut(d.max(1))) {
                for j in 0..self.mixture.weights.len() {
                    let r = block.responsibilities[j * BLOCK + row];
                    if r == 0.0 {
                        continue;
                    }
                    let z = &block.z[(j * BLOCK + row) * k..][..k];
                    let own = j * (k + 1);
                    for (c, out) in out.iter_mut().enumerate() {
                        let local: f64 =
                            z.iter().enumerate().map(|(a, z)| z * self.maps[(own + 1 + a, c)]).sum();
                        *out += r * (self.maps[(own, c)] + local);
                    }
                }
            }
        };
        let y = self.mixture.each_block(x, d, visit, run)?;
        Ok(T::erase(y.mapv(T::of)))
    }

    fn inverse_typed<T: Element>(&self, y: ArrayView2<'_, T>, run: &Run) -> Result<AnyMatrix> {
        let back = self.back.as_ref().ok_or_else(|| unable::to_invert(self.entry))?;
        Ok(T::erase(back.apply(y, &self.mixture, run)?))
    }
}

impl Model for MixtureModel {
    fn entry(&self) -> &'static Entry {
        self.entry
    }

    fn parameters(&self) -> Vec<(&'static str, Value)> {
        self.parameters.clone()
    }

    fn features(&self) -> usize {
        self.mixture.features()
    }

    fn components(&self) -> usize {
        self.maps.ncols()
    }

    fn row_kinds(&self) -> &'static [InputKind] {
        &[InputKind::Points]
    }

    fn embedding(&self) -> Option<&AnyMatrix> {
        self.embedding.as_ref()
    }

    fn report(&self) -> &Report {
        &self.report
    }

    fn report_mut(&mut self) -> &mut Report {
        &mut self.report
    }

    fn archive(&self) -> Archive {
        let mut archive = Archive::new(self.parameters(), &self.report);
        archive.put_fact("features", self.features());
        archive.put_fact("components", self.components());
        archive.put("maps", self.maps.clone());
        self.mixture.store(&mut archive);
        if let Some(back) = &self.back {
            back.store(&mut archive);
        }
        archive.put_parts(self.parts, &self.found);
        archive
    }

    fn transform_admitted(&self, input: Admitted<'_>, run: &Run) -> Result<AnyMatrix> {
        on_points!(input.input(), x => self.transform_typed(x, run))
    }

    fn inverse_admitted(&self, embedding: Admitted<'_>, run: &Run) -> Result<AnyMatrix> {
        on_points!(embedding.input(), y => self.inverse_typed(y, run))
    }

    fn log_density_admitted(&self, input: Admitted<'_>, run: &Run) -> Result<Array1<f64>> {
        on_points!(input.input(), x => self.mixture.log_density(x, run))
    }

    fn responsibilities_admitted(&self, input: Admitted<'_>, run: &Run) -> Result<Array2<f64>> {
        on_points!(input.input(), x => self.mixture.responsibilities(x, run))
    }

    fn assign_admitted(&self, input: Admitted<'_>, run: &Run) -> Result<Vec<u32>> {
        let shares = self.responsibilities_admitted(input, run)?;
        Ok(shares.rows().into_iter().map(|shares| most_responsible(shares.iter())).collect())
    }

    fn sample_reserved(&self, count: usize, run: &Run) -> Result<Array2<f64>> {
        self.mixture.sample(count, run)
    }

    fn attributes(&self) -> Vec<Attribute> {
        let weights = Array1::from(self.mixture.weights.clone());
        let mut shown = vec![
            Attribute::new("weights", "The share of each analyzer; they sum to 1.", weights),
            Attribute::new("means", "The means of the analyzers, one a row.", self.mixture.means()),
            Attribute::new(
                "loadings",
                "The matrices W of the analyzers below each other: each has the columns of the data by factors.",
                self.mixture.loadings(),
            ),
            Attribute::new(
                "noise_variance",
                "The variance of the noise: analyzers by columns of the data.",
                self.mixture.noise(),
            ),
        ];
        if !self.mixture.degrees.is_empty() {
            let meaning = "The degrees of freedom of each analyzer's Student's t.";
            let degrees = Array1::from(self.mixture.degrees.clone());
            shown.push(Attribute::new("degrees_of_freedom", meaning, degrees));
        }
        shown.extend(Attribute::of_parts(self.parts, &self.found));
        shown
    }
}

/// The first of the largest.
pub(crate) fn most_responsible<'a>(shares: impl Iterator<Item = &'a f64>) -> u32 {
    let mut best = (f64::NEG_INFINITY, 0);
    for (j, &share) in shares.enumerate() {
        if share > best.0 {
            best = (share, j as u32);
        }
    }
    best.1
}
