//! Truncated singular value decomposition (Eckart and Young 1936), also called latent semantic analysis: PCA without
//! centering, so that sparse data stay sparse.
//!
//! points | sparse rows -> leading eigenvectors of X'X by products alone; a full decomposition where squares lose
//! digits and the table is small enough -> project

use super::{at_least, at_most, smaller};
use crate::matrix::{Element, faer_view};
use crate::method::{Capabilities, Entry, Fit, Forecast, Training};
use crate::model::{Archive, Form, Model, Part, Quantity, Report, Warning};
use crate::parameters::{Described, Kind};
use crate::projective::singular::{SMALL_TABLE, by_rows, leading};
use crate::projective::{LinearModel, Map};
use crate::projective::{affine, variances};
use crate::{AnyInput, Input, InputKind, Shape, parameters};
use faer::MatRef;
use lowland_base::{Error, Result, Run, Scalar};
use lowland_linalg::rows::{self, Center, Rows, power_of_two_below};
use lowland_linalg::{Matrix, SparseMatrix};
use ndarray::{Array1, Array2};

/// Truncated singular value decomposition in the registry.
pub static TRUNCATED_SVD: Entry = Entry {
    name: "truncated-svd",
    aliases: &["lsa", "latent-semantic-analysis", "svd"],
    title: "Truncated singular value decomposition",
    summary: "The directions that keep most of the data's squares, without centering: for sparse tables such as counts of \
              words, which stay sparse.",
    citation: "C. Eckart, G. Young, The approximation of one matrix by another of lower rank, 1936; S. Deerwester et \
               al., Indexing by latent semantic analysis, 1990",
    capabilities: Capabilities {
        inputs: &[InputKind::Points, InputKind::Sparse],
        inverse: true,
        ..Capabilities::PLAIN
    },
    ..Entry::of::<TruncatedSvd>()
};

const PARTS: &[Part] = &[
    ("components", "The right singular vectors, one a row, by descending singular value.", Form::Matrix),
    ("singular_values", "The singular values; of large tables those above 1e-7 of the first.", Form::Vector),
    (
        "explained_variance",
        "The variance (divisor n) of the training rows along each component.",
        Form::Vector,
    ),
    ("explained_variance_ratio", "Its share of the variance of all columns.", Form::Vector),
];

parameters! {
    /// Truncated singular value decomposition: the parameters.
    pub struct TruncatedSvd {
        /// How many components: at most the smaller of rows and columns; `auto` is 2, or fewer where there are not as many.
        n_components: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: i64::MAX }] };
    }
}

impl TruncatedSvd {
    fn count(&self, shape: &Shape) -> usize {
        self.n_components.unwrap_or(2.min(shape.rows).min(shape.columns))
    }

    fn solve(&self, input: AnyInput<'_>, run: &Run) -> Result<LinearModel> {
        let (map, all) = match input {
            AnyInput::F32(input) => (self.map(input, run)?, variances::of_columns(input, run)?),
            AnyInput::F64(input) => (self.map(input, run)?, variances::of_columns(input, run)?),
        };
        let model = LinearModel::new(&TRUNCATED_SVD, PARTS, self.settings(), map).embedded(input, run)?;
        // What does not center does not order its components by their variances.
        let along = match model.embedding().map(AnyInput::from) {
            Some(AnyInput::F32(embedding)) => variances::of_columns(embedding, run)?,
            Some(AnyInput::F64(embedding)) => variances::of_columns(embedding, run)?,
            None => Vec::new(),
        };
        let total: f64 = all.iter().sum();
        let share = |variance: &f64| if total > 0.0 { variance / total } else { 0.0 };
        let shares: Array1<f64> = along.iter().map(share).collect();
        let model = model.with_found("explained_variance", Array1::from(along).into());
        Ok(model.with_found("explained_variance_ratio", shares.into()))
    }

    fn map<T: Element>(&self, input: Input<'_, T>, run: &Run) -> Result<Map> {
        let count = self.count(&input.shape());
        let largest = |values: &mut dyn Iterator<Item = T>| {
            values.fold(0.0f64, |most, value| most.max(value.wide().abs()))
        };
        match input {
            Input::Points(x) => {
                let scale = power_of_two_below(largest(&mut x.iter().copied()));
                let rows = Rows { x: faer_view(x), center: Center::None, scale };
                let total = rows.squared_norm(run)?;
                decompose(&rows, scale, total, count, run)
            }
            Input::Sparse(x) => {
                let scale = power_of_two_below(largest(&mut x.values().iter().copied()));
                let mut scaled = x.clone();
                scaled.values_mut().iter_mut().for_each(|value| *value = T::of(value.wide() * scale));
                let total = scaled.values().iter().map(|value| value.wide().powi(2)).sum();
                decompose(&SparseMatrix::new(&scaled), scale, total, count, run)
            }
            _ => Err(Error::Unsupported {
                method: TRUNCATED_SVD.name.into(),
                what: format!("take {}", input.shape().kind.words()),
                remedy: "give it points".into(),
            }),
        }
    }
}

fn decompose<T: Scalar>(x: &dyn Matrix<T>, scale: f64, total: f64, count: usize, run: &Run) -> Result<Map> {
    let d = x.ncols();
    let stage = run.stage("singular vectors", None);
    let (pairs, further) = leading(x, count, run)?;
    drop(stage);
    let rank = pairs.values.len();
    let vectors: MatRef<'_, T> = pairs.vectors.as_ref();
    let forward =
        Array2::from_shape_fn((d, count), |(i, j)| if j < rank { vectors[(i, j)].wide() } else { 0.0 });
    let squares: Vec<f64> = (0..count).map(|j| if j < rank { pairs.values[j].wide() } else { 0.0 }).collect();
    let unit = |square: f64| square / scale / scale;
    let mut warnings = Vec::new();
    if rank < count {
        let large = x.nrows().saturating_mul(d) > SMALL_TABLE;
        let remedy = if large {
            "ask for fewer components: in so large a table, singular values below 1e-7 of the first cannot be found"
        } else {
            ""
        };
        warnings.push(Warning::RankDeficient { asked: count, rank, remedy: remedy.into() });
    }
    let kept: f64 = squares.iter().sum();
    let share = if total > 0.0 { kept / total } else { 1.0 };
    let objective = vec![
        Quantity { name: "share of the squares kept".into(), value: share },
        Quantity { name: "squared reconstruction error".into(), value: unit((total - kept).max(0.0)) },
    ];
    let singular: Array1<f64> = squares.iter().map(|square| square.sqrt() / scale).collect();
    let report = Report {
        objective,
        eigenvalues: squares.iter().map(|&square| unit(square)).collect(),
        further_eigenvalues: further.iter().map(|square| unit(square.wide())).collect(),
        residuals: (0..count).map(|j| if j < rank { unit(pairs.residuals[j].wide()) } else { 0.0 }).collect(),
        warnings,
        ..Report::default()
    };
    let components = forward.t().to_owned();
    Ok(Map {
        center: vec![0.0; d],
        forward,
        backward: Some(components.clone()),
        density: None,
        found: vec![components.into(), singular.into(), Array1::zeros(0).into(), Array1::zeros(0).into()],
        report,
    })
}

impl Fit for TruncatedSvd {
    type Model = LinearModel;

    const ENTRY: &'static Entry = &TRUNCATED_SVD;

    fn check(&self, shape: &Shape) -> Result<()> {
        let (n, d) = (shape.rows, shape.columns);
        at_least(n, 1, "a decomposition")?;
        at_most(self.n_components, n.min(d), &smaller(n, d))
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d, k) = (shape.rows as f64, shape.columns as f64, self.count(shape) as f64);
        let by_rows = by_rows(shape.rows, shape.columns);
        let order = if by_rows { n } else { d };
        // Up to here a basis would be nearly the whole space.
        let formed = 8.0 * k >= order || order <= 4.0 * k + 340.0;
        let whole = if formed { 5.0 * order * order } else { 0.0 };
        // Products with unit vectors, where the inner products of the rows are formed.
        let products = if by_rows && formed { 3.0 * n * d } else { 0.0 };
        let blocks = rows::scratch(shape.rows, shape.columns) as f64;
        // Vectors of the smaller side, a block of images on the other, and the rows' own.
        let (other, block) = (n + d - order, if formed { order.min(64.0) } else { 4.0 });
        let basis = order * (4.0 * k + 200.0) + other * block.max(k) + 4.0 * n * k;
        let copy = if shape.kind == InputKind::Sparse { 4.0 * shape.stored as f64 } else { 0.0 };
        // A full decomposition, where squares are not enough.
        let exact = if n * d <= SMALL_TABLE as f64 { 4.0 * n * d + 7.0 * n.min(d).powi(2) } else { 0.0 };
        let map = 5.0 * d * k + affine::scratch(shape.columns, self.count(shape)).max(blocks);
        Forecast {
            bytes: (8.0 * ((basis + products).max(exact) + whole + copy + map)) as u64,
            flops: 4.0 * shape.stored as f64 * (10.0 * k + 100.0),
            remedy: String::new(),
        }
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<LinearModel> {
        self.solve(data.input, run)
    }

    fn load(&self, archive: &Archive) -> Result<LinearModel> {
        LinearModel::load(&TRUNCATED_SVD, PARTS, self.settings(), archive)
    }
}
