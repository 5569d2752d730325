//! Linear local tangent space alignment (Zhang, Yang, Zhao and Ge 2007; Maaten, appendix A): LTSA by a linear map.
//!
//! points -> neighbours -> alignment matrix B -> smallest of X'BX a = l X'X a, X centred

use crate::method::{Capabilities, Entry, Forecast, Method};
use crate::model::Model;
use crate::parameters::{Described, Kind};
use crate::projective::relatives::{Held, Penalty, Relative};
use crate::projective::{Form, LinearModel, Part};
use crate::spectral::local::Geometry;
use crate::{AnyInput, Shape, described, parameters};
use lowland_base::{Result, Run};

/// Linear local tangent space alignment in the registry.
pub static LLTSA: Entry = Entry {
    name: "lltsa",
    aliases: &["linear-ltsa", "linear-local-tangent-space-alignment"],
    title: "Linear local tangent space alignment",
    summary: "The linear map under which every neighbourhood is an affine image of its tangent coordinates: local tangent space \
              alignment with a formula for new points, and a way back.",
    citation: "T. Zhang, J. Yang, D. Zhao, X. Ge, Linear local tangent space alignment and application to face recognition, 2007",
    capabilities: Capabilities {
        inputs: &["points"],
        inverse: true,
        random: false,
        chunks: false,
        density: false,
        labels: false,
        missing: false,
    },
    parameters: Lltsa::parameters,
    create: || Box::new(Lltsa::default()),
    load: |archive| LinearModel::load::<Lltsa>(archive, &LLTSA, PARTS),
};

const PARTS: &[Part] = &[
    ("components", "The directions, one a row, the cheapest first.", Form::Matrix),
    ("eigenvalues", "What the image along each of them pays.", Form::Vector),
];

parameters! {
    /// Linear local tangent space alignment: the parameters.
    pub struct Lltsa {
        /// How many components to keep: at most the number of columns, and fewer than rows.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How many neighbours each point has: at least n_components + 2.
        n_neighbors: usize = 8, in Kind::Integer { min: 1, max: 1_000_000 };
    }
}

impl Lltsa {
    /// Fits and keeps the type: [`Method::fit`] gives the same model behind the trait.
    pub fn fit_model<'a>(&self, input: impl Into<AnyInput<'a>>, run: &Run) -> Result<LinearModel> {
        let input = input.into();
        self.admit(input, run)?;
        self.solve(input, run)
    }

    fn solve(&self, input: AnyInput<'_>, run: &Run) -> Result<LinearModel> {
        let map = self.relative().map(input, run)?;
        LinearModel::new(&LLTSA, PARTS, self, map).embedded(input, run)
    }

    fn relative(&self) -> Relative {
        Relative {
            n_components: self.n_components,
            n_neighbors: self.n_neighbors,
            penalty: Penalty::Local(Geometry::Tangent),
            held: Held::Variance,
        }
    }
}

impl Method for Lltsa {
    described!(LLTSA);

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
