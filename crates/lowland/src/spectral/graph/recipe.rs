//! The methods of graphs as one recipe: bounds, cost, fit.

use super::{ATTRIBUTES, GraphRecipe};
use crate::matrix::sorted_rows;
use crate::method::{Entry, Forecast, Recipe, Training};
use crate::model::{Archive, Attribute, Warning};
use crate::parameters::Value;
use crate::spectral::kernel::Function;
use crate::spectral::local::collapsed;
use crate::spectral::nystrom::view;
use crate::spectral::{Fitted, Source, SpectralModel, landmarks};
use crate::{InputKind, Shape};
use lowland_base::{Error, Result, Run, units};
use lowland_neighbors::Metric;
use ndarray::{Array1, Axis};

impl Recipe for GraphRecipe {
    type Model = SpectralModel;

    /// The bounds that all methods of graphs have.
    fn check(&self, shape: &Shape) -> Result<()> {
        let rows = shape.rows;
        if let Some(count) = self.landmarks.filter(|&count| count > rows) {
            let bound = format!("at most {rows}, the number of points");
            return Err(Error::parameter("landmarks", count, bound, "ask for fewer landmarks"));
        }
        if let Some(count) = self.landmarks.filter(|&count| shape.kind == InputKind::Graph && count < rows) {
            let problem = format!(
                "{} cannot stand for the {rows} vertices of a graph: their edges say nothing about the others",
                units::count(count, "landmark")
            );
            let remedy = "leave landmarks at auto, give points, distances or similarities, or take isomap";
            return Err(Error::conflict("landmarks", problem, remedy));
        }
        let vertices = self.landmarks.unwrap_or(rows);
        let most = if self.trivial { vertices } else { vertices.saturating_sub(1) };
        if self.count > most {
            let left_out = if self.trivial { "" } else { " less the constant vector" };
            let bound = format!("at most {most}, the number of vertices{left_out}");
            return Err(Error::too_many_components(self.count, most, bound, "points"));
        }
        if matches!(shape.kind, InputKind::Points | InputKind::Distances) {
            self.neighborhood.check(vertices)?;
        }
        if self.dense && shape.kind == InputKind::Points && self.neighborhood.metric != Metric::Euclidean {
            let problem = format!(
                "metric = {} is not for edges between all pairs of points, which are euclidean",
                self.neighborhood.metric
            );
            let remedy = "give edges to neighbors only, or give distances";
            return Err(Error::conflict("metric", problem, remedy));
        }
        Ok(())
    }

    /// What a fit costs. The factor of a sparse Laplacian is bounded by that of a plane grid with as many edges.
    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d, c) = (shape.rows as f64, shape.columns as f64, self.count as f64 + 1.0);
        let m = self.landmarks.map_or(n, |count| count as f64);
        let given = if shape.kind == InputKind::Points { n * d } else { shape.stored as f64 };
        let edges = match shape.kind {
            InputKind::Points | InputKind::Distances => {
                2.0 * m * self.neighborhood.rule.k().unwrap_or(30) as f64
            }
            _ => shape.stored as f64,
        };
        let whole = m <= 300.0 || 8.0 * c >= m;
        let (solver, flops) = if whole {
            (4.0 * m * m, 10.0 * m * m * m)
        } else if self.dense {
            (0.5 * m * m + m * (4.0 * c + 400.0), m * m * (10.0 * c + 60.0 + 2.0 * d))
        } else {
            let guess = edges * (1.0 + m.log2()) + m * (60.0 + 12.0 * c);
            let fill = shape.factor.map_or(guess, crate::spectral::by_factor);
            (fill, 40.0 * fill * (c + 10.0) + 20.0 * m * m.sqrt() * edges / m)
        };
        let numbers = 3.0 * given + 10.0 * edges + solver + 8.0 * n * (c + 4.0) + 20.0 * n;
        Forecast {
            bytes: (8.0 * numbers) as u64 + (8 << 20),
            flops: flops + 50.0 * n * d * (n.log2() + 20.0),
            remedy: crate::spectral::fewer_points(shape.kind).into(),
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
        let (n, features) = (source.len(), source.features());
        let count = self.landmarks.unwrap_or(n);
        let chosen = landmarks::choose(source.view(), &Function::Linear, count, self.choice, run)?;
        let part = if count < n { Some(source.select(&chosen)?) } else { None };
        let source = part.unwrap_or(source);
        let whole = if self.dense && !matches!(source, Source::Graph { .. } | Source::Kernel(_)) {
            self.densely(&source, run)?
        } else {
            self.sparsely(&source, run)?
        };
        let (mut whole, values) = whole;
        whole.connected_components.iter_mut().for_each(|part| part.renumber(|column| chosen[column]));
        let mut report = whole.report;
        report.warnings.extend(Warning::slowed(run));
        if count < n {
            report.landmarks = chosen.clone();
        }
        report.warnings.extend(Warning::factor_over_forecast(run, self.forecast(&input.shape()).bytes));
        if let [part] = &whole.connected_components[..] {
            // Of the different points: equal rows coincide as they should.
            let of_all = collapsed(view(&part.coordinates));
            report.warnings.extend(of_all.and_then(|_| {
                let different = different_rows(&source, part.len());
                collapsed(view(&part.coordinates.select(Axis(0), &different)))
            }));
        }
        let attributes = vec![Attribute::new(ATTRIBUTES[0].0, ATTRIBUTES[0].1, Array1::from(values))];
        let fitted = Fitted {
            entry,
            settings,
            features,
            connected_components: whole.connected_components,
            embedding: whole.embedding,
            report,
            attributes,
        };
        let model = SpectralModel::new(fitted, input).with_origin(self.origin());
        if count < n { model.spread(input, run) } else { Ok(model) }
    }

    /// From a model file.
    fn load(
        &self,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        archive: &Archive,
    ) -> Result<SpectralModel> {
        self.load_with(ATTRIBUTES, entry, settings, archive)
    }
}

/// The first of all rows that are equal, where `points` of them have coordinates.
fn different_rows(source: &Source, points: usize) -> Vec<usize> {
    match source {
        Source::Points(x) if x.nrows() == points => {
            let mut order = sorted_rows(x.view());
            order.dedup_by(|b, a| x.row(*a) == x.row(*b));
            order
        }
        Source::Distances(x) if x.nrows() == points => {
            (0..points).filter(|&i| (0..i).all(|j| x[(i, j)] > 0.0)).collect()
        }
        _ => (0..points).collect(),
    }
}
