//! What the methods over a mixture share: the fit on sorted rows, and the model with what it found.

use super::align::{Alignment, disagreement, projection};
use super::fit::Rows;
use super::settings::{Chosen, Settings, choose, curve_matrix};
use super::{Inverse, Local, MixtureModel, most_responsible, start};
use crate::input::on_points;
use crate::matrix::sorted_rows;
use crate::method::{Entry, Forecast, Recipe, Training};
use crate::model::{Archive, Datum, Form, Part, Quantity, Report, Warning};
use crate::parameters::Value;
use crate::{AnyInput, Shape};
use lowland_base::{Result, Run};
use ndarray::{Array1, Array2, Axis};

/// What every fit by expectation maximization has found.
pub(crate) const PARTS: &[Part] = &[LABELS, LIKELIHOODS, ITERATIONS, BIC, CURVE];

/// The same, and how far the analyzers agree.
pub(crate) const ALIGNED: &[Part] = &[
    LABELS,
    LIKELIHOODS,
    ITERATIONS,
    BIC,
    CURVE,
    (
        "disagreement",
        "How far apart the charts place each training row: the root of the mean squared distance from its image.",
        Form::Vector,
    ),
    (
        "chart_disagreement",
        "The same for each chart, over the rows that it is responsible for.",
        Form::Vector,
    ),
    ("chart_centers", "Where the mean of each chart lies in the embedding, one a row.", Form::Matrix),
];

const LABELS: Part = ("labels", "The most responsible analyzer of each training row.", Form::Vector);
const LIKELIHOODS: Part =
    ("log_likelihoods", "The mean log-likelihood of a row at each iteration.", Form::Vector);
const ITERATIONS: Part = ("n_iter", "The iterations of expectation maximization.", Form::Count);
const BIC: Part = ("bic", "The Bayesian information criterion of the mixture.", Form::Number);
const CURVE: Part = (
    "bic_curve",
    "Analyzers, components and Bayesian information criterion of each mixture that was tried.",
    Form::Matrix,
);

/// Rows whose charts disagree by more than this share of the embedding's radius are warned of.
const FAR: f64 = 0.1;

/// A mixture by itself, not aligned.
pub(crate) struct MixtureRecipe(pub Settings);

impl Recipe for MixtureRecipe {
    type Model = MixtureModel;

    fn check(&self, shape: &Shape) -> Result<()> {
        self.0.check(shape)
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        self.0.forecast(shape)
    }

    fn fit(
        &self,
        Training { input, .. }: Training<'_, '_>,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        run: &Run,
    ) -> Result<MixtureModel> {
        begin(input, &self.0, run)?.projected(entry, settings, input, run)
    }

    fn load(
        &self,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        archive: &Archive,
    ) -> Result<MixtureModel> {
        MixtureModel::load(entry, PARTS, settings, archive)
    }
}

/// A fitted mixture, and the rows it was fitted to.
pub(crate) struct Begun {
    /// The rows sorted by their values, so that the result does not depend on their order, in double precision.
    pub sorted: Array2<f64>,
    order: Vec<usize>,
    rows: Rows,
    pub chosen: Chosen,
    pub report: Report,
}

/// The rows of an input in double precision, sorted, and their order.
pub(crate) fn sorted(input: AnyInput<'_>) -> Result<(Array2<f64>, Vec<usize>)> {
    let x: Array2<f64> = on_points!(input, x => Ok(x.mapv(lowland_base::Scalar::wide)))?;
    let order = sorted_rows(x.view());
    Ok((x.select(Axis(0), &order), order))
}

/// Fits the mixture.
pub(crate) fn begin(input: AnyInput<'_>, settings: &Settings, run: &Run) -> Result<Begun> {
    let (sorted, order) = sorted(input)?;
    let rows = Rows::new(sorted.view(), run)?;
    let chosen = choose(&rows, settings, run)?;
    let mut report = settings.report(&chosen);
    let analyzers = chosen.fitted.mixture.analyzers.len();
    report.resolved.insert("n_analyzers".into(), Value::Integer(analyzers as i64));
    Ok(Begun { sorted, order, rows, chosen, report })
}

impl Begun {
    /// The rows as the analyzers see them.
    pub fn local(&self, run: &Run) -> Result<Local> {
        self.chosen.fitted.mixture.local(self.sorted.view(), run)
    }

    /// The model of a mixture that is not aligned: the rows as the analyzers rebuild them, projected on the principal
    /// axes of the data.
    pub fn projected(
        self,
        entry: &'static Entry,
        parameters: Vec<(&'static str, Value)>,
        input: AnyInput<'_>,
        run: &Run,
    ) -> Result<MixtureModel> {
        let local = self.local(run)?;
        let k = self.chosen.fitted.mixture.factors();
        let spectrum = start::leading(self.rows.view(), k, run)?;
        let axes = crate::matrix::to_array(spectrum.directions.as_ref());
        let maps = projection(&self.chosen.fitted.mixture, axes.view());
        self.model(entry, PARTS, parameters, maps, Vec::new(), &local, input, run)
    }

    /// The model of an aligned mixture. `cost` is what the alignment has minimized.
    pub fn aligned(
        mut self,
        entry: &'static Entry,
        parameters: Vec<(&'static str, Value)>,
        alignment: Alignment,
        local: &Local,
        cost: Quantity,
        input: AnyInput<'_>,
        run: &Run,
    ) -> Result<MixtureModel> {
        let Alignment { maps, eigenvalues, further, residuals, norm } = alignment;
        let (of_row, of_chart) = disagreement(local, &maps);
        let y = local.weighted().dot(&maps);
        let n = y.nrows();
        let radius = (y.iter().map(|y| y * y).sum::<f64>() / n as f64).sqrt();
        let far = of_row.iter().filter(|&&apart| apart > FAR * radius).count();
        let mean = (of_row.iter().map(|s| s * s).sum::<f64>() / n as f64).sqrt();
        let report = &mut self.report;
        report.objective.insert(0, cost);
        report.objective.push(Quantity { name: "disagreement of the charts".into(), value: mean });
        report.objective.push(Quantity {
            name: "largest disagreement of the charts".into(),
            value: of_row.iter().copied().fold(0.0, f64::max),
        });
        let found = eigenvalues.len();
        (report.eigenvalues, report.residuals, report.norm) = (eigenvalues, residuals, norm);
        report.further_eigenvalues = further;
        if found < maps.ncols() {
            let remedy = String::new();
            report.warnings.push(Warning::RankDeficient { asked: maps.ncols(), rank: found, remedy });
        }
        if far > 0 {
            let mut charts: Vec<usize> = (0..of_chart.len()).collect();
            charts.sort_by(|&a, &b| of_chart[b].total_cmp(&of_chart[a]).then(a.cmp(&b)));
            charts.truncate(3);
            report.warnings.push(Warning::ChartsDisagree { rows: far, of: n, charts });
        }
        let mut in_order = Array1::zeros(n);
        self.order.iter().zip(&of_row).for_each(|(&row, &apart)| in_order[row] = apart);
        let k = self.chosen.fitted.mixture.factors();
        let constants: Vec<usize> = (0..of_chart.len()).map(|j| j * (k + 1)).collect();
        let more = vec![in_order.into(), of_chart.into(), maps.select(Axis(0), &constants).into()];
        self.model(entry, ALIGNED, parameters, maps, more, local, input, run)
    }

    #[allow(clippy::too_many_arguments)]
    fn model(
        self,
        entry: &'static Entry,
        parts: &'static [Part],
        parameters: Vec<(&'static str, Value)>,
        maps: Array2<f64>,
        more: Vec<Datum>,
        local: &Local,
        input: AnyInput<'_>,
        run: &Run,
    ) -> Result<MixtureModel> {
        let Self { order, rows, chosen, report, .. } = self;
        let y = local.weighted().dot(&maps);
        let back = Inverse::new(rows.view(), local.responsibilities.view(), y.view(), run)?;
        let mut labels = Array1::zeros(order.len());
        for (&row, shares) in order.iter().zip(local.responsibilities.rows()) {
            labels[row] = f64::from(most_responsible(shares.iter()));
        }
        let fitted = chosen.fitted;
        let mut found: Vec<Datum> = vec![
            labels.into(),
            Array1::from(fitted.history.clone()).into(),
            fitted.history.len().saturating_sub(1).into(),
            chosen.bic.into(),
            curve_matrix(&chosen.curve).into(),
        ];
        found.extend(more);
        let (mixture, back) = (fitted.mixture, Some(back));
        let model =
            MixtureModel { entry, parts, parameters, mixture, maps, back, found, report, embedding: None };
        model.embedded(input, run)
    }
}
