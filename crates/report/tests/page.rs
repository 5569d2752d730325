//! The page: whole, self-contained, safe.

use lowland::compare::ComparisonOptions;
use lowland::stability::Experiment;
use lowland::{Run, data};
use lowland_plot::Coloring;
use lowland_report::{Subject, html};

fn page(dimensions: usize, methods: &[&str], coloring: Coloring<'_>, name: &str) -> String {
    let sample = data::find("swiss-roll").unwrap().sample(120, 0.0, 1).unwrap();
    let comparing = ComparisonOptions {
        methods: methods.iter().map(|name| (*name).to_owned()).collect(),
        grid: if methods.contains(&"ltsa") { vec!["n_neighbors=6,8,9".parse().unwrap()] } else { vec![] },
        dimensions: Some(dimensions),
        stability_of: 1,
        experiment: Experiment { splits: 2, ..Experiment::default() },
        ..ComparisonOptions::default()
    };
    let found = comparing.compare((&sample.points).into(), &Run::new()).unwrap();
    html(&found, &Subject { name, input: Some("'my data.csv' --label-column y"), coloring })
}

/// Every tag that is opened is closed, in order.
fn assert_balanced(page: &str) {
    let mut open: Vec<String> = Vec::new();
    let body = page.split("<script>").next().unwrap();
    for part in body.split('<').skip(1) {
        let tag = part.split('>').next().unwrap();
        let name: String =
            tag.trim_start_matches('/').chars().take_while(|c| c.is_ascii_alphanumeric()).collect();
        if tag.starts_with('!')
            || tag.ends_with('/')
            || ["meta", "br", "path", "rect", "line"].contains(&&*name)
        {
            continue;
        }
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "near <{part}");
        } else {
            open.push(name);
        }
    }
    assert_eq!(open, ["html", "body"], "closed after the script");
}

#[test]
fn pages_are_whole_for_every_dimension_and_coloring() {
    let values: Vec<f64> = (0..120).map(f64::from).collect();
    let names: Vec<String> = (0..120).map(|i| format!("class {}", i % 12)).collect();
    let colorings = [Coloring::Plain, Coloring::Values(&values, "angle"), Coloring::Classes(&names)];
    for (dimensions, coloring) in (1..=3).zip(colorings) {
        let page = page(dimensions, &["pca", "ltsa", "hessian-lle", "lda"], coloring, "roll");
        assert_balanced(&page);
        for words in
            ["Ranking", "Embeddings", "Local distortion", "Spectra", "Stability", "Cost", "Every setting"]
        {
            assert!(page.contains(&format!("<h2>{words}")), "{words}");
        }
        assert!(page.contains("it learns from labels, and there are none"));
        let (shown, _script) = page.split_once("<script>").unwrap();
        for bad in ["NaN", "Infinity", "http:", "https:", " src=", "url("] {
            assert!(!shown.contains(bad), "{bad}");
        }
        assert!(page.contains("lowland embed &#39;my data.csv&#39; --label-column y -m "));
        for words in ["Best for what", "to look at", "to keep neighbors", "class=\"first\"", "more measures"]
        {
            assert!(page.contains(words), "{words}");
        }
        let table = page.split("<h2>Ranking").nth(1).unwrap().split("</thead>").next().unwrap();
        assert!(table.matches("<th").count() - 1 <= 8, "{table}");
        // Every picture that can be enlarged can be made small again.
        assert_eq!(page.matches("class=\"zoom\"").count(), page.matches("class=\"shut\"").count());
        assert!(page.len() < 1_000_000, "{}", page.len());
    }
}

#[test]
fn what_users_write_is_shown_and_not_obeyed() {
    let names: Vec<String> = (0..120).map(|i| format!("<b onclick=\"x\">{}</b>", i % 2)).collect();
    let page = page(2, &["pca"], Coloring::Classes(&names), "</title><script>alert(1)</script>");
    assert_eq!(page.matches("<script>").count(), 1);
    assert!(!page.contains("<b onclick"));
    assert_balanced(&page);
}

#[test]
fn a_comparison_of_nothing_is_a_page_too() {
    let page = page(2, &["lda"], Coloring::Plain, "roll");
    assert!(page.contains("Nothing could be judged"));
    assert_balanced(&page);
}
