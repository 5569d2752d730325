//! Random projection (Johnson and Lindenstrauss 1984; Mohri 15.4): a random matrix keeps all distances to within a
//! known error, whatever the data.
//!
//! shape -> dimension by the lemma -> random matrix -> project -> measure the distortion on pairs of rows

use super::at_most;
use crate::method::{Capabilities, Entry, Fit, Forecast, Training};
use crate::model::{Archive, Form, Model, Part, Quantity, Report, Warning};
use crate::parameters::{Described, Kind, Value};
pub use crate::projective::random::Projection;
use crate::projective::{LinearModel, Map};
use crate::projective::{affine, random};
use crate::{AnyInput, InputKind, Shape, parameters};
use lowland_base::{Error, Result, Run};
use ndarray::Array1;

/// Random projection in the registry.
pub static RANDOM_PROJECTION: Entry = Entry {
    name: "random-projection",
    aliases: &["gaussian-random-projection", "sparse-random-projection", "johnson-lindenstrauss"],
    title: "Random projection",
    summary: "A random linear map that keeps every distance to within a chosen error with high probability: costs one \
              product, looks at no data, and reports its distortion on yours.",
    citation: "W. B. Johnson, J. Lindenstrauss, Extensions of Lipschitz mappings into a Hilbert space, 1984; D. \
               Achlioptas, Database-friendly random projections, 2003; P. Li, T. J. Hastie, K. W. Church, Very sparse \
               random projections, 2006; N. Ailon, B. Chazelle, The fast Johnson-Lindenstrauss transform, 2009",
    capabilities: Capabilities {
        inputs: &[InputKind::Points, InputKind::Sparse],
        inverse: true,
        random: true,
        ..Capabilities::PLAIN
    },
    ..Entry::of::<RandomProjection>()
};

const PARTS: &[Part] = &[
    ("components", "The random matrix, one direction a row.", Form::Matrix),
    (
        "distortion",
        "The ratio of squared distances, after to before, for some pairs of rows, ascending.",
        Form::Vector,
    ),
    (
        "johnson_lindenstrauss_min_dim",
        "The components that the lemma asks for, for this error and number of rows.",
        Form::Count,
    ),
];

parameters! {
    /// Random projection: the parameters.
    pub struct RandomProjection {
        /// How many components: at most the number of columns; `auto` is what the lemma asks for.
        n_components: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: i64::MAX }] };
        /// The error of a squared distance, relative to it, that is allowed.
        eps: f64 = 0.3, in Kind::Real { min: 0.0, max: 0.5, open: true };
        /// Which random matrix is drawn.
        kind: Projection = Projection::Gaussian;
        /// For `sparse`: the share of entries that are not zero. `auto` is 1/3 (Achlioptas), the least that the lemma covers,
        /// where n_components is `auto`, and 1 over the root of the columns (Li) where it is given.
        density: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 1e-9, max: 1.0, open: false }] };
    }
}

/// The dimension in which the squared distances between `rows` points can all be kept to within a relative error of
/// `eps`, between 0 and 1/2: `20 ln m / eps^2` (Mohri, lemma 15.4).
pub fn johnson_lindenstrauss(rows: usize, eps: f64) -> Result<usize> {
    if !(eps > 0.0 && eps < 0.5) {
        return Err(Error::parameter("eps", eps, "between 0 and 1/2, both excluded", "choose such an error"));
    }
    Ok((20.0 * (rows.max(2) as f64).ln() / (eps * eps)).ceil() as usize)
}

/// The sparsest matrix that the lemma covers: entries with the fourth moment of a normal one (Achlioptas 2003). With the
/// constants of his theorem, `20 ln m / eps^2` components keep all distances but for a probability of `m^(-4/3)`.
const COVERED: f64 = 1.0 / 3.0;

impl RandomProjection {
    /// The share of entries that are not zero.
    fn density(&self, columns: usize) -> f64 {
        let auto = if self.n_components.is_none() { COVERED } else { 1.0 / (columns.max(1) as f64).sqrt() };
        self.density.unwrap_or(auto)
    }

    fn count(&self, shape: &Shape) -> usize {
        let lemma = johnson_lindenstrauss(shape.rows, self.eps).unwrap_or(1);
        self.n_components.unwrap_or(lemma.min(shape.columns))
    }

    fn solve(&self, input: AnyInput<'_>, run: &Run) -> Result<LinearModel> {
        let shape = input.shape();
        let (lemma, k) = (johnson_lindenstrauss(shape.rows, self.eps)?, self.count(&shape));
        let stage = run.stage("random matrix", None);
        let (forward, fast) = random::matrix(self.kind, self.density(shape.columns), (shape.columns, k), run);
        drop(stage);
        let zero = forward.columns().into_iter().filter(|column| column.iter().all(|v| *v == 0.0)).count();
        let components = forward.t().to_owned();
        let map = Map {
            center: vec![0.0; shape.columns],
            forward,
            backward: None,
            density: None,
            found: vec![components.into(), Array1::zeros(0).into(), lemma.into()],
            report: Report::default(),
        };
        let model = LinearModel::new(&RANDOM_PROJECTION, PARTS, self.settings(), map);
        let model = model.with_fast(fast).embedded(input, run)?;
        let stage = run.stage("distortion", None);
        let ratios = match input {
            AnyInput::F32(input) => random::distortion(input, model.embedding(), run)?,
            AnyInput::F64(input) => random::distortion(input, model.embedding(), run)?,
        };
        drop(stage);
        let mut warnings = Vec::new();
        if self.n_components.is_none() && lemma > shape.columns {
            warnings.push(Warning::NoReduction { needed: lemma, columns: shape.columns });
        }
        if zero > 0 {
            let reason = "no column of the data was drawn into them; raise density".into();
            warnings.push(Warning::ZeroComponents { asked: k, zero, reason });
        }
        let within = ratios.iter().filter(|ratio| (*ratio - 1.0).abs() <= self.eps).count();
        let share = within as f64 / ratios.len().max(1) as f64;
        if share < 1.0 && k >= lemma && self.kind == Projection::Sparse {
            warnings.push(Warning::Distorted { share, eps: self.eps });
        }
        let quantity = |name: &str, value: f64| Quantity { name: name.into(), value };
        let (first, last) = (ratios.first().copied().unwrap_or(1.0), ratios.last().copied().unwrap_or(1.0));
        let objective = vec![
            quantity("share of pairs within eps", share),
            quantity("smallest ratio of squared distances", first),
            quantity("largest ratio of squared distances", last),
        ];
        let mut report = Report { objective, warnings, ..Report::default() };
        if self.kind == Projection::Sparse {
            report.resolved.insert("density".into(), Value::Real(self.density(shape.columns)));
        }
        let mut model = model.with_found("distortion", Array1::from(ratios).into());
        *model.report_mut() = report;
        Ok(model)
    }
}

impl Fit for RandomProjection {
    type Model = LinearModel;

    const ENTRY: &'static Entry = &RANDOM_PROJECTION;

    fn check(&self, shape: &Shape) -> Result<()> {
        let sparse = self.kind == Projection::Sparse && self.n_components.is_none();
        // Written as a decimal, a third is a little less.
        if let Some(density) = self.density.filter(|&density| sparse && density < COVERED - 1e-3) {
            let bound = "at least 1/3 where n_components is auto: the lemma covers no sparser matrix";
            let remedy = "leave density at auto, or give n_components";
            return Err(Error::parameter("density", density, bound, remedy));
        }
        at_most(self.n_components, shape.columns, "the number of columns")
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d, k) = (shape.rows as f64, shape.columns as f64, self.count(shape) as f64);
        let scratch = affine::scratch(shape.columns, self.count(shape));
        Forecast {
            bytes: (8.0 * 2.0 * d * k + shape.scalar_bytes as f64 * (n * k + scratch)) as u64 + (10 << 20),
            flops: 2.0 * shape.stored as f64 * k + 20.0 * d * k,
            // Where the components are given, it says nothing.
            remedy: if self.n_components.is_none() { "allow a larger eps".into() } else { String::new() },
        }
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<LinearModel> {
        self.solve(data.input, run)
    }

    fn load(&self, archive: &Archive) -> Result<LinearModel> {
        LinearModel::load(&RANDOM_PROJECTION, PARTS, self.settings(), archive)
    }
}
