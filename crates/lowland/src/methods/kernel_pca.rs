//! Kernel principal component analysis (Schölkopf, Smola and Müller 1998; Burges 1.3, Mohri 15.2).
//!
//! points -> kernel -> center -> largest eigenpairs -> sqrt(l) v; new points by Nyström

use crate::method::{self, Capabilities, Entry, Fit, Forecast, Given, Training};
use crate::model::Archive;
use crate::parameters::{Described, Field, Kind, Value};
use crate::spectral::Source;
pub use crate::spectral::kernel::KernelName;
use crate::spectral::kernel::{Closure, Function, median_distance};
use crate::spectral::landmarks::{self, Choice};
use crate::spectral::nystrom::Variant;
use crate::spectral::{
    self, Fitted, FunctionAnchors, GivenAnchors, Inverse, Negative, Preimage, SEVENTH, SpectralModel,
};
use crate::{AnyInput, Input, InputKind, Shape, parameters};
use lowland_base::{Result, Run};
use ndarray::{Array2, ArrayView2};

/// Kernel principal component analysis in the registry.
pub static KERNEL_PCA: Entry = Entry {
    name: "kernel-pca",
    aliases: &["kpca", "kernel-principal-component-analysis"],
    title: "Kernel principal component analysis",
    summary: "Principal components in the feature space of a kernel: curved features, one matrix of all pairs. \
              With landmarks it goes to large data.",
    citation: "B. Schölkopf, A. Smola, K.-R. Müller, Nonlinear component analysis as a kernel eigenvalue problem, 1998",
    capabilities: Capabilities {
        inputs: &[InputKind::Points, InputKind::Kernel],
        inverse: true,
        random: true,
        ..Capabilities::PLAIN
    },
    ..Entry::of::<KernelPca>()
};

parameters! {
    /// Kernel principal component analysis: the parameters.
    pub struct KernelPca {
        /// How many components to keep: at most the number of rows, or of landmarks.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// The kernel between two points. A kernel matrix given as input is used instead.
        kernel: KernelName = KernelName::Gaussian;
        /// The inverse width, `1 / (2 s^2)` of a Gaussian of width s. `auto` is the median heuristic (s the median
        /// distance of two points) for the Gaussian and the Laplacian, 1 / columns for the others.
        gamma: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 0.0, max: 1e300, open: true }] };
        /// The power of the polynomial kernel.
        degree: usize = 3, in Kind::Integer { min: 1, max: 100 };
        /// What the polynomial and the sigmoid kernels add to the inner product.
        coef0: f64 = 1.0, in Kind::Real { min: -1e300, max: 1e300, open: true };
        /// Whether the origin is moved to the mean in feature space.
        center: bool = true;
        /// What is done with negative eigenvalues.
        negative: Negative = Negative::Drop;
        /// How many points stand for all: then no matrix of all pairs is built. `auto` is all of them.
        landmarks: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: 100_000_000 }] };
        /// How landmarks are chosen.
        landmark_choice: Choice = Choice::Uniform;
        /// Which eigenvectors are made from landmarks.
        nystrom: Variant = Variant::Orthogonal;
        /// How points are found that belong to given coordinates.
        preimage: Preimage = Preimage::Auto;
        /// For the way back: the ridge of the regression from the embedding to the data. `auto` is the one that predicts
        /// training points best from the others.
        alpha: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 0.0, max: 1e300, open: true }] };
    }
}

impl KernelPca {
    /// Fits with a kernel of one's own instead of `kernel`. Such a model cannot be loaded: a file has no code.
    pub fn fit_closure(
        &self,
        points: ArrayView2<'_, f64>,
        kernel: Closure,
        run: &Run,
    ) -> Result<SpectralModel> {
        let fit = || self.solve(points.into(), Some(Function::Closure(kernel)), run);
        method::fit_given(self, Given::Rows(points.into()), |_| Ok(()), fit, run)
    }

    /// The kernel function for these points.
    fn function(&self, points: ArrayView2<'_, f64>, run: &Run) -> Result<Function> {
        let width = || median_distance(points, run);
        let gamma = match (self.gamma, self.kernel) {
            (Some(gamma), _) => gamma,
            (None, KernelName::Gaussian) => 0.5 / width()?.powi(2),
            (None, KernelName::Laplacian) => 1.0 / width()?,
            (None, _) => 1.0 / points.ncols().max(1) as f64,
        };
        let coef0 = self.coef0;
        Ok(match self.kernel {
            // Landmarks about their mean would span one direction less.
            KernelName::Linear if self.center && self.landmarks.is_none() => Function::CenteredLinear,
            KernelName::Linear => Function::Linear,
            KernelName::Cosine => Function::Cosine,
            KernelName::Gaussian => Function::Gaussian { gamma },
            KernelName::Laplacian => Function::Laplacian { gamma },
            KernelName::Local => Function::LocalGaussian { neighbor: SEVENTH },
            KernelName::Sigmoid => Function::Sigmoid { gamma, coef0 },
            KernelName::Polynomial => Function::Polynomial { gamma, coef0, degree: self.degree as u32 },
        })
    }

    fn solve(&self, input: AnyInput<'_>, closure: Option<Function>, run: &Run) -> Result<SpectralModel> {
        let source = Source::of(input)?;
        let (n, features) = (source.len(), source.features());
        let count = self.landmarks.unwrap_or(n);
        let mut resolved = Vec::new();
        let (part, embedding, mut report) = match source {
            Source::Points(points) => {
                let function = closure.map_or_else(|| self.function(points.view(), run), Ok)?;
                resolved.push(("preimage", self.preimage.of(&function).to_value()));
                resolved.extend(function.gamma().map(|gamma| ("gamma", Value::Real(gamma))));
                let objects = Input::Points(points.view());
                let chosen = landmarks::choose(objects, &function, count, self.landmark_choice, run)?;
                let stage = run.stage("kernel", None);
                let anchors = FunctionAnchors::new(function, landmarks::rows(points.view(), &chosen), run)?;
                let inner = anchors.matrix(run)?;
                drop(stage);
                self.pipeline().fit(Box::new(anchors), inner, &chosen, points.view(), run)?
            }
            Source::Kernel(kernel) => {
                let objects = Input::Kernel(kernel.view());
                let chosen = landmarks::choose(objects, &Function::Linear, count, self.landmark_choice, run)?;
                let anchors = GivenAnchors::new(InputKind::Kernel, chosen.clone(), Function::Linear);
                let inner = spectral::packed(&kernel, &chosen, |value| value, run)?;
                let rows = if chosen.len() < n { kernel } else { Array2::zeros((0, features)) };
                self.pipeline().fit(Box::new(anchors), inner, &chosen, rows.view(), run)?
            }
            other => return Err(spectral::unsupported("kernel-pca", other.kind(), "points or a kernel")),
        };
        report.resolved.extend(resolved.into_iter().map(|(name, value)| (name.to_owned(), value)));
        let fitted = Fitted {
            entry: &KERNEL_PCA,
            settings: self.settings(),
            features,
            connected_components: vec![part],
            embedding,
            report,
            attributes: Vec::new(),
        };
        let inverse = Inverse { way: self.preimage, alpha: self.alpha };
        Ok(SpectralModel::new(fitted, input).with_inverse(inverse))
    }

    fn pipeline(&self) -> spectral::KernelPipeline {
        spectral::KernelPipeline {
            count: self.n_components,
            center: self.center,
            weights: None,
            negative: self.negative,
            variant: self.nystrom,
        }
    }
}

impl Fit for KernelPca {
    type Model = SpectralModel;

    const ENTRY: &'static Entry = &KERNEL_PCA;

    fn check(&self, shape: &Shape) -> Result<()> {
        spectral::check_landmarks(self.n_components, self.landmarks, shape.rows)
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        spectral::forecast(shape, self.landmarks, self.n_components)
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<SpectralModel> {
        self.solve(data.input, None, run)
    }

    fn load(&self, archive: &Archive) -> Result<SpectralModel> {
        let settings = self.settings();
        let model = SpectralModel::load(&KERNEL_PCA, settings, archive, &[], spectral::load_anchors)?;
        Ok(model.with_inverse(Inverse { way: self.preimage, alpha: self.alpha }))
    }
}
