//! Sigmoid units are trained as hyperbolic tangents: `sigmoid(z) = 1/2 + tanh(z/2)/2`, so the same functions in other
//! coordinates. Units whose outputs lie about zero do not confuse the gradient of a weight with that of the next bias, and
//! descent is several times as fast (LeCun et al. 1998, section 4.4). Tied weights stay tied.

use super::activation::Activation;
use super::network::Network;
use super::real::Real;

impl Network {
    /// The network with hyperbolic tangents in place of its hidden sigmoids.
    pub(crate) fn centered(&self) -> Self {
        let mut network = self.clone();
        network.replace_hidden(Activation::Sigmoid, Activation::Tanh);
        network
    }

    /// Parameters of this network as those of its centered form.
    pub(crate) fn to_centered<T: Real>(&self, parameters: &[T]) -> Vec<T> {
        let mut out = parameters.to_vec();
        for (layer, into, half) in self.halves() {
            if !layer.tied {
                out[layer.weight_range()].iter_mut().for_each(|w| *w *= T::of(half.0 * half.1));
            }
            for unit in 0..layer.outputs {
                let sum: f64 = (0..layer.inputs).map(|i| parameters[layer.weight(i, unit)].wide()).sum();
                let at = layer.bias_range().start + unit;
                out[at] = T::of(half.1 * (parameters[at].wide() + if into { 0.5 * sum } else { 0.0 }));
            }
        }
        out
    }

    /// The way back.
    pub(crate) fn uncentered<T: Real>(&self, parameters: &[T]) -> Vec<T> {
        let mut out = parameters.to_vec();
        for (layer, _, half) in self.halves().filter(|(layer, ..)| !layer.tied) {
            out[layer.weight_range()].iter_mut().for_each(|w| *w *= T::of(1.0 / (half.0 * half.1)));
        }
        for (layer, into, half) in self.halves() {
            for unit in 0..layer.outputs {
                let sum: f64 = (0..layer.inputs).map(|i| out[layer.weight(i, unit)].wide()).sum();
                let at = layer.bias_range().start + unit;
                out[at] = T::of(parameters[at].wide() / half.1 - if into { 0.5 * sum } else { 0.0 });
            }
        }
        out
    }

    /// Every layer, whether its inputs are sigmoids, and the factors of its weights that come from inputs and outputs.
    fn halves(&self) -> impl Iterator<Item = (&super::network::Dense, bool, (f64, f64))> {
        let layers = self.layers();
        let last = layers.len() - 1;
        let is_sigmoid = move |l: usize| l < last && layers[l].activation == Activation::Sigmoid;
        let factor = |yes| if yes { 0.5 } else { 1.0 };
        layers.iter().enumerate().map(move |(l, layer)| {
            let into = l > 0 && is_sigmoid(l - 1);
            (layer, into, (factor(into), factor(is_sigmoid(l))))
        })
    }
}
