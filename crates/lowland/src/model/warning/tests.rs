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
    let parts = Warning::Disconnected { sizes: vec![7, 2], policy: "join".into() };
    assert!(
        parts
            .to_string()
            .starts_with("2 connected components in the neighbor graph, of sizes 7, 2 (disconnected = join)")
    );
}
