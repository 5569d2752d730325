//! Limited-memory BFGS (Nocedal 1980) with a line search that keeps the weak Wolfe conditions: the value never rises.

use super::line_search::{Point, wolfe};
use super::{Minimum, dot};
use lowland_base::{Result, Run};
use std::collections::VecDeque;

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stop {
    /// The largest entry of the gradient, relative to the larger of 1 and the value.
    pub gradient: f64,
    /// The decrease of a step, relative to the larger of 1 and the value.
    pub decrease: f64,
    /// The most steps.
    pub steps: usize,
}

/// Pairs of steps and changes of the gradient that are remembered.
const MEMORY: usize = 10;

/// Minimizes the objective from `start` on.
pub(crate) fn minimize(
    start: Vec<f64>,
    stop: Stop,
    mut objective: impl FnMut(&[f64], &mut [f64]) -> Result<f64>,
    mut each: impl FnMut(usize, f64) -> Result<()>,
    run: &Run,
) -> Result<Minimum> {
    let mut objective = |x: &[f64], gradient: &mut [f64]| {
        run.check()?;
        objective(x, gradient)
    };
    let mut gradient = vec![0.0; start.len()];
    let value = objective(&start, &mut gradient)?;
    let mut at = Point { x: start, value, gradient };
    let mut history = vec![value];
    let mut memory: VecDeque<(Vec<f64>, Vec<f64>, f64)> = VecDeque::new();
    let mut converged = false;
    for step in 1..=stop.steps {
        let scale = at.value.abs().max(1.0);
        if at.gradient.iter().fold(0.0f64, |most, g| most.max(g.abs())) <= stop.gradient * scale {
            converged = true;
            break;
        }
        let mut direction = two_loops(&memory, &at.gradient);
        let mut slope = dot(&direction, &at.gradient);
        if slope >= 0.0 || !slope.is_finite() {
            memory.clear();
            direction = at.gradient.iter().map(|g| -g).collect();
            slope = dot(&direction, &at.gradient);
        }
        let length = slope.abs().sqrt();
        let first = if memory.is_empty() { (1.0 / length).min(1.0) } else { 1.0 };
        let Some(new) = wolfe(&at, &direction, slope, first, &mut objective)? else {
            // No step decreases the value by more than rounding.
            converged = true;
            break;
        };
        let s: Vec<f64> = new.x.iter().zip(&at.x).map(|(new, old)| new - old).collect();
        let y: Vec<f64> = new.gradient.iter().zip(&at.gradient).map(|(new, old)| new - old).collect();
        let curvature = dot(&s, &y);
        if curvature > 1e-16 * dot(&y, &y).sqrt() * dot(&s, &s).sqrt() {
            if memory.len() == MEMORY {
                memory.pop_front();
            }
            memory.push_back((s, y, curvature));
        }
        let decrease = at.value - new.value;
        at = new;
        history.push(at.value);
        each(step, at.value)?;
        if decrease <= stop.decrease * scale {
            converged = true;
            break;
        }
    }
    Ok(Minimum { point: at.x, value: at.value, history, converged })
}

/// Minus the approximate inverse Hessian times the gradient.
fn two_loops(memory: &VecDeque<(Vec<f64>, Vec<f64>, f64)>, gradient: &[f64]) -> Vec<f64> {
    let mut q: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut weights = Vec::with_capacity(memory.len());
    for (s, y, curvature) in memory.iter().rev() {
        let weight = dot(s, &q) / curvature;
        q.iter_mut().zip(y).for_each(|(q, y)| *q -= weight * y);
        weights.push(weight);
    }
    if let Some((_, y, curvature)) = memory.back() {
        let factor = curvature / dot(y, y);
        q.iter_mut().for_each(|q| *q *= factor);
    }
    for ((s, y, curvature), weight) in memory.iter().zip(weights.into_iter().rev()) {
        let change = weight - dot(y, &q) / curvature;
        q.iter_mut().zip(s).for_each(|(q, s)| *q += change * s);
    }
    q
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::silent;
    use lowland_base::Error;

    #[test]
    fn finds_the_minimum_of_rosenbrocks_function_and_the_loss_never_rises() {
        let rosenbrock = |x: &[f64], g: &mut [f64]| {
            let (mut value, n) = (0.0, x.len());
            g.fill(0.0);
            for i in 0..n - 1 {
                let (a, b) = (x[i + 1] - x[i] * x[i], 1.0 - x[i]);
                value += 100.0 * a * a + b * b;
                g[i] += -400.0 * a * x[i] - 2.0 * b;
                g[i + 1] += 200.0 * a;
            }
            Ok(value)
        };
        let stop = Stop { gradient: 1e-10, decrease: 0.0, steps: 500 };
        for size in [2, 5, 20] {
            let start: Vec<f64> = (0..size).map(|i| if i % 2 == 0 { -1.2 } else { 1.0 }).collect();
            let mut losses = Vec::new();
            let each = |step: usize, loss: f64| {
                losses.push(loss);
                assert_eq!(step, losses.len());
                Ok(())
            };
            let found = minimize(start, stop, rosenbrock, each, &Run::new()).unwrap();
            assert_eq!(found.history[1..], losses);
            assert!(found.converged && found.value < 1e-16, "{size}: {found:?}");
            assert!(found.history.windows(2).all(|pair| pair[1] <= pair[0]));
        }
    }

    #[test]
    fn a_canceled_run_and_an_error_of_the_callback_end_the_search() {
        let square = |x: &[f64], g: &mut [f64]| {
            g[0] = 2.0 * x[0];
            Ok(x[0] * x[0])
        };
        let stop = Stop { gradient: 0.0, decrease: 0.0, steps: 10 };
        let run = Run::new();
        let stopped = minimize(vec![3.0], stop, square, |_, _| Err(Error::Canceled), &run);
        assert_eq!(stopped.err(), Some(Error::Canceled));
        run.cancel_switch().cancel();
        assert_eq!(minimize(vec![3.0], stop, square, silent, &run).err(), Some(Error::Canceled));
    }
}
