//! What the words of a command line mean: settings, sizes, times.

use std::time::Duration;

/// `NAME=VALUE`.
pub fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().replace('-', "_"), value.trim().to_owned()))
        }
        _ => Err("it must be NAME=VALUE".into()),
    }
}

/// `8GiB`, `500MB`, `1.5g`: without a unit bytes; one letter means powers of 1024.
pub fn bytes(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let number: f64 =
        text[..split].trim().parse().map_err(|_| "it must be a size such as 8GiB".to_owned())?;
    let unit = text[split..].to_lowercase();
    let (base, letter) = match unit.strip_suffix("ib") {
        Some(letter) => (1024.0_f64, letter),
        None => match unit.strip_suffix('b') {
            Some(letter) => (1000.0, letter),
            None => (1024.0, unit.as_str()),
        },
    };
    let power = ["", "k", "m", "g", "t"].iter().position(|known| *known == letter);
    let power = power.ok_or_else(|| format!("'{unit}' is not a unit: take KiB, MiB, GiB or TiB"))?;
    let size = number * base.powi(power as i32);
    if size.is_finite() && size >= 0.0 { Ok(size as u64) } else { Err("it must not be negative".into()) }
}

/// `90s`, `10min`, `2h`: without a unit seconds.
pub fn time(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let number: f64 =
        text[..split].trim().parse().map_err(|_| "it must be a time such as 10min".to_owned())?;
    let unit = match &text[split..] {
        "" | "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        other => return Err(format!("'{other}' is not a unit: take s, min or h")),
    };
    Duration::try_from_secs_f64(number * unit).map_err(|_| "it must not be negative".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_in_every_usual_spelling() {
        for (text, size) in [
            ("8GiB", 8 << 30),
            ("8g", 8 << 30),
            ("1.5 KiB", 1536),
            ("500MB", 500_000_000),
            ("42", 42),
            ("42B", 42),
            ("2TiB", 2 << 40),
        ] {
            assert_eq!(bytes(text), Ok(size), "{text}");
        }
        for wrong in ["", "GiB", "8XB", "-1GiB", "eight", "nan", "8iB8"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_are_read_with_their_units() {
        for (text, seconds) in [("90s", 90.0), ("1.5min", 90.0), ("2 h", 7200.0), ("7", 7.0), ("3m", 180.0)] {
            assert_eq!(time(text).map(|time| time.as_secs_f64()), Ok(seconds), "{text}");
        }
        for wrong in ["", "min", "5 days", "-1s", "nan", "infs"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn assignments_keep_what_follows_the_first_sign() {
        assert_eq!(assignment("svd-solver=full"), Ok(("svd_solver".into(), "full".into())));
        assert_eq!(assignment("a = b=c"), Ok(("a".into(), "b=c".into())));
        assert!(assignment("whiten").is_err() && assignment("=1").is_err());
    }
}
