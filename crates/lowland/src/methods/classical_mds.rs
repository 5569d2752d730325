//! Classical scaling and landmark scaling (Torgerson 1952, Gower 1966; de Silva and Tenenbaum 2003; Burges 2.2-2.3,
//! Mohri 15.3.1).
//!
//! distances -> -d^2 / 2 -> center -> largest eigenpairs -> sqrt(l) v; new points by Nyström, which with landmarks is
//! landmark scaling (Burges eqs. 1.30-1.31; Platt 2005)

use crate::method::{Capabilities, Entry, Forecast, Method};
use crate::model::{Archive, Attribute, Model};
use crate::parameters::{Described, Kind, Value};
use crate::spectral::kernel::Function;
use crate::spectral::landmarks::{self, Choice, Objects};
use crate::spectral::nystrom::Variant;
use crate::spectral::{
    self, Fitted, FunctionAnchors, Given, GivenAnchors, KernelPipeline, Negative, Source, SpectralModel,
    additive,
};
use crate::{AnyInput, Shape, described, parameters};
use lowland_base::{Error, Result, Run};
use lowland_linalg::operator::Packed;
use lowland_neighbors::Metric;
use ndarray::Array2;

const CAPABILITIES: Capabilities = Capabilities {
    inputs: &["points", "distances"],
    inverse: false,
    random: true,
    chunks: false,
    density: false,
    labels: false,
    missing: false,
};

/// Classical scaling in the registry.
pub static CLASSICAL_MDS: Entry = Entry {
    name: "classical-mds",
    aliases: &["cmds", "mds", "multidimensional-scaling", "classical-scaling", "torgerson", "pcoa"],
    title: "Classical multidimensional scaling",
    summary: "Points whose distances are as close as can be to given ones, by one eigenproblem. Of Euclidean \
              distances it is principal component analysis.",
    citation: "W. Torgerson, Multidimensional scaling: I. Theory and method, 1952; J. Gower, Some distance properties \
               of latent root and vector methods used in multivariate analysis, 1966",
    capabilities: CAPABILITIES,
    parameters: ClassicalMds::parameters,
    create: || Box::new(ClassicalMds::default()),
    load: |archive| load::<ClassicalMds>(&CLASSICAL_MDS, archive),
};

/// Landmark scaling in the registry.
pub static LANDMARK_MDS: Entry = Entry {
    name: "landmark-mds",
    aliases: &["lmds", "landmark-multidimensional-scaling", "metricmap"],
    title: "Landmark multidimensional scaling",
    summary: "Classical scaling of a few landmarks; all other points follow from their distances to these. The cost \
              grows as the number of points.",
    citation: "V. de Silva, J. Tenenbaum, Global versus local methods in nonlinear dimensionality reduction, 2003; \
               J. Platt, FastMap, MetricMap, and Landmark MDS are all Nyström algorithms, 2005",
    capabilities: CAPABILITIES,
    parameters: LandmarkMds::parameters,
    create: || Box::new(LandmarkMds::default()),
    load: |archive| load::<LandmarkMds>(&LANDMARK_MDS, archive),
};

parameters! {
    /// Classical scaling: the parameters.
    pub struct ClassicalMds {
        /// How many components to keep: at most the number of rows, or of landmarks.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// The distance between points. Distances given as input take its place.
        metric: Metric = Metric::Euclidean;
        /// What is done with negative eigenvalues, which distances that are not Euclidean have.
        negative: Negative = Negative::Drop;
        /// Whether the smallest constant is added to all distances that makes them Euclidean (Cailliez 1983).
        additive_constant: bool = false;
        /// The row that becomes the origin; `auto` is the mean of all.
        origin: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 0, max: 100_000_000 }] };
        /// How many points stand for all: then no matrix of all pairs is built. `auto` is all of them.
        landmarks: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: 100_000_000 }] };
        /// How landmarks are chosen.
        landmark_choice: Choice = Choice::Uniform;
    }
}

parameters! {
    /// Landmark scaling: the parameters.
    pub struct LandmarkMds {
        /// How many components to keep: at most the number of landmarks.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How many points stand for all; `auto` is the square root of their number, at least 50 and ten to a
        /// component, and never more than there are.
        landmarks: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: 100_000_000 }] };
        /// How landmarks are chosen.
        landmark_choice: Choice = Choice::Uniform;
        /// The distance between points. Distances given as input take its place.
        metric: Metric = Metric::Euclidean;
        /// What is done with negative eigenvalues, which distances that are not Euclidean have.
        negative: Negative = Negative::Drop;
    }
}

impl LandmarkMds {
    fn classical(&self, rows: usize) -> ClassicalMds {
        ClassicalMds {
            n_components: self.n_components,
            metric: self.metric,
            negative: self.negative,
            landmarks: Some(
                self.landmarks.unwrap_or_else(|| spectral::usual_landmarks(rows, self.n_components)),
            ),
            landmark_choice: self.landmark_choice,
            ..ClassicalMds::default()
        }
    }

    /// Fits and keeps the type: [`Method::fit`] gives the same model behind the trait.
    pub fn fit_model<'a>(&self, input: impl Into<AnyInput<'a>>, run: &Run) -> Result<SpectralModel> {
        let input = input.into();
        let shape = self.admit(input, run)?;
        self.classical(shape.rows).solve(input, None, &LANDMARK_MDS, self.settings(), run)
    }
}

impl ClassicalMds {
    /// Fits and keeps the type: [`Method::fit`] gives the same model behind the trait.
    pub fn fit_model<'a>(&self, input: impl Into<AnyInput<'a>>, run: &Run) -> Result<SpectralModel> {
        let input = input.into();
        self.admit(input, run)?;
        self.solve(input, None, &CLASSICAL_MDS, self.settings(), run)
    }

    /// Fits with an origin of one's own: the mean by these weights, one a row, of sum 1 (Burges 2.2.1).
    pub fn fit_weighted<'a>(
        &self,
        input: impl Into<AnyInput<'a>>,
        weights: &[f64],
        run: &Run,
    ) -> Result<SpectralModel> {
        let input = input.into();
        let shape = self.admit(input, run)?;
        if weights.len() != shape.rows || self.landmarks.is_some() {
            return Err(Error::Width {
                what: "vector of centering weights (without landmarks)",
                expected: shape.rows,
                found: weights.len(),
            });
        }
        let sum: f64 = weights.iter().sum();
        if (sum - 1.0).abs() > 1e-9 || weights.iter().any(|weight| !weight.is_finite()) {
            return Err(Error::parameter("weights", sum, "finite, of sum 1", "divide them by their sum"));
        }
        self.solve(input, Some(weights.to_vec()), &CLASSICAL_MDS, self.settings(), run)
    }

    /// Fits to `n` objects known by a symmetric distance function. With landmarks only the distances to them are
    /// asked for, and a new object is a row of its distances to the landmarks; else to all.
    pub fn fit_objects(
        &self,
        n: usize,
        distance: impl Fn(usize, usize) -> f64 + Sync,
        run: &Run,
    ) -> Result<SpectralModel> {
        let count = self.landmarks.unwrap_or(n);
        let shape = Shape { rows: n, columns: n, stored: n * count, scalar_bytes: 8, kind: "distances" };
        self.check(&shape)?;
        let chosen =
            landmarks::choose(Objects::Anonymous(n), &Function::Linear, count, Choice::Uniform, run)?;
        let mut rows = vec![0.0; n * count];
        lowland_base::parallel::fill_rows(run, &mut rows, count, 16, |range, out| {
            for (i, out) in range.zip(out.chunks_exact_mut(count)) {
                for (&j, out) in chosen.iter().zip(out) {
                    *out = if i == j { 0.0 } else { distance(i.min(j), i.max(j)) };
                }
            }
        })?;
        let rows = Array2::from_shape_vec((n, count), rows)
            .map_err(|e| Error::Malformed { what: "distances", problem: e.to_string() })?;
        for ((row, column), &value) in rows.indexed_iter() {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::NotADistance { row, column, value, bound: "finite and at least 0" });
            }
        }
        let columns: Vec<usize> = (0..count).collect();
        let inner =
            Packed::from_lower(count, chosen.iter().flat_map(|&row| rows.row(row).to_vec()).collect())?;
        let given = self.given(inner, columns, run)?;
        self.finish(given, &chosen, rows, None, &CLASSICAL_MDS, self.settings(), run).map(|fitted| {
            SpectralModel::new(fitted, AnyInput::F64(crate::Input::Points(Array2::zeros((0, 1)).view())))
        })
    }

    fn solve(
        &self,
        input: AnyInput<'_>,
        weights: Option<Vec<f64>>,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        run: &Run,
    ) -> Result<SpectralModel> {
        let source = Source::of(input)?;
        let n = source.len();
        let count = self.landmarks.unwrap_or(n);
        let fitted = match source {
            Source::Points(points) => {
                let function = Function::HalfSquaredDistance { metric: self.metric, constant: 0.0 };
                let objects = Objects::Points(points.view());
                let chosen = landmarks::choose(objects, &Function::Linear, count, self.landmark_choice, run)?;
                let stage = run.stage("distances", None);
                let at = landmarks::rows(points.view(), &chosen);
                let mut anchors = FunctionAnchors::new(function, at.clone(), run)?;
                let mut inner = anchors.matrix(run)?;
                if self.additive_constant {
                    inner.update(run, |_, row| {
                        row.iter_mut().for_each(|kernel| *kernel = (-2.0 * *kernel).max(0.0).sqrt());
                    })?;
                    let constant = additive::constant(&inner, run)?;
                    anchors = FunctionAnchors::new(
                        Function::HalfSquaredDistance { metric: self.metric, constant },
                        at,
                        run,
                    )?;
                    inner = anchors.matrix(run)?;
                }
                drop(stage);
                self.finish((Box::new(anchors), inner), &chosen, points, weights, entry, settings, run)?
            }
            Source::Distances(distances) => {
                let objects = Objects::Distances(distances.view());
                let chosen = landmarks::choose(objects, &Function::Linear, count, self.landmark_choice, run)?;
                let inner = spectral::packed(&distances, &chosen, |distance| distance, run)?;
                let given = self.given(inner, chosen.clone(), run)?;
                self.finish(given, &chosen, distances, weights, entry, settings, run)?
            }
            other => return Err(spectral::unsupported(entry.name, other.kind(), "points or distances")),
        };
        Ok(SpectralModel::new(fitted, input))
    }

    /// Anchors that are columns of given distances, and the kernel between them.
    fn given(
        &self,
        mut inner: Packed<f64>,
        columns: Vec<usize>,
        run: &Run,
    ) -> Result<(Box<dyn spectral::Anchors>, Packed<f64>)> {
        let constant = if self.additive_constant { additive::constant(&inner, run)? } else { 0.0 };
        let meaning = Given::Distances { constant };
        inner.update(run, |_, row| {
            row.iter_mut().for_each(|distance| *distance = meaning.value(*distance));
        })?;
        Ok((Box::new(GivenAnchors { meaning, columns }), inner))
    }

    #[allow(clippy::too_many_arguments)]
    fn finish(
        &self,
        (anchors, inner): (Box<dyn spectral::Anchors>, Packed<f64>),
        chosen: &[usize],
        rows: Array2<f64>,
        weights: Option<Vec<f64>>,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        run: &Run,
    ) -> Result<Fitted> {
        let weights = weights.or_else(|| {
            let unit =
                |origin: usize| chosen.iter().map(|&row| f64::from(row == origin)).collect::<Vec<f64>>();
            self.origin.map(unit).filter(|weights| weights.contains(&1.0))
        });
        let pipeline = KernelPipeline {
            count: self.n_components,
            center: true,
            weights,
            negative: self.negative,
            variant: Variant::Plain,
        };
        let features = rows.ncols();
        let (piece, embedding, report) = pipeline.fit(anchors, inner, chosen, rows.view(), run)?;
        let attributes = vec![Attribute::new(
            ATTRIBUTES[0].0,
            ATTRIBUTES[0].1,
            ndarray::Array1::from_iter(chosen.iter().map(|&row| row as f64)),
        )];
        Ok(Fitted { entry, settings, features, pieces: vec![piece], embedding, report, attributes })
    }
}

/// What the attributes mean.
const ATTRIBUTES: &[(&str, &str)] = &[("landmark_rows", "The rows that the distances were taken to.")];

impl Method for ClassicalMds {
    described!(CLASSICAL_MDS);

    fn check(&self, shape: &Shape) -> Result<()> {
        self.check_ranges()?;
        if let Some(origin) = self.origin.filter(|&origin| origin >= shape.rows) {
            let bound = format!("a row: below {}", shape.rows);
            return Err(Error::parameter("origin", origin, bound, "leave it at auto for the mean"));
        }
        spectral::check_landmarks(self.n_components, self.landmarks, shape.rows)
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        spectral::forecast(shape, self.landmarks, self.n_components)
    }

    fn fit_admitted(&self, input: AnyInput<'_>, run: &Run) -> Result<Box<dyn Model>> {
        Ok(Box::new(self.solve(input, None, &CLASSICAL_MDS, self.settings(), run)?))
    }
}

impl Method for LandmarkMds {
    described!(LANDMARK_MDS);

    fn check(&self, shape: &Shape) -> Result<()> {
        self.check_ranges()?;
        self.classical(shape.rows).check(shape)
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        self.classical(shape.rows).forecast(shape)
    }

    fn fit_admitted(&self, input: AnyInput<'_>, run: &Run) -> Result<Box<dyn Model>> {
        let method = self.classical(input.shape().rows);
        Ok(Box::new(method.solve(input, None, &LANDMARK_MDS, self.settings(), run)?))
    }
}

fn load<M: Described>(entry: &'static Entry, archive: &Archive) -> Result<Box<dyn Model>> {
    let settings = archive.method::<M>(entry.name)?.settings();
    Ok(Box::new(SpectralModel::load(entry, settings, archive, ATTRIBUTES, spectral::load_anchors)?))
}
