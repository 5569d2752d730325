//! The model of every method that ends in a linear map: the map there and, where it has one, back; what the
//! method found, by name; and, where it is one, the Gaussian density.

use super::inverse::pseudo_inverse;
use super::{Affine, Hadamard};
use crate::matrix::{AnyMatrix, Element, faer_view};
use crate::method::Entry;
use crate::mixture::Gaussian;
use crate::model::{Archive, Attribute, Datum, Model, Part, Report, unable};
use crate::parameters::Value;
use crate::{Admitted, AnyInput, Input, InputKind};
use lowland_base::{Error, Result, Run};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2};
use std::sync::OnceLock;

/// How a model file says where the way back is from.
const WAY_BACK: &str = "map.inverse";
/// What needs a density.
const LIKELIHOOD: &str = "give a likelihood";
const IMPUTE: &str = "fill in missing values";

/// A map of rows, `y = (x - center) M`, and what else its method has found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Map {
    /// Subtracted first; zeros where nothing is.
    pub center: Vec<f64>,
    /// Input width x output width.
    pub forward: Array2<f64>,
    /// Output width x input width; the center is added. Where a method with an inverse leaves it out, it is that of least
    /// squares.
    pub backward: Option<Array2<f64>>,
    /// The density, of a probabilistic method.
    pub density: Option<Gaussian>,
    /// A value for each of the method's parts.
    pub found: Vec<Datum>,
    pub report: Report,
}

/// A fitted linear method.
#[derive(Clone)]
pub struct LinearModel {
    entry: &'static Entry,
    parts: &'static [Part],
    parameters: Vec<(&'static str, Value)>,
    map: Map,
    /// A faster way to the same images, where there is one.
    fast: Option<Hadamard>,
    /// What the factors of the density are multiplied with, where those of the map are others.
    turn: Option<Array2<f64>>,
    embedding: Option<AnyMatrix>,
    /// The way back of a map that was not given one: made when it is first asked for.
    least_squares: OnceLock<Array2<f64>>,
}

impl PartialEq for LinearModel {
    fn eq(&self, other: &Self) -> bool {
        let parts = |model: &Self| (model.entry.name, model.parameters.clone());
        parts(self) == parts(other) && self.map == other.map && self.embedding == other.embedding
    }
}

impl std::fmt::Debug for LinearModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LinearModel").field("entry", &self.entry).field("map", &self.map).finish()
    }
}

impl LinearModel {
    pub(crate) fn new(
        entry: &'static Entry,
        parts: &'static [Part],
        parameters: Vec<(&'static str, Value)>,
        map: Map,
    ) -> Self {
        debug_assert_eq!(parts.len(), map.found.len());
        Self {
            entry,
            parts,
            parameters,
            map,
            fast: None,
            turn: None,
            embedding: None,
            least_squares: OnceLock::new(),
        }
    }

    /// With a faster way to the same images.
    pub(crate) fn with_fast(mut self, fast: Option<Hadamard>) -> Self {
        self.fast = fast;
        self
    }

    /// With factors that are those of the density times a matrix.
    pub(crate) fn with_turn(mut self, turn: Option<Array2<f64>>) -> Self {
        self.turn = turn;
        self
    }

    /// With the embedding of the training rows, made by the very map that embeds new ones.
    pub(crate) fn embedded(mut self, input: AnyInput<'_>, run: &Run) -> Result<Self> {
        let _stage = run.stage("project", None);
        self.embedding = Some(self.images(input, run)?);
        Ok(self)
    }

    fn images(&self, input: AnyInput<'_>, run: &Run) -> Result<AnyMatrix> {
        match input {
            AnyInput::F32(input) => self.transform_typed(input, run),
            AnyInput::F64(input) => self.transform_typed(input, run),
        }
    }

    /// With a part that needs the embedding.
    pub(crate) fn with_found(mut self, name: &str, datum: Datum) -> Self {
        if let Some(at) = self.parts.iter().position(|part| part.0 == name) {
            self.map.found[at] = datum;
        }
        self
    }

    /// A matrix that the method has found.
    pub fn matrix(&self, name: &str) -> Option<ArrayView2<'_, f64>> {
        if let Datum::Matrix(matrix) = self.datum(name)? { Some(matrix.view()) } else { None }
    }

    /// A vector that the method has found.
    pub fn vector(&self, name: &str) -> Option<ArrayView1<'_, f64>> {
        if let Datum::Vector(vector) = self.datum(name)? { Some(vector.view()) } else { None }
    }

    /// A number, or a count, that the method has found.
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.datum(name)? {
            Datum::Number(number) => Some(*number),
            Datum::Count(count) => Some(*count as f64),
            _ => None,
        }
    }

    fn datum(&self, name: &str) -> Option<&Datum> {
        self.parts.iter().position(|part| part.0 == name).and_then(|at| self.map.found.get(at))
    }

    /// What is subtracted from a row first.
    pub fn center(&self) -> ArrayView1<'_, f64> {
        ArrayView1::from(&self.map.center[..])
    }

    /// The map, input width x output width.
    pub fn map(&self) -> ArrayView2<'_, f64> {
        self.map.forward.view()
    }

    /// From a file.
    pub(crate) fn load(
        entry: &'static Entry,
        parts: &'static [Part],
        parameters: Vec<(&'static str, Value)>,
        archive: &Archive,
    ) -> Result<Self> {
        let (d, k) = (archive.count("features")?, archive.count("components")?);
        let capabilities = entry.capabilities;
        let given = capabilities.inverse && archive.word(WAY_BACK)? == "matrix";
        let map = Map {
            center: archive.vector("map.center", d)?.to_vec(),
            forward: archive.matrix("map.forward", (d, k))?,
            backward: given.then(|| archive.matrix("map.backward", (k, d))).transpose()?,
            density: capabilities.density.then(|| Gaussian::load(archive, d, k)).transpose()?,
            found: archive.parts(parts)?,
            report: archive.report().clone(),
        };
        let fast = Hadamard::load(archive, d, k)?;
        let turn = archive.has_array("map.turn").then(|| archive.matrix("map.turn", (k, k))).transpose()?;
        Ok(Self::new(entry, parts, parameters, map).with_fast(fast).with_turn(turn))
    }

    fn transform_typed<T: Element>(&self, input: Input<'_, T>, run: &Run) -> Result<AnyMatrix> {
        if let Some(fast) = &self.fast {
            return Ok(T::erase(fast.apply(input, run)?));
        }
        let center = self.map.center.iter().any(|&c| c != 0.0).then_some(&self.map.center[..]);
        let map = Affine { center, matrix: self.map.forward.view(), offset: None };
        match (&self.map.density, input) {
            (Some(density), Input::Points(x)) if x.iter().any(|value| value.is_nan()) => {
                // Complete rows go through the map; each of the others has a posterior of its own.
                let whole = x.mapv(|value| if value.is_nan() { T::zero() } else { value });
                let mut y = map.apply(Input::Points(whole.view()), run)?;
                density.embed_incomplete(x, &mut y, self.turn.as_ref(), run)?;
                Ok(T::erase(y))
            }
            _ => Ok(T::erase(map.apply(input, run)?)),
        }
    }

    fn inverse_typed<T: Element>(
        &self,
        backward: &Array2<f64>,
        y: Input<'_, T>,
        run: &Run,
    ) -> Result<AnyMatrix> {
        let map = Affine { center: None, matrix: backward.view(), offset: Some(&self.map.center) };
        Ok(T::erase(map.apply(y, run)?))
    }

    /// The way back: of all rows with an image, where it was not given, the one nearest to the center.
    fn backward(&self, run: &Run) -> Result<&Array2<f64>> {
        if let Some(backward) = &self.map.backward {
            return Ok(backward);
        }
        if !self.entry.capabilities.inverse {
            return Err(unable::to_invert(self.entry));
        }
        if let Some(backward) = self.least_squares.get() {
            return Ok(backward);
        }
        let (d, k) = self.map.forward.dim();
        // The decomposition holds as much again.
        run.reserve_rows("the way back", d, 3 * k)?;
        // Of one seed, whoever asks first.
        let found = pseudo_inverse(faer_view(self.map.forward.view()), &run.clone().with_seed(0))?;
        Ok(self.least_squares.get_or_init(|| Array2::from_shape_fn((k, d), |(i, j)| found[(j, i)])))
    }

    /// The density, or what cannot be done without.
    fn density(&self, unable: fn(&Entry) -> Error) -> Result<&Gaussian> {
        self.map.density.as_ref().ok_or_else(|| unable(self.entry))
    }

    fn not_points(&self, what: &str, input: AnyInput<'_>) -> Error {
        Error::Unsupported {
            method: self.entry.name.into(),
            what: format!("{what} of {}", input.shape().kind),
            remedy: "give it points".into(),
        }
    }
}

impl Model for LinearModel {
    fn entry(&self) -> &'static Entry {
        self.entry
    }

    fn parameters(&self) -> Vec<(&'static str, Value)> {
        self.parameters.clone()
    }

    fn features(&self) -> usize {
        self.map.forward.nrows()
    }

    fn components(&self) -> usize {
        self.map.forward.ncols()
    }

    fn row_kinds(&self) -> &'static [InputKind] {
        &[InputKind::Points, InputKind::Sparse]
    }

    fn embedding(&self) -> Option<&AnyMatrix> {
        self.embedding.as_ref()
    }

    fn report(&self) -> &Report {
        &self.map.report
    }

    fn report_mut(&mut self) -> &mut Report {
        &mut self.map.report
    }

    fn archive(&self) -> Archive {
        let mut archive = Archive::new(self.parameters(), &self.map.report);
        archive.put_fact("features", self.features());
        archive.put_fact("components", self.components());
        archive.put_vector("map.center", &self.map.center);
        archive.put("map.forward", self.map.forward.clone());
        if self.entry.capabilities.inverse {
            archive.put_fact(WAY_BACK, if self.map.backward.is_some() { "matrix" } else { "least squares" });
        }
        if let Some(backward) = &self.map.backward {
            archive.put("map.backward", backward.clone());
        }
        if let Some(fast) = &self.fast {
            fast.store(&mut archive);
        }
        if let Some(turn) = &self.turn {
            archive.put("map.turn", turn.clone());
        }
        if let Some(density) = &self.map.density {
            density.store(&mut archive);
        }
        archive.put_parts(self.parts, &self.map.found);
        archive
    }

    fn transform_admitted(&self, input: Admitted<'_>, run: &Run) -> Result<AnyMatrix> {
        self.images(input.input(), run)
    }

    fn inverse_admitted(&self, embedding: Admitted<'_>, run: &Run) -> Result<AnyMatrix> {
        let backward = self.backward(run)?;
        match embedding.input() {
            AnyInput::F32(y) => self.inverse_typed(backward, y, run),
            AnyInput::F64(y) => self.inverse_typed(backward, y, run),
        }
    }

    fn log_density_admitted(&self, input: Admitted<'_>, run: &Run) -> Result<Array1<f64>> {
        let density = self.density(unable::to_give_density)?;
        if density.noise.contains(&0.0) {
            return Err(Error::Unsupported {
                method: self.entry.name.into(),
                what: "give a likelihood: the data lie in a flat subspace, where the density is infinite"
                    .into(),
                remedy: "keep fewer components, so that some noise is left".into(),
            });
        }
        match input.input() {
            AnyInput::F32(Input::Points(x)) => density.log_likelihood(x, run),
            AnyInput::F64(Input::Points(x)) => density.log_likelihood(x, run),
            _ => Err(self.not_points(LIKELIHOOD, input.input())),
        }
    }

    fn impute_admitted(&self, input: Admitted<'_>, run: &Run) -> Result<AnyMatrix> {
        let density = self.density(unable::to_impute)?;
        match input.input() {
            AnyInput::F32(Input::Points(x)) => Ok(f32::erase(density.impute(x, run)?)),
            AnyInput::F64(Input::Points(x)) => Ok(f64::erase(density.impute(x, run)?)),
            _ => Err(self.not_points(IMPUTE, input.input())),
        }
    }

    fn sample_reserved(&self, count: usize, run: &Run) -> Result<Array2<f64>> {
        self.density(unable::to_sample)?.sample(count, run)
    }

    fn attributes(&self) -> Vec<Attribute> {
        Attribute::of_parts(self.parts, &self.map.found).collect()
    }
}
