//! What the words of a command line mean: settings, sizes, durations.

use lowland::units;
use lowland_plot::Size;
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

/// A size: `8GiB`, `500MB`, `8g`.
pub fn bytes(text: &str) -> lowland::Result<u64> {
    units::parse_bytes("memory", text)
}

/// A duration: `90s`, `10min`, `2h`.
pub fn duration(text: &str) -> lowland::Result<Duration> {
    units::parse_duration("budget", text)
}

/// The size of a picture: `1200x800`.
pub fn size(text: &str) -> lowland::Result<Size> {
    text.parse()
}

/// The height and width of an image: `28x20`.
pub fn shape(text: &str) -> Result<(usize, usize), String> {
    let side = |word: &str| word.trim().parse::<usize>().ok().filter(|side| (1..=100_000).contains(side));
    match text.split_once(['x', 'X']).map(|(height, width)| (side(height), side(width))) {
        Some((Some(height), Some(width))) => Ok((height, width)),
        _ => Err("it must be height x width in pixels, such as 28x20".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_keep_what_follows_the_first_sign() {
        assert_eq!(assignment("svd-solver=full"), Ok(("svd_solver".into(), "full".into())));
        assert_eq!(assignment("a = b=c"), Ok(("a".into(), "b=c".into())));
        assert!(assignment("whiten").is_err() && assignment("=1").is_err());
    }
}
