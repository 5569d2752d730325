//! Round numbers for axes.

/// A linear map from a range of numbers to a range of the picture.
#[derive(Clone, Copy)]
pub struct Axis {
    pub low: f64,
    pub high: f64,
    pub start: f32,
    pub end: f32,
}

impl Axis {
    pub fn at(&self, value: f64) -> f32 {
        let share = (value - self.low) / (self.high - self.low);
        self.start + (self.end - self.start) * share as f32
    }

    /// Round numbers inside the range, at least so many units apart, with their labels.
    pub fn ticks(&self, apart: f32) -> Vec<(f64, String)> {
        let count = f64::from(((self.end - self.start).abs() / apart).max(2.0));
        ticks(self.low, self.high, count)
    }
}

/// The finite range of some numbers, never of width zero.
pub fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values.filter(|value| value.is_finite()) {
        low = low.min(value);
        high = high.max(value);
    }
    if low > high {
        return (-1.0, 1.0);
    }
    let middle = low / 2.0 + high / 2.0;
    let least = (1e-9 * middle.abs()).max(f64::MIN_POSITIVE * 1e10);
    if high - low < least {
        let half = if middle == 0.0 { 1.0 } else { middle.abs() / 2.0 };
        return (middle - half, middle + half);
    }
    (low, high)
}

/// Beyond the quartiles by so many times what is between them, a value is far out.
const FAR_OUT: f64 = 5.0;
/// Far values are set aside only if they are at most this share of all, and if the range of the others is so many times
/// smaller.
const FEW: f64 = 0.03;
/// So many are few in any case, among at least ten times as many.
const FEW_POINTS: usize = 3;
const FLATTENED: f64 = 2.0;

/// The range that shows the values well: without a few that are so far out that the others would lie flat.
pub fn limits(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let mut sorted: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let all = range(sorted.iter().copied());
    let n = sorted.len();
    if n < 8 {
        return all;
    }
    let (low, high) = (sorted[n / 4], sorted[3 * n / 4]);
    let fence = (low - FAR_OUT * (high - low), high + FAR_OUT * (high - low));
    let inside = || sorted.iter().copied().filter(|value| (fence.0..=fence.1).contains(value));
    let core = range(inside());
    let outside = n - inside().count();
    let few = outside as f64 <= (FEW * n as f64).max(1.0) || outside <= FEW_POINTS.min(n / 10);
    if high > low && few && all.1 - all.0 > FLATTENED * (core.1 - core.0) { core } else { all }
}

/// The range with a little room on both sides.
pub fn padded((low, high): (f64, f64), share: f64) -> (f64, f64) {
    let room = (high - low) * share;
    (low - room, high + room)
}

/// About `count` round numbers from `low` to `high`.
pub fn ticks(low: f64, high: f64, count: f64) -> Vec<(f64, String)> {
    let rough = (high - low) / count;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= rough * 0.999);
    let step = step.unwrap_or(10.0 * power);
    if !(step.is_finite() && step > 0.0) {
        return Vec::new();
    }
    let first = (low / step - 1e-6).ceil();
    let positions = (0..100).map(|i| first + f64::from(i)).take_while(|i| *i <= high / step + 1e-6);
    let magnitude = low.abs().max(high.abs());
    positions.map(|i| (i * step, label(i * step, step, magnitude))).collect()
}

/// As few digits as tell the ticks apart.
fn label(value: f64, step: f64, magnitude: f64) -> String {
    let value = if value.abs() < step / 2.0 { 0.0 } else { value };
    let text = if value != 0.0 && (magnitude >= 1e5 || step < 1e-4) {
        let digits = (value.abs().log10().floor() - step.log10().floor()).max(0.0) as usize;
        format!("{value:.digits$e}")
    } else {
        let digits = (-(step * 1.001).log10().floor()).max(0.0) as usize;
        format!("{value:.digits$}")
    };
    text.replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(low: f64, high: f64) -> Vec<String> {
        ticks(low, high, 5.0).into_iter().map(|tick| tick.1).collect()
    }

    #[test]
    fn ticks_are_round_and_told_apart() {
        assert_eq!(words(-1.0, 1.0), ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(words(0.0, 30.0), ["0", "10", "20", "30"]);
        assert_eq!(words(0.0, 1e6), ["0", "2e5", "4e5", "6e5", "8e5", "1.0e6"]);
        for (low, high) in [(1e-9, 3e-9), (1e8, 1e8 + 7.0), (-1e300, 1e300), (0.0, 0.3)] {
            let mut labels = words(low, high);
            assert!(labels.len() >= 2, "{low} {high}: {labels:?}");
            let count = labels.len();
            labels.dedup();
            assert_eq!(labels.len(), count, "{labels:?}");
        }
    }

    #[test]
    fn a_far_value_does_not_flatten_the_others() {
        let plain = || (0..200).map(|i| f64::from(i % 37));
        assert_eq!(limits(plain()), (0.0, 36.0));
        assert_eq!(limits(plain().chain([1e6])), (0.0, 36.0));
        assert_eq!(limits(plain().chain([50.0])), (0.0, 50.0));
        // Many of them are no outliers, and half of the points in one spot leave no scale.
        assert_eq!(limits(plain().chain([1e6; 10])).1, 1e6);
        assert_eq!(limits([0.0; 90].into_iter().chain((0..10).map(f64::from))), (0.0, 9.0));
    }

    #[test]
    fn ranges_have_a_width_whatever_the_values() {
        for values in [vec![], vec![3.0], vec![0.0, 0.0], vec![f64::NAN, f64::INFINITY], vec![1e-320]] {
            let (low, high) = range(values.into_iter());
            assert!(low < high && (high - low).is_finite());
        }
    }
}
