//! Distortion discriminant analysis (Burges, Platt and Jana 2003; Burges 1.4): layers of oriented PCA, the first over
//! short windows of a signal, the next over the features of several windows, so that each layer can learn to ignore the
//! distortions of its own time scale.
//!
//! rows with labels -> windows -> oriented PCA -> normalize -> windows of features -> oriented PCA -> ... -> features

use super::{at_least, at_most, covariance_bytes};
use crate::input::on_points;
use crate::matrix::Element;
use crate::method::{Capabilities, Entry, Fit, Forecast, Training};
use crate::model::{Archive, Form, Part};
use crate::parameters::{Described, Field, Kind, Value};
use crate::projective::layers::{Cut, Layers};
use crate::projective::oriented::{self, Versions};
use crate::projective::{LinearModel, Map};
use crate::{Shape, parameters};
use lowland_base::{Error, Result, Run};
use ndarray::{Array1, ArrayView2, Axis};

/// Distortion discriminant analysis in the registry.
pub static DISTORTION_DISCRIMINANT_ANALYSIS: Entry = Entry {
    name: "distortion-discriminant-analysis",
    aliases: &["dda"],
    title: "Distortion discriminant analysis",
    summary: "Features of signals in time that survive distortion: oriented PCA over windows, in layers. A row is a \
              signal, its columns are in order of time; labels mark distorted versions as for oriented PCA.",
    citation: "C. J. C. Burges, J. C. Platt, S. Jana, Distortion discriminant analysis for audio fingerprinting, 2003",
    capabilities: Capabilities { labels: true, ..Capabilities::PLAIN },
    ..Entry::of::<DistortionDiscriminantAnalysis>()
};

const PARTS: &[Part] = &[
    ("components", "What all layers together are: one direction a row.", Form::Matrix),
    ("signal_to_noise", "The ratio of signal to noise of each feature of the last layer.", Form::Vector),
    ("first_layer", "The filters of the first layer, one a row, as long as its window.", Form::Matrix),
    ("mean", "The mean of the signals.", Form::Vector),
];

parameters! {
    /// Distortion discriminant analysis: the parameters.
    pub struct DistortionDiscriminantAnalysis {
        /// How many features: at most the number of columns; `auto` is 8, or fewer where there are fewer columns.
        n_components: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: i64::MAX }] };
        /// How many layers. Layers between the first and the last join pairs of windows.
        n_layers: usize = 2, in Kind::Integer { min: 1, max: 8 };
        /// The length of the first layer's window, in columns; `auto` is half of a row.
        window: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: i64::MAX }] };
        /// How far apart windows begin; `auto` is half a window.
        stride: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: i64::MAX }] };
        /// How many features a window has, in all layers but the last; `auto` is the number of components, or 8 where
        /// that is more, and at most the length of the window.
        n_hidden: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: i64::MAX }] };
        /// How many of each signal's versions, in their order, teach the first layer; the others teach the later ones.
        /// `auto` is all for all layers.
        first_versions: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: i64::MAX }] };
        /// What is added to the diagonal of the noise, relative to its mean; `auto` adds something only where the
        /// noise is singular, with a warning.
        regularization: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 0.0, max: 1e6, open: false }] };
    }
}

impl DistortionDiscriminantAnalysis {
    fn count(&self, d: usize) -> usize {
        self.n_components.unwrap_or(8.min(d))
    }

    fn first_cut(&self, d: usize) -> Cut {
        let length = self.window.unwrap_or(d.div_ceil(2));
        Cut { length, stride: self.stride.unwrap_or(length.div_ceil(2)) }
    }

    fn hidden(&self, d: usize) -> usize {
        self.n_hidden.unwrap_or(self.count(d).max(8)).min(self.first_cut(d).length)
    }

    fn map<T: Element>(&self, x: ArrayView2<'_, T>, labels: &[i64], run: &Run) -> Result<Map> {
        let d = x.ncols();
        let sorted = Versions::new(labels)?;
        let (signals, noise) = oriented::split(x, &sorted);
        let mean = signals.mean_axis(Axis(0)).unwrap_or_default();
        let for_layer = |first: bool| -> Vec<usize> {
            let chosen = |&at: &usize| match self.first_versions {
                Some(count) => (sorted.versions[at].2 < count) == first,
                None => true,
            };
            (0..sorted.versions.len()).filter(chosen).collect()
        };
        let mut layers = Layers::new(signals, noise);
        for layer in 0..self.n_layers {
            let stage = run.stage(&format!("layer {}", layer + 1), None);
            let width = layers.total.ncols();
            let is_last = layer + 1 == self.n_layers;
            let pair = (2 * layers.channels).min(width);
            let cut = match (is_last, layer) {
                (true, _) => Cut { length: width, stride: 1 },
                (false, 0) => self.first_cut(d),
                _ => Cut { length: pair, stride: pair },
            };
            let versions = for_layer(layer == 0 && !is_last);
            if versions.is_empty() {
                let count = self.first_versions.unwrap_or_default();
                let problem =
                    format!("first_versions = {count} leaves layer {} without a version", layer + 1);
                return Err(Error::conflict(
                    "first_versions",
                    problem,
                    "leave it out, or give more versions",
                ));
            }
            let count = if is_last { self.count(d) } else { self.hidden(d).min(cut.length) };
            layers.add(cut, &versions, count, self.regularization, run)?;
            drop(stage);
            run.check()?;
        }
        let report = layers.report();
        let Layers { total, first_layer, .. } = layers;
        let parts = vec![
            total.t().to_owned().into(),
            Array1::from(report.eigenvalues.clone()).into(),
            first_layer.unwrap_or_default().into(),
            mean.clone().into(),
        ];
        Ok(Map { center: mean.to_vec(), forward: total, backward: None, density: None, found: parts, report })
    }
}

impl Fit for DistortionDiscriminantAnalysis {
    type Model = LinearModel;

    const ENTRY: &'static Entry = &DISTORTION_DISCRIMINANT_ANALYSIS;

    fn check(&self, shape: &Shape) -> Result<()> {
        let d = shape.columns;
        at_least(shape.rows, 2, "signals and their versions")?;
        at_most(self.n_components, d, "the number of columns")?;
        if let Some(window) = self.window.filter(|&window| window > d) {
            let bound = format!("at most {d}, the number of columns");
            return Err(Error::parameter("window", window, bound, "choose a shorter window"));
        }
        // At least as many features as are asked for must reach the last layer.
        let mut width = d;
        for layer in 0..self.n_layers - 1 {
            let k = self.hidden(d);
            width = match layer {
                0 => self.first_cut(d).starts(d).len() * k,
                _ => {
                    let length = (2 * k).min(width);
                    Cut { length, stride: length }.starts(width).len() * k.min(length)
                }
            };
        }
        at_most(Some(self.count(d)), width, "the features that reach the last layer (see n_hidden)")
    }

    fn resolved_for(&self, shape: &Shape) -> Vec<(&'static str, Value)> {
        let (d, Cut { length, stride }) = (shape.columns, self.first_cut(shape.columns));
        let values = [("window", length), ("stride", stride), ("n_hidden", self.hidden(d))];
        values.map(|(name, value)| (name, value.to_value())).to_vec()
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d) = (shape.rows as f64, shape.columns as f64);
        let cut = self.first_cut(shape.columns);
        let windows = cut.starts(shape.columns.max(cut.length)).len() as f64;
        let wide = (windows * self.hidden(shape.columns) as f64).max(d);
        let inner = Shape { columns: wide as usize, ..*shape };
        Forecast {
            bytes: (covariance_bytes(&inner)
                + 8.0 * (6.0 * wide * wide + n * (3.0 * wide + 2.0 * windows * cut.length as f64)))
                as u64,
            flops: 2.0 * n * (windows * (cut.length as f64).powi(2) + wide * wide) + 40.0 * wide.powi(3),
            remedy: "choose fewer hidden features, a longer stride, or fewer columns".into(),
        }
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<LinearModel> {
        let map = on_points!(data.input, x => self.map(x, data.labels, run))?;
        LinearModel::new(&DISTORTION_DISCRIMINANT_ANALYSIS, PARTS, self.settings(), map)
            .embedded(data.input, run)
    }

    fn load(&self, archive: &Archive) -> Result<LinearModel> {
        LinearModel::load(&DISTORTION_DISCRIMINANT_ANALYSIS, PARTS, self.settings(), archive)
    }
}
