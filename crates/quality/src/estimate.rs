//! A figure, and how sure it is.

use lowland_base::{Error, Result, Run};
use rand::seq::{SliceRandom, index};

/// A value with its 95 % interval; where everything was counted, the interval is the value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// The two-sided 95 % point of the normal distribution.
pub(crate) const SURE: f64 = 1.959_963_984_540_054;

/// How many groups a sample is cut into to see how much a figure varies.
pub(crate) const GROUPS: usize = 20;

/// The two-sided 95 % point of Student's distribution with `GROUPS - 1` degrees of freedom.
const SURE_OF_GROUPS: f64 = 2.093_024_054_408_263;

impl Estimate {
    /// Nothing was sampled.
    pub fn exact(value: f64) -> Self {
        Self { value, low: value, high: value }
    }

    /// From a value and the half width of its interval.
    pub(crate) fn around(value: f64, half: f64) -> Self {
        Self { value, low: value - half, high: value + half }
    }

    /// The mean of a population of which these were drawn without replacement.
    pub fn of_mean(sample: &[f64], population: usize) -> Self {
        let m = sample.len();
        let mean = sample.iter().sum::<f64>() / m.max(1) as f64;
        if m >= population {
            return Self::exact(mean);
        }
        let spread = sample.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (m.max(2) - 1) as f64;
        let left = 1.0 - m as f64 / population as f64;
        Self::around(mean, SURE * (spread / m.max(1) as f64 * left).sqrt())
    }

    /// The sum of some parts over that of their wholes, in a population of which these pairs were drawn without
    /// replacement. Not below 0; where there is no whole, 0 or infinite.
    pub fn of_ratio(parts: &[f64], wholes: &[f64], population: usize) -> Self {
        let (part, whole) = (parts.iter().sum::<f64>(), wholes.iter().sum::<f64>());
        let ratio = match (part > 0.0, whole > 0.0) {
            (false, _) => 0.0,
            (true, false) => f64::INFINITY,
            (true, true) => part / whole,
        };
        if !ratio.is_finite() || parts.len() >= population {
            return Self::exact(ratio);
        }
        // To first order a ratio varies as the mean of what the parts are beside it, over the mean of the wholes.
        let beside: Vec<f64> = parts.iter().zip(wholes).map(|(part, whole)| part - ratio * whole).collect();
        let rest = Self::of_mean(&beside, population);
        let mean = whole / wholes.len() as f64;
        let half = if mean > 0.0 { (rest.high - rest.low) / 2.0 / mean } else { 0.0 };
        Self::around(ratio, half).within(0.0, f64::INFINITY)
    }

    /// The value of a whole sample, and those of its [`GROUPS`] groups: what the groups vary by, over the root of
    /// their number, is what the whole varies by. Fewer groups mean that nothing was sampled.
    pub(crate) fn of_groups(value: f64, groups: &[f64], share: f64) -> Self {
        if groups.len() < GROUPS || share >= 1.0 {
            return Self::exact(value);
        }
        let (m, mean) = (groups.len() as f64, groups.iter().sum::<f64>() / groups.len() as f64);
        let spread = groups.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (m - 1.0);
        Self::around(value, SURE_OF_GROUPS * (spread / m * (1.0 - share)).sqrt())
    }

    /// As [`Estimate::of_groups`], from the values of samples that are made of as many groups, drawn with replacement.
    /// For figures that are no means: what is chosen by the sample is chosen again in each of these.
    pub(crate) fn of_resamples(value: f64, resamples: &[f64], share: f64) -> Self {
        if resamples.len() < 2 || share >= 1.0 {
            return Self::exact(value);
        }
        let (m, groups) = (resamples.len() as f64, GROUPS as f64);
        let mean = resamples.iter().sum::<f64>() / m;
        let spread = resamples.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (m - 1.0);
        // Drawing again from few groups varies by less than drawing new ones.
        Self::around(value, SURE_OF_GROUPS * (spread * groups / (groups - 1.0) * (1.0 - share)).sqrt())
    }

    /// Cut at the ends of the range of the values, and so that the value is in the interval.
    pub(crate) fn within(self, least: f64, most: f64) -> Self {
        // What is not a number stays so.
        let value = self.value.clamp(least, most);
        Self { value, low: self.low.max(least).min(value), high: self.high.min(most).max(value) }
    }
}

/// All of `0..n`, or `most` of them drawn at random in random order, so that stretches of it are samples too.
pub(crate) fn sample(n: usize, most: usize, purpose: &str, run: &Run) -> Vec<u32> {
    if n <= most {
        return (0..n as u32).collect();
    }
    let mut rng = run.rng(purpose);
    let mut drawn = index::sample(&mut rng, n, most).into_vec();
    drawn.shuffle(&mut rng);
    drawn.into_iter().map(|i| i as u32).collect()
}

/// Whether neighborhoods of `k` among `n` points can be judged.
pub fn check_k(k: usize, n: usize) -> Result<()> {
    if n < 2 {
        return Err(Error::TooFewRows { rows: n, needed: 2, what: "a judgement".into() });
    }
    if (1..n).contains(&k) {
        return Ok(());
    }
    Err(Error::parameter(
        "n_neighbors",
        k,
        format!("1 to {}, the number of other points", n - 1),
        "ask for fewer neighbors, and for at least one",
    ))
}
