//! Minimizing a smooth function of many variables by limited-memory BFGS (Nocedal 1980) with a line search that keeps
//! the weak Wolfe conditions: the value never rises.

use lowland_base::Result;
use std::collections::VecDeque;

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stop {
    /// The largest entry of the gradient, relative to the larger of 1 and the value.
    pub gradient: f64,
    /// What a step gains, relative to the larger of 1 and the value.
    pub gain: f64,
    pub steps: usize,
}

/// Where the search ended.
#[derive(Debug, Clone)]
pub(crate) struct Minimum {
    pub point: Vec<f64>,
    pub value: f64,
    /// The value at the start and after each step.
    pub history: Vec<f64>,
    pub converged: bool,
}

/// Pairs of steps and changes of the gradient that are remembered.
const MEMORY: usize = 10;

/// Minimizes `f`, which gives the value at a point and writes the gradient there.
pub(crate) fn minimize(
    start: Vec<f64>,
    stop: Stop,
    mut f: impl FnMut(&[f64], &mut [f64]) -> Result<f64>,
) -> Result<Minimum> {
    let size = start.len();
    let mut x = start;
    let mut gradient = vec![0.0; size];
    let mut value = f(&x, &mut gradient)?;
    let mut history = vec![value];
    let mut memory: VecDeque<(Vec<f64>, Vec<f64>, f64)> = VecDeque::new();
    let mut converged = false;
    for _ in 0..stop.steps {
        let scale = value.abs().max(1.0);
        if gradient.iter().fold(0.0f64, |most, g| most.max(g.abs())) <= stop.gradient * scale {
            converged = true;
            break;
        }
        let mut direction = two_loops(&memory, &gradient);
        let mut slope = dot(&direction, &gradient);
        if slope >= 0.0 || !slope.is_finite() {
            memory.clear();
            direction = gradient.iter().map(|g| -g).collect();
            slope = dot(&direction, &gradient);
        }
        let length = slope.abs().sqrt();
        let first = if memory.is_empty() { (1.0 / length).min(1.0) } else { 1.0 };
        // Bisection between steps that are too long (no decrease) and too short (slope still steep).
        let (mut low, mut high, mut step) = (0.0, f64::INFINITY, first);
        let (mut new_x, mut new_gradient) = (x.clone(), gradient.clone());
        let mut new_value = value;
        let mut found = false;
        for _ in 0..40 {
            for i in 0..size {
                new_x[i] = x[i] + step * direction[i];
            }
            new_value = f(&new_x, &mut new_gradient)?;
            // A value that is not a number is no decrease.
            let decreases = new_value <= value + 1e-4 * step * slope;
            if !decreases {
                high = step;
            } else if dot(&new_gradient, &direction) < 0.9 * slope {
                (low, found) = (step, true);
            } else {
                found = true;
                break;
            }
            step = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * low };
        }
        if !found || new_value.is_nan() || new_value > value {
            // No step gains anything that can be told from rounding.
            converged = true;
            break;
        }
        let s: Vec<f64> = new_x.iter().zip(&x).map(|(new, old)| new - old).collect();
        let y: Vec<f64> = new_gradient.iter().zip(&gradient).map(|(new, old)| new - old).collect();
        let curvature = dot(&s, &y);
        if curvature > 1e-16 * dot(&y, &y).sqrt() * dot(&s, &s).sqrt() {
            if memory.len() == MEMORY {
                memory.pop_front();
            }
            memory.push_back((s, y, curvature));
        }
        let gained = value - new_value;
        (x, gradient, value) = (new_x, new_gradient, new_value);
        history.push(value);
        if gained <= stop.gain * scale {
            converged = true;
            break;
        }
    }
    Ok(Minimum { point: x, value, history, converged })
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

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_bottom_of_a_curved_valley_and_never_climbs() {
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
        let stop = Stop { gradient: 1e-10, gain: 0.0, steps: 500 };
        for size in [2, 5, 20] {
            let start: Vec<f64> = (0..size).map(|i| if i % 2 == 0 { -1.2 } else { 1.0 }).collect();
            let found = minimize(start, stop, rosenbrock).unwrap();
            assert!(found.converged && found.value < 1e-16, "{size}: {found:?}");
            assert!(found.history.windows(2).all(|pair| pair[1] <= pair[0]));
        }
    }
}
