//! What the times depend on beside the programs: the machine, its load, the day.

use serde_json::{Value, json};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// The number of threads that can run at once.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The first line of a command, trimmed; empty when it cannot be had.
pub fn line_of(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(crate::root()).output();
    let text = output.ok().filter(|o| o.status.success()).map(|o| o.stdout).unwrap_or_default();
    String::from_utf8_lossy(&text).lines().next().unwrap_or_default().trim().to_owned()
}

/// The value of `key: value` or `key = value` in one of Linux's files of such lines.
fn field(file: &str, key: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

pub fn describe() -> Value {
    let processor = field("/proc/cpuinfo", "model name")
        .or_else(|| Some(line_of("sysctl", &["-n", "machdep.cpu.brand_string"])).filter(|s| !s.is_empty()));
    json!({
        "processor": processor.unwrap_or_else(|| "unknown".into()),
        "logical_processors": threads(),
        "memory": field("/proc/meminfo", "MemTotal"),
        "system": format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
    })
}

/// The load averages over 1, 5 and 15 minutes, where the system says so.
pub fn load() -> Option<Vec<f64>> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split(' ').take(3).map(|word| word.parse().ok()).collect()
}

/// Linux counts processor time in hundredths of a second on every machine it shows to programs.
const TICKS: f64 = 100.0;

/// Seconds that all processors together have been busy, and those that a hypervisor took away.
pub fn busy() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/stat").ok()?;
    let counts: Vec<f64> =
        text.lines().next()?.split_whitespace().skip(1).map_while(|word| word.parse().ok()).collect();
    // user nice system idle iowait irq softirq steal; guests are counted within the first two.
    let idle = counts.get(3)? + counts.get(4)?;
    Some((counts.iter().take(8).sum::<f64>() - idle) / TICKS)
}

/// Seconds of processor time that a process has used.
pub fn used_by(process: u32) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program, in brackets, may contain anything.
    let mut counts = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut next = || counts.next()?.parse::<f64>().ok();
    Some((next()? + next()?) / TICKS)
}

/// Today, as `2026-01-31`, at Greenwich.
pub fn date() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let (year, month, day) = civil(seconds / 86_400);
    format!("{year}-{month:02}-{day:02}")
}

/// Year, month and day of a number of days since 1970-01-01. Counts from 1 March of the year 0, so that
/// the leap day is the last of its year.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(11_017), (2000, 3, 1));
        assert_eq!(civil(19_722), (2023, 12, 31));
        assert_eq!(civil(19_723), (2024, 1, 1));
        assert_eq!(civil(47_540), (2100, 2, 28));
        assert_eq!(civil(47_541), (2100, 3, 1));
    }
}
