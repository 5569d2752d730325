//! Multilayer autoencoders (Maaten 4.2): scale, pretrain, unroll, train; the middle layer is the embedding.

use super::checkpoint::Checkpoint;
use super::loss::Loss;
use super::network::Network;
use super::plan::Settings;
use super::pretrain::passed;
use super::scaling::{Preprocessing, Scaling, outside_unit};
use super::train::{Epoch, Observer};
use lowland_base::{Error, Result, Run, Scalar};
use lowland_linalg::svd;
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

/// A trained autoencoder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Autoencoder {
    settings: Settings,
    preprocessing: Preprocessing,
    widths: Vec<usize>,
    parameters: Vec<f32>,
    history: Vec<Epoch>,
    training_loss: f64,
    stopped: bool,
}

/// Trains an autoencoder on rows that were admitted, from a checkpoint on where there is one; `observer` sees every epoch and
/// may keep the checkpoint.
pub(crate) fn train<T: Scalar>(
    x: ArrayView2<'_, T>,
    settings: &Settings,
    kept: Option<&lowland_base::Checkpoint>,
    run: &Run,
    observer: Observer<'_>,
) -> Result<Autoencoder> {
    let rows = x.nrows();
    let (scaling, directions) = match settings.loss {
        Loss::Squared => (settings.scaling, settings.pca_components),
        Loss::CrossEntropy => (Scaling::None, Some(0)),
    };
    let preprocessing = Preprocessing::fit(x, scaling, directions, run)?;
    let mut settings = settings.clone();
    if preprocessing.width() < settings.n_components {
        let bound = format!("at most {}, the principal components kept", preprocessing.width());
        return Err(Error::parameter(
            "n_components",
            settings.n_components,
            bound,
            "ask for fewer, or set pca_components = 0",
        ));
    }
    settings.scaling = scaling;
    let mut checkpoint = Checkpoint::new(settings, rows, preprocessing, run);
    if let Some(kept) = kept {
        checkpoint = checkpoint.resumed_from(kept)?;
    }
    resume(x, checkpoint, run, observer)
}

/// Goes on with a training that was interrupted, on the same rows: the bits are those of one that was not.
pub(super) fn resume<T: Scalar>(
    x: ArrayView2<'_, T>,
    mut checkpoint: Checkpoint,
    run: &Run,
    observer: Observer<'_>,
) -> Result<Autoencoder> {
    let rows = x.nrows();
    if rows != checkpoint.rows {
        let problem = format!("the checkpoint is of {} rows, and there are {rows}", checkpoint.rows);
        return Err(Error::malformed("checkpoint", problem, "give those rows, or start without it"));
    }
    let data = checkpoint.preprocessing.apply(x, run)?;
    checkpoint.advance(&data, run, observer)?;
    let mut model = Autoencoder::of(&checkpoint, &data, run)?;
    let all: Vec<u32> = (0..rows as u32).collect();
    model.training_loss =
        super::gradient::loss_of(&model.network(), &model.parameters, &data, &all, model.settings.loss, run)?;
    Ok(model)
}

/// Whether the loss can take the values.
pub(crate) fn admit_values<T: Scalar>(x: ArrayView2<'_, T>, loss: Loss) -> Result<()> {
    match outside_unit(x).filter(|_| loss == Loss::CrossEntropy) {
        Some(value) => Err(Error::conflict(
            "loss",
            format!("{value} is outside [0, 1], which the cross-entropy needs"),
            "scale the data, or choose the squared loss",
        )),
        None => Ok(()),
    }
}

impl Autoencoder {
    /// What training has come to; `data` are the rows as the network sees them.
    pub(super) fn of(checkpoint: &Checkpoint, data: &[f32], run: &Run) -> Result<Self> {
        let Checkpoint { settings, preprocessing, widths, history, stopped, .. } = checkpoint;
        let mut model = Self {
            settings: settings.clone(),
            preprocessing: preprocessing.clone(),
            widths: widths.clone(),
            parameters: settings.network(widths).uncentered(checkpoint.result()),
            history: history.clone(),
            training_loss: 0.0,
            stopped: *stopped,
        };
        model.turn(data, run)?;
        Ok(model)
    }

    /// The middle layer's values for rows as the network sees them.
    pub(super) fn code(&self, data: &[f32], run: &Run) -> Result<Vec<f32>> {
        passed(&self.encoder(), &self.parameters, data, run)
    }

    /// Turns the middle layer to its principal axes and moves its mean to zero; the decoder turns back. What is rebuilt stays
    /// the same, and the coordinates are uncorrelated, the widest first.
    fn turn(&mut self, data: &[f32], run: &Run) -> Result<()> {
        let d = self.settings.n_components;
        let code = self.code(data, run)?;
        let n = (code.len() / d) as f64;
        let mut mean = vec![0.0; d];
        for row in code.chunks_exact(d) {
            mean.iter_mut().zip(row).for_each(|(sum, &value)| *sum += f64::from(value) / n);
        }
        let mut covariance = faer::Mat::<f64>::zeros(d, d);
        for row in code.chunks_exact(d) {
            for i in 0..d {
                for j in 0..d {
                    covariance[(i, j)] += (f64::from(row[i]) - mean[i]) * (f64::from(row[j]) - mean[j]) / n;
                }
            }
        }
        let turn = svd::thin(covariance.as_ref(), run)?.right;
        let network = self.network();
        let middle = self.widths.len() - 2;
        let (into, out) = (network.layers()[middle], network.layers()[middle + 1]);
        let turned = |old: &dyn Fn(usize) -> f64| -> Vec<f32> {
            (0..d).map(|j| (0..d).map(|i| old(i) * turn[(i, j)]).sum::<f64>() as f32).collect()
        };
        // The decoder first: its biases take up the mean, through the weights as they were.
        for unit in 0..out.outputs {
            let shift: f64 = (0..d).map(|i| mean[i] * f64::from(self.parameters[out.weight(i, unit)])).sum();
            self.parameters[out.bias_range().start + unit] += shift as f32;
        }
        let bias = into.bias_range().start;
        let old = self.parameters.clone();
        let new = turned(&|i| f64::from(old[bias + i]) - mean[i]);
        self.parameters[into.bias_range()].copy_from_slice(&new);
        for input in 0..into.inputs {
            let new = turned(&|i| f64::from(old[into.weight(input, i)]));
            (0..d).for_each(|j| self.parameters[into.weight(input, j)] = new[j]);
        }
        if !out.tied {
            for unit in 0..out.outputs {
                let new = turned(&|i| f64::from(old[out.weight(i, unit)]));
                (0..d).for_each(|j| self.parameters[out.weight(j, unit)] = new[j]);
            }
        }
        Ok(())
    }

    /// An autoencoder of given parts; `None` where they do not fit each other.
    pub(crate) fn from_parts(
        settings: Settings,
        preprocessing: Preprocessing,
        widths: Vec<usize>,
        parameters: Vec<f32>,
    ) -> Option<Self> {
        let ends = (preprocessing.width(), settings.n_components);
        let size = widths.windows(2).try_fold(0usize, |sum, w| sum.checked_add(w[0].checked_mul(w[1])?));
        let sound = widths.len() >= 2
            && widths.iter().all(|&width| width > 0)
            && (widths[0], widths[widths.len() - 1]) == ends
            && size.is_some_and(|size| size <= parameters.len());
        if !sound || settings.network(&widths).size() != parameters.len() {
            return None;
        }
        Some(Self {
            settings,
            preprocessing,
            widths,
            parameters,
            history: Vec::new(),
            training_loss: 0.0,
            stopped: false,
        })
    }

    /// How the data are scaled.
    pub fn preprocessing(&self) -> &Preprocessing {
        &self.preprocessing
    }

    /// The middle layer's values for every row. A row's bits do not depend on the other rows.
    pub(crate) fn encode<T: Scalar>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<Array2<T>> {
        let rows: Vec<f32> = self.preprocessing.apply(x, run)?;
        let code = self.code(&rows, run)?;
        let code = code.into_iter().map(|value| T::of(value.into())).collect();
        let shape = (x.nrows(), self.settings.n_components);
        Array2::from_shape_vec(shape, code).map_err(|e| Error::shape("embedding", &e))
    }

    /// What the decoder makes of every row of the embedding, in the units of the data.
    pub(crate) fn decode<T: Scalar>(&self, y: ArrayView2<'_, T>, run: &Run) -> Result<Array2<T>> {
        let d = self.settings.n_components;
        if y.ncols() != d {
            return Err(Error::Width { what: "embedding", expected: d, found: y.ncols() });
        }
        let code: Vec<f32> = y.iter().map(|value| value.wide() as f32).collect();
        let decoder = self.network().tail(self.widths.len() - 1);
        let rows = passed(&decoder, &self.parameters, &code, run)?;
        self.preprocessing.invert(&rows, run)
    }

    /// The whole network.
    pub fn network(&self) -> Network {
        self.settings.network(&self.widths)
    }

    fn encoder(&self) -> Network {
        self.network().head(self.widths.len() - 1)
    }

    /// The parameters of the network.
    pub fn parameters(&self) -> &[f32] {
        &self.parameters
    }

    /// The widths from what the network sees to the middle layer.
    pub fn widths(&self) -> &[usize] {
        &self.widths
    }

    /// The settings it was trained with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The loss curve.
    pub fn history(&self) -> &[Epoch] {
        &self.history
    }

    /// Whether the observer ended the training.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// The mean loss over all cells of all rows of the fit, as the network sees them.
    pub fn training_loss(&self) -> f64 {
        self.training_loss
    }
}
