//! Classical scaling, of all points or of landmarks.

use super::kernel::Function;
use super::landmarks::{self, Choice};
use super::nystrom::Variant;
use super::{
    Anchors, Fitted, FunctionAnchors, GivenAnchors, KernelPipeline, Negative, Source, SpectralModel,
    additive, check_landmarks, load_anchors, packed, unsupported,
};
use crate::method::{Entry, Forecast, Recipe, Training};
use crate::model::{Archive, Attribute};
use crate::parameters::Value;
use crate::{AnyInput, Input, InputKind, Shape};
use lowland_base::{Error, Result, Run, units};
use lowland_linalg::operator::Packed;
use lowland_neighbors::Metric;
use ndarray::{Array1, Array2};

/// Classical scaling: the settings.
pub(crate) struct ScalingRecipe {
    pub count: usize,
    pub metric: Metric,
    pub negative: Negative,
    pub additive_constant: bool,
    /// The row that becomes the origin.
    pub origin: Option<usize>,
    /// What each row weighs in the mean that becomes the origin.
    pub weights: Option<Vec<f64>>,
    pub landmarks: Option<usize>,
    pub choice: Choice,
}

/// What the attributes mean.
const ATTRIBUTES: &[(&str, &str)] = &[("landmark_rows", "The rows that the distances were taken to.")];

impl ScalingRecipe {
    /// Fits to `n` objects known by a symmetric distance function. With landmarks only the distances to them are
    /// asked for, and a new object is a row of its distances to the landmarks; else to all.
    pub fn fit_objects(
        &self,
        n: usize,
        distance: impl Fn(usize, usize) -> f64 + Sync,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        run: &Run,
    ) -> Result<SpectralModel> {
        let count = self.landmarks.unwrap_or(n);
        let chosen = landmarks::uniform(n, count, run)?;
        let mut rows = lowland_base::pages::zeros(n * count)?;
        lowland_base::parallel::fill_rows(run, &mut rows, count, 16, |range, out| {
            for (i, out) in range.zip(out.chunks_exact_mut(count)) {
                for (&j, out) in chosen.iter().zip(out) {
                    *out = if i == j { 0.0 } else { distance(i.min(j), i.max(j)) };
                }
            }
        })?;
        let rows = Array2::from_shape_vec((n, count), rows).map_err(|e| Error::shape("distances", &e))?;
        for ((row, column), &value) in rows.indexed_iter() {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::NotADistance { row, column, value, bound: "finite and at least 0" });
            }
        }
        let columns: Vec<usize> = (0..count).collect();
        let inner =
            Packed::from_lower(count, chosen.iter().flat_map(|&row| rows.row(row).to_vec()).collect())?;
        let given = self.given(inner, columns, run)?;
        self.finish(given, &chosen, rows, None, entry, settings, run).map(|fitted| {
            SpectralModel::new(fitted, AnyInput::F64(Input::Points(Array2::zeros((0, 1)).view())))
        })
    }

    /// The fit, with an origin at the mean by these weights where there are any.
    fn fit_weighted(
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
                let objects = Input::Points(points.view());
                let chosen = landmarks::choose(objects, &Function::Linear, count, self.choice, run)?;
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
                let objects = Input::Distances(distances.view());
                let chosen = landmarks::choose(objects, &Function::Linear, count, self.choice, run)?;
                let inner = packed(&distances, &chosen, |distance| distance, run)?;
                let given = self.given(inner, chosen.clone(), run)?;
                self.finish(given, &chosen, distances, weights, entry, settings, run)?
            }
            other => return Err(unsupported(entry.name, other.kind(), "points or distances")),
        };
        Ok(SpectralModel::new(fitted, input))
    }

    /// Anchors that are columns of given distances, and the kernel between them.
    fn given(
        &self,
        mut inner: Packed<f64>,
        columns: Vec<usize>,
        run: &Run,
    ) -> Result<(Box<dyn Anchors>, Packed<f64>)> {
        let constant = if self.additive_constant { additive::constant(&inner, run)? } else { 0.0 };
        let function = Function::HalfSquaredDistance { metric: self.metric, constant };
        inner.update(run, |_, row| {
            row.iter_mut().for_each(|distance| *distance = function.of_entry(*distance));
        })?;
        Ok((Box::new(GivenAnchors::new(InputKind::Distances, columns, function)), inner))
    }

    #[allow(clippy::too_many_arguments)]
    fn finish(
        &self,
        (anchors, inner): (Box<dyn Anchors>, Packed<f64>),
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
            count: self.count,
            center: true,
            weights,
            negative: self.negative,
            variant: Variant::Plain,
        };
        let features = rows.ncols();
        let (model, embedding, report) = pipeline.fit(anchors, inner, chosen, rows.view(), run)?;
        let attributes = vec![Attribute::new(
            ATTRIBUTES[0].0,
            ATTRIBUTES[0].1,
            Array1::from_iter(chosen.iter().map(|&row| row as f64)),
        )];
        Ok(Fitted {
            entry,
            settings,
            features,
            connected_components: vec![model],
            embedding,
            report,
            attributes,
        })
    }
}

impl Recipe for ScalingRecipe {
    type Model = SpectralModel;

    fn check(&self, shape: &Shape) -> Result<()> {
        if let Some(origin) = self.origin.filter(|&origin| origin >= shape.rows) {
            let bound = format!("a row: below {}", shape.rows);
            return Err(Error::parameter("origin", origin, bound, "leave it at auto for the mean"));
        }
        if let Some(weights) = &self.weights {
            if weights.len() != shape.rows {
                let problem = format!(
                    "{} for {}",
                    units::count(weights.len(), "weight"),
                    units::count(shape.rows, "row")
                );
                return Err(Error::conflict("weights", problem, "give one a row, or leave them out"));
            }
            if self.origin.is_some() || self.landmarks.is_some_and(|count| count < shape.rows) {
                let problem = "weights do not go with origin or landmarks";
                return Err(Error::conflict("weights", problem, "leave out the weights, or the others"));
            }
            let (sum, size) = (weights.iter().sum::<f64>(), weights.iter().map(|w| w.abs()).sum::<f64>());
            if !(sum.abs() > 1e-9 * size && size.is_finite()) {
                let problem = format!("the sum of the weights is {sum}, but must be finite and not 0");
                return Err(Error::conflict("weights", problem, "change some of them"));
            }
        }
        check_landmarks(self.count, self.landmarks, shape.rows)
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        super::forecast(shape, self.landmarks, self.count)
    }

    fn fit(
        &self,
        Training { input, .. }: Training<'_, '_>,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        run: &Run,
    ) -> Result<SpectralModel> {
        let sum: f64 = self.weights.iter().flatten().sum();
        let weights =
            self.weights.as_ref().map(|weights| weights.iter().map(|weight| weight / sum).collect());
        self.fit_weighted(input, weights, entry, settings, run)
    }

    fn load(
        &self,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        archive: &Archive,
    ) -> Result<SpectralModel> {
        SpectralModel::load(entry, settings, archive, ATTRIBUTES, load_anchors)
    }
}
