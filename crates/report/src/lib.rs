//! A comparison of methods as one page of HTML that needs nothing else: no network, no fonts, no scripts but a few lines
//! that sort tables, and everything can be read without them.

mod pictures;
mod style;
mod tables;
mod words;

pub use words::grouped;

use lowland::compare::{BestFor, Cell, Comparison, command};
use lowland::units::count as counted;
use lowland::units::count_grouped;
use lowland_plot::{Coloring, DotStyles, thumbnail_style};
use words::{duration, escaped};

/// What the comparison is of.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// Its name, for the title.
    pub name: &'a str,
    /// The input and the flags that say how it is read, as they stand on a command line, where there is one.
    pub input: Option<&'a str>,
    /// What colors the points: one for each row of the data.
    pub coloring: Coloring<'a>,
}

/// The page.
pub fn html(comparison: &Comparison, subject: &Subject<'_>) -> String {
    let styles = DotStyles::of(&subject.coloring, comparison.n).select(&comparison.rows);
    let title = format!("Which method for {}?", subject.name);
    let mut page = head(&title, style::STYLE);
    page += &lead(comparison);
    page += &advice(comparison, subject, &styles);
    page += &tables::ranking(comparison);
    page += &pictures::embeddings(comparison, &styles);
    page += &pictures::distortions(comparison);
    page += &pictures::spectra(comparison);
    page += &tables::stability(comparison);
    page += &tables::cost(comparison);
    page += &pictures::all_cells(comparison, &styles);
    page += &tables::left_out(comparison);
    page += &tables::measures(comparison);
    page + &format!(
        "<footer>Lowland {}. Made in {}{}.</footer>\n</main>\n<script>{}</script></body></html>\n",
        env!("CARGO_PKG_VERSION"),
        duration(comparison.seconds),
        match comparison.resumed {
            0 => String::new(),
            1 => "; 1 setting was finished before".to_owned(),
            cells => format!("; {cells} settings were finished before"),
        },
        style::SCRIPT
    )
}

/// Another page in the same style: its title, what it adds to the style, its body, and how long it took.
pub fn document(title: &str, style: &str, body: &str, seconds: f64) -> String {
    let page = head(title, &format!("{}{style}", style::STYLE));
    page + body
        + &format!(
            "<footer>Lowland {}. Made in {}.</footer>\n</main>\n<script>{}</script></body></html>\n",
            env!("CARGO_PKG_VERSION"),
            duration(seconds),
            style::SCRIPT
        )
}

fn head(title: &str, style: &str) -> String {
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n<meta \
         name=\"viewport\" content=\"width=device-width,initial-scale=1\"><meta name=\"color-scheme\" \
         content=\"light dark\">\n<style>{}{style}</style></head>\n<body><main>\n<h1>{title}</h1>\n",
        thumbnail_style(),
    )
}

fn lead(comparison: &Comparison) -> String {
    let Comparison { n, features, dimensions, k, .. } = comparison;
    let estimate = match &comparison.estimated_dimension {
        Some(found) => format!(" The data seem to have {:.1} (maximum likelihood).", found.value),
        None => String::new(),
    };
    let judged = comparison.cells.iter().filter(|tried| tried.outcome.judged().is_some()).count();
    format!(
        "<p class=\"lead\">{} with {}, embedded in {}.{estimate} {} in {}, judged by neighborhoods of {}.</p>\n",
        count_grouped(*n, "row"),
        count_grouped(*features, "column"),
        counted(*dimensions, "dimension"),
        counted(comparison.ranking.iter().map(|ranked| 1 + ranked.same_embedding.len()).sum(), "method"),
        counted(judged, "setting"),
        counted(*k, "point"),
    )
}

fn advice(comparison: &Comparison, subject: &Subject<'_>, styles: &DotStyles) -> String {
    let advice = &comparison.advice;
    let list = |name: &str, lines: &[String]| {
        if lines.is_empty() {
            return String::new();
        }
        let lines: String = lines.iter().map(|line| format!("<li>{}</li>", escaped(line))).collect();
        format!("<h3>{name}</h3><ul>{lines}</ul>")
    };
    let line = |cell: &Cell| {
        let line = subject.input.map(|input| command(cell, comparison.dimensions, input));
        line.map(|line| format!("<pre><code>{}</code></pre>", escaped(&line))).unwrap_or_default()
    };
    let chosen = advice
        .method
        .as_ref()
        .map(|method| Cell { method: method.clone(), settings: advice.settings.clone() });
    format!(
        "<section class=\"advice\"><h2>{}</h2>{}{}{}{}{}{}</section>\n",
        escaped(&advice.recommendation),
        chosen.as_ref().map(&line).unwrap_or_default(),
        pictures::first(comparison, chosen.as_ref(), styles),
        purposes(comparison, chosen.as_ref(), &line),
        list("Why", &advice.reasons),
        list("Doubts", &advice.doubts),
        list("Excluded", &advice.excluded)
    )
}

/// What is best for what; the command of each that is not the recommended one.
fn purposes(comparison: &Comparison, chosen: Option<&Cell>, line: &dyn Fn(&Cell) -> String) -> String {
    let mut rows = String::new();
    for BestFor { purpose, cell, same_embedding, figures } in &comparison.advice.best_for {
        let same = match same_embedding.as_slice() {
            [] => String::new(),
            names => format!(" <small>the same: {}</small>", escaped(&names.join(", "))),
        };
        let own = if Some(cell) == chosen { String::new() } else { line(cell) };
        rows += &format!(
            "<dt>{}</dt><dd><b>{}</b> ({}){same}: {}{own}</dd>",
            purpose.words(),
            escaped(&cell.method),
            escaped(&cell.words()),
            escaped(figures)
        );
    }
    if rows.is_empty() { rows } else { format!("<h3>Best for what</h3><dl class=\"best\">{rows}</dl>") }
}
