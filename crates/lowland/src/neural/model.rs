//! A fitted autoencoder, as every method's model is used.

use super::{Autoencoder, Loss, Preprocessing, Settings, Stage};
use crate::input::on_points;
use crate::matrix::{AnyMatrix, Element};
use crate::method::Entry;
use crate::model::{Archive, Attribute, Model, Quantity, Report, Warning};
use crate::parameters::{Described, Value};
use crate::{Admitted, InputKind};
use lowland_base::{Error, Result, Run};
use ndarray::Array2;

/// The loss of the returned coordinates, and the curve that led there.
fn report(network: &Autoencoder) -> Report {
    let quantity = |name: &str, value: f64| Quantity { name: name.into(), value };
    let name = match network.settings().loss {
        Loss::Squared => "mean squared error, scaled",
        Loss::CrossEntropy => "mean cross-entropy",
    };
    let mut objective = vec![quantity(name, network.training_loss())];
    let trained =
        || network.history().iter().filter(|epoch| !matches!(epoch.stage, Stage::Pretraining { .. }));
    if let Some(held_out) = trained().filter_map(|epoch| epoch.held_out).reduce(f64::min) {
        objective.push(quantity("loss of the rows held out", held_out));
    }
    let losses = trained().map(|epoch| epoch.loss).chain([network.training_loss()]).enumerate().collect();
    let iterations = network.history().len();
    let warnings = network.is_stopped().then_some(Warning::Stopped { iterations }).into_iter().collect();
    Report { objective, losses, warnings, ..Report::default() }
}

/// A fitted autoencoder.
#[derive(Debug, Clone)]
pub struct AutoencoderModel {
    entry: &'static Entry,
    network: Autoencoder,
    embedding: Option<AnyMatrix>,
    report: Report,
}

impl AutoencoderModel {
    pub(crate) fn new(entry: &'static Entry, network: Autoencoder, embedding: AnyMatrix) -> Self {
        let report = report(&network);
        Self { entry, network, embedding: Some(embedding), report }
    }

    pub(crate) fn load(entry: &'static Entry, settings: &Settings, archive: &Archive) -> Result<Self> {
        let broken = |problem: &str| Error::ModelFile { problem: problem.into() };
        let columns = archive.width("center");
        let center = archive.vector("center", columns)?.to_vec();
        let size = archive.vector("size", columns)?.to_vec();
        let widths = archive.indices("widths", usize::MAX)?;
        let kept = widths.first().copied().unwrap_or(0);
        let directions = if archive.has_array("directions") {
            Some((archive.single("directions", (columns, kept))?.into_iter().collect(), kept))
        } else {
            None
        };
        let preprocessing = Preprocessing::from_parts(center, size, directions)
            .ok_or_else(|| broken("its scaling does not fit together"))?;
        let parameters =
            archive.single("parameters", (1, archive.width("parameters")))?.into_iter().collect();
        let network = Autoencoder::from_parts(settings.clone(), preprocessing, widths, parameters)
            .ok_or_else(|| broken("its layers do not fit together"))?;
        Ok(Self { entry, network, embedding: None, report: archive.report().clone() })
    }

    /// The network itself.
    pub fn network(&self) -> &Autoencoder {
        &self.network
    }
}

impl Model for AutoencoderModel {
    fn entry(&self) -> &'static Entry {
        self.entry
    }

    fn parameters(&self) -> Vec<(&'static str, Value)> {
        self.network.settings().settings()
    }

    fn features(&self) -> usize {
        self.network.preprocessing().columns()
    }

    fn components(&self) -> usize {
        self.network.settings().n_components
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
        let mut archive = Archive::new(self.network.settings().settings(), &self.report);
        let (center, size, directions) = self.network.preprocessing().parts();
        archive.put_vector("center", center);
        archive.put_vector("size", size);
        archive.put_indices("widths", self.network.widths());
        let single = |values: &[f32], width: usize| {
            Array2::from_shape_fn((values.len() / width.max(1), width), |(i, j)| values[i * width + j])
        };
        if let Some((directions, kept)) = directions {
            archive.put_single("directions", single(directions, *kept));
        }
        let parameters = self.network.parameters();
        archive.put_single("parameters", single(parameters, parameters.len()));
        archive
    }

    fn attributes(&self) -> Vec<Attribute> {
        let epochs = self.report.losses.len().saturating_sub(1).max(1);
        vec![Attribute::new(
            "n_iter",
            "The epochs of the training, and the steps of L-BFGS after them.",
            epochs,
        )]
    }

    fn transform_admitted(&self, input: Admitted<'_>, run: &Run) -> Result<AnyMatrix> {
        on_points!(input.input(), x => Ok(Element::erase(self.network.encode(x, run)?)))
    }

    fn inverse_admitted(&self, embedding: Admitted<'_>, run: &Run) -> Result<AnyMatrix> {
        on_points!(embedding.input(), y => Ok(Element::erase(self.network.decode(y, run)?)))
    }
}
