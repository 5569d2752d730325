//! Columns that go by name alone, and text that is not as expected.

mod common;
use common::Folder;

#[test]
fn a_model_that_knows_only_the_names_of_its_columns_takes_them_by_name() {
    use lowland::{Method, Run};
    let folder = Folder::new();
    let row = |i: usize, j: usize| ((i * 31 + j * 17) % 23) as f64 + if j == 0 { i as f64 } else { 0.0 };
    let x = ndarray::Array2::from_shape_fn((20, 3), |(i, j)| row(i, j));
    let model = lowland::methods::Pca::default().fit((&x).into(), &Run::new()).unwrap();
    let names = ["a", "b", "c"].map(String::from);
    lowland::save_named(&*model, &names, &folder.file("m.lowland")).unwrap();
    let table = |order: [usize; 3]| {
        let mut text = order.map(|j| names[j].clone()).join(",") + "\n";
        for i in 0..20 {
            text += &(order.map(|j| row(i, j).to_string()).join(",") + "\n");
        }
        text
    };
    folder.write("same.csv", &table([0, 1, 2]));
    folder.write("moved.csv", &table([2, 0, 1]));
    folder.ok("transform m.lowland same.csv -o y.csv -q");
    folder.ok("transform m.lowland moved.csv -o z.csv -q");
    assert_eq!(folder.bytes("y.csv"), folder.bytes("z.csv"));
    folder.write("renamed.csv", &table([0, 1, 2]).replace('b', "other"));
    folder.refused("transform m.lowland renamed.csv -o w.csv", 1, "'b'");
}

#[test]
fn text_of_another_encoding_separator_or_target_is_understood_or_named() {
    let folder = Folder::new();
    let utf16: Vec<u8> = "a,b\n1,2\n3,4\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    folder.write_bytes("bare.csv", &utf16);
    folder.write_bytes("marked.csv", &[&b"\xff\xfe"[..], &utf16].concat());
    folder.refused("embed bare.csv -m pca", 1, "UTF-16");
    folder.refused("embed marked.csv -m pca", 1, "save it as UTF-8");
    folder.write("semicolons.csv", "a;b, in m;c\n1;2;3\n4;5;7\n7;9;9\n2;2;2\n");
    assert!(folder.ok("embed semicolons.csv -m pca -d 1 -o y.csv").contains("from 3 dimensions"));
    folder.write("first.csv", "0x1,0x2,0x3\n4,5,7\n7,8,8\n1,2,2\n");
    let ran = folder.run("embed first.csv -m pca -d 1 -o f.csv");
    assert!(ran.err.contains("3 of 3 cells of the first line look like data"), "{}", ran.err);
    if cfg!(unix) {
        folder.ok("embed semicolons.csv -m pca -d 1 -o /dev/null");
    }
}
