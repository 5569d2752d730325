//! The number of analyzers and of components by the Bayesian information criterion (Schwarz 1978), -2 L + p ln n: mixtures
//! grow by new starts and by splitting an analyzer, and shrink by merging two (Ueda et al. 2000).

use super::fit::{Fitted, Request, Rows, Tails, finish, fit};
use super::settings::{Amount, Chosen, Settings};
use super::{Gaussian, Mixture};
use lowland_base::{Result, Run};
use std::collections::BTreeMap;

/// The most analyzers that are tried.
pub(super) const MOST: usize = 100;

/// How many larger mixtures must be worse before the search ends.
const PATIENCE: usize = 3;

/// The fit with the least criterion, and all that was tried.
pub(super) fn choose(rows: &Rows, settings: &Settings, run: &Run) -> Result<Chosen> {
    let (n, d) = rows.view().dim();
    let mut search = Search { rows, settings, run, curve: Vec::new(), best: BTreeMap::new() };
    let most = settings.most_components(n, d);
    if settings.components == Amount::Bic {
        // Doubling brackets the least, thirds narrow it down.
        let (mut low, mut high, mut at) = (1, most, 1);
        while at < high {
            let next = (2 * at).min(high);
            if search.of(next)? >= search.of(at)? {
                high = next;
                break;
            }
            (low, at) = (at, next);
        }
        while high - low > 2 {
            let (a, b) = (low + (high - low) / 3, high - (high - low) / 3);
            if search.of(a)? > search.of(b)? { low = a } else { high = b }
        }
        for components in low..=high {
            search.of(components)?;
        }
    } else {
        search.of(most)?;
    }
    let Search { curve, best, .. } = search;
    let least = best.into_values().reduce(|a, b| if b.0 < a.0 { b } else { a });
    let (bic, fitted) = match least {
        Some(least) => least,
        None => {
            let fitted = fit(rows, &settings.request(1, most), run)?;
            (criterion(&fitted, &settings.request(1, most), n), fitted)
        }
    };
    Ok(Chosen { fitted, curve, bic })
}

struct Search<'s> {
    rows: &'s Rows,
    settings: &'s Settings,
    run: &'s Run,
    curve: Vec<[f64; 3]>,
    /// The best fit of each number of components.
    best: BTreeMap<usize, (f64, Fitted)>,
}

impl Search<'_> {
    /// The least criterion with so many components.
    fn of(&mut self, components: usize) -> Result<f64> {
        if let Some((bic, _)) = self.best.get(&components) {
            return Ok(*bic);
        }
        let n = self.rows.view().nrows();
        let found = if self.settings.analyzers == Amount::Bic {
            self.grow(components, Settings::most_analyzers(n, components).min(MOST))?
        } else {
            let request = self.settings.request(self.settings.analyzers(n, components), components);
            let fitted = fit(self.rows, &request, self.run)?;
            self.note(fitted, &request)
        };
        let bic = found.0;
        self.best.insert(components, found);
        Ok(bic)
    }

    fn note(&mut self, fitted: Fitted, request: &Request) -> (f64, Fitted) {
        let bic = criterion(&fitted, request, self.rows.view().nrows());
        self.curve.push([fitted.mixture.weights.len() as f64, request.factors as f64, bic]);
        (bic, fitted)
    }

    /// From one analyzer on, in steps of a fifth; then the numbers around the best, by merging.
    fn grow(&mut self, components: usize, most: usize) -> Result<(f64, Fitted)> {
        let mut best: Option<(f64, Fitted)> = None;
        let mut last: Option<Mixture> = None;
        let (mut count, mut worse) = (1, 0);
        while count <= most && worse < PATIENCE {
            let request = self.settings.request(count, components);
            let mut found = fit(self.rows, &request, self.run)?;
            // The split of the mixture before is one more start.
            if let Some(before) = last.take().filter(|before| before.weights.len() + 1 == count) {
                let split = finish(self.rows, Fitted::begun(split(before)), &request, self.run)?;
                if split.history.last() > found.history.last() {
                    found = split;
                }
            }
            last = Some(found.mixture.clone());
            let found = self.note(found, &request);
            worse += 1;
            if best.as_ref().is_none_or(|best| found.0 < best.0) {
                (best, worse) = (Some(found), 0);
            }
            count += (count / 5).max(1);
        }
        // What two analyzers do may be done by one.
        while let Some((bic, fitted)) = best.take() {
            let count = fitted.mixture.weights.len();
            if count > 1 {
                let request = self.settings.request(count - 1, components);
                let merged = Fitted::begun(merge(fitted.mixture.clone()));
                let merged = finish(self.rows, merged, &request, self.run)?;
                let merged = self.note(merged, &request);
                if merged.0 < bic {
                    best = Some(merged);
                    continue;
                }
            }
            return Ok((bic, fitted));
        }
        let request = self.settings.request(1, components);
        let fitted = fit(self.rows, &request, self.run)?;
        Ok(self.note(fitted, &request))
    }
}

/// `-2 L + p ln n`.
fn criterion(fitted: &Fitted, request: &Request, n: usize) -> f64 {
    let likelihood = fitted.history.last().copied().unwrap_or(f64::NEG_INFINITY) * n as f64;
    let free_degrees = request.tails == Tails::Student(None);
    let parameters = fitted.mixture.parameters(request.isotropic, free_degrees);
    -2.0 * likelihood + parameters * (n as f64).ln()
}

/// The analyzer with the most weighted spread becomes two, on both sides of its mean along its first factor.
fn split(mut mixture: Mixture) -> Mixture {
    let spread = |j: usize| {
        let loadings = &mixture.analyzers[j].loadings;
        mixture.weights[j] * loadings.iter().map(|w| w * w).sum::<f64>()
    };
    let widest =
        (0..mixture.weights.len()).reduce(|a, b| if spread(b) > spread(a) { b } else { a }).unwrap_or(0);
    mixture.weights[widest] *= 0.5;
    let half = mixture.weights[widest];
    let analyzer = &mut mixture.analyzers[widest];
    let step: Vec<f64> = analyzer.loadings.column(0).iter().map(|w| 0.8 * w).collect();
    analyzer.loadings.column_mut(0).mapv_inplace(|w| 0.6 * w);
    let mut other = analyzer.clone();
    analyzer.mean.iter_mut().zip(&step).for_each(|(mean, step)| *mean += step);
    other.mean.iter_mut().zip(&step).for_each(|(mean, step)| *mean -= step);
    mixture.weights.push(half);
    mixture.analyzers.push(other);
    if let Some(&degrees) = mixture.degrees.get(widest) {
        mixture.degrees.push(degrees);
    }
    mixture
}

/// The lightest analyzer goes into the one whose mean is nearest for its own spread.
fn merge(mut mixture: Mixture) -> Mixture {
    let m = mixture.weights.len();
    let lightest =
        (0..m).reduce(|a, b| if mixture.weights[b] < mixture.weights[a] { b } else { a }).unwrap_or(0);
    let gone: Gaussian = mixture.analyzers.remove(lightest);
    let weight = mixture.weights.remove(lightest);
    if !mixture.degrees.is_empty() {
        mixture.degrees.remove(lightest);
    }
    let apart = |other: &Gaussian| {
        other.mean.iter().zip(&gone.mean).map(|(a, b)| (a - b).powi(2)).sum::<f64>()
            / other.loadings.iter().map(|w| w * w).sum::<f64>().max(f64::MIN_POSITIVE)
    };
    let distances: Vec<f64> = mixture.analyzers.iter().map(apart).collect();
    if let Some(near) = (0..m - 1).reduce(|a, b| if distances[b] < distances[a] { b } else { a }) {
        let total = mixture.weights[near] + weight;
        let share = weight / total;
        let analyzer = &mut mixture.analyzers[near];
        for (mean, other) in analyzer.mean.iter_mut().zip(&gone.mean) {
            *mean += share * (other - *mean);
        }
        mixture.weights[near] = total;
    }
    mixture
}
