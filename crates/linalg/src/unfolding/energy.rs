//! The augmented Lagrangian of the factor `Y` of `K = Y Y'`: its value, gradient, Hessian products, and its values along a
//! line. With `c_e = (|y_i - y_j|^2 - d_e^2) / d_e^2`, multipliers `l` and the parameter `s` it is
//!
//! ```text
//! L(Y) = -mass |Y|^2 + sum_e d_e^2 (s'/2) t_e^2,        t_e = c_e + l_e / s        where lengths are kept
//! L(Y) = -mass |Y|^2 + sum_e d_e^2 (l_e / s) f(s c_e)                              where they may shrink
//! ```
//!
//! `s' = s`, or `s nu / (s + nu)` with slack: the bend of an edge is minimized out (and `t_e` not below 0 where it may
//! shrink). `f(t) = t + t^2 / 2`, below `-1/2` a logarithm that continues it twice differentiably (Ben-Tal and Zibulevsky
//! 1997): so an edge does not switch between loose and stiff, which would cut every Newton step short. The derivatives by
//! `d_e^2 c_e` are the weights `w_e` of the edges, and the next multipliers.

use super::problem::{Constraint, Unfolding};
use lowland_base::{Csr, Result, Run, parallel};

/// Points or edges that one task takes.
const CHUNK: usize = 1024;

/// The graph by points: what a sum over the edges of a point reads.
pub(super) struct Incidence {
    offsets: Vec<usize>,
    neighbors: Vec<u32>,
    edges: Vec<u32>,
}

impl Incidence {
    pub fn new(points: usize, ends: &[(u32, u32)]) -> Self {
        let mut offsets = vec![0; points + 1];
        for &(i, j) in ends {
            offsets[i as usize + 1] += 1;
            offsets[j as usize + 1] += 1;
        }
        for v in 0..points {
            offsets[v + 1] += offsets[v];
        }
        let mut next = offsets.clone();
        let (mut neighbors, mut edges) = (vec![0; 2 * ends.len()], vec![0; 2 * ends.len()]);
        // Lower neighbors first, both ascending: the edges are.
        for upper in [true, false] {
            for (e, &(i, j)) in ends.iter().enumerate() {
                let (at, to) = if upper { (j, i) } else { (i, j) };
                let slot = next[at as usize];
                (neighbors[slot], edges[slot]) = (to, e as u32);
                next[at as usize] += 1;
            }
        }
        Self { offsets, neighbors, edges }
    }

    pub fn points(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The neighbors of a point, ascending, and the edges to them.
    pub fn of(&self, point: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let range = self.offsets[point]..self.offsets[point + 1];
        let pairs = self.neighbors[range.clone()].iter().zip(&self.edges[range]);
        pairs.map(|(&neighbor, &edge)| (neighbor as usize, edge as usize))
    }

    /// `sum_e weight_e L_e + ridge I`.
    pub fn laplacian(&self, weight: impl Fn(usize) -> f64, ridge: f64) -> Result<Csr<f64>> {
        let points = self.offsets.len() - 1;
        let mut offsets = Vec::with_capacity(points + 1);
        let (mut columns, mut values) = (Vec::new(), Vec::new());
        columns.reserve(self.neighbors.len() + points);
        values.reserve(self.neighbors.len() + points);
        offsets.push(0);
        for v in 0..points {
            let (mut degree, mut own) = (ridge, None);
            for (neighbor, edge) in self.of(v) {
                if own.is_none() && neighbor > v {
                    own = Some(columns.len());
                    columns.push(v as u32);
                    values.push(0.0);
                }
                let weight = weight(edge);
                degree += weight;
                columns.push(neighbor as u32);
                values.push(-weight);
            }
            match own {
                Some(own) => values[own] = degree,
                None => {
                    columns.push(v as u32);
                    values.push(degree);
                }
            }
            offsets.push(columns.len());
        }
        Csr::new(points, points, offsets, columns, values)
    }
}

/// The function of `Y`, with the multipliers as they are.
pub(super) struct Energy<'p> {
    pub problem: &'p Unfolding,
    pub incidence: Incidence,
    /// What one unit of trace is worth: so that the weights of the edges are about 1.
    pub mass: f64,
    pub multipliers: Vec<f64>,
    /// The parameter of the augmented Lagrangian.
    pub stiffness: f64,
}

/// What belongs to one `Y`, of `width` columns, row by row.
pub(super) struct Position {
    pub width: usize,
    pub y: Vec<f64>,
    /// `c_e`.
    pub relative: Vec<f64>,
    /// `w_e`.
    pub weights: Vec<f64>,
    /// `L(Y)`.
    pub value: f64,
}

/// The function along `Y + t P`: of each edge the part that is linear and the part that is quadratic in `t`.
pub(super) struct Line {
    slopes: Vec<f64>,
    bends: Vec<f64>,
    /// `|Y|^2`, `Y . P`, `|P|^2`.
    squares: (f64, f64, f64),
}

impl Energy<'_> {
    /// `s'`.
    fn effective(&self) -> f64 {
        let s = self.stiffness;
        // The penalty is in units of the trace, the energy in units of 1 / mass of it.
        self.problem.penalty().map_or(s, |nu| s * (nu * self.mass) / (s + nu * self.mass))
    }

    /// Whether edges are held by a smooth barrier.
    pub fn is_barrier(&self) -> bool {
        self.problem.constraint() == Constraint::AtMost && self.problem.penalty().is_none()
    }

    /// What an edge adds for each unit of `d_e^2`, its weight, and how that grows with `c_e`.
    fn piece(&self, edge: usize, relative: f64) -> (f64, f64, f64) {
        let (l, s) = (self.multipliers[edge], self.stiffness);
        if self.is_barrier() {
            let t = s * relative;
            return if t >= -0.5 {
                (l / s * t * (1.0 + 0.5 * t), l * (1.0 + t), l * s)
            } else {
                (-l / s * (0.25 * (-2.0 * t).ln() + 0.375), -0.25 * l / t, 0.25 * l * s / (t * t))
            };
        }
        let (s, t) = (self.effective(), relative + l / s);
        if self.problem.constraint() == Constraint::AtMost && t <= 0.0 {
            return (0.0, 0.0, 0.0);
        }
        (0.5 * s * t * t, s * t, s)
    }

    /// The edges and the value at `y`.
    pub fn at(&self, y: Vec<f64>, width: usize, run: &Run) -> Result<Position> {
        let (ends, squared) = (self.problem.ends(), self.problem.squared());
        let mut relative = vec![0.0; ends.len()];
        parallel::fill_rows(run, &mut relative, 1, CHUNK, |range, out| {
            for (e, out) in range.zip(out) {
                let (i, j) = (ends[e].0 as usize * width, ends[e].1 as usize * width);
                let length: f64 = (0..width).map(|c| (y[i + c] - y[j + c]).powi(2)).sum();
                *out = (length - squared[e]) / squared[e];
            }
        })?;
        let mut value = -self.mass * y.iter().map(|y| y * y).sum::<f64>();
        let mut weights = Vec::with_capacity(ends.len());
        for (e, (&c, d2)) in relative.iter().zip(squared).enumerate() {
            let (own, weight, _) = self.piece(e, c);
            value += d2 * own;
            weights.push(weight);
        }
        Ok(Position { width, y, relative, weights, value })
    }

    /// The gradient, row by row as `Y`: `2 (sum_e w_e L_e - mass) Y`.
    pub fn gradient(&self, at: &Position, run: &Run) -> Result<Vec<f64>> {
        let width = at.width;
        let mut out = vec![0.0; at.y.len()];
        parallel::fill_rows(run, &mut out, width, CHUNK, |range, out| {
            for (v, out) in range.zip(out.chunks_exact_mut(width)) {
                let own = &at.y[v * width..][..width];
                out.iter_mut().zip(own).for_each(|(out, y)| *out = -2.0 * self.mass * y);
                for (neighbor, edge) in self.incidence.of(v) {
                    let other = &at.y[neighbor * width..][..width];
                    let weight = 2.0 * at.weights[edge];
                    for ((out, y), other) in out.iter_mut().zip(own).zip(other) {
                        *out += weight * (y - other);
                    }
                }
            }
        })?;
        Ok(out)
    }

    /// What each edge adds to the Hessian along itself: `4 w' / d^2`.
    pub fn stretches(&self, at: &Position) -> Vec<f64> {
        let squared = self.problem.squared();
        let of = |(e, &c): (usize, &f64)| 4.0 * self.piece(e, c).2 / squared[e];
        at.relative.iter().enumerate().map(of).collect()
    }

    /// The Hessian times a direction.
    pub fn hessian(&self, at: &Position, stretches: &[f64], p: &[f64], run: &Run) -> Result<Vec<f64>> {
        let width = at.width;
        let mut out = vec![0.0; p.len()];
        parallel::fill_rows(run, &mut out, width, CHUNK, |range, out| match width {
            1 => self.hessian_rows::<1>(at, stretches, p, range.start, out),
            2 => self.hessian_rows::<2>(at, stretches, p, range.start, out),
            3 => self.hessian_rows::<3>(at, stretches, p, range.start, out),
            4 => self.hessian_rows::<4>(at, stretches, p, range.start, out),
            5 => self.hessian_rows::<5>(at, stretches, p, range.start, out),
            6 => self.hessian_rows::<6>(at, stretches, p, range.start, out),
            _ => self.hessian_rows::<0>(at, stretches, p, range.start, out),
        })?;
        Ok(out)
    }

    /// Some rows of that product; the width is `W`, or any where that is 0.
    fn hessian_rows<const W: usize>(
        &self,
        at: &Position,
        stretches: &[f64],
        p: &[f64],
        first: usize,
        out: &mut [f64],
    ) {
        let width = if W == 0 { at.width } else { W };
        for (row, out) in out.chunks_exact_mut(width).enumerate() {
            let v = first + row;
            let (y, own) = (&at.y[v * width..][..width], &p[v * width..][..width]);
            for c in 0..width {
                out[c] = -2.0 * self.mass * own[c];
            }
            for (neighbor, edge) in self.incidence.of(v) {
                let (other_y, other) = (&at.y[neighbor * width..][..width], &p[neighbor * width..][..width]);
                let mut along = 0.0;
                for c in 0..width {
                    along += (y[c] - other_y[c]) * (own[c] - other[c]);
                }
                let (weight, along) = (2.0 * at.weights[edge], stretches[edge] * along);
                for c in 0..width {
                    out[c] += weight * (own[c] - other[c]) + along * (y[c] - other_y[c]);
                }
            }
        }
    }

    /// The function along a line.
    pub fn line(&self, at: &Position, p: &[f64], run: &Run) -> Result<Line> {
        let (ends, squared, width) = (self.problem.ends(), self.problem.squared(), at.width);
        let mut both = vec![(0.0, 0.0); ends.len()];
        parallel::fill_rows(run, &mut both, 1, CHUNK, |range, out| {
            for (e, out) in range.zip(out) {
                let (i, j) = (ends[e].0 as usize * width, ends[e].1 as usize * width);
                for c in 0..width {
                    let step = p[i + c] - p[j + c];
                    out.0 += 2.0 * (at.y[i + c] - at.y[j + c]) * step / squared[e];
                    out.1 += step * step / squared[e];
                }
            }
        })?;
        let (slopes, bends) = both.into_iter().unzip();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        Ok(Line { slopes, bends, squares: (dot(&at.y, &at.y), dot(&at.y, p), dot(p, p)) })
    }

    /// Value and slope at `t` on a line from a position.
    pub fn along(&self, at: &Position, line: &Line, t: f64) -> (f64, f64) {
        let (yy, yp, pp) = line.squares;
        let mut value = -self.mass * (yy + t * (2.0 * yp + t * pp));
        let mut slope = -2.0 * self.mass * (yp + t * pp);
        for (e, d2) in self.problem.squared().iter().enumerate() {
            let (b, q) = (line.slopes[e], line.bends[e]);
            let (own, weight, _) = self.piece(e, at.relative[e] + t * (b + t * q));
            value += d2 * own;
            slope += d2 * weight * (b + 2.0 * t * q);
        }
        (value, slope)
    }
}
