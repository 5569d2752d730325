//! Restricted Boltzmann machine (Hinton 2002): hidden units that are independent given the data, learned by contrastive
//! divergence; their means are the embedding.
//!
//! points -> scale (Gaussian visible units) -> contrastive divergence -> means of the hidden units

use crate::input::on_points;
use crate::matrix::sorted_rows;
use crate::method::{Capabilities, Entry, Fit, Forecast, Training};
use crate::model::{Archive, Model};
use crate::neural::{Preprocessing, Rbm as Machine, RbmModel, RbmSettings, Scaling, Units};
use crate::neural::{not_binary, outside_unit};
use crate::parameters::{Field, Kind, Value};
use crate::{Shape, parameters};
use lowland_base::{Error, Result, Run, Scalar};
use ndarray::{ArrayView2, Axis};

/// The restricted Boltzmann machine in the registry.
pub static RBM: Entry = Entry {
    name: "rbm",
    aliases: &["restricted-boltzmann-machine", "boltzmann-machine", "bernoulli-rbm"],
    title: "Restricted Boltzmann machine",
    summary: "Hidden units that explain the data together, each on or off: features for further work rather than a picture, \
              with a free energy for new rows, and samples.",
    citation: "G. E. Hinton, Training products of experts by minimizing contrastive divergence, 2002; G. E. Hinton, A \
               practical guide to training restricted Boltzmann machines, 2012",
    capabilities: Capabilities {
        inverse: true,
        random: true,
        local_optimum: true,
        energy: true,
        ..Capabilities::PLAIN
    },
    ..Entry::of::<Rbm>()
};

parameters! {
    /// Restricted Boltzmann machine: the parameters.
    pub struct Rbm {
        /// The number of hidden units.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// What the visible units are. `auto` is binary where all values are in [0, 1], else Gaussian.
        visible_units: Option<Units> = None;
        /// What the hidden units are.
        hidden_units: Units = Units::Binary;
        /// How the data of Gaussian visible units are scaled; binary ones take them as they are.
        scaling: Scaling = Scaling::Columns;
        /// The rate of Adam's steps at the start; it falls to a hundredth on half a cosine.
        learning_rate: f64 = 0.005, in Kind::Real { min: 1e-9, max: 1.0, open: false };
        /// Rows of a step; all rows where there are fewer.
        batch_size: usize = 100, in Kind::Integer { min: 1, max: 1_000_000 };
        /// Passes through the data; `auto` chooses by the number of rows.
        n_iter: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 0, max: 1_000_000 }] };
        /// Times the visible units are made again before the comparison with the data.
        gibbs_steps: usize = 1, in Kind::Integer { min: 1, max: 10_000 };
        /// Whether hidden units pass on their means in place of samples.
        mean_field: bool = false;
        /// How much half the sum of squared weights counts.
        alpha: f64 = 2e-4, in Kind::Real { min: 0.0, max: 1e6, open: false };
        /// Rounds of Gibbs sampling, from random visible units on, behind every row that is drawn from the model.
        sampling_steps: usize = 200, in Kind::Integer { min: 1, max: 10_000_000 };
    }
}

impl Rbm {
    /// Passes through the data: the fewer the rows, the more.
    fn passes(&self, rows: usize) -> usize {
        self.n_iter.unwrap_or_else(|| (300_000 / rows.max(1)).clamp(20, 1_000))
    }

    /// The kind of the visible units for these data.
    fn visible<T: Scalar>(&self, x: ArrayView2<'_, T>) -> Result<Units> {
        // Before the rows are sorted: a refusal names the table's row.
        let visible = match (self.visible_units, outside_unit(x)) {
            (Some(Units::Binary), Some(place)) => return Err(not_binary(&place)),
            (Some(chosen), _) => chosen,
            (None, None) => Units::Binary,
            (None, Some(_)) => Units::Gaussian,
        };
        if (visible, self.hidden_units) == (Units::Gaussian, Units::Gaussian) {
            return Err(Error::conflict(
                "hidden_units",
                "visible and hidden units are both Gaussian: with large weights there is no density",
                "choose binary hidden units, or scale the data to [0, 1]",
            ));
        }
        Ok(visible)
    }
}

impl Fit for Rbm {
    type Model = RbmModel;

    const ENTRY: &'static Entry = &RBM;

    fn check(&self, shape: &Shape) -> Result<()> {
        let (rows, most) = (shape.rows, shape.rows.max(shape.columns));
        if rows < 2 {
            return Err(Error::TooFewRows { rows, needed: 2, what: "a Boltzmann machine".into() });
        }
        if self.n_components > most {
            let bound = format!("1 to {most}, the larger of rows and columns");
            let remedy = "choose a number in that range";
            return Err(Error::parameter("n_components", self.n_components, bound, remedy));
        }
        Ok(())
    }

    fn resolved_for(&self, shape: &Shape) -> Vec<(&'static str, Value)> {
        vec![("n_iter", Value::Integer(self.passes(shape.rows) as i64))]
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, v, h) = (shape.rows as f64, shape.columns as f64, self.n_components as f64);
        let batch = self.batch_size.min(shape.rows) as f64;
        // The rows in order and as the machine sees them, their features and reconstructions, the parameters with moments
        // and a gradient for each share of a batch, and the shares' units.
        let shares = (batch / 50.0).ceil();
        let bytes = n * v * (shape.scalar_bytes as f64 + 8.0)
            + n * h * (shape.scalar_bytes as f64 + 8.0)
            + 4.0 * (v * h + v + h) * (6.0 + shares)
            + 4.0 * shares * 100.0 * (v + h) * 2.0;
        Forecast {
            bytes: bytes as u64 + (1 << 20),
            flops: 12.0 * n * v * h * self.gibbs_steps as f64 * self.passes(shape.rows) as f64,
            remedy: "fit to some of the rows and transform the others".into(),
        }
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<RbmModel> {
        on_points!(data.input, x => {
            let visible = self.visible(x)?;
            let sorted = x.select(Axis(0), &sorted_rows(x));
            let scaling = if visible == Units::Binary { Scaling::None } else { self.scaling };
            let preprocessing = Preprocessing::fit(sorted.view(), scaling, Some(0), run)?;
            let rows: Vec<f32> = preprocessing.apply(sorted.view(), run)?;
            drop(sorted);
            let widths = (x.ncols(), self.n_components);
            let mut rng = run.rng("boltzmann start");
            let mut machine = Machine::start(&rows, widths, visible, self.hidden_units, &mut rng);
            let how = RbmSettings {
                epochs: self.passes(x.nrows()),
                batch_size: self.batch_size,
                learning_rate: self.learning_rate,
                weight_decay: self.alpha,
                gibbs_steps: self.gibbs_steps,
                mean_field: self.mean_field,
            };
            let stage = run.stage("contrastive divergence", Some(how.epochs as u64));
            let mut curve = Vec::new();
            machine.train(&rows, &how, "boltzmann steps", run, |_, loss| {
                curve.push(loss);
                // A canceled run stops at the next step.
                let _ = stage.advance_with_loss(loss);
            })?;
            drop(stage);
            let stage = run.stage("embedding", None);
            let mut model = RbmModel::new(self, preprocessing, machine).fitted(x, &rows, &curve, run)?;
            drop(stage);
            model.report_mut().resolved.insert("visible_units".into(), visible.to_value());
            Ok(model)
        })
    }

    fn load(&self, archive: &Archive) -> Result<RbmModel> {
        RbmModel::load(self, archive)
    }
}
