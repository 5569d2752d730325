use super::*;

#[path = "../../../../base/src/error/plurals.rs"]
mod plurals;

#[test]
fn the_number_comes_first_and_the_remedy_last() {
    let one = Warning::RankDeficient { asked: 6, rank: 5, remedy: "ask for fewer components".into() };
    assert_eq!(
        one.to_string(),
        "1 of 6 components is zero: the data vary in 5 directions; ask for fewer components"
    );
    let several = Warning::ZeroComponents { asked: 6, zero: 2, reason: "why; what to do".into() };
    assert_eq!(several.to_string(), "2 of 6 components are zero: why; what to do");
    let analyzers = Warning::AnalyzersRemoved { removed: 2, left: 8 };
    assert_eq!(
        analyzers.to_string(),
        "2 of 10 analyzers were removed, with too few rows left to describe; lower n_analyzers"
    );
    let unclear = Warning::NoEigengap { clusters: 3, ratio: 2.25 };
    assert!(unclear.to_string().starts_with("3 clusters were chosen, but there is no clear eigengap"));
    let factor = Warning::FactorOverForecast { needed: 4 << 30, forecast: 2 << 30 };
    assert!(
        factor.to_string().starts_with("4.0 GiB were needed") && factor.to_string().ends_with("within it")
    );
    let parts = Warning::Disconnected { sizes: vec![7, 2], policy: "join".into(), remedy: String::new() };
    assert!(
        parts
            .to_string()
            .starts_with("2 connected components in the neighbor graph, of sizes 7, 2 (disconnected = join)")
    );
    let joined = Warning::Disconnected {
        sizes: vec![7, 2],
        policy: String::new(),
        remedy: "raise n_neighbors".into(),
    };
    assert_eq!(
        joined.to_string(),
        "2 connected components in the neighbor graph, of sizes 7, 2, were joined by their shortest edges; raise \
         n_neighbors"
    );
}

/// Every warning, its counts all 1 (bytes are no count).
fn ones() -> Vec<Warning> {
    let words = || "a word".to_owned();
    let folded = |better, cut| Warning::TooManyNeighbors {
        parameter: words(),
        value: 2.0,
        better,
        dimensions: 1,
        unexplained: 0.5,
        remaining: 0.1,
        cut,
        remedy: words(),
    };
    let edges = || vec![(0, 1)];
    let all = vec![
        Warning::RankDeficient { asked: 1, rank: 0, remedy: String::new() },
        Warning::RankDeficient { asked: 2, rank: 1, remedy: words() },
        Warning::ZeroComponents { asked: 1, zero: 1, reason: words() },
        Warning::ZeroComponents { asked: 2, zero: 1, reason: words() },
        Warning::NegativeEigenvalues { asked: 2, positive: 1, share: 0.5 },
        Warning::Indefinite { share: 0.5 },
        Warning::NonEuclideanGeodesics { share: 0.5, remedy: words() },
        Warning::Disconnected { sizes: vec![1], policy: "join".into(), remedy: String::new() },
        Warning::Disconnected { sizes: vec![1], policy: String::new(), remedy: words() },
        Warning::ShortCircuits { edges: edges(), flow: 0.5, cut: false, remedy: words() },
        Warning::ShortCircuits { edges: edges(), flow: 0.5, cut: true, remedy: words() },
        Warning::SteepShortCircuits { edges: edges(), detour: 3.0, cut: true, remedy: words() },
        folded(None, None),
        folded(Some(1.0), Some(0)),
        folded(Some(1.0), Some(1)),
        Warning::NotConverged { what: words(), steps: 1, change: 0.5, tolerance: 0.1 },
        Warning::Rigid { distances: 1, dimensions: 1, components: 1, share: 0.5, remedy: words() },
        Warning::NotCertified { steps: 1, violation: 0.5, gap: 0.5, tolerance: 0.1, remedy: words() },
        Warning::Regularized { what: words(), amount: 0.5 },
        Warning::OnlyNoise { asked: 1, found: 0 },
        Warning::OnlyNoise { asked: 2, found: 1 },
        Warning::NoReduction { needed: 1, columns: 1 },
        Warning::Distorted { share: 0.5, eps: 0.1 },
        Warning::Collapsed { share: 0.5, remedy: words() },
        Warning::NotFlat { neighbors: 1, dimensions: 1, outside: 0.5, remedy: words() },
        Warning::NoEigengap { clusters: 1, ratio: 1.5 },
        Warning::Stopped { iterations: 1 },
        Warning::ZeroDistances { pairs: 1, floor: 0.5 },
        Warning::Slowed { what: words(), seconds: 1.0, without: 1.0, budget: 8, needed: 9 },
        Warning::AnalyzersRemoved { removed: 1, left: 0 },
        Warning::AnalyzersRemoved { removed: 1, left: 9 },
        Warning::ChartsDisagree { rows: 1, of: 1, charts: vec![0, 1] },
        Warning::ChartsDisagree { rows: 1, of: 600, charts: vec![0, 1] },
        Warning::ChartsDisconnected { groups: 1 },
        Warning::FactorOverForecast { needed: 9, forecast: 8 },
        Warning::OnlyDuplicateNeighbors { points: 1, remedy: words() },
    ];
    // Who adds one here adds it above.
    for warning in &all {
        match warning {
            Warning::RankDeficient { .. } | Warning::ZeroComponents { .. } | Warning::Stopped { .. } => {}
            Warning::NegativeEigenvalues { .. }
            | Warning::Indefinite { .. }
            | Warning::NonEuclideanGeodesics { .. } => {}
            Warning::Disconnected { .. }
            | Warning::ShortCircuits { .. }
            | Warning::SteepShortCircuits { .. } => {}
            Warning::TooManyNeighbors { .. } | Warning::NotConverged { .. } | Warning::Rigid { .. } => {}
            Warning::NotCertified { .. } | Warning::Regularized { .. } | Warning::OnlyNoise { .. } => {}
            Warning::NoReduction { .. } | Warning::Distorted { .. } | Warning::Collapsed { .. } => {}
            Warning::NotFlat { .. } | Warning::NoEigengap { .. } | Warning::ZeroDistances { .. } => {}
            Warning::Slowed { .. } | Warning::AnalyzersRemoved { .. } | Warning::ChartsDisagree { .. } => {}
            Warning::ChartsDisconnected { .. }
            | Warning::FactorOverForecast { .. }
            | Warning::OnlyDuplicateNeighbors { .. } => {}
        }
    }
    all
}

#[test]
fn no_warning_speaks_of_one_as_of_many() {
    for warning in ones() {
        assert_eq!(plurals::one_as_many(&warning.to_string()), None, "{warning}");
    }
    let iteration = Warning::NotConverged { what: "it".into(), steps: 1, change: 0.5, tolerance: 0.1 };
    assert!(iteration.to_string().starts_with("1 iteration was not enough for it to converge"));
    let charts = Warning::ChartsDisagree { rows: 1, of: 600, charts: vec![0, 1] };
    assert!(charts.to_string().starts_with("1 of 600 rows has coordinates"));
}
