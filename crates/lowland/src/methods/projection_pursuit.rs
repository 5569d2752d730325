//! Projection pursuit (Friedman and Tukey 1974, Huber 1985; Burges 1): the projections that depart most from a
//! Gaussian, one after the other, and a test of which of them are no more than noise.
//!
//! points -> whiten -> maximize an index from several starts -> deflate, or make what was found Gaussian (Friedman 1987) ->
//! compare with Gaussian noise

use super::{at_least, at_most, covariance_bytes, smaller};
use crate::input::on_points;
use crate::matrix::Element;
use crate::method::{Capabilities, Entry, Fit, Forecast, Training};
use crate::mixture::eigen_of_small;
use crate::model::{Archive, Form, Part, Quantity, Report, Warning};
use crate::parameters::{Described, Kind};
pub use crate::projective::pursuit::{Deflation, ProjectionIndex};
use crate::projective::pursuit::{Search, remove};
use crate::projective::signs::fix_rows_with;
use crate::projective::whitened::{Whitened, with_zero_rows};
use crate::projective::{LinearModel, Map};
use crate::{Shape, parameters};
use lowland_base::{Error, Result, Run};
use ndarray::{Array1, Array2, ArrayView2};

/// Projection pursuit in the registry.
pub static PROJECTION_PURSUIT: Entry = Entry {
    name: "projection-pursuit",
    aliases: &["exploratory-projection-pursuit", "pursuit"],
    title: "Projection pursuit",
    summary: "The linear views of the data that look least like a Gaussian cloud (clusters, gaps, outliers), \
              whatever their variance, and a test of whether there is anything to see at all.",
    citation: "J. H. Friedman, J. W. Tukey, A projection pursuit algorithm for exploratory data analysis, 1974; P. J. \
               Huber, Projection pursuit, 1985",
    capabilities: Capabilities {
        inverse: true,
        random: true,
        local_optimum: true,
        any_units: true,
        ..Capabilities::PLAIN
    },
    ..Entry::of::<ProjectionPursuit>()
};

const PARTS: &[Part] = &[
    ("components", "The directions, one a row: each maps centered rows to variance 1.", Form::Matrix),
    ("index", "The index of each projection.", Form::Vector),
    (
        "noise_level",
        "The index that the best projection of Gaussian noise of this shape stays below.",
        Form::Number,
    ),
    (
        "n_significant",
        "How many of the projections depart from a Gaussian more than noise would.",
        Form::Count,
    ),
    ("mean", "The mean of each column of the data.", Form::Vector),
    ("n_iter", "The steps of the longest search.", Form::Count),
];

parameters! {
    /// Projection pursuit: the parameters.
    pub struct ProjectionPursuit {
        /// How many projections: at most the smaller of rows and columns; `auto` is 2, or 1 of a single column.
        n_components: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: i64::MAX }] };
        /// What makes a projection interesting.
        index: ProjectionIndex = ProjectionIndex::Negentropy;
        /// How the next projection is kept apart from those before.
        deflation: Deflation = Deflation::Orthogonal;
        /// From how many random directions each search starts: the best end counts.
        n_init: usize = 8, in Kind::Integer { min: 1, max: 10_000 };
        /// How many times the search is repeated on Gaussian noise to know what noise shows; 0 leaves that out, and
        /// every projection counts as significant.
        n_noise: usize = 10, in Kind::Integer { min: 0, max: 10_000 };
        /// The most steps of a search.
        max_iter: usize = 200, in Kind::Integer { min: 1, max: 100_000 };
    }
}

impl ProjectionPursuit {
    fn count(&self, n: usize, d: usize) -> usize {
        self.n_components.unwrap_or(n.min(d).min(2))
    }

    fn map<T: Element>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<Map> {
        let asked = self.count(x.nrows(), x.ncols());
        let mut z = Whitened::new(x, None, run)?;
        let count = asked.min(z.rank);
        let mut rng = run.rng("projection-pursuit");
        let stage = run.stage("pursuit", Some(count as u64));
        let none: Array2<f64> = Array2::zeros((0, z.rank));
        let mut found = none.clone();
        let (mut index, mut losses, mut steps) = (Vec::new(), Vec::new(), 1);
        let search = Search { index: self.index, starts: self.n_init, steps: self.max_iter };
        let removing = self.deflation == Deflation::StructureRemoval;
        while found.nrows() < count {
            let best = search.best(&z, if removing { &none } else { &found }, &mut rng, &stage, run)?;
            steps = steps.max(best.steps);
            losses.extend(best.losses);
            if removing {
                remove(&mut z, &best.directions, run)?;
            }
            for direction in best.directions.rows().into_iter().take(count - found.nrows()) {
                found.push_row(direction).map_err(|e| Error::shape("set of directions", &e))?;
                index.push(best.value);
                stage.advance(1)?;
            }
        }
        drop(stage);
        let level = search.noise_level(&z, self.n_noise, run)?;
        let significant = index.iter().filter(|&&value| value > level).count();
        let mut warnings = Vec::new();
        if z.rank < asked {
            warnings.push(Warning::RankDeficient { asked, rank: z.rank, remedy: String::new() });
        }
        if significant < count {
            warnings.push(Warning::OnlyNoise { asked: count, found: significant });
        }
        let mut components = found.dot(&z.forward.t());
        fix_rows_with(&mut components, &mut found);
        let dual = if removing { dual(&found, run)? } else { found };
        let backward = with_zero_rows(dual.dot(&z.backward), asked);
        let components = with_zero_rows(components, asked);
        // Of one search after another.
        let losses = losses.into_iter().enumerate().collect();
        let objective = vec![
            Quantity { name: "largest index".into(), value: index.first().copied().unwrap_or(0.0) },
            Quantity { name: "index of noise".into(), value: level },
            Quantity { name: "significant projections".into(), value: significant as f64 },
        ];
        let found = vec![
            components.clone().into(),
            Array1::from(index).into(),
            level.into(),
            significant.into(),
            Array1::from(z.center.clone()).into(),
            steps.into(),
        ];
        Ok(Map {
            center: z.center,
            forward: components.reversed_axes().as_standard_layout().into_owned(),
            backward: Some(backward),
            density: None,
            found,
            report: Report { objective, losses, warnings, ..Report::default() },
        })
    }
}

/// `(W W')^+ W`: the way back by least squares from projections on directions that need not be orthogonal.
fn dual(found: &Array2<f64>, run: &Run) -> Result<Array2<f64>> {
    let (values, vectors) = eigen_of_small(&found.dot(&found.t()), run)?;
    let least = 1e-10 * values.iter().fold(0.0f64, |most, value| most.max(*value));
    let inverse = |value: f64| if value > least { 1.0 / value } else { 0.0 };
    let scaled = Array2::from_shape_fn(vectors.dim(), |(i, j)| vectors[(i, j)] * inverse(values[j]));
    Ok(scaled.dot(&vectors.t()).dot(found))
}

impl Fit for ProjectionPursuit {
    type Model = LinearModel;

    const ENTRY: &'static Entry = &PROJECTION_PURSUIT;

    fn check(&self, shape: &Shape) -> Result<()> {
        let (n, d) = (shape.rows, shape.columns);
        at_least(n, 2, "the variance that whitening needs")?;
        at_most(self.n_components, n.min(d), &smaller(n, d))
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d) = (shape.rows as f64, shape.columns as f64);
        let k = self.count(shape.rows, shape.columns) as f64;
        let searches = (k + self.n_noise as f64) * self.n_init as f64;
        Forecast {
            bytes: (covariance_bytes(shape).max(8.0 * (7.0 * n * d + 6.0 * n.min(d).powi(2)))
                + 8.0 * (4.0 * n * n.min(d) + n * k)) as u64,
            flops: n * d * d + 30.0 * searches * n * (4.0 * n.min(d) + 30.0),
            remedy: "reduce the columns with pca first".into(),
        }
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<LinearModel> {
        let map = on_points!(data.input, x => self.map(x, run))?;
        LinearModel::new(&PROJECTION_PURSUIT, PARTS, self.settings(), map).embedded(data.input, run)
    }

    fn load(&self, archive: &Archive) -> Result<LinearModel> {
        LinearModel::load(&PROJECTION_PURSUIT, PARTS, self.settings(), archive)
    }
}
