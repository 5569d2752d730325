//! Numbers in JSON, which knows nothing infinite: null stands for it.

use crate::quality::Estimate;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
struct Stored {
    value: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    low: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    high: Option<f64>,
}

/// An estimate: its value, and the interval where there is one.
pub mod estimate {
    use super::{Deserialize, Deserializer, Estimate, Serialize, Serializer, Stored};

    /// Writes.
    pub fn serialize<S: Serializer>(estimate: &Estimate, to: S) -> Result<S::Ok, S::Error> {
        let Estimate { value, low, high } = *estimate;
        let sampled = low != value || high != value;
        let finite = |x: f64| Some(x).filter(|x| x.is_finite());
        let ends = |x: f64| if sampled { finite(x) } else { None };
        Stored { value: finite(value), low: ends(low), high: ends(high) }.serialize(to)
    }

    /// Reads.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Estimate, D::Error> {
        let stored = Stored::deserialize(from)?;
        let value = stored.value.unwrap_or(f64::INFINITY);
        Ok(Estimate { value, low: stored.low.unwrap_or(value), high: stored.high.unwrap_or(value) })
    }
}

/// An estimate that may be missing.
pub mod maybe {
    use super::{Deserialize, Deserializer, Estimate, Serialize, Serializer, estimate};

    #[derive(Serialize, Deserialize)]
    struct Some_(#[serde(with = "estimate")] Estimate);

    /// Writes.
    pub fn serialize<S: Serializer>(it: &Option<Estimate>, to: S) -> Result<S::Ok, S::Error> {
        it.map(Some_).serialize(to)
    }

    /// Reads.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Estimate>, D::Error> {
        Ok(Option::<Some_>::deserialize(from)?.map(|it| it.0))
    }
}

/// A number with about six digits that matter, or as many as its precision says; plain where that is short.
#[derive(Debug, Clone, Copy)]
pub struct Significant(pub f64);

impl std::fmt::Display for Significant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digits = f.precision().unwrap_or(6);
        let size = self.0.abs();
        if self.0 == 0.0 || !self.0.is_finite() {
            write!(f, "{}", self.0)
        } else if (1e-4..1e7).contains(&size) {
            let decimals = (digits as f64 - 1.0 - size.log10().floor()).max(0.0) as usize;
            let text = format!("{:.decimals$}", self.0);
            let short =
                if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
            write!(f, "{short}")
        } else {
            write!(f, "{:.*e}", digits.max(1) - 1, self.0)
        }
    }
}

/// As many digits as a picture can show: five.
pub(super) fn rounded(x: f64) -> f64 {
    if x.is_finite() { format!("{x:.4e}").parse().unwrap_or(0.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_come_back() {
        #[derive(Serialize, Deserialize, Debug, PartialEq)]
        struct Both(#[serde(with = "estimate")] Estimate, #[serde(with = "maybe")] Option<Estimate>);
        let infinite = Estimate::exact(f64::INFINITY);
        let sampled = Estimate { value: 0.1, low: 0.05, high: 0.3 };
        for both in [Both(infinite, None), Both(sampled, Some(sampled)), Both(Estimate::exact(-1.0), None)] {
            let text = serde_json::to_string(&both).unwrap();
            assert_eq!(serde_json::from_str::<Both>(&text).unwrap(), both, "{text}");
        }
    }

    #[test]
    fn rounding_keeps_five_digits() {
        for (x, short) in [
            (0.123_456_7, 0.123_46),
            (-98_765.4, -98_765.0),
            (0.0, 0.0),
            (f64::NAN, 0.0),
            (1.0 / 3e200, 3.3333e-201),
        ] {
            assert_eq!(rounded(x), short);
        }
    }
}
