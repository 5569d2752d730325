//! t-SNE (van der Maaten and Hinton 2008): the layout whose similarities `q_ij = w_ij / Z` diverge least from the
//! affinities, `KL(P || Q) = sum p_ij log(p_ij / q_ij)`, by descent from a small start with an exaggerated attraction
//! that is taken back.

use super::attraction::{attract, cross_entropy};
use super::edges::Edges;
use super::initial_layout::InitialLayout;
use super::kernel::Kernel;
use super::order::morton;
use super::outcome::{Layout, enter};
use super::points::{from_matrix, to_matrix, with_components};
use super::repulsion::{Approach, Repulsion};
use super::start::SPREAD;
use crate::optimize::descent::{Descent, Patience, Step, recenter};
use crate::parameters::Kind;
use faer::{Mat, MatRef};
use lowland_base::parallel::map_chunks;
use lowland_base::{Csr, Error, Result, Run, Scalar, Verdict};

/// How a layout is computed and descended to.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    /// The similarity in the layout.
    pub kernel: Kernel,
    /// How repulsion is computed.
    pub approach: Approach,
    /// The factor of the attraction at first, which gathers clusters.
    pub early_exaggeration: f64,
    /// For how many iterations.
    pub early_iterations: usize,
    /// The factor afterward: 1 is t-SNE, about 4 looks like UMAP, more goes toward Laplacian eigenmaps.
    pub exaggeration: f64,
    /// For how many iterations at most.
    pub iterations: usize,
    /// How far along the gradient in the early phase and afterward; `n / exaggeration` of each unless given (Belkina et
    /// al. 2019).
    pub learning_rate: Option<[f64; 2]>,
    /// The momentum of the early phase and of the rest.
    pub momentum: (f64, f64),
    /// Stop after so many iterations without a lower divergence.
    pub without_progress: usize,
    /// Stop when the norm of the gradient is not above this.
    pub min_gradient_norm: f64,
}

impl Default for Schedule {
    fn default() -> Self {
        Self {
            kernel: Kernel::default(),
            approach: Approach::Auto,
            early_exaggeration: 12.0,
            early_iterations: 250,
            exaggeration: 1.0,
            iterations: 750,
            learning_rate: None,
            momentum: (0.5, 0.8),
            without_progress: 300,
            min_gradient_norm: 1e-7,
        }
    }
}

impl Schedule {
    /// The learning rates of both phases for so many points.
    pub(crate) fn rates(&self, points: usize) -> [f64; 2] {
        let usual = |exaggeration: f64| points as f64 / exaggeration;
        self.learning_rate.unwrap_or([usual(self.early_exaggeration), usual(self.exaggeration)])
    }
}

/// What a learning rate can be: one for all iterations, or one for each phase.
pub(crate) fn rates() -> Kind {
    let rate = Kind::Real { min: 0.0, max: 1e12, open: true };
    let both = Kind::List { of: Box::new(rate.clone()), min_len: 1, max_len: 2 };
    Kind::AnyOf { kinds: vec![Kind::Auto, rate, both] }
}

/// The rates of both phases from what was given: one is for both.
pub(crate) fn of_phases(rates: &[f64]) -> Option<[f64; 2]> {
    Some([*rates.first()?, *rates.last()?])
}

/// The iterations between two checks of the divergence.
const CHECK: usize = 50;
/// No point moves farther in one iteration.
const LONGEST_STEP: f64 = 5.0;
/// The smallest gain.
const MIN_GAIN: f64 = 0.01;
/// From so many points on they are kept in the order of their places, so that neighbors are near in memory.
const MANY: usize = 8192;
/// Points a chunk.
const CHUNK: usize = 4096;

/// The loss of one kind of layout, and its gradient.
struct Divergence<T: Scalar, const D: usize> {
    edges: Edges<T>,
    kernel: Kernel,
    repulsion: Box<dyn Repulsion<T, D>>,
}

impl<T: Scalar, const D: usize> Divergence<T, D> {
    /// Of layouts for joint affinities, a symmetric matrix with sum 1.
    pub fn new(affinities: &Csr<f64>, kernel: Kernel, approach: Approach) -> Result<Self> {
        let repulsion = approach.build(affinities.nrows(), kernel)?;
        Ok(Self { edges: Edges::new(affinities), kernel, repulsion })
    }

    /// Writes `exaggeration * sum_j p u (y_i - y_j) - sum_j q u (y_i - y_j)`, the gradient but for the factor
    /// [`Self::factor`], and returns `Z`.
    pub fn slopes(
        &mut self,
        layout: &[[T; D]],
        exaggeration: f64,
        out: &mut [[T; D]],
        run: &Run,
    ) -> Result<f64> {
        let z = self.repulsion.forces(layout, out, run)?.max(f64::MIN_POSITIVE);
        // Divided by -Z on the way, so that the gradient needs no pass of its own.
        attract(&self.edges, self.kernel, layout, exaggeration, -1.0 / z, out, run)?;
        Ok(z)
    }

    /// `2 (dof + 1) / dof`, which is 4 for t-SNE. Learning rates are stated for a gradient without it.
    pub fn factor(&self) -> f64 {
        2.0 * self.kernel.slope()
    }

    /// The divergence of a layout with normalization `z`.
    pub fn value(&self, layout: &[[T; D]], z: f64, run: &Run) -> Result<f64> {
        Ok(cross_entropy(&self.edges, self.kernel, layout, run)? + z.ln())
    }
}

/// The layout that the schedule ends at, from a start. `affinities` are symmetric with sum 1.
pub(crate) fn descend<'a>(
    affinities: &Csr<f64>,
    start: impl Into<InitialLayout<'a>>,
    schedule: &Schedule,
    run: &Run,
) -> Result<Layout> {
    let start: InitialLayout<'_> = start.into();
    start.check(affinities.nrows())?;
    check(schedule)?;
    run.whole(|| with_components!(start.layout.ncols(), descend_in::<f32>(affinities, start, schedule, run)))
}

fn check(schedule: &Schedule) -> Result<()> {
    for (name, value) in
        [("early_exaggeration", schedule.early_exaggeration), ("exaggeration", schedule.exaggeration)]
    {
        if !(value > 0.0 && value.is_finite()) {
            return Err(Error::parameter(name, value, "above 0", "1 is no exaggeration"));
        }
    }
    match schedule.learning_rate {
        Some([early, later]) if !(early > 0.0 && later > 0.0 && (early + later).is_finite()) => {
            let rate = early.min(later);
            Err(Error::parameter("learning_rate", rate, "above 0", "leave it out for the number of points"))
        }
        _ => Ok(()),
    }
}

fn descend_in<T: Scalar, const D: usize>(
    affinities: &Csr<f64>,
    start: InitialLayout<'_>,
    schedule: &Schedule,
    run: &Run,
) -> Result<Layout> {
    let (n, width) = start.layout.shape();
    let mut layout: Vec<[T; D]> = from_matrix(start.layout);
    let mut loss = Divergence::<T, D>::new(affinities, schedule.kernel, schedule.approach)?;
    let mut order: Vec<u32> = (0..n as u32).collect();
    let mut slopes = vec![[T::zero(); D]; n];
    let mut descent = Descent::<T>::new(n, D);
    let mut patience = Patience::new(schedule.without_progress, schedule.min_gradient_norm);
    let total = schedule.early_iterations + schedule.iterations;
    let (mut history, mut stopped, mut iteration) =
        (start.history(), false, start.iteration(total, "max_iter")?);
    if let Some(memory) = start.memory(&[width, width, 1])? {
        // The order that the points were in, and what each of them remembers.
        let codes = permutation(memory[2].col_as_slice(0))?;
        let [last, gains] = [0, 1].map(|which: usize| from_matrix::<T, D>(memory[which].as_ref()));
        descent = Descent::remembering(&last, &gains);
        descent.renumber(&codes);
        renumber(&mut layout, &mut loss, &mut order, &codes, run)?;
        let phase = if iteration < schedule.early_iterations { 0 } else { schedule.early_iterations };
        patience.restart(phase);
        let checks = history.iter().filter(|entry| entry.0 > phase && entry.0 < iteration);
        checks.for_each(|&(at, value)| _ = patience.is_over(at, value, f64::INFINITY));
    }
    let rates = schedule.rates(n);
    let stage = run.stage_from("layout", iteration as u64, Some(total as u64));
    while iteration < total {
        let early = iteration < schedule.early_iterations;
        if iteration == 0 || iteration == schedule.early_iterations {
            patience.restart(iteration);
            descent.rest();
            if !early {
                widen(layout.as_flattened_mut());
            }
            if n >= MANY {
                let codes: Vec<u32> = morton(&layout, run)?.into_iter().map(|code| code.1).collect();
                renumber(&mut layout, &mut loss, &mut order, &codes, run)?;
            }
        }
        let exaggeration = if early { schedule.early_exaggeration } else { schedule.exaggeration };
        let z = loss.slopes(&layout, exaggeration, &mut slopes, run)?;
        let observed = stage.wants_layout();
        if iteration > 0 && (iteration % CHECK == 0 || observed) {
            let value = reported(loss.value(&layout, z, run)?);
            let mut converged = false;
            if iteration % CHECK == 0 {
                enter(&mut history, iteration, value);
                stage.loss(value);
                let norm = loss.factor() * norm(&slopes, run)?;
                converged = !early && patience.is_over(iteration, value, norm);
            }
            let so_far = || {
                let [last, gains] = descent.memory().map(|values| in_first_order(values, &order));
                let mut rank = Mat::zeros(n, 1);
                order.iter().enumerate().for_each(|(place, &i)| rank[(i as usize, 0)] = place as f64);
                let memory = vec![to_matrix::<T, D>(&last, width), to_matrix(&gains, width), rank];
                start.checkpoint((iteration, value), &history, &in_first_order(&layout, &order), memory)
            };
            stopped = observed && stage.show(so_far()) == Verdict::Stop;
            if converged || stopped {
                break;
            }
        }
        let step = Step {
            learning_rate: rates[usize::from(!early)],
            momentum: if early { schedule.momentum.0 } else { schedule.momentum.1 },
            min_gain: MIN_GAIN,
            longest: Some(LONGEST_STEP),
        };
        descent.step(layout.as_flattened_mut(), slopes.as_flattened(), &step, run)?;
        recenter(layout.as_flattened_mut(), D, run)?;
        iteration += 1;
        stage.advance(1)?;
    }
    let z = loss.repulsion.forces(&layout, &mut slopes, run)?.max(f64::MIN_POSITIVE);
    let value = reported(loss.value(&layout, z, run)?);
    let embedding = to_matrix(&in_first_order(&layout, &order), width);
    Ok(Layout::finished(embedding, value, history, iteration, stopped))
}

/// Which point is at each place, by the places of the points. A checkpoint may come from a file.
fn permutation(places: &[f64]) -> Result<Vec<u32>> {
    let mut points = vec![u32::MAX; places.len()];
    for (point, &place) in places.iter().enumerate() {
        let free = points.get_mut(place as usize).filter(|free| place.fract() == 0.0 && **free == u32::MAX);
        let Some(free) = free.filter(|_| place >= 0.0) else {
            let problem = format!(
                "the checkpoint does not hold each point once: the order of the points has {point} at {place}"
            );
            return Err(Error::malformed("checkpoint", problem, "start without it"));
        };
        *free = point as u32;
    }
    Ok(points)
}

/// Where affinities are nearly all alike, as with a perplexity of half the points, an exaggerated attraction pulls all
/// points together, and what is left has no slope to leave by: back to the spread of a start, in the shape it has.
fn widen<T: Scalar>(layout: &mut [T]) {
    let largest = layout.iter().fold(0.0, |largest: f64, x| largest.max(x.wide().abs()));
    if largest > 0.0 && largest < 0.5 * SPREAD {
        layout.iter_mut().for_each(|x| *x = T::of(x.wide() * (SPREAD / largest)));
    }
}

/// Approximate sums can leave a perfect layout a little below 0, which no divergence is.
fn reported(value: f64) -> f64 {
    value.max(0.0)
}

/// The divergence of a finished layout.
pub fn value(affinities: &Csr<f64>, layout: MatRef<'_, f64>, schedule: &Schedule, run: &Run) -> Result<f64> {
    fn go<T: Scalar, const D: usize>(
        affinities: &Csr<f64>,
        layout: MatRef<'_, f64>,
        schedule: &Schedule,
        run: &Run,
    ) -> Result<f64> {
        let layout: Vec<[T; D]> = from_matrix(layout);
        let mut loss = Divergence::<T, D>::new(affinities, schedule.kernel, schedule.approach)?;
        let mut unused = vec![[T::zero(); D]; layout.len()];
        let z = loss.repulsion.forces(&layout, &mut unused, run)?.max(f64::MIN_POSITIVE);
        loss.value(&layout, z, run).map(reported)
    }
    with_components!(layout.ncols(), go::<f32>(affinities, layout, schedule, run))
}

/// Puts the point `codes[i]` in place `i`, so that points that are near in the layout are near in memory.
fn renumber<T: Scalar, const D: usize>(
    layout: &mut Vec<[T; D]>,
    loss: &mut Divergence<T, D>,
    order: &mut Vec<u32>,
    codes: &[u32],
    run: &Run,
) -> Result<()> {
    *layout = codes.iter().map(|&i| layout[i as usize]).collect();
    *order = codes.iter().map(|&i| order[i as usize]).collect();
    loss.edges = loss.edges.renumber(codes, run)?;
    Ok(())
}

/// Points in the order that they came in.
fn in_first_order<T: Scalar, const D: usize>(layout: &[[T; D]], order: &[u32]) -> Vec<[T; D]> {
    let mut sorted = layout.to_vec();
    for (y, &i) in layout.iter().zip(order) {
        sorted[i as usize] = *y;
    }
    sorted
}

/// The Euclidean norm.
fn norm<T: Scalar, const D: usize>(slopes: &[[T; D]], run: &Run) -> Result<f64> {
    let parts = map_chunks(run, slopes.len(), CHUNK, |range| {
        slopes[range].iter().flatten().map(|s| s.wide() * s.wide()).sum::<f64>()
    })?;
    Ok(parts.into_iter().sum::<f64>().sqrt())
}

#[cfg(test)]
mod tests;
