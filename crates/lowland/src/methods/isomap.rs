//! Isomap, landmark Isomap and C-Isomap (Tenenbaum, de Silva and Langford 2000; de Silva and Tenenbaum 2003; Burges
//! 2.3, Bengio 2.5, Ham 3).
//!
//! points -> neighbors -> graph -> geodesics -> -g^2 / 2 -> center -> largest eigenpairs -> sqrt(l) v; new points join
//! the graph, then Nyström

use crate::matrix::large_zeros;
use crate::method::{Capabilities, Entry, Forecast, Method};
use crate::model::{Archive, Attribute, Model, Report};
use crate::parameters::{Described, Kind, Value};
use crate::spectral::geodesic::{GeodesicAnchors, GeodesicSource, conformal, half_squared};
use crate::spectral::kernel::Function;
use crate::spectral::landmarks::{self, Choice, Objects};
use crate::spectral::nystrom::Variant;
use crate::spectral::{
    self, Anchors, Disconnected, Fitted, KernelPipeline, Near, Negative, NeighborGraph, Neighborhood, Piece,
    Rule, Source, SpectralModel, parts, shortcuts,
};
use crate::{AnyInput, Shape, described, parameters};
use lowland_base::parallel::fill_rows;
use lowland_base::{Error, Result, Run, pages};
use lowland_linalg::operator::Packed;
use lowland_neighbors::graph::Part;
use lowland_neighbors::{Graph, Metric, Table, geodesics};
use ndarray::{Array1, Array2, s};

const CAPABILITIES: Capabilities = Capabilities {
    inputs: &["points", "distances", "graph"],
    inverse: false,
    random: true,
    chunks: false,
    density: false,
    labels: false,
    missing: false,
};

/// Isomap in the registry.
pub static ISOMAP: Entry = Entry {
    name: "isomap",
    aliases: &["isometric-feature-mapping"],
    title: "Isomap",
    summary: "Distances along the neighbor graph, then classical scaling: unrolls a curved sheet and keeps its global \
              shape. Wants a connected graph without short circuits.",
    citation: "J. Tenenbaum, V. de Silva, J. Langford, A global geometric framework for nonlinear dimensionality \
               reduction, 2000",
    capabilities: CAPABILITIES,
    parameters: Isomap::parameters,
    create: || Box::new(Isomap::default()),
    load: |archive| {
        let method: Isomap = archive.method(ISOMAP.name)?;
        load(&ISOMAP, method.settings(), method.recipe().neighborhood, archive)
    },
};

/// Landmark Isomap in the registry.
pub static LANDMARK_ISOMAP: Entry = Entry {
    name: "landmark-isomap",
    aliases: &["l-isomap"],
    title: "Landmark Isomap",
    summary: "Isomap with geodesics from a few landmarks only: the cost grows as the number of points.",
    citation: "V. de Silva, J. Tenenbaum, Global versus local methods in nonlinear dimensionality reduction, 2003",
    capabilities: CAPABILITIES,
    parameters: LandmarkIsomap::parameters,
    create: || Box::new(LandmarkIsomap::default()),
    load: |archive| {
        let method: LandmarkIsomap = archive.method(LANDMARK_ISOMAP.name)?;
        load(&LANDMARK_ISOMAP, method.settings(), method.isomap(0).recipe().neighborhood, archive)
    },
};

/// C-Isomap in the registry.
pub static C_ISOMAP: Entry = Entry {
    name: "c-isomap",
    aliases: &["conformal-isomap"],
    title: "Conformal Isomap",
    summary: "Isomap whose edges are scaled by the local density: unrolls sheets that were stretched differently from \
              place to place, if they are sampled evenly.",
    citation: "V. de Silva, J. Tenenbaum, Global versus local methods in nonlinear dimensionality reduction, 2003",
    capabilities: CAPABILITIES,
    parameters: CIsomap::parameters,
    create: || Box::new(CIsomap::default()),
    load: |archive| {
        let method: CIsomap = archive.method(C_ISOMAP.name)?;
        load(&C_ISOMAP, method.settings(), method.isomap(0).recipe().neighborhood, archive)
    },
};

parameters! {
    /// Isomap: the parameters.
    pub struct Isomap {
        /// How many components to keep: at most the number of rows, or of landmarks.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How many neighbors each point is joined to. Too few leave the graph in pieces, too many jump between
        /// sheets.
        n_neighbors: usize = 8, in Kind::Integer { min: 1, max: 1_000_000 };
        /// All within this distance are neighbors, instead of the nearest few.
        radius: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 0.0, max: 1e300, open: true }] };
        /// Whether each point keeps only as many of its neighbors as the data are flat around it.
        adaptive: bool = false;
        /// The distance between points. Distances given as input take its place.
        metric: Metric = Metric::Euclidean;
        /// What to do with a neighbor graph in several pieces.
        disconnected: Disconnected = Disconnected::Join;
        /// Whether edges through which far too many shortest paths run are cut: they are reported in any case.
        cut_shortcuts: bool = false;
        /// Whether edges are scaled by the local density (C-Isomap).
        conformal: bool = false;
        /// What is done with negative eigenvalues: geodesics are hardly ever exactly Euclidean.
        negative: Negative = Negative::Drop;
        /// From how many points geodesics are computed: then no matrix of all pairs is built. `auto` is all of them.
        landmarks: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: 100_000_000 }] };
        /// How landmarks are chosen.
        landmark_choice: Choice = Choice::Uniform;
    }
}

parameters! {
    /// Landmark Isomap: the parameters.
    pub struct LandmarkIsomap {
        /// How many components to keep: at most the number of landmarks.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How many neighbors each point is joined to.
        n_neighbors: usize = 8, in Kind::Integer { min: 1, max: 1_000_000 };
        /// From how many points geodesics are computed; `auto` is the square root of their number, at least 50 and
        /// ten to a component, and never more than there are.
        landmarks: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: 100_000_000 }] };
        /// How landmarks are chosen.
        landmark_choice: Choice = Choice::Uniform;
        /// The distance between points. Distances given as input take its place.
        metric: Metric = Metric::Euclidean;
        /// What to do with a neighbor graph in several pieces.
        disconnected: Disconnected = Disconnected::Join;
        /// What is done with negative eigenvalues: geodesics are hardly ever exactly Euclidean.
        negative: Negative = Negative::Drop;
    }
}

parameters! {
    /// C-Isomap: the parameters.
    pub struct CIsomap {
        /// How many components to keep: at most the number of rows, or of landmarks.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How many neighbors each point is joined to: their mean distance is the local scale.
        n_neighbors: usize = 8, in Kind::Integer { min: 1, max: 1_000_000 };
        /// The distance between points. Distances given as input take its place.
        metric: Metric = Metric::Euclidean;
        /// What to do with a neighbor graph in several pieces.
        disconnected: Disconnected = Disconnected::Join;
        /// What is done with negative eigenvalues: geodesics are hardly ever exactly Euclidean.
        negative: Negative = Negative::Drop;
        /// From how many points geodesics are computed: then no matrix of all pairs is built. `auto` is all of them.
        landmarks: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: 100_000_000 }] };
        /// How landmarks are chosen.
        landmark_choice: Choice = Choice::Uniform;
    }
}

impl Isomap {
    fn recipe(&self) -> Recipe {
        let rule = match self.radius {
            Some(radius) => Rule::Within(radius),
            None if self.adaptive => {
                Rule::Adaptive { k: self.n_neighbors, dimension: self.n_components.min(self.n_neighbors - 1) }
            }
            None => Rule::Nearest(self.n_neighbors),
        };
        Recipe {
            neighborhood: Neighborhood { rule, metric: self.metric, policy: self.disconnected },
            count: self.n_components,
            negative: self.negative,
            landmarks: self.landmarks,
            choice: self.landmark_choice,
            conformal: self.conformal,
            cut: self.cut_shortcuts,
        }
    }

    fn cost(&self, shape: &Shape) -> Forecast {
        let (n, k) = (shape.rows as f64, self.n_neighbors as f64);
        let mut forecast = spectral::forecast(shape, self.landmarks, self.n_components);
        // The geodesics before they are packed, or the table of landmarks; the graph both ways, the searches' work space.
        let table = self.landmarks.map_or(0.5 * n * n, |count| 2.0 * n * count as f64);
        forecast.bytes += (8.0 * table + n * (60.0 * k + 600.0)) as u64;
        forecast.flops += self.landmarks.map_or(n, |count| count as f64) * n * k * 20.0;
        forecast
    }

    fn bounds(&self, shape: &Shape) -> Result<()> {
        self.check_ranges()?;
        if shape.kind != "graph" {
            self.recipe().neighborhood.check(shape.rows)?;
        }
        if self.adaptive && self.n_neighbors < 2 {
            let bound = "at least 2 with an adaptive neighborhood";
            return Err(Error::parameter("n_neighbors", self.n_neighbors, bound, "raise it"));
        }
        spectral::check_landmarks(self.n_components, self.landmarks, shape.rows)
    }
}

/// What the three methods are: Isomap with some of its parameters fixed.
trait AsIsomap {
    /// As Isomap of so many rows.
    fn isomap(&self, rows: usize) -> Isomap;
}

impl AsIsomap for Isomap {
    fn isomap(&self, _rows: usize) -> Isomap {
        self.clone()
    }
}

impl AsIsomap for LandmarkIsomap {
    fn isomap(&self, rows: usize) -> Isomap {
        Isomap {
            n_components: self.n_components,
            n_neighbors: self.n_neighbors,
            metric: self.metric,
            disconnected: self.disconnected,
            negative: self.negative,
            landmarks: Some(
                self.landmarks.unwrap_or_else(|| spectral::usual_landmarks(rows, self.n_components)),
            ),
            landmark_choice: self.landmark_choice,
            ..Isomap::default()
        }
    }
}

impl AsIsomap for CIsomap {
    fn isomap(&self, _rows: usize) -> Isomap {
        Isomap {
            n_components: self.n_components,
            n_neighbors: self.n_neighbors,
            metric: self.metric,
            disconnected: self.disconnected,
            negative: self.negative,
            landmarks: self.landmarks,
            landmark_choice: self.landmark_choice,
            conformal: true,
            ..Isomap::default()
        }
    }
}

macro_rules! isomap_method {
    ($type:ty, $entry:ident) => {
        impl $type {
            /// Fits and keeps the type: [`Method::fit`] gives the same model behind the trait.
            pub fn fit_model<'a>(&self, input: impl Into<AnyInput<'a>>, run: &Run) -> Result<SpectralModel> {
                let input = input.into();
                let shape = self.admit(input, run)?;
                self.isomap(shape.rows).recipe().fit(input, &$entry, self.settings(), run)
            }
        }

        impl Method for $type {
            described!($entry);

            fn check(&self, shape: &Shape) -> Result<()> {
                self.check_ranges()?;
                self.isomap(shape.rows).bounds(shape)
            }

            fn forecast(&self, shape: &Shape) -> Forecast {
                self.isomap(shape.rows).cost(shape)
            }

            fn fit_admitted(&self, input: AnyInput<'_>, run: &Run) -> Result<Box<dyn Model>> {
                let recipe = self.isomap(input.shape().rows).recipe();
                Ok(Box::new(recipe.fit(input, &$entry, self.settings(), run)?))
            }
        }
    };
}
isomap_method!(Isomap, ISOMAP);
isomap_method!(LandmarkIsomap, LANDMARK_ISOMAP);
isomap_method!(CIsomap, C_ISOMAP);

/// What all three come down to.
struct Recipe {
    neighborhood: Neighborhood,
    count: usize,
    negative: Negative,
    landmarks: Option<usize>,
    choice: Choice,
    conformal: bool,
    cut: bool,
}

impl Recipe {
    fn fit(
        &self,
        input: AnyInput<'_>,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        run: &Run,
    ) -> Result<SpectralModel> {
        let source = Source::of(input)?;
        let NeighborGraph { mut graph, table, .. } = NeighborGraph::of(&self.neighborhood, &source, run)?;
        let local_scales = self.conformal.then(|| local_scales(&graph, table.as_ref()));
        drop(table);
        if let Some(local_scales) = &local_scales {
            graph = scaled(&graph, local_scales)?;
        }
        let (graph, suspicion) = shortcuts::examined(graph, self.cut, run)?;
        let connected = self.neighborhood.connected(graph, &source, run)?;
        let mut curve = Vec::new();
        let fitted = parts::fit(connected, &source, &self.neighborhood, self.count, run, |part| {
            let (piece, embedding, report, variance) =
                self.piece(part, &source, local_scales.as_deref(), run)?;
            curve = if curve.is_empty() { variance } else { curve.clone() };
            Ok((piece, embedding, report))
        })?;
        let mut report = fitted.report;
        report.warnings.splice(0..0, suspicion);
        let attributes = vec![Attribute::new(ATTRIBUTES[0].0, ATTRIBUTES[0].1, Array1::from(curve))];
        let fitted = Fitted {
            entry,
            settings,
            features: source.features(),
            pieces: fitted.pieces,
            embedding: fitted.embedding,
            report,
            attributes,
        };
        Ok(SpectralModel::new(fitted, input))
    }

    /// One connected part: geodesics, kernel, coordinates.
    fn piece(
        &self,
        part: Part<f64>,
        source: &Source,
        local_scales: Option<&[f64]>,
        run: &Run,
    ) -> Result<(Piece, Array2<f64>, Report, Vec<f64>)> {
        let n = part.graph.len();
        let near = parts::near(source, &part.rows);
        let local_scales = local_scales.map(|all| part.rows.iter().map(|&row| all[row as usize]).collect());
        let count = self.landmarks.map_or(n, |count| count.min(n));
        let own = match (source, &near) {
            (Source::Distances(all), Near::Columns(columns)) if self.choice == Choice::Farthest => {
                Some(spectral::square(all, columns))
            }
            _ => None,
        };
        let objects = match (&near, &own) {
            (Near::Points(points), _) => Objects::Points(points.view()),
            (_, Some(distances)) => Objects::Distances(distances.view()),
            // Of a graph only numbers are known before its geodesics are.
            _ => Objects::Anonymous(n),
        };
        let chosen = landmarks::choose(objects, &Function::Linear, count, self.choice, run)?;
        let stage = run.stage("geodesics", None);
        let (geodesics, mut inner) = if count == n {
            let mut all = pages::zeros(n * n);
            let sources: Vec<u32> = (0..n as u32).collect();
            geodesics::shortest_paths(&part.graph, &sources, &mut all, run)?;
            // The two directions may round differently: one is taken.
            (GeodesicSource::Graph(part.graph), Packed::from_lower(n, all)?)
        } else {
            let sources: Vec<u32> = chosen.iter().map(|&landmark| landmark as u32).collect();
            let mut from = large_zeros(count, n);
            if let Some(flat) = from.as_slice_mut() {
                geodesics::shortest_paths(&part.graph, &sources, flat, run)?;
            }
            let table = transposed(&from, run)?;
            let between = chosen.iter().flat_map(|&row| table.row(row).to_vec()).collect();
            (GeodesicSource::Table(table), Packed::from_lower(count, between)?)
        };
        drop(stage);
        inner.update(run, |_, row| row.iter_mut().for_each(|way| *way = half_squared(*way)))?;
        let pipeline = KernelPipeline {
            count: self.count.min(count),
            center: true,
            weights: None,
            negative: self.negative,
            variant: Variant::Plain,
        };
        let anchors =
            Box::new(GeodesicAnchors { neighborhood: self.neighborhood, near, geodesics, local_scales });
        pipeline.fit_geodesic(anchors, inner, count == n, run)
    }
}

/// The transpose, row after row.
fn transposed(matrix: &Array2<f64>, run: &Run) -> Result<Array2<f64>> {
    let (rows, columns) = matrix.dim();
    let mut out = large_zeros(columns, rows);
    fill_rows(run, out.as_slice_mut().unwrap_or_default(), rows, 64, |range, out| {
        for (place, row) in matrix.rows().into_iter().enumerate() {
            for (value, out) in row.slice(s![range.clone()]).iter().zip(out.chunks_exact_mut(rows)) {
                out[place] = *value;
            }
        }
    })?;
    Ok(out)
}

/// What the attributes mean.
const ATTRIBUTES: &[(&str, &str)] = &[(
    "residual_variance",
    "1 - R^2 between geodesic and embedded distances, for the first component, the first two, and so on.",
)];

/// The mean distance of each point to its nearest (de Silva and Tenenbaum 2003), or where these are not counted the
/// mean length of its edges.
fn local_scales(graph: &Graph<f64>, nearest: Option<&Table<f64>>) -> Vec<f64> {
    (0..graph.len())
        .map(|i| {
            let lengths = nearest.map_or_else(|| graph.neighbors(i).1, |table| table.row(i).1);
            lengths.iter().sum::<f64>() / lengths.len().max(1) as f64
        })
        .collect()
}

fn scaled(graph: &Graph<f64>, local_scales: &[f64]) -> Result<Graph<f64>> {
    let mut lengths = graph.distances().clone();
    let (offsets, columns) = (lengths.offsets().to_vec(), lengths.indices().to_vec());
    let values = lengths.values_mut();
    for i in 0..local_scales.len() {
        for place in offsets[i]..offsets[i + 1] {
            values[place] = conformal(values[place], local_scales[i], local_scales[columns[place] as usize]);
        }
    }
    Graph::from_csr(lengths, lowland_neighbors::graph::Symmetrize::Either)
}

fn load(
    entry: &'static Entry,
    settings: Vec<(&'static str, Value)>,
    neighborhood: Neighborhood,
    archive: &Archive,
) -> Result<Box<dyn Model>> {
    let anchors = |prefix: &str, features: usize, archive: &Archive| -> Result<Box<dyn Anchors>> {
        Ok(Box::new(GeodesicAnchors::load(neighborhood, prefix, features, archive)?))
    };
    Ok(Box::new(SpectralModel::load(entry, settings, archive, ATTRIBUTES, anchors)?))
}
