//! Dates and times as tables hold them: `2021-03-04`, `2021/03/04 12:30`, `04.03.2021`, `3/4/2021`.

/// Which of the first two numbers is the day, where the year comes last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    DayFirst,
    MonthFirst,
}

/// Whether this is a date in any order.
pub(crate) fn is_date(text: &str) -> bool {
    seconds(text, Order::DayFirst).or_else(|| seconds(text, Order::MonthFirst)).is_some()
}

/// The order that all these dates have; an error where none fits all, or where both do and it matters.
pub(crate) fn order<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Result<Order, String> {
    let fits = |order| texts.clone().find(|text| seconds(text, order).is_none());
    match (fits(Order::DayFirst), fits(Order::MonthFirst)) {
        (Some(_), Some(text)) => Err(format!("'{text}' is no date as the others are")),
        (Some(_), None) => Ok(Order::MonthFirst),
        (None, Some(_)) => Ok(Order::DayFirst),
        (None, None) => {
            let differs = |text: &&str| seconds(text, Order::DayFirst) != seconds(text, Order::MonthFirst);
            match texts.clone().find(differs) {
                // Points stand between the day and the month, in this order, wherever they are used.
                Some(text) if !text.contains('.') => {
                    Err(format!("'{text}' can be day and month or month and day; write dates as 2021-03-04"))
                }
                _ => Ok(Order::DayFirst),
            }
        }
    }
}

/// The seconds since the first of January 1970, in the time zone of the text where it names none.
pub(crate) fn seconds(text: &str, order: Order) -> Option<f64> {
    let text = text.trim();
    let end = text.find(['T', ' ']).unwrap_or(text.len());
    let (date, time) = (&text[..end], text[end..].trim_start_matches(['T', ' ']));
    let separator = date.chars().find(|c| !c.is_ascii_digit())?;
    if !matches!(separator, '-' | '/' | '.') {
        return None;
    }
    let parts: Vec<&str> = date.split(separator).collect();
    let [a, b, c] = parts[..] else { return None };
    let digits = |part: &str, most: usize| {
        let good = (1..=most).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        if good { part.parse::<i64>().ok() } else { None }
    };
    let (year, month, day) = if a.len() == 4 {
        (digits(a, 4)?, digits(b, 2)?, digits(c, 2)?)
    } else if c.len() == 4 {
        let (first, second) = (digits(a, 2)?, digits(b, 2)?);
        let (day, month) = if order == Order::DayFirst { (first, second) } else { (second, first) };
        (digits(c, 4)?, month, day)
    } else {
        return None;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    Some(days(year, month, day) as f64 * 86_400.0 + clock(time)?)
}

/// `12:30`, `12:30:15.5`, and a zone after it; nothing is midnight.
fn clock(text: &str) -> Option<f64> {
    if text.is_empty() {
        return Some(0.0);
    }
    let text = text.trim();
    let (text, zone) = match (text.strip_suffix(['Z', 'z']), text.rfind(['+', '-'])) {
        (Some(text), _) => (text, 0.0),
        (None, Some(at)) => {
            let offset = &text[at + 1..];
            let (hours, minutes) = match offset.split_once(':') {
                Some(parts) => parts,
                None if offset.len() == 4 => offset.split_at(2),
                None => (offset, "0"),
            };
            let (hours, minutes): (f64, f64) = (hours.parse().ok()?, minutes.parse().ok()?);
            let offset = hours * 3600.0 + minutes * 60.0;
            (&text[..at], if text[at..].starts_with('-') { -offset } else { offset })
        }
        (None, None) => (text.strip_suffix(" UTC").unwrap_or(text), 0.0),
    };
    let mut total = 0.0;
    let mut unit = 3600.0;
    let parts: Vec<&str> = text.trim().split(':').collect();
    if !(2..=3).contains(&parts.len()) {
        return None;
    }
    for (part, most) in parts.iter().zip([24.0, 60.0, 61.0]) {
        let value: f64 = part.parse().ok().filter(|value| (0.0..most).contains(value))?;
        total += value * unit;
        unit /= 60.0;
    }
    Some(total - zone)
}

/// The days since the first of January 1970: years begin in March, so that the odd day comes last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date of a number of seconds, with the time where it is not midnight or something follows the second.
pub(crate) fn written(seconds: i64, more: bool) -> String {
    let (day, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let shifted = day + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted - era * 146_097;
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    let date = format!("{year:04}-{month:02}-{day:02}");
    if second == 0 && !more {
        return date;
    }
    format!("{date} {:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_count_from_1970_and_come_back() {
        for (text, expected) in [
            ("1970-01-01", 0.0),
            ("1970-01-02", 86_400.0),
            ("2000-02-29", 951_782_400.0),
            ("2021/03/04", 1_614_816_000.0),
            ("04.03.2021", 1_614_816_000.0),
            ("2021-03-04T12:30", 1_614_861_000.0),
            ("2021-03-04 12:30:15Z", 1_614_861_015.0),
            ("2021-03-04T12:30:15+02:00", 1_614_853_815.0),
            ("1969-12-31 23:59:59", -1.0),
        ] {
            assert_eq!(seconds(text, Order::DayFirst), Some(expected), "{text}");
        }
        for seconds_ in [0, 951_782_400, 1_614_816_000, -86_400, -62_000_000_000] {
            assert_eq!(seconds(&written(seconds_, false), Order::DayFirst), Some(seconds_ as f64));
        }
        for text in [
            "",
            "12",
            "1.5",
            "2021-13-01",
            "2021-02-30",
            "192.168.0.1",
            "2021-03",
            "1-2-3",
            "a-b-c",
            "2021-03-04x",
        ] {
            assert!(!is_date(text), "{text}");
        }
    }

    #[test]
    fn the_order_is_that_of_all() {
        let of = |texts: &[&'static str]| order(texts.iter().copied());
        assert_eq!(of(&["03/04/2021", "25/04/2021"]), Ok(Order::DayFirst));
        assert_eq!(of(&["03/04/2021", "04/25/2021"]), Ok(Order::MonthFirst));
        assert_eq!(of(&["03.04.2021"]), Ok(Order::DayFirst));
        assert_eq!(of(&["2021-04-03", "03/03/2021"]), Ok(Order::DayFirst));
        assert!(of(&["03/04/2021"]).unwrap_err().contains("2021-03-04"));
        assert!(of(&["25/04/2021", "04/25/2021"]).is_err());
    }
}
