//! Whether the first line of a text table names its columns.

use super::fields::{Fields, Separator, decoded, is_missing, may_be_thousands, with_point};
use super::parse::number;
use super::without_return;
use crate::table::abbreviated;
use lowland::units::one_or_many;
use std::collections::BTreeSet;

/// Lines that are looked at below the first.
const SAMPLE: usize = 50;
/// So many cells are looked at for decimal commas: a line may have millions.
const SAMPLED_FIELDS: usize = 10_000;

/// What the first line is.
#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    Names,
    Data,
    /// Taken for one of both, which must be said.
    Doubtful {
        names: bool,
        words: String,
    },
}

/// How many fields the first of these lines has.
pub(super) fn count(lines: &[u8], separator: Separator) -> usize {
    sample(lines, 1).first().map_or(0, |line| Fields::new(line, separator).count())
}

/// By the looks of the first line and of those below it. A line of numbers is data. A line that is mostly numbers is data
/// too where the others are missing or spoiled numbers, and else doubtful. Names stand over numbers; where a table has
/// none, they are words that do not come again.
pub(super) fn judge(
    first: &[String],
    after: &[u8],
    separator: Separator,
    commas: bool,
    wanted: &dyn Fn(&str) -> bool,
) -> Verdict {
    let number = |text: &[u8]| {
        if commas {
            with_point(text).and_then(|text| number(&text)).or_else(|| number(text))
        } else {
            number(text)
        }
    };
    let odd: Vec<&String> = first.iter().filter(|cell| number(cell.as_bytes()).is_none()).collect();
    if odd.is_empty() || odd.iter().all(|cell| is_missing(cell.as_bytes())) && odd.len() == first.len() {
        return Verdict::Data;
    }
    let numbers = first.len() - odd.len();
    if odd.iter().any(|cell| !cell.is_empty() && wanted(cell)) {
        return Verdict::Names;
    }
    let below: Vec<Vec<String>> =
        sample(after, SAMPLE).into_iter().map(|line| cells(line, separator)).collect();
    let shift = below.first().map_or(0, |cells| usize::from(cells.len() == first.len() + 1));
    let column = |j: usize| {
        let cells = below.iter().filter_map(move |row| row.get(j + shift));
        cells.filter(|cell| !is_missing(cell.as_bytes()))
    };
    let over_numbers =
        |j: usize| column(j).next().is_some() && column(j).all(|cell| number(cell.as_bytes()).is_some());
    let is_odd = |j: usize| number(first[j].as_bytes()).is_none();
    let spoiled = odd.iter().all(|cell| is_missing(cell.as_bytes()) || is_spoiled(cell));
    // A data frame's header, whose first name is empty, is no row with a missing value, unless it is mostly numbers.
    if spoiled && (numbers * 2 > first.len() || odd.iter().all(|cell| is_missing(cell.as_bytes()))) {
        let whole = |cell: &String| number(cell.as_bytes()).is_none_or(|value| value.fract() == 0.0);
        let years = first.iter().all(whole) && !(0..first.len()).all(|j| column(j).all(whole));
        if years && numbers > 0 {
            let words = format!(
                "{} of {} cells of the first line {} not numeric, and it was taken for data ({}); if it holds the names \
                 of the columns, set --header yes",
                odd.len(),
                first.len(),
                one_or_many(odd.len(), "is", "are"),
                abbreviated(first)
            );
            return Verdict::Doubtful { names: false, words };
        }
        return Verdict::Data;
    }
    if below.is_empty() && numbers == 0 && first.len() > 1 {
        return Verdict::Names;
    }
    if (0..first.len()).any(|j| is_odd(j) && over_numbers(j)) {
        let truth = |cell: &&&String| ["true", "false"].contains(&cell.to_ascii_lowercase().as_str());
        let missing = |cell: &&&String| !cell.is_empty() && is_missing(cell.as_bytes());
        let strange = odd.iter().filter(|cell| is_spoiled(cell) || truth(cell) || missing(cell)).count();
        if numbers + strange > 0 {
            let words = format!(
                "{} of {} cells of the first line {} like data, yet it was taken for the names of the columns ({}); if \
                 it is data, say --header no",
                numbers + strange,
                first.len(),
                one_or_many(numbers + strange, "looks", "look"),
                abbreviated(first)
            );
            return Verdict::Doubtful { names: true, words };
        }
        return Verdict::Names;
    }
    // No column of numbers below a word: names are different, and do not come again below.
    let different = first.iter().collect::<BTreeSet<_>>().len() == first.len();
    let again = (0..first.len()).any(|j| column(j).any(|cell| *cell == first[j]));
    let repeat = (0..first.len()).any(|j| column(j).count() > column(j).collect::<BTreeSet<_>>().len());
    if numbers == 0 && first.len() > 1 && different && !again && repeat {
        let words = format!(
            "0 columns hold only numbers, and the first line was taken for their names ({}); if it is data, say \
             --header no",
            abbreviated(first)
        );
        return Verdict::Doubtful { names: true, words };
    }
    Verdict::Data
}

/// A number with a decimal comma, where the first lines have such. Semicolons are there because commas are taken; beside
/// other separators a comma may be one of thousands.
pub(super) fn decimal_comma(lines: &[u8], separator: Separator) -> Option<String> {
    let fields = |line| Fields::new(line, separator).map_while(Result::ok);
    let mut found = None;
    for field in sample(lines, SAMPLE).into_iter().flat_map(fields).take(SAMPLED_FIELDS) {
        let text = field.text();
        if text.contains(&b'.') && number(&text).is_some() {
            return None;
        }
        let tells = || separator == Separator::Byte(b';') || !may_be_thousands(&text);
        if found.is_none() && with_point(&text).is_some() && tells() {
            found = Some(decoded(&text).into_owned());
        }
    }
    found
}

/// A number that went wrong: too large, of another base, with thousands or units.
fn is_spoiled(cell: &str) -> bool {
    let digits = cell.trim_start_matches(['+', '-', '$', '€', '£', '<', '>', '~', '.', ' ']);
    let inf = ["inf", "infinity"].contains(&digits.to_ascii_lowercase().as_str());
    inf || digits.starts_with(|c: char| c.is_ascii_digit())
}

fn sample(text: &[u8], lines: usize) -> Vec<&[u8]> {
    text.split(|b| *b == b'\n').take(lines).map(without_return).filter(|line| !line.is_empty()).collect()
}

fn cells(line: &[u8], separator: Separator) -> Vec<String> {
    let fields = Fields::new(line, separator).map_while(Result::ok);
    fields.map(|field| decoded(&field.text()).into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Verdict {
        let (first, after) = text.split_once('\n').unwrap_or((text, ""));
        let separator = Separator::Byte(b',');
        judge(&cells(first.as_bytes(), separator), after.as_bytes(), separator, false, &|name| {
            name == "wanted"
        })
    }

    #[test]
    fn a_spoiled_number_makes_no_name() {
        for first in ["NA,1,2", ",1,2", "nan,1,2", "1e400,1,2", "0x10,1,2", "\"1,000\",1,2", "1,NA", "NA,NA"]
        {
            assert_eq!(of(&format!("{first}\n4,5,6\n7,8,9\n")), Verdict::Data, "{first}");
        }
        assert!(matches!(of("x,1,2\n4,5,6\n"), Verdict::Doubtful { names: true, .. }));
        assert!(matches!(of("id,2019,2020\n1,5,6\n"), Verdict::Doubtful { names: true, .. }));
        assert!(matches!(of(",2019,2020\n0,5.5,6\n"), Verdict::Doubtful { names: false, .. }));
    }

    #[test]
    fn decimal_commas_are_told_from_thousands() {
        let found = |text: &str, separator| decimal_comma(text.as_bytes(), Separator::Byte(separator));
        assert_eq!(found("a;b\n1,5;2\n", b';').as_deref(), Some("1,5"));
        assert_eq!(found("1,500;2\n", b';').as_deref(), Some("1,500"));
        assert_eq!(found("x\t1,500\ny\t2,250\n", b'\t'), None);
        assert_eq!(found("x\t1,500\ny\t2,25e3\n", b'\t').as_deref(), Some("2,25e3"));
        assert_eq!(found("\"1,000\",2\n\"3,000\",4\n", b','), None);
        assert_eq!(found("\"1,5\",2\n", b',').as_deref(), Some("1,5"));
        for text in ["1,5;2.5\n", "1.000,5;2\n", "a, b;2\n", "1,2,3;4\n", ",5x;1\n"] {
            assert_eq!(found(text, b';'), None, "{text}");
        }
    }

    #[test]
    fn names_stand_over_numbers_or_do_not_come_again() {
        for text in ["a,b\n1,2\n", ",a,b\n0,1,2\n", "name,x\nfoo,NA\nbar,3\n"] {
            assert_eq!(of(text), Verdict::Names, "{text}");
        }
        for first in [
            "2020,b",
            "1st,2nd",
            "x,3",
            "\"1,000\",\"2,000\"",
            "0x1,0x2",
            "12%,3%",
            "$5,$6",
            "TRUE,FALSE",
            "1e400,inf",
        ] {
            let text = format!("{first}\n1,2\n3,4\n");
            assert!(matches!(of(&text), Verdict::Doubtful { names: true, .. }), "{text}");
        }
        assert_eq!(of("setosa,5.1\nvirginica,4\n"), Verdict::Data);
        assert_eq!(of("5.1,setosa\n4,virginica\n"), Verdict::Data);
        assert!(matches!(of("class,cap\np,x\ne,x\np,y\n"), Verdict::Doubtful { names: true, .. }));
        assert_eq!(of("p,x\np,x\ne,y\n"), Verdict::Data);
        assert_eq!(of("a,wanted\nx,y\n"), Verdict::Names);
        assert_eq!(of("1,2"), Verdict::Data);
        assert_eq!(of("a,b\n1,2,3\n"), Verdict::Names, "names of rows without a name above them");
    }
}
