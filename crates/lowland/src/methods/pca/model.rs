//! The fitted model: the affine map there and back, the variances, and the Gaussian that goes with them.

use super::{PCA, Pca, Selection};
use crate::matrix::{AnyMatrix, Element, to_array};
use crate::method::Entry;
use crate::model::{Archive, Attribute, Model, Quantity, Report, Warning};
use crate::parameters::{Components, Described, Value};
use crate::projective::{Affine, spectrum::Spectrum};
use crate::{AnyInput, Input};
use lowland_base::{Error, Result, Run};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use rand::RngExt;
use rand_distr::StandardNormal;

/// Below this, the smaller variances of the same data would lose digits or vanish.
const SMALLEST_VARIANCE: f64 = 1e-304;

/// A fitted principal component analysis.
#[derive(Debug, Clone, PartialEq)]
pub struct PcaModel {
    pca: Pca,
    rows: usize,
    mean: Vec<f64>,
    /// One unit direction a row; zero where the data have no more directions.
    components: Array2<f64>,
    variances: Vec<f64>,
    total_variance: f64,
    embedding: Option<AnyMatrix>,
    report: Report,
}

impl PcaModel {
    /// Keeps what was asked for. Directions that cannot be told from rounding become zero, with a warning.
    pub(super) fn new(pca: &Pca, spectrum: Spectrum) -> Result<Self> {
        let d = spectrum.mean.len();
        let found = spectrum.variances.len();
        if spectrum.variances.first().is_some_and(|&v| v < SMALLEST_VARIANCE) && spectrum.spread > 0.0 {
            return Err(Error::TooSmall {
                what: "data",
                spread: spectrum.spread,
                bound: SMALLEST_VARIANCE.sqrt(),
            });
        }
        let rank = spectrum.variances.iter().take_while(|&&v| v > spectrum.resolution && v > 0.0).count();
        let kept = Self::kept(pca, &spectrum, rank);
        if let Components::Count(count) = pca.n_components
            && count > found
        {
            let bound = format!("at most {found}, the smaller of {} rows and {d} columns", spectrum.rows);
            return Err(Error::parameter("n_components", count, bound, "ask for fewer components"));
        }
        // Beyond the rank the leading directions are noise; the other end of the spectrum is just what is asked for.
        let left_out = Self::selected(pca, &spectrum, kept);
        let chosen: Vec<usize> = (0..found).filter(|j| !left_out.contains(j)).collect();
        let leading = pca.select == Selection::Leading;
        let variances: Vec<f64> =
            chosen.iter().map(|&j| if j < rank { spectrum.variances[j] } else { 0.0 }).collect();
        let directions: Array2<f64> = to_array(spectrum.directions.as_ref().transpose());
        let mut components = directions.select(Axis(0), &chosen);
        for j in (0..kept).filter(|&j| leading && j >= rank) {
            components.row_mut(j).fill(0.0);
        }
        let residual = |&j: &usize| if j < rank || !leading { spectrum.residuals[j] } else { 0.0 };
        let residuals = chosen.iter().map(residual).collect();
        // All of n rows less their mean span n - 1 directions at most: that is no surprise.
        let expected = if pca.n_components == Components::All { kept.min(spectrum.rows - 1) } else { kept };
        let mut warnings = Vec::new();
        if rank < expected && leading {
            let remedy = spectrum.finer.into();
            warnings.push(Warning::RankDeficient { asked: kept, rank, remedy });
        }
        let explained: f64 = variances.iter().sum();
        let total = spectrum.total.max(explained);
        let share = if total > 0.0 { explained / total } else { 1.0 };
        let objective = vec![
            Quantity { name: "explained variance".into(), value: explained },
            Quantity { name: "explained variance share".into(), value: share },
            Quantity {
                name: "mean squared reconstruction error".into(),
                value: { (total - explained) * (spectrum.rows - 1) as f64 / spectrum.rows as f64 },
            },
        ];
        let report =
            Report { objective, eigenvalues: variances.clone(), residuals, warnings, ..Report::default() };
        Ok(Self {
            pca: pca.clone(),
            rows: spectrum.rows,
            mean: spectrum.mean,
            components,
            variances,
            total_variance: total,
            embedding: None,
            report,
        })
    }

    /// Embeds the training rows by the very map that embeds new ones.
    pub(super) fn embed<T: Element>(&mut self, input: Input<'_, T>, run: &Run) -> Result<()> {
        let _stage = run.stage("project", None);
        self.embedding = Some(self.transform_typed(input, run)?);
        Ok(())
    }

    /// The mean of each column of the data.
    pub fn mean(&self) -> ArrayView1<'_, f64> {
        ArrayView1::from(&self.mean[..])
    }

    /// The directions, one a row, by descending variance; in each the entry of largest magnitude is positive.
    pub fn directions(&self) -> ArrayView2<'_, f64> {
        self.components.view()
    }

    /// The variance (divisor n - 1) along each direction.
    pub fn explained_variance(&self) -> ArrayView1<'_, f64> {
        ArrayView1::from(&self.variances[..])
    }

    /// The share of the whole variance along each direction.
    pub fn explained_variance_ratio(&self) -> Array1<f64> {
        let total = if self.total_variance > 0.0 { self.total_variance } else { 1.0 };
        self.variances.iter().map(|variance| variance / total).collect()
    }

    /// The singular values of the centered data.
    pub fn singular_values(&self) -> Array1<f64> {
        self.variances.iter().map(|variance| variance.sqrt() * ((self.rows - 1) as f64).sqrt()).collect()
    }

    /// The mean variance along the directions left out (Burges eq. 1.9): the noise of the probabilistic model.
    pub fn noise_variance(&self) -> f64 {
        let left_out = self.features() - self.components.nrows();
        if left_out == 0 {
            return 0.0;
        }
        let rest = self.total_variance - self.variances.iter().sum::<f64>();
        // A rest within rounding of the total is none.
        let rounding = f64::EPSILON * self.features() as f64 * self.total_variance;
        if rest <= rounding { 0.0 } else { rest / left_out as f64 }
    }

    /// The number of rows of the fit.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The log-likelihood of each row under the probabilistic model: a Gaussian with the variances found along
    /// the directions and the noise variance along all others.
    pub fn log_likelihood<T: Element>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<Array1<f64>> {
        if x.ncols() != self.features() {
            return Err(Error::Width { what: "data", expected: self.features(), found: x.ncols() });
        }
        let (d, k) = (self.features(), self.components.nrows());
        let noise = self.noise_variance();
        if self.variances.contains(&0.0) || (k < d && noise == 0.0) {
            return Err(Error::Unsupported {
                method: "pca".into(),
                what: "give a likelihood: the data lie in a flat subspace, where the density is infinite"
                    .into(),
                remedy: "keep fewer components, so that some noise is left".into(),
            });
        }
        if x.nrows() > 0 {
            crate::Input::Points(x).check(run)?;
        }
        let constant = d as f64 * (2.0 * std::f64::consts::PI).ln()
            + self.variances.iter().map(|variance| variance.ln()).sum::<f64>()
            + if k < d { (d - k) as f64 * noise.ln() } else { 0.0 };
        let rows = lowland_base::parallel::map_chunks(run, x.nrows(), 64, |rows| {
            rows.map(|row| {
                let mut rest: Vec<f64> =
                    x.row(row).iter().zip(&self.mean).map(|(value, mean)| value.wide() - mean).collect();
                let mut distance = 0.0;
                for (direction, variance) in self.components.rows().into_iter().zip(&self.variances) {
                    let along: f64 =
                        direction.iter().zip(&rest).map(|(direction, rest)| direction * rest).sum();
                    distance += along * along / variance;
                    rest.iter_mut().zip(direction).for_each(|(rest, direction)| *rest -= along * direction);
                }
                if k < d {
                    distance += rest.iter().map(|rest| rest * rest).sum::<f64>() / noise;
                }
                -0.5 * (constant + distance)
            })
            .collect::<Vec<f64>>()
        })?;
        Ok(rows.into_iter().flatten().collect())
    }

    /// How much a coordinate is divided by: its standard deviation when whitening.
    fn spread(&self, component: usize) -> f64 {
        if self.pca.whiten { self.variances[component].sqrt() } else { 1.0 }
    }

    fn forward(&self) -> Array2<f64> {
        let (k, d) = self.components.dim();
        let entry = |(i, j): (usize, usize)| {
            let spread = self.spread(j);
            if spread > 0.0 { self.components[(j, i)] / spread } else { 0.0 }
        };
        Array2::from_shape_fn((d, k), entry)
    }

    fn backward(&self) -> Array2<f64> {
        let (k, d) = self.components.dim();
        let entry = |(i, j): (usize, usize)| self.components[(i, j)] * self.spread(i);
        Array2::from_shape_fn((k, d), entry)
    }

    fn transform_typed<T: Element>(&self, input: Input<'_, T>, run: &Run) -> Result<AnyMatrix> {
        let matrix = self.forward();
        let map = Affine { center: Some(&self.mean), matrix: matrix.view(), offset: None };
        Ok(T::erase(map.apply(input, run)?))
    }

    fn inverse_typed<T: Element>(&self, input: Input<'_, T>, run: &Run) -> Result<AnyMatrix> {
        let matrix = self.backward();
        let map = Affine { center: None, matrix: matrix.view(), offset: Some(&self.mean) };
        Ok(T::erase(map.apply(input, run)?))
    }

    /// From a file.
    pub(super) fn from_archive(archive: &Archive) -> Result<Self> {
        let pca: Pca = archive.method(PCA.name)?;
        let (d, k, rows) = (archive.count("features")?, archive.count("components")?, archive.count("rows")?);
        if rows < 2 || k > rows.min(d) {
            return Err(Error::ModelFile {
                problem: format!("{k} components of {rows} rows and {d} columns"),
            });
        }
        let variances = archive.vector("variances", k)?.to_vec();
        let total_variance = archive.number("total_variance")?;
        if total_variance < 0.0 || variances.iter().any(|&variance| variance < 0.0) {
            return Err(Error::ModelFile { problem: "it holds a negative variance".into() });
        }
        Ok(Self {
            pca,
            rows,
            mean: archive.vector("mean", d)?.to_vec(),
            components: archive.matrix("components", (k, d))?,
            variances,
            total_variance,
            embedding: None,
            report: archive.report().clone(),
        })
    }
}

impl Model for PcaModel {
    fn entry(&self) -> &'static Entry {
        &PCA
    }

    fn parameters(&self) -> Vec<(&'static str, Value)> {
        self.pca.settings()
    }

    fn features(&self) -> usize {
        self.mean.len()
    }

    fn components(&self) -> usize {
        self.components.nrows()
    }

    fn embedding(&self) -> Option<&AnyMatrix> {
        self.embedding.as_ref()
    }

    fn report(&self) -> &Report {
        &self.report
    }

    fn archive(&self) -> Archive {
        let mut archive = Archive::new(self.parameters(), &self.report);
        archive.put_fact("features", self.features());
        archive.put_fact("components", self.components.nrows());
        archive.put_fact("rows", self.rows);
        archive.put_fact("total_variance", self.total_variance);
        archive.put_vector("mean", &self.mean);
        archive.put_vector("variances", &self.variances);
        archive.put("components", self.components.clone());
        archive
    }

    fn transform_admitted(&self, input: AnyInput<'_>, run: &Run) -> Result<AnyMatrix> {
        match input {
            AnyInput::F32(input) => self.transform_typed(input, run),
            AnyInput::F64(input) => self.transform_typed(input, run),
        }
    }

    fn inverse_admitted(&self, embedding: AnyInput<'_>, run: &Run) -> Result<AnyMatrix> {
        match embedding {
            AnyInput::F32(input) => self.inverse_typed(input, run),
            AnyInput::F64(input) => self.inverse_typed(input, run),
        }
    }

    fn log_density_admitted(&self, input: AnyInput<'_>, run: &Run) -> Result<Array1<f64>> {
        match input {
            AnyInput::F32(Input::Points(x)) => self.log_likelihood(x, run),
            AnyInput::F64(Input::Points(x)) => self.log_likelihood(x, run),
            _ => Err(Error::Unsupported {
                method: "pca".into(),
                what: format!("give the likelihood of {} rows", input.shape().kind),
                remedy: "give it points".into(),
            }),
        }
    }

    fn sample(&self, count: usize, run: &Run) -> Result<Array2<f64>> {
        let mut rng = run.rng("sample");
        let noise = self.noise_variance().sqrt();
        let mut rows = Array2::zeros((count, self.features()));
        for mut row in rows.rows_mut() {
            row.iter_mut().for_each(|x| *x = noise * rng.sample::<f64, _>(StandardNormal));
            // Along each direction its own variance takes the place of the noise.
            for (direction, variance) in self.components.rows().into_iter().zip(&self.variances) {
                let here: f64 = variance.sqrt() * rng.sample::<f64, _>(StandardNormal);
                let step = here - row.dot(&direction);
                row.scaled_add(step, &direction);
            }
            row += &self.mean();
        }
        Ok(rows)
    }

    fn attributes(&self) -> Vec<Attribute> {
        vec![
            Attribute::new(
                "components",
                "The directions, one a row, by descending variance.",
                self.components.clone(),
            ),
            Attribute::new(
                "explained_variance",
                "The variance (divisor n - 1) along each direction.",
                self.explained_variance().to_owned(),
            ),
            Attribute::new(
                "explained_variance_ratio",
                "The share of the whole variance along each direction.",
                self.explained_variance_ratio(),
            ),
            Attribute::new(
                "singular_values",
                "The singular values of the centered data.",
                self.singular_values(),
            ),
            Attribute::new("mean", "The mean of each column of the data.", self.mean().to_owned()),
            Attribute::new(
                "noise_variance",
                "The mean variance along the directions left out.",
                self.noise_variance(),
            ),
            Attribute::new("n_samples", "The number of rows of the fit.", self.rows),
        ]
    }
}
