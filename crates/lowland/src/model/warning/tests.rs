use super::*;

#[test]
fn the_number_comes_first_and_the_remedy_last() {
    let one = Warning::RankDeficient { asked: 6, rank: 5, remedy: String::new() };
    assert_eq!(
        one.to_string(),
        "1 of 6 components is zero: the data vary in 5 directions; ask for fewer components"
    );
    let several = Warning::ZeroComponents { asked: 6, zero: 2, reason: "why; what to do".into() };
    assert_eq!(several.to_string(), "2 of 6 components are zero: why; what to do");
    let analyzers = Warning::AnalyzersDied { died: 2, left: 8 };
    assert_eq!(
        analyzers.to_string(),
        "2 of 10 analyzers were removed, with too few rows left to describe; lower n_analyzers"
    );
    let unclear = Warning::UnclearClusters { clusters: 3, ratio: 2.25 };
    assert!(unclear.to_string().starts_with("3 clusters were chosen, but there is no clear eigengap"));
    let factor = Warning::FilledIn { needed: 4 << 30, forecast: 2 << 30 };
    assert!(
        factor.to_string().starts_with("4.0 GiB were needed") && factor.to_string().ends_with("within it")
    );
    let parts = Warning::Disconnected { sizes: vec![7, 2], policy: "join".into() };
    assert!(
        parts
            .to_string()
            .starts_with("2 connected components in the neighbor graph, of sizes 7, 2 (disconnected = join)")
    );
}
