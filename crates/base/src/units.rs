//! Sizes, durations and shares as people write them: one reader and one writer of each, for every front end.
//!
//! A size is a number and a unit. One letter and the units with an `i` are powers of 1024 (`8g`, `8Gi` and `8GiB` are
//! 8 · 1024³ bytes); the units that end in `B` without an `i` are powers of 1000 (`8GB` is 8 · 10⁹ bytes); a number
//! alone is bytes. Case and spaces do not matter.

use crate::{Error, Result};
use std::time::Duration;

/// Reads a size in bytes; `name` is the parameter that an error names.
pub fn parse_bytes(name: &str, text: &str) -> Result<u64> {
    let refused = |remedy: &str| {
        Error::parameter(name, text.trim(), "it must be a size of at least 0, such as 8GiB or 500MB", remedy)
    };
    let (number, unit) = split(text).ok_or_else(|| refused("begin with a number"))?;
    let unit = unit.to_ascii_lowercase();
    let (base, prefix) = match (unit.strip_suffix("ib").or(unit.strip_suffix('i')), unit.strip_suffix('b')) {
        (Some(prefix), _) if !prefix.is_empty() => (1024.0_f64, prefix),
        (_, Some(prefix)) => (1000.0, prefix),
        _ => (1024.0, unit.as_str()),
    };
    let power = ["", "k", "m", "g", "t"].iter().position(|known| *known == prefix);
    let power = power.ok_or_else(|| {
        refused("take KiB, MiB, GiB or TiB (powers of 1024), or KB, MB, GB or TB (powers of 1000)")
    })?;
    let size = number * base.powi(power as i32);
    // Above 2^64 the conversion would stop at the largest number: that is no budget that anyone meant.
    if (0.0..u64::MAX as f64).contains(&size) {
        Ok(size as u64)
    } else {
        Err(refused("give a size that a computer can have"))
    }
}

/// `1.5 GiB`: powers of 1024, as [`parse_bytes`] reads them.
pub fn human_bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    // What is shown with one digit must not reach 1024.0 of its unit.
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// Reads a duration, `90s`, `10min`, `2h`, or seconds without a unit; `name` is the parameter that an error names.
pub fn parse_duration(name: &str, text: &str) -> Result<Duration> {
    let refused = |remedy: &str| {
        Error::parameter(
            name,
            text.trim(),
            "it must be a duration of at least 0, such as 90s or 10min",
            remedy,
        )
    };
    let (number, unit) = split(text).ok_or_else(|| refused("begin with a number"))?;
    let seconds = match unit.to_ascii_lowercase().as_str() {
        "ms" => 1e-3,
        "" | "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(refused("take ms, s, min or h")),
    };
    Duration::try_from_secs_f64(number * seconds).map_err(|_| refused("take ms, s, min or h"))
}

/// `250 ms`, `1.5 s`, `12 min`, `2.5 h`.
pub fn human_duration(seconds: f64) -> String {
    match seconds {
        s if s < 0.001 => "under 1 ms".into(),
        s if s < 0.9995 => format!("{:.0} ms", 1000.0 * s),
        s if s < 119.95 => format!("{s:.1} s"),
        s if s < 7170.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// A share as `2.1 %` or `25 %`: one digit after the point below 10 %, none above, and `0 %` for nothing.
pub fn percent(share: f64) -> String {
    if share == 0.0 {
        "0 %".into()
    } else if share.abs() < 0.0995 {
        format!("{:.1} %", 100.0 * share)
    } else {
        format!("{:.0} %", 100.0 * share)
    }
}

/// `1 direction`, `2 directions`.
pub fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// The same with the digits of large numbers in groups: `12,345 rows`.
pub fn count_grouped(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{} {what}s", grouped(number)) }
}

/// The word that goes with one, or that with many: `is` or `are`, `it` or `them`.
pub fn one_or_many<'w>(number: usize, one: &'w str, many: &'w str) -> &'w str {
    if number == 1 { one } else { many }
}

/// `a`, `a or b`, `a, b or c`.
pub fn alternatives<W: AsRef<str>>(words: &[W]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// `12,345`.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number and what follows it.
fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '+' || c == '-'));
    let (number, unit) = text.split_at(end.unwrap_or(text.len()));
    Some((number.parse().ok()?, unit.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_in_every_usual_spelling() {
        for (text, size) in [
            ("8g", 8 << 30),
            ("8G", 8 << 30),
            ("8Gi", 8 << 30),
            ("8GiB", 8 << 30),
            (" 8 gib ", 8 << 30),
            ("8GB", 8_000_000_000),
            ("8 gb", 8_000_000_000),
            ("1.5 KiB", 1536),
            ("1.5kB", 1500),
            ("500MB", 500_000_000),
            ("42", 42),
            ("42B", 42),
            ("0", 0),
            ("2TiB", 2 << 40),
        ] {
            assert_eq!(parse_bytes("memory", text), Ok(size), "{text}");
        }
        for wrong in
            ["", "GiB", "8XB", "-1GiB", "eight", "nan", "8iB8", "8iB", "1e400", "99999999TiB", "8 G B"]
        {
            let message = parse_bytes("memory", wrong).unwrap_err().to_string();
            assert!(message.starts_with("memory = "), "{wrong}: {message}");
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        for bytes in [0, 1, 1023, 1024, 1536, 3 << 20, 8 << 30, 5 << 40] {
            assert_eq!(parse_bytes("memory", &human_bytes(bytes)), Ok(bytes));
        }
        assert_eq!(human_bytes((1 << 30) - 1), "1.0 GiB");
        for (seconds, text) in [(0.25, "250 ms"), (1.5, "1.5 s"), (720.0, "12 min"), (9000.0, "2.5 h")] {
            assert_eq!(human_duration(seconds), text);
            assert_eq!(parse_duration("budget", text).map(|time| time.as_secs_f64()), Ok(seconds));
        }
        assert_eq!([0.9999, 119.99].map(human_duration), ["1.0 s", "2 min"]);
    }

    #[test]
    fn durations_are_read_with_their_units() {
        for (text, seconds) in [("90s", 90.0), ("1.5min", 90.0), ("2 h", 7200.0), ("7", 7.0), ("3m", 180.0)] {
            assert_eq!(parse_duration("budget", text).map(|time| time.as_secs_f64()), Ok(seconds), "{text}");
        }
        for wrong in ["", "min", "5 days", "-1s", "nan", "infs"] {
            assert!(parse_duration("budget", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn shares_and_counts_read_well() {
        assert_eq!([0.0, 0.0213, 0.0996, 0.5, -0.25].map(percent), ["0 %", "2.1 %", "10 %", "50 %", "-25 %"]);
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0, 1, 1000].map(|n| count_grouped(n, "row")), ["0 rows", "1 row", "1,000 rows"]);
        assert_eq!([0, 1, 2].map(|n| one_or_many(n, "is", "are")), ["are", "is", "are"]);
    }
}
