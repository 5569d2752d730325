//! FastMap: coordinates from the distances to two pivots an axis. As Platt showed, it is a Nyström method: coordinates are an
//! affine function of the half squared distances to all pivots, and so new points are embedded like those of landmark scaling.

use super::kernel::Function;
use super::{
    Anchors, ComponentModel, Fitted, Formula, FunctionAnchors, GivenAnchors, Normalizer, Source,
    SpectralModel, check_landmarks, load_anchors, packed, unsupported,
};
use crate::method::{Entry, Forecast, Recipe, Training};
use crate::model::{Archive, Attribute, Quantity, Report, Warning};
use crate::parameters::Value;
use crate::{InputKind, Shape};
use lowland_base::parallel::fill_rows;
use lowland_base::{Result, Run};
use lowland_neighbors::Metric;
use ndarray::{Array1, Array2, ArrayView1, Axis};

/// FastMap: the settings.
pub(crate) struct FastMapRecipe {
    pub count: usize,
    pub metric: Metric,
    /// How often the far end of an axis is looked for from its other end.
    pub rounds: usize,
}

/// What the attributes mean.
const ATTRIBUTES: &[(&str, &str)] = &[("pivot_rows", "The rows that each axis goes through, two an axis.")];

/// The axes found.
struct Axes {
    /// The pivots, two an axis, in order.
    pivots: Vec<usize>,
    /// One column an axis: what each pivot's `-d^2 / 2` counts.
    map: Array2<f64>,
    offset: Vec<f64>,
    /// Rows x axes.
    coordinates: Array2<f64>,
}

/// What is left of a squared distance is nothing below this share of the first axis's.
const NOTHING: f64 = 1e-14;

impl FastMapRecipe {
    /// The axes of `n` objects; `squared` gives the squared distances of all to one of them.
    fn axes(
        &self,
        n: usize,
        first: usize,
        squared: &dyn Fn(usize) -> Result<Vec<f64>>,
        run: &Run,
    ) -> Result<Axes> {
        let stage = run.stage("axes", Some(self.count as u64));
        let mut coordinates = Array2::<f64>::zeros((n, self.count));
        let (mut pivots, mut steps): (Vec<usize>, Vec<(f64, Vec<f64>, f64)>) = (Vec::new(), Vec::new());
        let mut longest = 0.0f64;
        for axis in 0..self.count {
            // The squared distances beside the axes so far; of distances that are not Euclidean they may be negative.
            let left = |from: usize| -> Result<Vec<f64>> {
                let mut rest = squared(from)?;
                let here = coordinates.row(from).to_owned();
                for (rest, row) in rest.iter_mut().zip(coordinates.rows()) {
                    let gone = row.iter().zip(&here).take(axis).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
                    *rest -= gone;
                }
                Ok(rest)
            };
            let (mut a, mut to_a) = (first, left(first)?);
            for _ in 0..self.rounds {
                let far = farthest(&to_a);
                if to_a[far] <= to_a[a].max(0.0) {
                    break;
                }
                let to_far = left(far)?;
                if farthest(&to_far) == a {
                    break;
                }
                (a, to_a) = (far, to_far);
            }
            let b = farthest(&to_a);
            let square = to_a[b];
            longest = longest.max(square);
            if a == b || square <= NOTHING * longest {
                break;
            }
            let to_b = left(b)?;
            let length = square.sqrt();
            for (i, mut row) in coordinates.rows_mut().into_iter().enumerate() {
                row[axis] = (to_a[i] + square - to_b[i]) / (2.0 * length);
            }
            // y_c = (k_b - k_a) / l + sum_r (y_r(a) - y_r(b)) y_r / l + constant, for k = -d^2 / 2.
            let (at_a, at_b) = (coordinates.row(a).to_owned(), coordinates.row(b).to_owned());
            let turns = at_a.iter().zip(&at_b).take(axis).map(|(a, b)| (a - b) / length).collect();
            let gap: f64 = at_a.iter().zip(&at_b).take(axis).map(|(a, b)| b * b - a * a).sum();
            steps.push((length, turns, (square + gap) / (2.0 * length)));
            pivots.extend([a, b]);
            stage.advance(1)?;
        }
        let mut map = Array2::zeros((pivots.len(), self.count));
        let mut offset = vec![0.0; self.count];
        for (axis, (length, turns, constant)) in steps.iter().enumerate() {
            map[(2 * axis, axis)] -= 1.0 / length;
            map[(2 * axis + 1, axis)] += 1.0 / length;
            offset[axis] = *constant;
            for (earlier, turn) in turns.iter().enumerate() {
                for pivot in 0..pivots.len() {
                    map[(pivot, axis)] += turn * map[(pivot, earlier)];
                }
                offset[axis] += turn * offset[earlier];
            }
        }
        Ok(Axes { pivots, map, offset, coordinates })
    }

    /// From the axes to the model and the report.
    fn finish(
        &self,
        axes: Axes,
        anchors: Box<dyn Anchors>,
        kernel: lowland_linalg::operator::Packed<f64>,
        rows: &Array2<f64>,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        run: &Run,
    ) -> Result<Fitted> {
        let Axes { pivots, map, mut offset, coordinates } = axes;
        let mut at_pivots = coordinates.select(Axis(0), &pivots);
        // The origin is the mean of the pivots, as that of landmark scaling is the mean of the landmarks.
        if let Some(mean) = at_pivots.mean_axis(Axis(0)) {
            at_pivots -= &mean;
            offset.iter_mut().zip(&mean).for_each(|(offset, mean)| *offset -= mean);
        }
        let unexplained = unexplained(&kernel, &at_pivots);
        let normalizer = Normalizer::center(&mut kernel.clone(), None, run)?;
        let rank = pivots.len() / 2;
        let model = ComponentModel {
            members: (0..rows.nrows()).collect(),
            coordinates: at_pivots,
            translation: vec![0.0; self.count],
            weights: (0..self.count).map(|axis| f64::from(axis < rank)).collect(),
            formula: Formula::Landmarks { anchors, normalizer, map, offset },
        };
        let stage = run.stage("extend", None);
        let embedding = model.extend(rows.view(), run)?;
        drop(stage);
        let mut report = Report { landmarks: pivots.clone(), ..Report::default() };
        let name = "unexplained share of the squared distances between pivots".into();
        report.objective.push(Quantity { name, value: unexplained });
        if rank < self.count {
            let asked = self.count;
            report.warnings.push(Warning::RankDeficient { asked, rank, remedy: String::new() });
        }
        let rows_of_pivots = Array1::from_iter(pivots.iter().map(|&row| row as f64));
        let attributes = vec![Attribute::new(ATTRIBUTES[0].0, ATTRIBUTES[0].1, rows_of_pivots)];
        let features = rows.ncols();
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

impl Recipe for FastMapRecipe {
    type Model = SpectralModel;

    fn check(&self, shape: &Shape) -> Result<()> {
        check_landmarks(self.count, None, shape.rows)
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d, m) = (shape.rows as f64, shape.columns as f64, self.count as f64);
        Forecast {
            bytes: (8.0 * n * (2.0 * d + 5.0 * m + 8.0) + 96.0 * m * m) as u64 + (1 << 20),
            flops: n * m * (self.rounds as f64 + 2.0) * (3.0 * d + 3.0 * m),
            remedy: "fit to a sample and transform the rest".into(),
        }
    }

    fn fit(
        &self,
        Training { input, .. }: Training<'_, '_>,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        run: &Run,
    ) -> Result<SpectralModel> {
        let source = Source::of(input)?;
        let n = source.len();
        let function = Function::HalfSquaredDistance { metric: self.metric, constant: 0.0 };
        let fitted = match source {
            Source::Points(points) => {
                let all = FunctionAnchors::new(function.clone(), points.clone(), run)?;
                let squared = |point: ArrayView1<'_, f64>| -> Result<Vec<f64>> {
                    let row = point.insert_axis(Axis(0));
                    let kernel = all.rows(row, run)?.dense(n);
                    Ok(kernel.iter().map(|half| -2.0 * half).collect())
                };
                // The first look is from the mean, so that the order of the rows does not matter.
                let mean = points.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(points.ncols()));
                let first = farthest(&squared(mean.view())?);
                let axes = self.axes(n, first, &|from| squared(points.row(from)), run)?;
                let at = points.select(Axis(0), &axes.pivots);
                let anchors = FunctionAnchors::new(function, at, run)?;
                let kernel = anchors.matrix(run)?;
                self.finish(axes, Box::new(anchors), kernel, &points, entry, settings, run)?
            }
            Source::Distances(distances) => {
                let squared = |from: usize| {
                    Ok(distances.row(from).iter().map(|distance| distance * distance).collect())
                };
                let mut largest = vec![0.0; n];
                fill_rows(run, &mut largest, 1, 64, |rows, out| {
                    for (row, out) in rows.zip(out) {
                        *out = distances.row(row).iter().fold(0.0, |most: f64, &d| most.max(d));
                    }
                })?;
                let axes = self.axes(n, farthest(&largest), &squared, run)?;
                let kernel = packed(&distances, &axes.pivots, |distance| function.of_entry(distance), run)?;
                let anchors = GivenAnchors::new(InputKind::Distances, axes.pivots.clone(), function);
                self.finish(axes, Box::new(anchors), kernel, &distances, entry, settings, run)?
            }
            other => return Err(unsupported(entry.name, other.kind(), "points or distances")),
        };
        Ok(SpectralModel::new(fitted, input))
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

/// The position of the largest number, the first of equal ones.
fn farthest(values: &[f64]) -> usize {
    let larger = |best: usize, next: usize| if values[next] > values[best] { next } else { best };
    (0..values.len()).reduce(larger).unwrap_or(0)
}

/// What the coordinates of the pivots leave of their squared distances.
fn unexplained(kernel: &lowland_linalg::operator::Packed<f64>, coordinates: &Array2<f64>) -> f64 {
    let (mut whole, mut left) = (0.0, 0.0);
    for i in 0..coordinates.nrows() {
        for j in 0..i {
            let squared = -2.0 * kernel.get(i, j);
            let explained: f64 =
                coordinates.row(i).iter().zip(coordinates.row(j)).map(|(a, b)| (a - b) * (a - b)).sum();
            whole += squared;
            left += (squared - explained).abs();
        }
    }
    if whole > 0.0 { left / whole } else { 0.0 }
}
