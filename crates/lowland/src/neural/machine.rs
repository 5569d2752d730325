//! A fitted Boltzmann machine, as every method's model is used.

use super::rbm::{Rbm, Units};
use super::scaling::Preprocessing;
use crate::input::on_points;
use crate::matrix::{AnyMatrix, Element};
use crate::method::Entry;
use crate::methods::{RBM, Rbm as Method};
use crate::model::{Archive, Attribute, Model, Quantity, Report};
use crate::parameters::{Described, Field, Value};
use crate::{Admitted, InputKind};
use lowland_base::{Error, Result, Run, Scalar};
use ndarray::{Array1, Array2, ArrayView2};

/// A fitted Boltzmann machine.
#[derive(Debug, Clone)]
pub struct RbmModel {
    method: Method,
    preprocessing: Preprocessing,
    machine: Rbm<f32>,
    embedding: Option<AnyMatrix>,
    report: Report,
}

/// Rows of given values one after another.
fn table<T: Scalar>(values: Vec<f32>, width: usize) -> Result<Array2<T>> {
    let values: Vec<T> = values.into_iter().map(|value| T::of(value.into())).collect();
    Array2::from_shape_vec((values.len() / width.max(1), width), values)
        .map_err(|e| Error::shape("units", &e))
}

impl RbmModel {
    pub(crate) fn new(method: &Method, preprocessing: Preprocessing, machine: Rbm<f32>) -> Self {
        let (method, report) = (method.clone(), Report::default());
        Self { method, preprocessing, machine, embedding: None, report }
    }

    /// Adds the embedding of the rows of the fit, and what was reached on them: `rows` are the same as the machine sees
    /// them, in any order, `curve` the errors of all passes.
    pub(crate) fn fitted<T: Element>(
        mut self,
        x: ArrayView2<'_, T>,
        rows: &[f32],
        curve: &[f64],
        run: &Run,
    ) -> Result<Self> {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let hidden = self.machine.features(rows, run)?;
        let again = self.machine.reconstruct(&hidden, run)?;
        let apart: f64 = rows.iter().zip(&again).map(|(a, b)| f64::from(a - b).powi(2)).sum();
        let energy = mean(&self.machine.free_energy(rows, run)?);
        let quantity = |name: &str, value: f64| Quantity { name: name.into(), value };
        let error = apart / rows.len().max(1) as f64;
        let mut objective = vec![
            quantity("mean squared error of the reconstruction, scaled", error),
            quantity("mean free energy", energy),
        ];
        if let Some(partition) = self.machine.log_partition(run)? {
            objective.push(quantity("mean log-likelihood, scaled", -energy - partition));
        }
        let losses = curve.iter().copied().chain([error]).enumerate().collect();
        self.report = Report { objective, losses, ..Report::default() };
        self.embedding = Some(Element::erase(self.features_of(x, run)?));
        Ok(self)
    }

    pub(crate) fn load(method: &Method, archive: &Archive) -> Result<Self> {
        let broken = |problem: &str| Error::ModelFile { problem: problem.into() };
        let columns = archive.width("center");
        let (center, size) = (archive.vector("center", columns)?, archive.vector("size", columns)?);
        let preprocessing = Preprocessing::from_parts(center.to_vec(), size.to_vec(), None)
            .ok_or_else(|| broken("its scaling does not fit together"))?;
        let h = method.n_components;
        let single = |name: &str, shape| {
            Ok::<_, Error>(archive.single(name, shape)?.into_iter().collect::<Vec<f32>>())
        };
        let visible = Units::from_value(&Value::Text(archive.word("visible_units")?.to_owned()))
            .ok_or_else(|| broken("its visible units are of no known kind"))?;
        let machine = Rbm::from_parts(
            visible,
            method.hidden_units,
            single("weights", (columns, h))?,
            &single("intercept_hidden", (1, h))?,
            &single("intercept_visible", (1, columns))?,
        )?;
        let mut model = Self::new(method, preprocessing, machine);
        model.report = archive.report().clone();
        Ok(model)
    }

    /// The machine itself. It sees scaled rows: see [`RbmModel::preprocessing`].
    pub fn machine(&self) -> &Rbm<f32> {
        &self.machine
    }

    /// How the data are scaled.
    pub fn preprocessing(&self) -> &Preprocessing {
        &self.preprocessing
    }

    fn features_of<T: Scalar>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<Array2<T>> {
        let rows: Vec<f32> = self.preprocessing.apply(x, run)?;
        table(self.machine.features(&rows, run)?, self.method.n_components)
    }

    fn back<T: Scalar>(&self, y: ArrayView2<'_, T>, run: &Run) -> Result<Array2<T>> {
        let hidden: Vec<f32> = y.iter().map(|value| value.wide() as f32).collect();
        self.preprocessing.invert(&self.machine.reconstruct(&hidden, run)?, run)
    }
}

impl Model for RbmModel {
    fn entry(&self) -> &'static Entry {
        &RBM
    }

    fn parameters(&self) -> Vec<(&'static str, Value)> {
        self.method.settings()
    }

    fn features(&self) -> usize {
        self.preprocessing.columns()
    }

    fn components(&self) -> usize {
        self.method.n_components
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
        let mut archive = Archive::new(self.method.settings(), &self.report);
        let (center, size, _) = self.preprocessing.parts();
        archive.put_vector("center", center);
        archive.put_vector("size", size);
        let single = |values: &[f32], width: usize| {
            Array2::from_shape_fn((values.len() / width.max(1), width), |(i, j)| values[i * width + j])
        };
        let (v, h) = self.machine.widths();
        archive.put_single("weights", single(self.machine.weights(), h));
        archive.put_single("intercept_hidden", single(self.machine.hidden_bias(), h));
        archive.put_single("intercept_visible", single(self.machine.visible_bias(), v));
        if let Value::Text(word) = self.machine.visible.to_value() {
            archive.put_fact("visible_units", word);
        }
        archive
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (v, h) = self.machine.widths();
        let wide = |values: &[f32]| values.iter().map(|&value| f64::from(value)).collect::<Array1<f64>>();
        let weights = self.machine.weights();
        let components = Array2::from_shape_fn((h, v), |(unit, i)| f64::from(weights[i * h + unit]));
        let epochs = self.report.losses.len().saturating_sub(1);
        vec![
            Attribute::new("components", "The weights, one hidden unit a row.", components),
            Attribute::new(
                "intercept_hidden",
                "The biases of the hidden units.",
                wide(self.machine.hidden_bias()),
            ),
            Attribute::new(
                "intercept_visible",
                "The biases of the visible units.",
                wide(self.machine.visible_bias()),
            ),
            Attribute::new("n_iter", "The passes through the data.", epochs),
        ]
    }

    fn transform_admitted(&self, input: Admitted<'_>, run: &Run) -> Result<AnyMatrix> {
        on_points!(input.input(), x => Ok(Element::erase(self.features_of(x, run)?)))
    }

    fn inverse_admitted(&self, embedding: Admitted<'_>, run: &Run) -> Result<AnyMatrix> {
        on_points!(embedding.input(), y => Ok(Element::erase(self.back(y, run)?)))
    }

    fn free_energy_admitted(&self, input: Admitted<'_>, run: &Run) -> Result<Array1<f64>> {
        on_points!(input.input(), x => {
            let rows: Vec<f32> = self.preprocessing.apply(x, run)?;
            Ok(Array1::from(self.machine.free_energy(&rows, run)?))
        })
    }

    fn sample_reserved(&self, count: usize, run: &Run) -> Result<Array2<f64>> {
        self.preprocessing.invert(&self.machine.sample(count, self.method.sampling_steps, run)?, run)
    }
}
