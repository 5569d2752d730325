//! The pictures of an embedding: what colors the points, what the titles say, what is drawn beside the points.

use crate::args;
use crate::files::Labels;
use crate::outcome::{Failure, Outcome, print_message};
use crate::source::Loaded;
use crate::summary::{Summary, count_grouped};
use lowland::neighbors::index::{self, Choice};
use lowland::parameters::Value;
use lowland::{AnyInput, AnyMatrix, Datum, Error, MatRef, Method, Model, Result, Run};
use lowland_plot::{Coloring, Format, Images, Picture, Scatter, Shepard, Spectrum, Style};

/// How the rows are called whose label is missing.
const UNLABELED: &str = "no label";

/// What is drawn of a fit.
pub struct Drawing<'a> {
    pub loaded: &'a Loaded,
    pub summary: &'a Summary<'a>,
    pub style: &'a args::Style,
    pub beside: Option<&'a args::Beside>,
    pub run: &'a Run,
}

impl Drawing<'_> {
    /// The bytes of a picture of the embedding.
    pub fn scatter(&self, embedding: &AnyMatrix, format: Format) -> Outcome<Vec<u8>> {
        let coordinates = embedding.to_f64();
        let classes = classes(self.loaded);
        let edges = match self.beside {
            Some(beside) if beside.graph => edges(self.summary.model, self.loaded, self.run)?,
            _ => Vec::new(),
        };
        let pixels = self.loaded.matrix.to_f64();
        let shape =
            self.beside.and_then(|beside| image_shape(beside, pixels.ncols()).transpose()).transpose()?;
        let (title, subtitle) = (self.title(), self.summary.sizes());
        let picture = lowland_plot::scatter(&Scatter {
            coordinates: coordinates.view(),
            coloring: coloring(self.loaded, classes.as_deref()),
            edges: &edges,
            images: shape.map(|shape| Images { pixels: pixels.view(), shape }),
            axes: None,
            style: self.style(&title, &subtitle),
        });
        Ok(encoded(&picture, format)?)
    }

    /// The bytes of a picture of the eigenvalues, and of some after them where that costs no more than another fit.
    pub fn spectrum(&self, method: &dyn Method, input: AnyInput<'_>, format: Format) -> Result<Vec<u8>> {
        let (model, report) = (self.summary.model, self.summary.model.report());
        if report.eigenvalues.is_empty() {
            return Err(Error::Unsupported {
                method: model.entry().name.into(),
                what: "show a spectrum".into(),
                remedy: "leave out --plot-spectrum: this method has no eigenvalues".into(),
            });
        }
        let kept = report.eigenvalues.len();
        let found = &report.further_eigenvalues;
        let residual = |model: &dyn Model| attribute(model, "geodesic_residual_variance");
        // More components cost another fit: only where their eigenvalues are not known, or more than these is shown.
        let wider = if found.is_empty() || residual(model).is_some() {
            wider(method, model, input, self.summary.facts.seconds, self.run)?
        } else {
            None
        };
        let widest = wider.as_deref().unwrap_or(model);
        let further = if found.is_empty() {
            widest.report().eigenvalues.get(kept..).unwrap_or_default()
        } else {
            found
        };
        let share = report.objective.iter().find_map(|quantity| match &quantity.name[..] {
            "unexplained share" => Some(1.0 - quantity.value),
            name if name.ends_with("share") => Some(quantity.value),
            _ => None,
        });
        let residual_variance = residual(widest).map(|value| value.numbers()).unwrap_or_default();
        let more = match further.len() {
            0 => String::new(),
            count => format!(" and {count} further"),
        };
        let subtitle = format!("{}{more}; {}", count_grouped(kept, "eigenvalue"), self.summary.sizes());
        let picture = lowland_plot::spectrum(&Spectrum {
            eigenvalues: &report.eigenvalues,
            further,
            norm: report.norm,
            share,
            residual_variance: &residual_variance,
            style: self.style(&self.title(), &subtitle),
        });
        encoded(&picture, format)
    }

    /// The Shepard diagram of a layout by stress.
    pub fn shepard(&self, format: Format) -> Result<Vec<u8>> {
        let Some(Datum::Matrix(pairs)) = attribute(self.summary.model, "shepard") else {
            return Err(self.without_stress("show a Shepard diagram", "--plot-shepard"));
        };
        let subtitle = format!(
            "{}; {}; {}",
            self.stress_1(),
            count_grouped(pairs.nrows(), "pair"),
            self.summary.sizes()
        );
        let title = self.title();
        let style = self.style(&title, &subtitle);
        encoded(&lowland_plot::shepard(&Shepard { pairs: pairs.view(), style }), format)
    }

    /// The embedding, each point colored by its stress: which points the layout places badly.
    pub fn stress(&self, embedding: &AnyMatrix, format: Format) -> Result<Vec<u8>> {
        let Some(stress) = attribute(self.summary.model, "stress_per_point") else {
            return Err(self.without_stress("show the stress of each point", "--plot-stress"));
        };
        let (title, subtitle) = (self.title(), format!("{}; {}", self.stress_1(), self.summary.sizes()));
        let picture = lowland_plot::scatter(&Scatter {
            coordinates: embedding.to_f64().view(),
            coloring: Coloring::Values(&stress.numbers(), "stress"),
            edges: &[],
            images: None,
            axes: None,
            style: self.style(&title, &subtitle),
        });
        encoded(&picture, format)
    }

    fn without_stress(&self, what: &str, flag: &str) -> Error {
        Error::Unsupported {
            method: self.summary.model.entry().name.into(),
            what: what.into(),
            remedy: format!("leave out {flag}, or choose sammon, mds or nonmetric-mds"),
        }
    }

    fn stress_1(&self) -> String {
        let objective = &self.summary.model.report().objective;
        let stress = objective.iter().find(|quantity| quantity.name == "stress-1");
        format!("stress-1 {:.4}", stress.map_or(f64::NAN, |quantity| quantity.value))
    }

    fn style<'t>(&self, title: &'t str, subtitle: &'t str) -> Style<'t> {
        Style { title, subtitle, size: self.style.size.unwrap_or_default(), dark: self.style.dark }
    }

    /// What was asked for, or the method, the data and the settings.
    fn title(&self) -> String {
        self.style.title.clone().unwrap_or_else(|| {
            let of = format!("{} of {}", self.summary.model.entry().title, self.summary.facts.input);
            std::iter::once(of).chain(settings(self.summary.model)).collect::<Vec<_>>().join(", ")
        })
    }
}

/// What a model knows under a name.
pub fn attribute(model: &dyn Model, name: &str) -> Option<Datum> {
    model.attributes().into_iter().find(|attribute| attribute.name == name).map(|attribute| attribute.value)
}

/// The settings in which one picture of a method differs from another: the number of neighbors, and what is not as usual.
fn settings(model: &dyn Model) -> impl Iterator<Item = String> {
    let defaults = (model.entry().parameters)();
    // Layouts by stress have neighbors only where their distances go along the graph.
    let no_graph = model.parameters().contains(&("geodesic", Value::Bool(false)));
    let shown = move |(name, value): &(&'static str, Value)| {
        let usual = defaults.iter().any(|parameter| parameter.name == *name && parameter.default == *value);
        !["n_components", "disconnected"].contains(name)
            && *value != Value::Auto
            && (*name == "n_neighbors" || !usual)
            && !(*name == "n_neighbors" && no_graph)
    };
    let settings: Vec<_> = model.parameters().into_iter().filter(shown).collect();
    settings.into_iter().map(|(name, value)| match name {
        "n_neighbors" => format!("k = {value}"),
        _ => format!("{name} = {value}"),
    })
}

/// The bytes, and a word about what a font lacks.
fn encoded(picture: &Picture, format: Format) -> Result<Vec<u8>> {
    let missing = picture.missing_characters();
    if format == Format::Png && !missing.is_empty() {
        let shown: Vec<String> = missing.iter().take(8).map(ToString::to_string).collect();
        let more = if missing.len() > shown.len() { " .." } else { "" };
        let count = lowland::units::count(missing.len(), "character");
        let font = "the font of PNG pictures has Latin, Greek and Cyrillic";
        print_message(
            "warning",
            &format!(
                "{count} cannot be drawn: {}{more}; {font}; write .svg, which the viewer's fonts draw",
                shown.join(" ")
            ),
        );
    }
    picture.encode(format)
}

/// The same method with some components more, where the first ones stay the same and the fit was quick.
fn wider(
    method: &dyn Method,
    model: &dyn Model,
    input: AnyInput<'_>,
    seconds: f64,
    run: &Run,
) -> Result<Option<Box<dyn Model>>> {
    const MORE: usize = 10;
    const MOST_SECONDS: f64 = 60.0;
    let kept = &model.report().eigenvalues;
    if seconds > MOST_SECONDS {
        return Ok(None);
    }
    for more in [MORE, MORE / 2, 2] {
        let mut method = method.resolved_for(&input.shape())?;
        let count = Value::Integer((model.components() + more) as i64);
        if method.set("n_components", &count).is_err() || method.check(&input.shape()).is_err() {
            continue;
        }
        let found = match method.fit(input, run) {
            Err(Error::Canceled) => return Err(Error::Canceled),
            Err(_) => return Ok(None),
            Ok(found) => found,
        };
        let size = kept.iter().fold(found.report().norm, |most, value| most.max(value.abs()));
        let pairs = kept.iter().zip(&found.report().eigenvalues);
        let same = pairs.filter(|(a, b)| (*a - *b).abs() <= 1e-6 * size).count() == kept.len();
        return Ok(same.then_some(found));
    }
    Ok(None)
}

/// The edges between each point and its neighbors, as many as the method was given.
fn edges(model: &dyn Model, loaded: &Loaded, run: &Run) -> Outcome<Vec<(u32, u32)>> {
    let parameters = model.parameters();
    let value = |name: &str| parameters.iter().find(|(known, _)| *known == name).map(|(_, value)| value);
    let Some(Value::Integer(k)) = value("n_neighbors") else {
        let name = model.entry().name;
        let known = parameters.iter().any(|(known, _)| *known == "n_neighbors");
        let give = if known { "give -k, or leave out --graph" } else { "leave out --graph" };
        let message = format!("{name} has no given number of neighbors; {give}");
        return Err(Failure::Usage(message));
    };
    let metric = match value("metric") {
        Some(Value::Text(word)) => word.parse().unwrap_or(lowland::neighbors::Metric::Euclidean),
        _ => lowland::neighbors::Metric::Euclidean,
    };
    let points = loaded.matrix.to_f64();
    let (n, d) = points.dim();
    let flat: Vec<f64> = points.iter().copied().collect();
    let view = MatRef::from_row_major_slice(&flat, n, d);
    let k = (*k as usize).min(n.saturating_sub(1));
    let table = index::build(view, metric, Choice::Auto, run)?.k_nearest_of_all(k, run)?;
    let mut edges: Vec<(u32, u32)> = (0..table.len())
        .flat_map(|i| table.row(i).0.iter().map(move |&j| (j.min(i as u32), j.max(i as u32))))
        .collect();
    edges.sort_unstable();
    edges.dedup();
    Ok(edges)
}

/// The height and width of the images that the rows are, where they are to be shown: squares, unless it is said.
fn image_shape(beside: &args::Beside, columns: usize) -> Outcome<Option<(usize, usize)>> {
    if !beside.images {
        return Ok(None);
    }
    let side = (columns as f64).sqrt().round() as usize;
    match beside.image_shape {
        None if side * side == columns => Ok(Some((side, side))),
        None => Err(Failure::Usage(format!("{columns} columns are no square image; give --image-shape HxW"))),
        Some((height, width)) if height * width == columns => Ok(Some((height, width))),
        Some((height, width)) => Err(Failure::Usage(format!(
            "--image-shape {height}x{width} has {}, and the rows have {}; give height x width of one image",
            lowland::units::count(height * width, "pixel"),
            lowland::units::count(columns, "column")
        ))),
    }
}

/// What colors the points: the known structure, the classes, or the values.
pub fn coloring<'l>(loaded: &'l Loaded, classes: Option<&'l [String]>) -> Coloring<'l> {
    match (&loaded.structure, classes, &loaded.labels) {
        (Some((values, name)), ..) => Coloring::Values(values, name),
        (_, Some(names), _) => Coloring::Classes(names),
        (_, _, Some(Labels::Numbers(values))) => Coloring::Values(values, "value"),
        _ => Coloring::Plain,
    }
}

/// The labels as names of classes, where they are.
pub fn classes(loaded: &Loaded) -> Option<Vec<String>> {
    match loaded.labels.as_ref()? {
        Labels::Words(words) => {
            let name = |word: &String| if word.is_empty() { UNLABELED.into() } else { word.clone() };
            Some(words.iter().map(name).collect())
        }
        Labels::Numbers(numbers) => {
            let name = |number: &f64| if number.is_nan() { UNLABELED.into() } else { number.to_string() };
            lowland_plot::are_classes(numbers).then(|| numbers.iter().map(name).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lowland::methods::{Isomap, Pca};
    use ndarray::Array2;

    #[test]
    fn the_title_tells_settings_apart() {
        let x = Array2::from_shape_fn((40, 3), |(i, j)| ((i * (j + 2)) as f64 * 0.7).sin());
        let title = |method: &dyn Method| {
            let model = method.fit((&x).into(), &Run::new()).unwrap();
            settings(&*model).collect::<Vec<_>>().join(", ")
        };
        let isomap = |k| Isomap { n_neighbors: k, ..Isomap::default() };
        assert!(title(&isomap(20)).contains("k = 20"));
        assert_ne!(title(&isomap(20)), title(&isomap(25)));
        assert_eq!(title(&Pca::default()), "");
        assert_eq!(title(&Pca { whiten: true, ..Pca::default() }), "whiten = true");
    }
}
