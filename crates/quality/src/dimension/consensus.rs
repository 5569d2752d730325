//! One answer from several estimates, and how sure it is.

use crate::estimate::Estimate;
use lowland_base::units::one_or_many;
use std::fmt;

/// How sure an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// Of three estimators or more, at least five in six agree.
    Sure,
    /// At least two in three agree.
    FairlySure,
    /// Fewer do, or there is only one.
    Unsure,
}

impl Certainty {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Sure => "sure",
            Self::FairlySure => "fairly sure",
            Self::Unsure => "unsure",
        }
    }
}

/// The dimension that several estimates amount to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answer {
    /// The median of the estimates, rounded; at least 1, and at most the number of columns.
    pub dimensions: usize,
    /// How many estimates are that number once rounded, are within a tenth of it, or have it in their interval.
    pub agree: usize,
    /// How many estimates there are.
    pub of: usize,
    /// The least estimate.
    pub low: f64,
    /// The largest one.
    pub high: f64,
    /// The number of columns.
    pub columns: usize,
}

/// An estimate agrees with a number that is this share of it away, or rounds to it.
const TENTH: f64 = 0.1;
/// From so many dimensions on, estimates from near neighbors are too low: nearly all points lie at the border, and the number
/// of points that would show more grows with a power of the dimension (Levina and Bickel 2005).
const TOO_LOW: usize = 7;

/// The answer of these estimates of data with so many columns; none of no estimates.
pub fn consensus(estimates: &[Estimate], columns: usize) -> Option<Answer> {
    let mut values: Vec<f64> = estimates.iter().map(|e| e.value).filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    let (&low, &high) = (values.first()?, values.last()?);
    let middle = values.len() / 2;
    let median =
        if values.len() % 2 == 1 { values[middle] } else { 0.5 * (values[middle - 1] + values[middle]) };
    let answer = median.round().min(columns as f64).max(1.0);
    let agrees = |e: &&Estimate| {
        (e.value - answer).abs() <= (TENTH * answer).max(0.5) || (e.low..=e.high).contains(&answer)
    };
    let agree = estimates.iter().filter(agrees).count();
    Some(Answer { dimensions: answer as usize, agree, of: estimates.len(), low, high, columns })
}

impl Answer {
    /// Whether it is no more than the least that the data can have: estimates that agree share their error there.
    pub fn is_bound(&self) -> bool {
        self.dimensions >= TOO_LOW && self.dimensions < self.columns
    }

    /// How sure it is.
    pub fn certainty(&self) -> Certainty {
        let Self { agree, of, .. } = *self;
        if self.is_bound() {
            Certainty::Unsure
        } else if of >= 3 && 6 * agree >= 5 * of {
            Certainty::Sure
        } else if of >= 2 && 3 * agree >= 2 * of {
            Certainty::FairlySure
        } else {
            Certainty::Unsure
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { dimensions, agree, of, low, high, columns } = *self;
        let plural = match () {
            () if self.is_bound() => "s or more",
            () if dimensions == 1 => "",
            () => "s",
        };
        write!(f, "{dimensions} dimension{plural} ({}: ", self.certainty().words())?;
        match of {
            1 => write!(f, "1 estimator was asked")?,
            _ => write!(f, "{agree} of {of} estimators {}", one_or_many(agree, "agrees", "agree"))?,
        }
        if self.certainty() != Certainty::Sure && of > 1 {
            write!(f, "; they range from {low:.1} to {high:.1}")?;
        }
        let as_wide = match () {
            () if dimensions >= columns => "; the data have no more columns",
            () if self.is_bound() => "; estimates as high as this are mostly too low",
            () => "",
        };
        write!(f, "{as_wide})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(values: &[f64], columns: usize) -> String {
        let estimates: Vec<Estimate> =
            values.iter().map(|&value| Estimate { value, low: value - 0.1, high: value + 0.1 }).collect();
        consensus(&estimates, columns).map_or_else(String::new, |answer| answer.to_string())
    }

    #[test]
    fn what_most_say_is_the_answer() {
        assert_eq!(
            answer(&[2.0, 1.9, 2.1, 2.2, 1.6, 3.4], 9),
            "2 dimensions (sure: 5 of 6 estimators agree)"
        );
        assert_eq!(
            answer(&[2.0, 1.9, 2.1, 2.2, 3.6, 3.4], 9),
            "2 dimensions (fairly sure: 4 of 6 estimators agree; they range from 1.9 to 3.6)"
        );
        assert_eq!(
            answer(&[12.0, 4.0, 7.0, 9.0, 15.0, 20.0], 784),
            "11 dimensions or more (unsure: 1 of 6 estimators agrees; they range from 4.0 to 20.0; estimates as high as this \
             are mostly too low)"
        );
        assert!(answer(&[9.0, 9.1, 8.9], 30).starts_with("9 dimensions or more (unsure: 3 of 3"));
        assert_eq!(answer(&[0.2], 3), "1 dimension (unsure: 1 estimator was asked)");
        assert_eq!(
            answer(&[3.0, 2.9, 3.0], 3),
            "3 dimensions (sure: 3 of 3 estimators agree; the data have no more columns)"
        );
        assert_eq!(
            answer(&[3.8, 3.9, 3.2], 3),
            "3 dimensions (unsure: 1 of 3 estimators agrees; they range from 3.2 to 3.9; the data have no more columns)"
        );
        assert_eq!(answer(&[], 3), "");
    }
}
