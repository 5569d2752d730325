//! Multilayer autoencoder (Hinton and Salakhutdinov 2006; Maaten 4.2): a network that rebuilds its input through a narrow
//! middle layer, whose values are the embedding.
//!
//! points -> scale (principal components first, where columns are very many) -> pretrain -> unroll -> train -> middle layer

use crate::input::on_points;
use crate::matrix::{Element, sorted_rows};
use crate::method::{Capabilities, Entry, Fit, Forecast, Names, Training};
use crate::model::{Archive, Model};
pub use crate::neural::Settings as Autoencoder;
use crate::neural::{self, AutoencoderModel, TrainingState};
use crate::{InputKind, Shape};
use lowland_base::{Result, Run, Verdict};

/// The autoencoder in the registry.
pub static AUTOENCODER: Entry = Entry {
    name: "autoencoder",
    aliases: &["multilayer-autoencoder", "deep-autoencoder"],
    title: "Multilayer autoencoder",
    summary: "A neural network that rebuilds its input through a narrow layer: a smooth map for new points and back, learned \
              from much data; strong on images, slower than the spectral methods.",
    citation: "G. E. Hinton, R. R. Salakhutdinov, Reducing the dimensionality of data with neural networks, 2006; P. Vincent, \
               H. Larochelle, Y. Bengio, P.-A. Manzagol, Extracting and composing robust features with denoising \
               autoencoders, 2008",
    capabilities: Capabilities {
        inputs: &[InputKind::Points],
        inverse: true,
        random: true,
        local_optimum: true,
        resume: true,
        ..Capabilities::PLAIN
    },
    ..Entry::of::<Autoencoder>()
};

impl Fit for Autoencoder {
    type Model = AutoencoderModel;

    const ENTRY: &'static Entry = &AUTOENCODER;
    const MAY_CHANGE: Names = &["n_iter_no_change", "lbfgs_steps"];

    fn check(&self, shape: &Shape) -> Result<()> {
        self.check(shape.rows, shape.columns)
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let Forecast { bytes, flops, remedy } = self.forecast(shape.rows, shape.columns);
        // The rows are copied, in their own order.
        let copy = (shape.rows * shape.columns * shape.scalar_bytes) as u64;
        Forecast { bytes: bytes + copy, flops, remedy }
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<AutoencoderModel> {
        on_points!(data.input, x => {
            // Before the rows are sorted: a refusal names the table's row.
            neural::admit_values(x, self.loss)?;
            let order = sorted_rows(x);
            let sorted = x.select(ndarray::Axis(0), &order);
            let observer = |state: &TrainingState<'_>| match state.stage.wants_layout() {
                true => Ok(state.stage.show(state.kept(self.n_components, &order)?)),
                false => Ok(Verdict::Continue),
            };
            let network = neural::train(sorted.view(), self, data.checkpoint, run, &mut { observer })?;
            let chosen = self.chosen(x.nrows(), network.preprocessing());
            let stage = run.stage("embedding", None);
            let embedding = network.encode(x, run)?;
            drop(stage);
            let mut model = AutoencoderModel::new(&AUTOENCODER, network, Element::erase(embedding));
            model.report_mut().resolved.extend(chosen);
            Ok(model)
        })
    }

    fn load(&self, archive: &Archive) -> Result<AutoencoderModel> {
        AutoencoderModel::load(&AUTOENCODER, self, archive)
    }
}
