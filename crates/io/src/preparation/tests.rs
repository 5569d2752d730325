use super::*;
use lowland::Run;
use std::io::Write;

fn written(text: &str) -> tempfile::NamedTempFile {
    let mut file = tempfile::Builder::new().suffix(".csv").tempfile().expect("a file");
    file.write_all(text.as_bytes()).expect("written");
    file
}

fn of(text: &str, choices: &Choices) -> lowland::Result<Prepared> {
    let file = written(text);
    prepare(file.path().to_str().expect("a name"), choices, Purpose::default(), &Run::new())
}

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|word| (*word).to_owned()).collect()
}

fn refusal(text: &str, choices: &Choices) -> String {
    of(text, choices).map(|_| ()).expect_err("must be refused").to_string()
}

#[test]
fn words_become_numbers_as_asked() {
    let text = "size,when,ok,kind,x\nS,2021-01-02,yes,a,1\nL,2021-01-04,no,b,2\nM,1970-01-02,yes,a,3\n";
    let encode = words(&["size=S<M<L", "when=days", "ok=boolean", "one-hot"]);
    let prepared = of(text, &Choices { encode, ..Choices::default() }).expect("prepared");
    assert_eq!(
        prepared.columns.as_deref(),
        Some(&words(&["size", "when", "ok", "kind=a", "kind=b", "x"])[..])
    );
    let expected = ndarray::array![
        [0.0, 18_629.0, 1.0, 1.0, 0.0, 1.0],
        [2.0, 18_631.0, 0.0, 0.0, 1.0, 2.0],
        [1.0, 1.0, 1.0, 1.0, 0.0, 3.0]
    ];
    assert_eq!(prepared.matrix, AnyMatrix::F64(expected));
    assert_eq!(prepared.origins, [0, 1, 2, 3, 3, 4]);
    let recipe = prepared.recipe.expect("a recipe");
    assert_eq!(TableRecipe::from_json(recipe.to_json()).expect("the same"), recipe);
    assert_eq!(recipe.changes(), ["encoded"]);
    let ordinal =
        of(text, &Choices { encode: words(&["ordinal,days"]), ..Choices::default() }).expect("prepared");
    assert_eq!(ordinal.matrix.to_f64().column(0).to_vec(), [2.0, 0.0, 1.0], "by the alphabet: L, M, S");
    assert!(
        refusal(text, &Choices { encode: words(&["one-hot"]), ..Choices::default() })
            .contains("'when' holds 3 dates")
    );
    assert!(
        refusal(text, &Choices { encode: words(&["size=S<M", "one-hot", "days"]), ..Choices::default() })
            .contains("not in the order given: L")
    );
    assert!(
        refusal(text, &Choices { encode: words(&["size=numbers"]), ..Choices::default() })
            .contains("one-hot, ordinal")
    );
}

#[test]
fn missing_values_are_dealt_with_by_name() {
    let text = "a,b\n1,2\n,4\n3,6\n5,?\n";
    let with = |missing, standardize| {
        of(text, &Choices { missing: Some(missing), standardize, ..Choices::default() }).expect("prepared")
    };
    let dropped = with(Missing::DropRows, false);
    assert_eq!(dropped.matrix, AnyMatrix::F64(ndarray::array![[1.0, 2.0], [3.0, 6.0]]));
    assert_eq!((dropped.rows, dropped.total), (Some(vec![0, 2]), 4));
    assert_eq!(
        with(Missing::Mean, false).matrix,
        AnyMatrix::F64(ndarray::array![[1.0, 2.0], [3.0, 4.0], [3.0, 6.0], [5.0, 4.0]])
    );
    let standardized = with(Missing::Mean, true).matrix.to_f64();
    assert_eq!((standardized[(1, 0)], standardized[(3, 1)]), (0.0, 0.0));
    let message = refusal(text, &Choices::default());
    assert!(message.contains("2 of 2 columns") && message.contains("line 3, column 1"), "{message}");
    let holes = Purpose { holes: true, ..Purpose::default() };
    let file = written(text);
    let kept = prepare(file.path().to_str().expect("a name"), &Choices::default(), holes, &Run::new())
        .expect("kept");
    assert!(kept.matrix.to_f64()[(1, 0)].is_nan());
    assert!(
        refusal("a,b\n1,\n,2\n", &Choices { missing: Some(Missing::DropRows), ..Choices::default() })
            .contains("0 of 2 rows")
    );
}

#[test]
fn standard_deviations_of_any_size() {
    let scaling = Scaling::of(&AnyMatrix::F64(ndarray::array![
        [1e300, 5.0, 1e-300, f64::NAN, 1e9 + 1.0],
        [-1e300, 5.0, -1e-300, 2.0, 1e9 - 1.0]
    ]));
    assert_eq!(scaling.scale, [1e300, 1.0, 1e-300, 1.0, 1.0]);
    assert_eq!(scaling.mean, [0.0, 5.0, 0.0, 2.0, 1e9]);
}

#[test]
fn names_of_rows_doubled_names_and_empty_ends() {
    let r = of("a b\nx 1 2\ny 3 4\nz 5 6\n", &Choices { id: Some("1".into()), ..Choices::default() })
        .expect("a table of R");
    assert_eq!(r.matrix.dim(), (3, 2));
    assert_eq!(r.ids, Some(("id".into(), Labels::Words(words(&["x", "y", "z"])))));
    let doubled = of("a,a,b\n1,2,3\n4,5,6\n", &Choices::default()).expect("prepared");
    assert_eq!(doubled.columns, Some(words(&["a", "a.1", "b"])));
    assert!(doubled.warnings[0].contains("a.1"), "{:?}", doubled.warnings);
    let trailing = of("a,b,\n1,2,\n3,5,\n", &Choices::default()).expect("prepared");
    assert_eq!(trailing.matrix.dim(), (2, 2));
    assert!(refusal("a,b\n", &Choices::default()).contains("no rows"));
    assert!(
        refusal("a,b\n1,2\n", &Choices { drop: words(&["a,b"]), ..Choices::default() })
            .contains("0 of its 2 columns")
    );
}
