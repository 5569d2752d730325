//! Small statistics of the experiments, and methods by their names.

use lowland::parameters::Value;
use lowland::{Method, Result, registry};
use ndarray::{Array2, ArrayView2};

/// A method with settings.
pub fn method(name: &str, settings: &[(&str, Value)]) -> Result<Box<dyn Method>> {
    let mut method = (registry::find(name)?.create)();
    for (parameter, value) in settings {
        method.set(parameter, value)?;
    }
    Ok(method)
}

pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Pearson's correlation; 0 where one of the two does not vary.
pub fn pearson(a: &[f64], b: &[f64]) -> f64 {
    let (x, y) = (mean(a), mean(b));
    let sum = |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(&a, &b)| f(a - x, b - y)).sum::<f64>();
    let (both, one, two) = (sum(&|a, b| a * b), sum(&|a, _| a * a), sum(&|_, b| b * b));
    if one > 0.0 && two > 0.0 { both / (one * two).sqrt() } else { 0.0 }
}

/// Spearman's correlation: Pearson's of the ranks, equal values sharing the mean of theirs.
pub fn spearman(a: &[f64], b: &[f64]) -> f64 {
    pearson(&ranks(a), &ranks(b))
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let same = |&&i: &&usize| values[i] == values[order[start]];
        let end = start + order[start..].iter().take_while(same).count().max(1);
        order[start..end].iter().for_each(|&i| ranks[i] = (start + end - 1) as f64 / 2.0);
        start = end;
    }
    ranks
}

/// An affine function of two coordinates, by least squares.
pub struct Plane {
    weights: [f64; 3],
}

impl Plane {
    /// Fits `y` to the rows of `x`, which has two columns.
    pub fn fit(x: ArrayView2<'_, f64>, y: &[f64]) -> Self {
        let mut a = [[0.0; 4]; 3];
        for (row, &y) in x.rows().into_iter().zip(y) {
            let terms = [1.0, row[0], row[1]];
            for i in 0..3 {
                for j in 0..3 {
                    a[i][j] += terms[i] * terms[j];
                }
                a[i][3] += terms[i] * y;
            }
        }
        for p in 0..3 {
            let pivot = (p..3).max_by(|&i, &j| a[i][p].abs().total_cmp(&a[j][p].abs())).unwrap_or(p);
            a.swap(p, pivot);
            if a[p][p] == 0.0 {
                continue;
            }
            for i in (0..3).filter(|&i| i != p) {
                let factor = a[i][p] / a[p][p];
                for j in p..4 {
                    a[i][j] -= factor * a[p][j];
                }
            }
        }
        Self { weights: [0, 1, 2].map(|i| if a[i][i] == 0.0 { 0.0 } else { a[i][3] / a[i][i] }) }
    }

    /// The share of the variance of `y` that it explains on these rows.
    pub fn explained(&self, x: ArrayView2<'_, f64>, y: &[f64]) -> f64 {
        let middle = mean(y);
        let left: f64 = x
            .rows()
            .into_iter()
            .zip(y)
            .map(|(row, y)| {
                (y - self.weights[0] - self.weights[1] * row[0] - self.weights[2] * row[1]).powi(2)
            })
            .sum();
        let all: f64 = y.iter().map(|y| (y - middle).powi(2)).sum();
        if all > 0.0 { 1.0 - left / all } else { 0.0 }
    }
}

/// The square root of the sum of squares.
pub fn frobenius(matrix: &Array2<f64>) -> f64 {
    matrix.iter().map(|value| value * value).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn correlations_and_planes_of_exact_relations_are_exact() {
        let a = [1.0, 2.0, 3.0, 4.0, 10.0];
        let cubes: Vec<f64> = a.iter().map(|v| v * v * v).collect();
        assert!((spearman(&a, &cubes) - 1.0).abs() < 1e-12);
        assert!(pearson(&a, &cubes) < 0.999);
        assert_eq!(ranks(&[2.0, 1.0, 2.0, 3.0]), [1.5, 0.0, 1.5, 3.0]);
        assert_eq!(pearson(&a, &[1.0; 5]), 0.0);
        let x = array![[0.0, 1.0], [1.0, 0.0], [2.0, 5.0], [-1.0, 2.0]];
        let y: Vec<f64> = x.rows().into_iter().map(|r| 3.0 - 2.0 * r[0] + 0.5 * r[1]).collect();
        let plane = Plane::fit(x.view(), &y);
        assert!((plane.explained(x.view(), &y) - 1.0).abs() < 1e-12);
        let wrong = Plane { weights: [0.0; 3] };
        assert!(wrong.explained(x.view(), &y) < 0.0);
    }
}
