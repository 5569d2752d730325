//! The graph whose edges keep their lengths, checked and in order.

use lowland_base::{Error, Result, units};

/// What the lengths of the edges may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Constraint {
    /// Stay as they are.
    Equal,
    /// Shrink: the problem is then feasible whatever the lengths are.
    AtMost,
}

/// A connected graph with lengths, to be unfolded.
#[derive(Debug, Clone)]
pub struct Unfolding {
    points: usize,
    /// Smaller end first, ascending, no pair twice.
    edges: Vec<(u32, u32)>,
    /// Squared lengths, their mean 1.
    squared: Vec<f64>,
    /// The root of the mean squared length.
    unit: f64,
    constraint: Constraint,
    slack: Option<f64>,
}

impl Unfolding {
    /// Takes the edges `(i, j, length)` of a connected graph, in any order; one that is there twice counts once.
    ///
    /// # Errors
    /// Ends that are no points or the same point; lengths that are not positive and finite; a pair with two lengths where
    /// both must be kept; a graph that is disconnected, whose components could be moved apart for ever.
    pub fn new(points: usize, edges: &[(u32, u32, f64)], constraint: Constraint) -> Result<Self> {
        let broken = |problem: String, remedy: &str| Err(Error::malformed("graph", problem, remedy));
        let mut sorted = Vec::with_capacity(edges.len());
        for &(i, j, length) in edges {
            if i == j || i.max(j) as usize >= points {
                let problem =
                    format!("edge ({i}, {j}) does not join two of the {}", units::count(points, "point"));
                return broken(problem, "give the numbers of two different points");
            }
            if !(length > 0.0 && length.is_finite()) {
                let problem =
                    format!("edge ({i}, {j}) has the length {length}, but must be positive and finite");
                return broken(problem, "make one point of two at distance 0");
            }
            sorted.push((i.min(j), i.max(j), length));
        }
        sorted.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
        for pair in sorted.windows(2) {
            let ((i, j, short), (k, l, long)) = (pair[0], pair[1]);
            if (i, j) == (k, l) && long > short * (1.0 + 1e-9) && constraint == Constraint::Equal {
                let problem = format!("edge ({i}, {j}) has two lengths, {short} and {long}");
                return broken(problem, "give one of them");
            }
        }
        // The shorter of two comes first.
        sorted.dedup_by_key(|edge| (edge.0, edge.1));
        let sizes = connected_component_sizes(points, &sorted);
        if sizes.len() > 1 {
            return Err(Error::disconnected(sizes));
        }
        let longest = sorted.iter().fold(f64::MIN_POSITIVE, |most, edge| most.max(edge.2));
        let mean =
            sorted.iter().map(|edge| (edge.2 / longest).powi(2)).sum::<f64>() / sorted.len().max(1) as f64;
        let unit = if sorted.is_empty() { 1.0 } else { longest * mean.sqrt() };
        let squared: Vec<f64> = sorted.iter().map(|edge| (edge.2 / unit).powi(2)).collect();
        if let Some(edge) = squared.iter().position(|&squared| squared < 1e-24) {
            let (i, j, length) = sorted[edge];
            let problem = format!(
                "edge ({i}, {j}) has the length {length}, which vanishes beside the others (their root mean square is \
                 {unit:.3e})"
            );
            return broken(problem, "make one point of the two");
        }
        let edges = sorted.iter().map(|edge| (edge.0, edge.1)).collect();
        Ok(Self { points, edges, squared, unit, constraint, slack: None })
    }

    /// The same with edges that bend: `nu / 2` times the sum of `g^2 / d^2` is taken off the trace.
    ///
    /// # Errors
    /// A slack that is not positive and finite.
    pub fn with_slack(mut self, penalty: f64) -> Result<Self> {
        if !(penalty > 0.0 && penalty.is_finite()) {
            return Err(Error::parameter("slack", penalty, "above 0", "leave it out to keep the edges"));
        }
        self.slack = Some(penalty);
        Ok(self)
    }

    /// The number of points.
    pub fn points(&self) -> usize {
        self.points
    }

    /// The edges with their lengths, smaller end first, ascending.
    pub fn edges(&self) -> impl ExactSizeIterator<Item = (u32, u32, f64)> + '_ {
        self.edges.iter().zip(&self.squared).map(|(&(i, j), squared)| (i, j, squared.sqrt() * self.unit))
    }

    pub(super) fn ends(&self) -> &[(u32, u32)] {
        &self.edges
    }

    pub(super) fn squared(&self) -> &[f64] {
        &self.squared
    }

    pub(super) fn unit(&self) -> f64 {
        self.unit
    }

    pub(super) fn constraint(&self) -> Constraint {
        self.constraint
    }

    /// The penalty of slack; it has no unit.
    pub(super) fn penalty(&self) -> Option<f64> {
        self.slack
    }

    /// Whether all lengths are to be kept: only then there may be no solution.
    pub(super) fn is_hard(&self) -> bool {
        self.constraint == Constraint::Equal && self.slack.is_none()
    }

    /// The largest and the mean of the relative violations.
    pub(super) fn violations(&self, relative: impl Fn(usize) -> f64) -> (f64, f64) {
        let of = |edge: usize| match self.constraint {
            Constraint::Equal => relative(edge).abs(),
            Constraint::AtMost => relative(edge).max(0.0),
        };
        let (most, sum) = (0..self.edges.len()).fold((0.0f64, 0.0), |(most, sum), edge| {
            let violation = of(edge);
            (most.max(violation), sum + violation)
        });
        (most, sum / self.edges.len().max(1) as f64)
    }

    /// The dual value at feasible weights, in squared units.
    pub(super) fn dual_value(&self, weights: impl Iterator<Item = f64>) -> f64 {
        let bend = self.slack.map_or(0.0, |penalty| 0.5 / penalty);
        self.squared.iter().zip(weights).map(|(squared, w)| squared * (w + bend * w * w)).sum()
    }

    /// What the penalty of slack takes off the trace, in squared units.
    pub(super) fn penalty_of(&self, relative: impl Fn(usize) -> f64) -> f64 {
        let Some(penalty) = self.slack else { return 0.0 };
        let bend = |edge: usize| match self.constraint {
            Constraint::Equal => relative(edge),
            Constraint::AtMost => relative(edge).max(0.0),
        };
        self.squared.iter().enumerate().map(|(e, squared)| 0.5 * penalty * squared * bend(e).powi(2)).sum()
    }

    /// No points have these distances: names the edge that is furthest from its length.
    pub(super) fn infeasible(&self, relative: impl Fn(usize) -> f64) -> Error {
        let count = self.edges.len();
        let worst =
            (0..count).fold(0, |worst, e| if relative(e).abs() > relative(worst).abs() { e } else { worst });
        let violated = (0..count).filter(|&e| relative(e).abs() > 1e-3).count();
        let length = self.squared[worst].sqrt() * self.unit;
        let (row, column) = self.edges[worst];
        let found = length * (1.0 + relative(worst)).max(0.0).sqrt();
        Error::Contradictory { violated, count, row: row as usize, column: column as usize, length, found }
    }
}

/// The sizes of the connected components, largest first.
fn connected_component_sizes(points: usize, edges: &[(u32, u32, f64)]) -> Vec<usize> {
    let mut parent: Vec<u32> = (0..points as u32).collect();
    fn root(parent: &mut [u32], mut v: u32) -> u32 {
        while parent[v as usize] != v {
            parent[v as usize] = parent[parent[v as usize] as usize];
            v = parent[v as usize];
        }
        v
    }
    for &(i, j, _) in edges {
        let (a, b) = (root(&mut parent, i), root(&mut parent, j));
        parent[a.max(b) as usize] = a.min(b);
    }
    let mut sizes = vec![0; points];
    for v in 0..points as u32 {
        sizes[root(&mut parent, v) as usize] += 1;
    }
    sizes.retain(|&size| size > 0);
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes
}
