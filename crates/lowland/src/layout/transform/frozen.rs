//! A map that does not move any more, and how it acts on a point.

use super::{Interpolation, Kernel, SPACING, Sources, THETA, Tree};
use lowland_base::{Result, Run, Scalar};

/// A frozen map.
pub struct Frozen<T, const D: usize> {
    points: Vec<[T; D]>,
    kernel: Kernel,
    repulsion: Pushes<T, D>,
}

/// How the map pushes: read off a grid, or by a tree, or point by point.
enum Pushes<T, const D: usize> {
    Grid(super::super::repulsion::Field<T, D>),
    Tree(Tree<T, D>),
    All(Sources<T, D>),
}

/// The grid reaches so far beyond the map, and no farther goes a new point.
const AROUND: f64 = 5.0;

/// What a point meets at a position.
pub struct Evaluated<T, const D: usize> {
    /// Its divergence, but for a constant.
    pub loss: f64,
    /// Where to go.
    pub step: [T; D],
}

impl<T: Scalar, const D: usize> Frozen<T, D> {
    /// A map of `components` dimensions.
    pub fn new(points: Vec<[T; D]>, kernel: Kernel, components: usize, run: &Run) -> Result<Self> {
        let repulsion = match components {
            1 | 2 if D <= 2 => Pushes::Grid(Interpolation::new(kernel, SPACING).field(&points, AROUND, run)?),
            3 if D <= 3 => Pushes::Tree(Tree::new(&points, run)?),
            _ => Pushes::All(Sources::new(points.iter().map(|&y| (y, T::one())))),
        };
        Ok(Self { points, kernel, repulsion })
    }

    /// A point of the map.
    pub fn point(&self, i: u32) -> [T; D] {
        self.points[i as usize]
    }

    /// The nearest position where the map's repulsion is known.
    pub fn clamp(&self, y: [T; D]) -> [T; D] {
        match &self.repulsion {
            Pushes::Grid(field) => field.clamp(y),
            Pushes::Tree(_) | Pushes::All(_) => y,
        }
    }

    /// The loss and the step at a position: with `Z = sum_j w_j` over the map, the gradient of
    /// `sum_j p_j log(p_j / w_j) + log Z` is in proportion to `sum p u (y - y_j) - sum w u (y - y_j) / Z`.
    pub fn evaluate(
        &self,
        y: [T; D],
        near: &[u32],
        weights: &[f64],
        exaggeration: f64,
        sources: &mut Sources<T, D>,
    ) -> Evaluated<T, D> {
        let (push, z) = match &self.repulsion {
            Pushes::Grid(field) => {
                let (z, gradient) = field.at(y);
                (gradient.map(|g| g.wide() / -self.kernel.slope()), z)
            }
            Pushes::Tree(tree) => {
                let (push, z) = tree.push(self.kernel, THETA, y, sources);
                (push.map(|p| p.wide()), z)
            }
            Pushes::All(all) => {
                let (push, z) = all.push(self.kernel.student::<T>(), y);
                (push.map(|p| p.wide()), z)
            }
        };
        let z = z.max(f64::MIN_POSITIVE);
        let dof = self.kernel.dof();
        let (mut pull, mut stiffness, mut entropy) = ([0.0; D], 0.0, 0.0);
        for (&j, &p) in near.iter().zip(weights) {
            let other = self.points[j as usize];
            let mut difference = [0.0; D];
            for c in 0..D {
                difference[c] = (y[c] - other[c]).wide();
            }
            let squared: f64 = difference.iter().map(|d| d * d).sum();
            let u = 1.0 / (1.0 + squared / dof);
            entropy += exaggeration * p * self.kernel.power() * (squared / dof).ln_1p();
            stiffness += exaggeration * p * u;
            for c in 0..D {
                pull[c] += exaggeration * p * u * difference[c];
            }
        }
        let mut step = [T::zero(); D];
        for c in 0..D {
            step[c] = T::of((push[c] / z - pull[c]) / stiffness.max(f64::MIN_POSITIVE));
        }
        Evaluated { loss: entropy + z.ln(), step }
    }
}
