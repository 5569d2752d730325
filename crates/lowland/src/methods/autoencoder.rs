//! Multilayer autoencoder (Hinton and Salakhutdinov 2006; Maaten 4.2): a network that rebuilds its input through a narrow
//! middle layer, whose values are the embedding.
//!
//! points -> scale (principal components first, where columns are very many) -> pretrain -> unroll -> train -> middle layer

use crate::matrix::{AnyMatrix, Element};
use crate::method::{Capabilities, Entry, Fit, Forecast, Training};
use crate::model::{Archive, Attribute, Model, Quantity, Report};
use crate::neural::{self, Activation, Front, Loss, Pretraining, Scaling, Schedule, Settings, Stage};
use crate::parameters::{Described, Field, Kind, Value};
use crate::{AnyInput, InputKind, Shape, parameters};
use lowland_base::{Error, Result, Run, Scalar};
use ndarray::Array2;

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
        ..Capabilities::PLAIN
    },
    ..Entry::of::<Autoencoder>()
};

/// The words of a parameter whose type belongs to the networks.
macro_rules! words {
    ($type:ty { $($variant:ident = $word:literal, $meaning:literal;)+ }) => {
        impl Field for $type {
            fn kind() -> Kind {
                Kind::Choice { options: vec![$(($word, $meaning)),+] }
            }
            fn from_value(value: &Value) -> Option<Self> {
                let Value::Text(word) = value else { return None };
                match word.as_str() {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
            fn to_value(&self) -> Value {
                Value::Text(match self { $(Self::$variant => $word),+ }.to_owned())
            }
        }
    };
}

words! { Activation {
    Sigmoid = "sigmoid", "1 / (1 + e^-x): the units of a Boltzmann machine.";
    Tanh = "tanh", "The hyperbolic tangent: a sigmoid about zero.";
    Relu = "relu", "max(0, x).";
    Softplus = "softplus", "ln(1 + e^x): a smooth max(0, x).";
    Linear = "linear", "x: the network finds the subspace of PCA.";
} }
words! { Loss {
    Squared = "squared", "The mean squared error; outputs are linear.";
    CrossEntropy = "cross-entropy", "The mean cross-entropy, for data in [0, 1]; outputs are sigmoid.";
} }
words! { Scaling {
    Global = "global", "Centered, and all columns divided by one number: distances keep their proportions.";
    Columns = "columns", "Centered, and each column divided by its standard deviation.";
    None = "raw", "Taken as they are.";
} }
words! { Pretraining {
    None = "random", "Not pretrained: training begins with random weights.";
    Rbm = "rbm", "Restricted Boltzmann machines, by contrastive divergence; for sigmoid units.";
    Denoising = "denoising", "Small autoencoders that undo noise.";
} }
words! { Schedule {
    Constant = "constant", "The rate stays.";
    Cosine = "cosine", "Half a cosine down to a hundredth.";
    Exponential = "exponential", "A geometric fall to a hundredth.";
} }

fn auto_or(kind: Kind) -> Kind {
    Kind::AnyOf { kinds: vec![Kind::Auto, kind] }
}

parameters! {
    /// Multilayer autoencoder: the parameters.
    pub struct Autoencoder {
        /// The width of the middle layer.
        n_components: usize = 2, in Kind::Integer { min: 1, max: i64::MAX };
        /// The widths of the hidden layers between the data and the middle layer, the widest first; the decoder is their
        /// mirror image. `auto` chooses two by the size of the data.
        hidden_layer_sizes: Option<Vec<usize>> = None,
            in Kind::AnyOf {
                kinds: vec![
                    Kind::Auto,
                    Kind::List {
                        of: Box::new(Kind::Integer { min: 1, max: 1_000_000 }),
                        min_len: 0,
                        max_len: 64,
                    },
                ],
            };
        /// Whether the weights of the decoder are those of the encoder, transposed.
        tied_weights: bool = true;
        /// The units of the hidden layers; those of the middle layer are linear.
        activation: Activation = Activation::Sigmoid;
        /// What is minimized over the rows: the error of the rebuilt row.
        loss: Loss = Loss::Squared;
        /// How the data are scaled; the cross-entropy takes them as they are.
        scaling: Scaling = Scaling::Global;
        /// How many principal components the network sees in place of the columns, 0 for none; `auto` is 512 where there
        /// are more than 2048 columns.
        pca_components: Option<usize> = None;
        /// How layers are trained one by one before they are trained together. `auto` is rbm where sigmoid units see many
        /// columns, else random.
        pretraining: Option<Pretraining> = None;
        /// Passes through the data for each pretrained layer; `auto` chooses by the number of rows.
        pretraining_epochs: Option<usize> = None, in auto_or(Kind::Integer { min: 0, max: 1_000_000 });
        /// The share of a row's cells that is blotted out before the network sees it; `auto` is 0.3 for many columns, of
        /// which some tell of others, else 0.
        noise: Option<f64> = None, in auto_or(Kind::Real { min: 0.0, max: 0.9, open: false });
        /// How much half the sum of squared weights counts.
        alpha: f64 = 0.0, in Kind::Real { min: 0.0, max: 1e6, open: false };
        /// Rows of a step; all rows where there are fewer.
        batch_size: usize = 100, in Kind::Integer { min: 1, max: 1_000_000 };
        /// The rate of Adam's steps at the start.
        learning_rate_init: f64 = 0.002, in Kind::Real { min: 1e-9, max: 1.0, open: false };
        /// How the rate falls in the course of the training.
        learning_rate: Schedule = Schedule::Cosine;
        /// Passes through the data; `auto` chooses by the number of rows.
        max_iter: Option<usize> = None, in auto_or(Kind::Integer { min: 0, max: 1_000_000 });
        /// The share of the rows held out to know when to stop; 0 trains on all rows, to the end. Below 50 rows none are.
        validation_fraction: f64 = 0.1, in Kind::Real { min: 0.0, max: 0.9, open: false };
        /// Passes without a better loss of the rows held out before training stops.
        n_iter_no_change: usize = 20, in Kind::Integer { min: 1, max: 1_000_000 };
        /// Steps of L-BFGS over all rows at the end; `auto` is 500 for small data, 0 for large.
        polish_steps: Option<usize> = None, in auto_or(Kind::Integer { min: 0, max: 1_000_000 });
    }
}

impl Autoencoder {
    /// The same wishes as a network knows them.
    pub fn network_settings(&self) -> Settings {
        Settings {
            n_components: self.n_components,
            hidden_layer_sizes: self.hidden_layer_sizes.clone(),
            tied: self.tied_weights,
            activation: self.activation,
            loss: self.loss,
            scaling: self.scaling,
            pca_components: self.pca_components,
            pretraining: self.pretraining,
            pretraining_epochs: self.pretraining_epochs,
            noise: self.noise,
            alpha: self.alpha,
            batch_size: self.batch_size,
            learning_rate_init: self.learning_rate_init,
            learning_rate: self.learning_rate,
            max_iter: self.max_iter,
            validation_fraction: self.validation_fraction,
            n_iter_no_change: self.n_iter_no_change,
            polish_steps: self.polish_steps,
        }
    }
}

impl Fit for Autoencoder {
    type Model = AutoencoderModel;

    const ENTRY: &'static Entry = &AUTOENCODER;

    fn check(&self, shape: &Shape) -> Result<()> {
        self.network_settings().check(shape.rows, shape.columns)
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        self.network_settings().forecast(shape.rows, shape.columns)
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<AutoencoderModel> {
        on_points!(data.input, x => {
            // In an order that is theirs and not the table's: minibatches, and so the result, do not depend on it.
            let mut order: Vec<usize> = (0..x.nrows()).collect();
            order.sort_by(|&a, &b| {
                let pairs = x.row(a).into_iter().zip(x.row(b));
                let unequal = pairs.map(|(a, b)| a.wide().total_cmp(&b.wide())).find(|order| order.is_ne());
                unequal.unwrap_or(a.cmp(&b))
            });
            let sorted = x.select(ndarray::Axis(0), &order);
            let network = neural::fit(sorted.view(), &self.network_settings(), run, &mut |_, _| ())?;
            let stage = run.stage("embedding", None);
            let embedding = network.encode(x, run)?;
            drop(stage);
            let report = report(&network);
            Ok(AutoencoderModel { settings: self.settings(), network, embedding: Some(Element::erase(embedding)), report })
        })
    }

    fn load(&self, archive: &Archive) -> Result<AutoencoderModel> {
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
        let front = Front::from_parts(center, size, directions)
            .ok_or_else(|| broken("its scaling does not fit together"))?;
        let parameters =
            archive.single("parameters", (1, archive.width("parameters")))?.into_iter().collect();
        let network = neural::Autoencoder::from_parts(self.network_settings(), front, widths, parameters)
            .ok_or_else(|| broken("its layers do not fit together"))?;
        Ok(AutoencoderModel {
            settings: self.settings(),
            network,
            embedding: None,
            report: archive.report().clone(),
        })
    }
}

/// The loss of the returned coordinates, and the curve that led there.
fn report(network: &neural::Autoencoder) -> Report {
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
    let losses = trained().map(|epoch| epoch.loss).chain([network.training_loss()]).collect();
    Report { objective, losses, ..Report::default() }
}

/// A fitted autoencoder.
#[derive(Debug, Clone)]
pub struct AutoencoderModel {
    settings: Vec<(&'static str, Value)>,
    network: neural::Autoencoder,
    embedding: Option<AnyMatrix>,
    report: Report,
}

impl AutoencoderModel {
    /// The network itself.
    pub fn network(&self) -> &neural::Autoencoder {
        &self.network
    }
}

impl Model for AutoencoderModel {
    fn entry(&self) -> &'static Entry {
        &AUTOENCODER
    }

    fn parameters(&self) -> Vec<(&'static str, Value)> {
        self.settings.clone()
    }

    fn features(&self) -> usize {
        self.network.front().columns()
    }

    fn components(&self) -> usize {
        self.network.settings().n_components
    }

    fn embedding(&self) -> Option<&AnyMatrix> {
        self.embedding.as_ref()
    }

    fn report(&self) -> &Report {
        &self.report
    }

    fn archive(&self) -> Archive {
        let mut archive = Archive::new(self.settings.clone(), &self.report);
        let (center, size, directions) = self.network.front().parts();
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
        vec![Attribute::new("n_iter", "The epochs of the training, and the rounds of its end.", epochs)]
    }

    fn transform_admitted(&self, input: AnyInput<'_>, run: &Run) -> Result<AnyMatrix> {
        on_points!(input, x => Ok(Element::erase(self.network.encode(x, run)?)))
    }

    fn inverse_admitted(&self, embedding: AnyInput<'_>, run: &Run) -> Result<AnyMatrix> {
        on_points!(embedding, y => Ok(Element::erase(self.network.decode(y, run)?)))
    }
}
