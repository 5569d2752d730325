//! Metric multidimensional scaling by majorization, SMACOF (Kruskal 1964, de Leeuw 1977; Borg and Groenen 2005).
//!
//! distances -> classical start -> [ disparities by the transformation -> Guttman transform ] until the stress stands still;
//! new points go where their own stress is least on the frozen map

use crate::fingerprint::Fingerprint;
use crate::layout::stress::recipe::{StressRecipe, Weight};
use crate::layout::stress::{Scale, StressModel, Transformation};
use crate::method::{self, ByRecipe, Capabilities, Entry, Given, Recipe, Training};
use crate::parameters::{Described, Kind};
use crate::{AnyInput, InputKind, parameters};
use lowland_base::{Error, Result, Run, units};
use ndarray::ArrayView2;

/// Of the three layouts by stress.
pub(super) const CAPABILITIES: Capabilities = Capabilities {
    inputs: &[InputKind::Points, InputKind::Distances, InputKind::Graph],
    random: true,
    local_optimum: true,
    start: true,
    missing_pairs: true,
    ..Capabilities::PLAIN
};

/// Metric scaling in the registry.
pub static MDS: Entry = Entry {
    name: "mds",
    aliases: &["metric-mds", "smacof", "multidimensional-scaling"],
    title: "Metric MDS",
    summary: "Distances in the layout are as near to those of the data as they can be, by least squares: shows the large \
              shape, of points or of any dissimilarities, also with pairs that are missing.",
    citation: "J. de Leeuw, Applications of convex analysis to multidimensional scaling, 1977",
    capabilities: CAPABILITIES,
    ..Entry::of::<Mds>()
};

parameters! {
    /// Metric MDS: the parameters.
    pub struct Mds {
        /// How the distances of the layout are to follow those of the data.
        transformation: Transformation = Transformation::Absolute;
        /// Pairs weigh their distance to the power of minus this: 0 is least squares, 1 is Sammon's weighting, 2 counts
        /// relative errors.
        weight_power: f64 = 0.0, in Kind::Real { min: 0.0, max: 10.0, open: false };
    }
    with stress
}

impl Mds {
    fn layout(&self) -> StressRecipe {
        self.stress(Scale::Metric(self.transformation), self.weight_power, false)
    }

    /// Fits with a weight for every pair of rows: symmetric, not negative; a pair of weight 0 counts as missing.
    pub fn fit_weighted<'a>(
        &self,
        input: impl Into<AnyInput<'a>>,
        weights: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<StressModel> {
        let input = input.into();
        let weight = |i: usize, j: usize| weights[(i, j)];
        let weight: Weight<'_> = &weight;
        let data = Training { input, labels: &[], start: None, checkpoint: None };
        let fit = || self.layout().fit_weighted(data, Some(weight), &MDS, self.settings(), run);
        let check = |hash: &mut Fingerprint| {
            admit_weights(weights, input.shape().rows)?;
            hash.add(weights.into(), false, run)
        };
        method::fit_given(self, Given::Rows(input), check, fit, run)
    }
}

/// Refuses weights that are not one for every pair of rows.
fn admit_weights(weights: ArrayView2<'_, f64>, rows: usize) -> Result<()> {
    if weights.dim() != (rows, rows) {
        let rows = units::count(rows, "row");
        let problem = format!("{} x {} weights for {rows}", weights.nrows(), weights.ncols());
        return Err(Error::malformed("weights", problem, "give one for every pair of rows"));
    }
    crate::check::finite("weights", weights)?;
    for ((row, column), &value) in weights.indexed_iter() {
        if value < 0.0 {
            return Err(Error::parameter("weights", value, "at least 0", "use 0 to leave a pair out"));
        }
        let mirror = weights[(column, row)];
        if (value - mirror).abs() > 1e-8 * value.max(mirror) {
            return Err(Error::NotSymmetric { what: "weight", row, column, value, mirror });
        }
    }
    Ok(())
}

impl ByRecipe for Mds {
    type Model = StressModel;

    const ENTRY: &'static Entry = &MDS;

    fn recipe(&self, _rows: usize) -> Box<dyn Recipe<Model = StressModel>> {
        Box::new(self.layout())
    }
}
