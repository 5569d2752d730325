//! Locality preserving projections (He and Niyogi 2004; Maaten, appendix A): Laplacian eigenmaps by a linear map.
//!
//! points -> neighbours -> graph Laplacian L and degrees D -> smallest of X'LX a = l X'DX a, X centred by the degrees

use crate::method::{Capabilities, Entry, Forecast, Method};
use crate::model::Model;
use crate::parameters::{Described, Kind};
use crate::projective::relatives::{Held, Penalty, Relative};
use crate::projective::{Form, LinearModel, Part};
use crate::{AnyInput, Shape, described, parameters};
use lowland_base::{Result, Run};

/// Locality preserving projections in the registry.
pub static LPP: Entry = Entry {
    name: "lpp",
    aliases: &["locality-preserving-projections"],
    title: "Locality preserving projections",
    summary: "The linear map that keeps neighbours together: Laplacian eigenmaps with a formula for new points, and a way \
              back. Take it where a linear picture is wanted that follows local structure rather than variance.",
    citation: "X. He, P. Niyogi, Locality preserving projections, 2004",
    capabilities: Capabilities {
        inputs: &["points"],
        inverse: true,
        random: false,
        chunks: false,
        density: false,
        labels: false,
        missing: false,
    },
    parameters: Lpp::parameters,
    create: || Box::new(Lpp::default()),
    load: |archive| LinearModel::load::<Lpp>(archive, &LPP, PARTS),
};

const PARTS: &[Part] = &[
    ("components", "The directions, one a row, the cheapest first.", Form::Matrix),
    ("eigenvalues", "What the image along each of them pays.", Form::Vector),
];

parameters! {
    /// Locality preserving projections: the parameters.
    pub struct Lpp {
        /// How many components to keep: at most the number of columns, and fewer than rows.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How many neighbours each point is joined to.
        n_neighbors: usize = 8, in Kind::Integer { min: 1, max: 1_000_000 };
        /// The width s of the weights exp(-d^2 / (2 s^2)) of the edges; `auto` is their root mean square length.
        sigma: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 0.0, max: 1e300, open: true }] };
    }
}

impl Lpp {
    /// Fits and keeps the type: [`Method::fit`] gives the same model behind the trait.
    pub fn fit_model<'a>(&self, input: impl Into<AnyInput<'a>>, run: &Run) -> Result<LinearModel> {
        let input = input.into();
        self.admit(input, run)?;
        self.solve(input, run)
    }

    fn solve(&self, input: AnyInput<'_>, run: &Run) -> Result<LinearModel> {
        let map = self.relative().map(input, run)?;
        LinearModel::new(&LPP, PARTS, self, map).embedded(input, run)
    }

    fn relative(&self) -> Relative {
        Relative {
            n_components: self.n_components,
            n_neighbors: self.n_neighbors,
            penalty: Penalty::Heat { sigma: self.sigma },
            held: Held::Variance,
        }
    }
}

impl Method for Lpp {
    described!(LPP);

    fn check(&self, shape: &Shape) -> Result<()> {
        self.check_ranges()?;
        self.relative().check(shape)
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        self.relative().forecast(shape)
    }

    fn fit_admitted(&self, input: AnyInput<'_>, run: &Run) -> Result<Box<dyn Model>> {
        Ok(Box::new(self.solve(input, run)?))
    }
}
