//! Dense layers in a row, and backpropagation through them. A network is a plan; its parameters are one flat vector, so
//! that every optimizer sees variables and nothing else.

use super::activation::Activation;
use super::loss::Loss;
use super::real::Real;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use lowland_base::simd::vectorized;
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

/// `activation(x W + b)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dense {
    /// The width of what comes in.
    pub inputs: usize,
    /// The width of what goes out.
    pub outputs: usize,
    /// The function of its units.
    pub activation: Activation,
    /// Where its weights begin, row after row.
    weights: usize,
    /// Whether the weights are another layer's, transposed.
    pub tied: bool,
    /// Where its biases begin.
    bias: usize,
}

/// Dense layers in a row.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Network {
    layers: Vec<Dense>,
    size: usize,
}

impl Network {
    /// Adds a layer with weights of its own.
    pub fn push(&mut self, inputs: usize, outputs: usize, activation: Activation) {
        let weights = self.size;
        let bias = weights + inputs * outputs;
        self.size = bias + outputs;
        self.layers.push(Dense { inputs, outputs, activation, weights, tied: false, bias });
    }

    /// Adds a layer whose weights are those of layer `of`, transposed; its biases are its own.
    pub fn push_tied(&mut self, of: usize, activation: Activation) {
        let Dense { inputs: outputs, outputs: inputs, weights, .. } = self.layers[of];
        self.layers.push(Dense { inputs, outputs, activation, weights, tied: true, bias: self.size });
        self.size += outputs;
    }

    /// The number of parameters.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The layers.
    pub fn layers(&self) -> &[Dense] {
        &self.layers
    }

    /// The width of what goes out.
    pub fn outputs(&self) -> usize {
        self.layers.last().map_or(0, |layer| layer.outputs)
    }

    /// The first `count` layers by themselves. Their parameters begin those of the whole.
    pub(crate) fn head(&self, count: usize) -> Self {
        Self { layers: self.layers[..count].to_vec(), size: self.size }
    }

    /// The layers from `from` on, on the parameters of the whole.
    pub(crate) fn tail(&self, from: usize) -> Self {
        Self { layers: self.layers[from..].to_vec(), size: self.size }
    }

    /// Changes the activation of every layer but the last where it is `from`.
    pub(crate) fn replace_hidden(&mut self, from: Activation, to: Activation) {
        let last = self.layers.len().saturating_sub(1);
        for layer in self.layers[..last].iter_mut().filter(|layer| layer.activation == from) {
            layer.activation = to;
        }
    }

    /// Small random weights that keep the size of what passes (Glorot and Bengio 2010), and biases that take away what the
    /// units of the layer before say at rest.
    pub fn start<T: Real>(&self, rng: &mut impl Rng) -> Vec<T> {
        let mut parameters = vec![T::zero(); self.size];
        let (mut middle, mut out_of) = (0.0, 1.0);
        for layer in &self.layers {
            if !layer.tied {
                let gain = out_of * layer.activation.gains().0;
                let bound = gain * (6.0 / (layer.inputs + layer.outputs) as f64).sqrt();
                for weight in &mut parameters[layer.weight_range()] {
                    *weight = T::of(bound * (2.0 * rng.random::<f64>() - 1.0));
                }
            }
            for unit in 0..layer.outputs {
                let sum: f64 = (0..layer.inputs).map(|i| parameters[layer.weight(i, unit)].wide()).sum();
                parameters[layer.bias + unit] = T::of(-middle * sum);
            }
            (middle, out_of) = (layer.activation.middle(), layer.activation.gains().1);
        }
        parameters
    }

    /// Adds `decay / 2` times the sum of squared weights (biases are free) to a gradient, and returns that term.
    pub fn decay<T: Real>(&self, parameters: &[T], decay: f64, gradient: &mut [T]) -> f64 {
        let factor = T::of(decay);
        let mut sum = 0.0;
        for layer in self.layers.iter().filter(|layer| decay > 0.0 && !layer.tied) {
            let range = layer.weight_range();
            for (weight, slope) in parameters[range.clone()].iter().zip(&mut gradient[range]) {
                *slope += factor * *weight;
                sum += weight.wide() * weight.wide();
            }
        }
        0.5 * decay * sum
    }

    /// The outputs of all layers for `rows` rows of `x`, in `work`.
    pub(crate) fn forward<'w, T: Real>(
        &self,
        parameters: &[T],
        x: &[T],
        rows: usize,
        work: &'w mut Work<T>,
    ) -> &'w [T] {
        let last = self.layers.len() - 1;
        self.forward_to_last(parameters, x, rows, work);
        let layer = &self.layers[last];
        let out = &mut work.outputs[last][..rows * layer.outputs];
        layer.activation.apply(out, layer.biases(parameters));
        out
    }

    /// As [`Network::forward`], but the last layer's outputs are still without bias and activation.
    fn forward_to_last<T: Real>(&self, parameters: &[T], x: &[T], rows: usize, work: &mut Work<T>) {
        for (l, layer) in self.layers.iter().enumerate() {
            let (before, now) = work.outputs.split_at_mut(l);
            let input = before.last().map_or(x, |output| &output[..rows * layer.inputs]);
            let out = &mut now[0][..rows * layer.outputs];
            let input = MatRef::from_row_major_slice(input, rows, layer.inputs);
            let product = MatMut::from_row_major_slice_mut(out, rows, layer.outputs);
            matmul(product, Accum::Replace, input, layer.matrix(parameters), T::one(), Par::Seq);
            if l + 1 < self.layers.len() {
                layer.activation.apply(out, layer.biases(parameters));
            }
        }
    }

    /// The loss of `rows` rows against themselves, summed over cells.
    pub(crate) fn loss<T: Real>(
        &self,
        parameters: &[T],
        x: &[T],
        rows: usize,
        loss: Loss,
        work: &mut Work<T>,
    ) -> f64 {
        self.forward_to_last(parameters, x, rows, work);
        let Some((layer, output)) = self.layers.last().zip(work.outputs.last_mut()) else { return 0.0 };
        Activation::Linear.apply(output, layer.biases(parameters));
        loss.differentiate(layer.activation, output, x, 0.0)
    }

    /// The loss of `rows` rows against their targets, summed over cells; `weight` times its gradient is added to
    /// `gradient`.
    pub(crate) fn backward<T: Real>(
        &self,
        parameters: &[T],
        (x, targets): (&[T], &[T]),
        rows: usize,
        loss: Loss,
        weight: f64,
        work: &mut Work<T>,
        gradient: &mut [T],
    ) -> f64 {
        self.forward_to_last(parameters, x, rows, work);
        let mut value = 0.0;
        for (l, layer) in self.layers.iter().enumerate().rev() {
            let (before, now) = work.outputs.split_at_mut(l);
            let delta = &mut now[0][..rows * layer.outputs];
            if l + 1 == self.layers.len() {
                Activation::Linear.apply(delta, layer.biases(parameters));
                value = loss.differentiate(layer.activation, delta, targets, weight);
            } else {
                // The output has done its work; what comes back takes its place.
                layer.activation.through(&mut work.back[..rows * layer.outputs], delta);
                delta.copy_from_slice(&work.back[..rows * layer.outputs]);
            }
            let input = before.last().map_or(x, |output| &output[..rows * layer.inputs]);
            sum_rows(delta, &mut gradient[layer.bias..layer.bias + layer.outputs]);
            let input = MatRef::from_row_major_slice(input, rows, layer.inputs);
            let delta = MatRef::from_row_major_slice(delta, rows, layer.outputs);
            let slot = &mut gradient[layer.weight_range()];
            if layer.tied {
                let slot = MatMut::from_row_major_slice_mut(slot, layer.outputs, layer.inputs);
                matmul(slot, Accum::Add, delta.transpose(), input, T::one(), Par::Seq);
            } else {
                let slot = MatMut::from_row_major_slice_mut(slot, layer.inputs, layer.outputs);
                matmul(slot, Accum::Add, input.transpose(), delta, T::one(), Par::Seq);
            }
            if l > 0 {
                let back = MatMut::from_row_major_slice_mut(
                    &mut work.back[..rows * layer.inputs],
                    rows,
                    layer.inputs,
                );
                matmul(back, Accum::Replace, delta, layer.matrix(parameters).transpose(), T::one(), Par::Seq);
            }
        }
        value
    }
}

impl Dense {
    /// Where the weights lie among the parameters.
    pub fn weight_range(&self) -> std::ops::Range<usize> {
        self.weights..self.weights + self.inputs * self.outputs
    }

    /// Where the biases lie.
    pub fn bias_range(&self) -> std::ops::Range<usize> {
        self.bias..self.bias + self.outputs
    }

    /// The biases.
    pub(crate) fn biases<'p, T>(&self, parameters: &'p [T]) -> &'p [T] {
        &parameters[self.bias_range()]
    }

    /// The weights, inputs x outputs.
    pub(crate) fn matrix<'p, T: Real>(&self, parameters: &'p [T]) -> MatRef<'p, T> {
        let weights = &parameters[self.weight_range()];
        if self.tied {
            MatRef::from_row_major_slice(weights, self.outputs, self.inputs).transpose()
        } else {
            MatRef::from_row_major_slice(weights, self.inputs, self.outputs)
        }
    }

    /// Where the weight from an input to a unit lies.
    pub(crate) fn weight(&self, input: usize, unit: usize) -> usize {
        self.weights + if self.tied { unit * self.inputs + input } else { input * self.outputs + unit }
    }
}

/// What a pass through a network writes to.
pub(crate) struct Work<T> {
    outputs: Vec<Vec<T>>,
    back: Vec<T>,
}

impl<T: Real> Work<T> {
    pub fn new(network: &Network, rows: usize) -> Self {
        let widest = network.layers.iter().map(|layer| layer.inputs.max(layer.outputs)).max().unwrap_or(0);
        let outputs = network.layers.iter().map(|layer| vec![T::zero(); rows * layer.outputs]).collect();
        Self { outputs, back: vec![T::zero(); rows * widest] }
    }
}

/// Adds all rows to `sum`.
pub(crate) fn sum_rows<T: Real>(rows: &[T], sum: &mut [T]) {
    vectorized(
        #[inline(always)]
        || {
            for row in rows.chunks_exact(sum.len()) {
                sum.iter_mut().zip(row).for_each(|(sum, &value)| *sum += value);
            }
        },
    );
}
