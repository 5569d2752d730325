//! Epochs of an autoencoder, as `benches/peers/neural.py` trains it.

use crate::npy::Array;
use crate::protocol::{Arguments, Outcome, serve};
use lowland::Method;
use lowland::methods::Autoencoder;
use lowland::neural::{Pretraining, Schedule};
use ndarray::ArrayView2;

pub fn epochs(arguments: &Arguments) -> Outcome {
    let data: Array<f32> = arguments.load("")?;
    let x = ArrayView2::from_shape(data.rows_columns()?, &data.values)?;
    let run = arguments.run()?;
    let method = Autoencoder {
        n_components: 20,
        hidden_layer_sizes: Some(vec![500, 250]),
        tied_weights: arguments.number("tied")? == 1,
        pretraining: Some(Pretraining::None),
        noise: Some(0.0),
        batch_size: arguments.number("batch")?,
        max_iter: Some(arguments.number("epochs")?),
        learning_rate: Schedule::Constant,
        validation_fraction: 0.0,
        lbfgs_steps: Some(0),
        ..Autoencoder::default()
    };
    serve(|| Ok(method.fit_model(x, &run)?), |model| Ok(vec![("loss", model.network().training_loss())]))
}
