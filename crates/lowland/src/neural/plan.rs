//! What an autoencoder is to be: its layers, its loss, how it is trained.

use super::activation::Activation;
use super::loss::Loss;
use super::network::Network;
use super::scaling::{Preprocessing, Scaling};
use super::schedule::Schedule;
use crate::method::Forecast;
use crate::parameters::{Field, Kind, Value};
use crate::{choices, parameters};
use lowland_base::{Error, Result};
use serde::{Deserialize, Serialize};

choices! {
    /// How the layers are trained one by one before they are trained together.
    #[derive(Serialize, Deserialize)]
    pub enum Pretraining {
        /// Not pretrained: training begins with random weights.
        None = "random",
        /// Restricted Boltzmann machines, by contrastive divergence; for sigmoid units (Hinton and Salakhutdinov 2006).
        Rbm = "rbm",
        /// Small autoencoders that undo noise (Vincent et al. 2008).
        Denoising = "denoising",
    }
}

fn auto_or(kind: Kind) -> Kind {
    Kind::AnyOf { kinds: vec![Kind::Auto, kind] }
}

parameters! {
    /// Multilayer autoencoder: the parameters.
    #[derive(Serialize, Deserialize)]
    pub struct Settings {
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
        /// The share of a row's cells that is set to zero before the network sees it; `auto` is 0.3 for many
        /// columns, which can be predicted from each other, else 0.
        noise: Option<f64> = None, in auto_or(Kind::Real { min: 0.0, max: 0.9, open: false });
        /// How much half the sum of squared weights counts. `auto` is 0.0003 for many columns, 0.0002 where principal
        /// components stand for very many, which a network would overfit, else 0.
        alpha: Option<f64> = None, in auto_or(Kind::Real { min: 0.0, max: 1e6, open: false });
        /// Rows of a step; all rows where there are fewer.
        batch_size: usize = 100, in Kind::Integer { min: 1, max: 1_000_000 };
        /// The rate of Adam's steps at the start.
        learning_rate_init: f64 = 0.002, in Kind::Real { min: 1e-9, max: 1.0, open: false };
        /// How the rate falls in the course of the training.
        learning_rate: Schedule = Schedule::Cosine;
        /// Passes through the data; `auto` chooses by the number of rows.
        max_iter: Option<usize> = None, in auto_or(Kind::Integer { min: 0, max: 1_000_000 });
        /// The share of the rows held out to know when to stop; 0 trains on all rows, to the end. Below 50 rows none
        /// are, nor below 1000 where principal components stand for very many columns.
        validation_fraction: f64 = 0.1, in Kind::Real { min: 0.0, max: 0.9, open: false };
        /// Passes without a better loss of the rows held out before training stops.
        n_iter_no_change: usize = 20, in Kind::Integer { min: 1, max: 1_000_000 };
        /// Steps of L-BFGS over all rows at the end; `auto` is 500 for small data, 0 for large.
        lbfgs_steps: Option<usize> = None, in auto_or(Kind::Integer { min: 0, max: 1_000_000 });
    }
}

/// Below this many rows none are held out: too few to tell anything.
pub(crate) const ROWS_TO_HOLD_OUT: usize = 50;
/// The same behind principal components, where weights decay: every row is needed, and overfitting is rare.
const DECAYING_ROWS_TO_HOLD_OUT: usize = 1000;
/// From here on, columns are many.
const MANY_COLUMNS: usize = 64;
/// Rows times parameters up to which a gradient over all rows is cheap enough to be followed to the bottom.
const LBFGS_SIZE: usize = 50_000_000;

impl Settings {
    /// Whether the settings fit each other and data of this shape.
    pub fn check(&self, rows: usize, columns: usize) -> Result<()> {
        let outside = |name: &str, value: &dyn ToString, bound: &str, remedy: &str| {
            Err(Error::parameter(name, value.to_string(), bound, remedy))
        };
        if rows < 2 {
            return Err(Error::TooFewRows { rows, needed: 2, what: "an autoencoder".into() });
        }
        let d = self.n_components;
        if d == 0 || d > columns {
            return outside(
                "n_components",
                &d,
                &format!("1 to {columns}, the number of columns"),
                "choose a number in that range",
            );
        }
        let hidden = self.hidden_layer_sizes.as_deref().unwrap_or_default();
        if let Some(widths) = hidden.windows(2).find(|widths| widths[1] > widths[0]) {
            let bound = format!("layers narrow toward the middle, but {} follows {}", widths[1], widths[0]);
            return outside(
                "hidden_layer_sizes",
                &format!("{hidden:?}"),
                &bound,
                "sort them, the widest first",
            );
        }
        if hidden.last().is_some_and(|&last| last < d) {
            let bound = format!("every width is at least n_components = {d}");
            return outside(
                "hidden_layer_sizes",
                &format!("{hidden:?}"),
                &bound,
                "widen the layers, or lower n_components",
            );
        }
        if self.pretraining == Some(Pretraining::Rbm) && self.activation != Activation::Sigmoid {
            let bound = "Boltzmann machines have sigmoid units";
            return outside("pretraining", &"rbm", bound, "choose sigmoid units, or pretraining denoising");
        }
        if self.loss == Loss::CrossEntropy && self.pca_components.is_some_and(|count| count > 0) {
            let bound = "0 with the cross-entropy, for principal components are not in [0, 1]";
            let count = self.pca_components.unwrap_or_default();
            return outside(
                "pca_components",
                &count,
                bound,
                "choose the squared loss, or pca_components = 0",
            );
        }
        Ok(())
    }

    /// What a fit on data of this shape costs.
    pub fn forecast(&self, rows: usize, columns: usize) -> Forecast {
        let kept = match (self.loss, self.pca_components) {
            (Loss::CrossEntropy, _) | (_, Some(0)) => None,
            (_, Some(count)) => Some(count),
            (_, None) => Preprocessing::usual(rows, columns).filter(|_| self.scaling != Scaling::None),
        };
        let inputs = kept.unwrap_or(columns);
        let widths = self.widths(rows, inputs);
        let weights: f64 = widths.windows(2).map(|w| w[0] as f64 * w[1] as f64).sum();
        let (n, d) = (rows as f64, columns as f64);
        let cells = n * inputs as f64;
        let parameters = if self.tied_weights { weights } else { 2.0 * weights };
        let lbfgs = self.lbfgs_steps(rows, parameters as usize) > 0;
        // The rows twice, parameters with moments, gradients of the shares and the best so far; L-BFGS keeps twenty vectors.
        let lbfgs_cost = if lbfgs { 8.0 * (cells + 26.0 * parameters) } else { 0.0 };
        let preprocessing =
            kept.map_or(0.0, |kept| 4.0 * (3.0 * n * d + 2.0 * d * kept as f64 + 4.0 * n * n.min(d)));
        let widest = widths.iter().max().copied().unwrap_or(0) as f64;
        let bytes = 4.0 * (2.0 * cells + n * widest + 16.0 * parameters) + lbfgs_cost + preprocessing;
        let passes =
            self.epochs(rows) + if lbfgs { 2 * self.lbfgs_steps(rows, parameters as usize) } else { 0 };
        Forecast {
            bytes: bytes as u64 + (1 << 20),
            flops: 12.0 * n * weights * passes as f64,
            remedy: "narrow hidden_layer_sizes, or fit to some of the rows and transform the others".into(),
        }
    }

    /// The widths from the data to the middle layer, both among them.
    pub fn widths(&self, rows: usize, inputs: usize) -> Vec<usize> {
        let d = self.n_components;
        let hidden = self.hidden_layer_sizes.clone().unwrap_or_else(|| {
            // Wide enough to bend a roll open, not wider than the rows can pay for.
            let first = (2 * inputs / 3).clamp(64, 512).min((2 * rows / 3).max(16)).max(d);
            vec![first, (first / 2).max(d)]
        });
        [vec![inputs], hidden, vec![d]].concat()
    }

    /// The network that is fitted.
    pub fn network(&self, widths: &[usize]) -> Network {
        let output = match self.loss {
            Loss::Squared => Activation::Linear,
            Loss::CrossEntropy => Activation::Sigmoid,
        };
        mirrored(widths, self.tied_weights, self.activation, output)
    }

    /// How the layers are pretrained: where columns are many, random weights take long to find what they have in common.
    pub(crate) fn pretraining(&self, rows: usize, preprocessing: &Preprocessing) -> Pretraining {
        let many = preprocessing.is_plain() && preprocessing.width() >= MANY_COLUMNS && rows >= MANY_COLUMNS;
        let usual =
            if many && self.activation == Activation::Sigmoid { Pretraining::Rbm } else { Pretraining::None };
        self.pretraining.unwrap_or(usual)
    }

    /// Passes through the data for each pretrained layer: enough steps for weights to grow.
    pub(crate) fn pretraining_epochs(&self, rows: usize) -> usize {
        self.pretraining_epochs.unwrap_or_else(|| (75_000 / rows.max(1)).clamp(5, 100))
    }

    /// The share of cells that is set to zero. A principal component cannot be predicted from the others.
    pub(crate) fn noise(&self, preprocessing: &Preprocessing) -> f64 {
        let many = preprocessing.is_plain() && preprocessing.width() >= MANY_COLUMNS;
        self.noise.unwrap_or(if many { 0.3 } else { 0.0 })
    }

    /// How much half the sum of squared weights counts.
    pub(crate) fn alpha(&self, preprocessing: &Preprocessing) -> f64 {
        // Weights that stay small leave the units near their middle, where neighbors stay neighbors.
        self.alpha.unwrap_or(match (preprocessing.is_plain(), preprocessing.width() >= MANY_COLUMNS) {
            (false, _) => 2e-4,
            (true, true) => 3e-4,
            (true, false) => 0.0,
        })
    }

    /// Passes through the data: the fewer the rows, the more.
    pub(crate) fn epochs(&self, rows: usize) -> usize {
        self.max_iter.unwrap_or_else(|| (600_000 / rows.max(1)).clamp(40, 400))
    }

    /// Steps of L-BFGS at the end.
    pub(crate) fn lbfgs_steps(&self, rows: usize, parameters: usize) -> usize {
        self.lbfgs_steps.unwrap_or(if rows.saturating_mul(parameters) <= LBFGS_SIZE { 500 } else { 0 })
    }

    /// What parameters that are left open become for these data.
    pub(crate) fn chosen(&self, rows: usize, preprocessing: &Preprocessing) -> Vec<(String, Value)> {
        let widths = self.widths(rows, preprocessing.width());
        let parameters = self.network(&widths).size();
        let kept = if preprocessing.is_plain() { 0 } else { preprocessing.width() };
        let pretraining = self.pretraining(rows, preprocessing);
        let mut chosen = vec![
            ("hidden_layer_sizes", widths[1..widths.len() - 1].to_vec().to_value()),
            ("pca_components", kept.to_value()),
            ("pretraining", pretraining.to_value()),
            ("noise", self.noise(preprocessing).to_value()),
            ("alpha", self.alpha(preprocessing).to_value()),
            ("max_iter", self.epochs(rows).to_value()),
            ("lbfgs_steps", self.lbfgs_steps(rows, parameters).to_value()),
        ];
        if pretraining != Pretraining::None {
            chosen.push(("pretraining_epochs", self.pretraining_epochs(rows).to_value()));
        }
        chosen.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// How many rows training never sees.
    pub(crate) fn held_out(&self, rows: usize, preprocessing: &Preprocessing) -> usize {
        let decays = !preprocessing.is_plain() && self.alpha(preprocessing) > 0.0;
        let least = if decays { DECAYING_ROWS_TO_HOLD_OUT } else { ROWS_TO_HOLD_OUT };
        if rows < least { 0 } else { (self.validation_fraction * rows as f64) as usize }
    }
}

/// An encoder of the given widths with a linear last layer, and its mirror image: `2 k - 1` hidden layers for `k + 1` widths.
pub fn mirrored(widths: &[usize], tied: bool, hidden: Activation, output: Activation) -> Network {
    let mut network = Network::default();
    let layers = widths.len() - 1;
    for l in 0..layers {
        let activation = if l + 1 == layers { Activation::Linear } else { hidden };
        network.push(widths[l], widths[l + 1], activation);
    }
    for l in (0..layers).rev() {
        let activation = if l == 0 { output } else { hidden };
        if tied {
            network.push_tied(l, activation);
        } else {
            network.push(widths[l + 1], widths[l], activation);
        }
    }
    network
}
