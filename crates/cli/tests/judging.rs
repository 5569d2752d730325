//! `lowland evaluate` and `lowland dimension`.

mod common;
use common::Folder;

#[test]
fn an_embedding_is_judged_and_the_data_themselves_are_perfect() {
    let folder = Folder::new();
    folder.ok("data swiss-roll -n 300 --seed 2 -o x.npy --labels l.csv --truth t.npy");
    folder.ok("embed x.npy -m pca -d 2 -o y.npy");
    let output = folder.json("evaluate x.npy y.npy -k 8 --labels l.csv --truth t.npy --report r.json --json");
    let written: serde_json::Value = serde_json::from_slice(&folder.bytes("r.json")).unwrap();
    assert_eq!((&output["n"], &output["k"]), (&300.into(), &8.into()));
    let value = |output: &serde_json::Value, name: &str| output["measures"][name]["value"].as_f64().unwrap();
    let names =
        ["trustworthiness", "continuity", "r_nx_area", "spearman", "knn_error", "silhouette", "procrustes"];
    for name in names {
        assert_eq!(value(&output, name), value(&written, name), "{name}");
    }
    assert!((0.5..1.0).contains(&value(&output, "trustworthiness")));
    assert!(output.get("per_point").is_none(), "too long for a screen");
    assert_eq!(written["per_point"]["stretch"].as_array().unwrap().len(), 300);
    assert_eq!(written["curves"]["q_nx"].as_array().unwrap().len(), 299);
    let perfect = folder.json("evaluate data:swiss-roll?n=300&seed=2 x.npy --json");
    for (name, right) in
        [("trustworthiness", 1.0), ("continuity", 1.0), ("normalized_stress", 0.0), ("spearman", 1.0)]
    {
        assert_eq!(value(&perfect, name), right, "{name}");
    }
    assert!(folder.ok("evaluate x.npy y.npy").contains("trustworthiness"));
    assert!(perfect["measures"].get("entropy").is_none());
    let entropy = |of: &str| value(&folder.json(&format!("evaluate x.npy {of} --entropy --json")), "entropy");
    assert!(entropy("x.npy") > entropy("y.npy"));
    folder.write("p.csv", "0\n1\n3\n7\n15\n");
    folder.write("d.csv", "0,1,3,7,15\n1,0,2,6,14\n3,2,0,4,12\n7,6,4,0,8\n15,14,12,8,0\n");
    let (points, distances) = (
        folder.json("evaluate p.csv p.csv --json"),
        folder.json("evaluate d.csv p.csv --as distances --json"),
    );
    assert_eq!(points["measures"], distances["measures"]);
    folder.refused("evaluate x.npy y.npy --as distances", 1, "square");
    assert_eq!(folder.ok("evaluate x.npy y.npy -q"), "");
}

/// One dimension of 64-bit values.
fn npy(kind: &str, values: &[[u8; 8]]) -> Vec<u8> {
    let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({},), }}\n", values.len());
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(values.concat());
    bytes
}

#[test]
fn labels_are_what_their_file_says() {
    let folder = Folder::new();
    folder.write("x.csv", "a,b\n0,0\n1,0\n3,1\n4,0\n7,1\n8,0\n");
    // Each point's nearest neighbor has the other one of two integers that are one double.
    let big = 1_i64 << 53;
    let labels: Vec<[u8; 8]> = (0..6).map(|i| (big + i % 2).to_le_bytes()).collect();
    folder.write_bytes("big.npy", &npy("<i8", &labels));
    let error = |output: &serde_json::Value| output["measures"]["one_nn_error"]["value"].as_f64().unwrap();
    assert_eq!(error(&folder.json("evaluate x.csv x.csv --labels big.npy --json")), 1.0);
    let labels = [0.0, 1.0, 0.0, f64::NAN, 0.0, 1.0].map(f64::to_le_bytes);
    folder.write_bytes("nan.npy", &npy("<f8", &labels));
    for line in ["evaluate x.csv x.csv", "compare x.csv -m pca -d 1", "embed x.csv -m lda -d 1"] {
        folder.refused(&format!("{line} --labels nan.npy"), 1, "row 3");
    }
    // A name above words looks like one of them, but for the number of rows.
    folder.write("l.csv", "kind\ncat\ndog\ncat\ndog\ncat\ndog\n");
    folder.refused("evaluate x.csv x.csv --labels l.csv", 1, "'kind', is a name, delete that line");
    assert_eq!(error(&folder.json("evaluate x.csv x.csv --labels l.csv --header true --json")), 1.0);
    let line = "compare x.csv -m pca -d 1 --stability 0 --header true -o c.html --force --json";
    let output = folder.json(&format!("{line} --labels l.csv"));
    assert!(output["cells"][0]["measures"]["one_nn_error"]["value"].is_number(), "{output}");
    // Labels without a name beside data with names.
    folder.write("bare.csv", "cat\ndog\ncat\ndog\ncat\ndog\n");
    assert_eq!(error(&folder.json("evaluate x.csv x.csv --labels bare.csv --header true --json")), 1.0);
}

#[test]
fn with_the_model_what_it_loses_is_measured_too() {
    let folder = Folder::new();
    folder.ok("data swiss-roll -n 300 --seed 2 -o x.npy");
    folder.ok("data swiss-roll -n 50 --seed 3 -o new.npy");
    folder.ok("embed x.npy -m pca -d 2 -o y.npy --model pca.lowland");
    let output = folder.json("evaluate x.npy y.npy --model pca.lowland --json");
    let error = output["measures"]["reconstruction_error"]["value"].as_f64().unwrap();
    assert!(error > 0.0 && error < 0.5 && output["measures"].get("kernel_error").is_none(), "{error}");
    let mut last = 1.0;
    for dims in [8, 2] {
        folder.ok(&format!("embed x.npy -m isomap -d {dims} -o z.npy --model isomap.lowland --force"));
        let output = folder.json("evaluate x.npy z.npy --model isomap.lowland --held-out new.npy --json");
        let value = |name: &str| output["measures"][name]["value"].as_f64();
        assert!(
            value("reconstruction_error").is_none() && value("kernel_error_held_out").unwrap() > 0.0,
            "{output}"
        );
        let error = value("kernel_error").unwrap();
        assert!(error > 0.0 && (dims == 8 || error > last), "fewer components explain less: {error} {last}");
        last = error;
    }
    assert!(folder.ok("evaluate x.npy z.npy --model isomap.lowland").contains("kernel_error"));
    folder.refused("evaluate x.npy z.npy --held-out new.npy", 2, "--model");
    folder.refused("evaluate y.npy z.npy --model isomap.lowland", 1, "columns");
    folder.refused("evaluate x.npy x.npy --model pca.lowland", 1, "columns");
}

#[test]
fn the_dimension_of_a_roll_is_two() {
    let folder = Folder::new();
    let output = folder.json("dimension data:swiss-roll?n=1000 --report r.json --json");
    for (name, estimate) in output["estimates"].as_object().unwrap() {
        let value = estimate["value"].as_f64().unwrap();
        assert!((value - 2.0).abs() < 0.4, "{name}: {value}");
    }
    assert_eq!(output["estimates"].as_object().unwrap().len(), 7);
    let written: serde_json::Value = serde_json::from_slice(&folder.bytes("r.json")).unwrap();
    assert_eq!(written["estimates"]["mle"]["local"].as_array().unwrap().len(), 1000);
    let one = folder.ok("dimension data:swiss-roll?n=200 -e two-nn");
    assert!(one.contains("two_nn") && !one.contains("mle"));
}

#[test]
fn the_dimension_ends_with_one_answer() {
    let folder = Folder::new();
    let said = folder.ok("dimension data:swiss-roll?n=1000");
    let last = said.lines().last().unwrap();
    assert!(last.starts_with("2 dimensions (sure: ") && last.ends_with("of 7 estimators agree)"), "{said}");
    let output = folder.json("dimension data:swiss-roll?n=1000 --json");
    assert_eq!(output["answer"]["dimensions"], 2);
    assert_eq!(output["answer"]["certainty"], "sure");
    let one = folder.ok("dimension data:swiss-roll?n=200 -e two-nn");
    assert!(one.lines().last().unwrap().contains("(unsure: 1 estimator was asked"), "{one}");
}

#[test]
fn covariances_that_are_known_are_oriented_and_a_completed_kernel_is_measured() {
    let folder = Folder::new();
    folder.write("signal.csv", "3,0\n0,2\n");
    folder.write("noise.csv", "6,0\n0,1\n");
    folder.write("x.csv", "1,0\n0,1\n5,3\n");
    // The second direction has less signal, and a third of the noise for it.
    let found = folder.json("orient signal.csv noise.csv -d 1 --model m.lowland --json");
    assert!((found["signal_to_noise"][0].as_f64().unwrap() - 2.0).abs() < 1e-12, "{found}");
    folder.ok("transform m.lowland x.csv -o y.csv");
    let y: Vec<f64> = String::from_utf8(folder.bytes("y.csv"))
        .unwrap()
        .lines()
        .filter_map(|line| line.parse().ok())
        .collect();
    assert!(y[0].abs() < 1e-12 && (y[2] / y[1] - 3.0).abs() < 1e-12, "{y:?}");
    folder.write("uneven.csv", "6,1\n0,1\n");
    folder.refused("orient signal.csv uneven.csv --model n.lowland", 1, "symmetric");
    folder.refused("orient signal.csv noise.csv --mean x.csv --model n.lowland", 1, "is 3 x 2; give one row");

    folder.write("partial.csv", "1,2,3\n2,,\n3,,\n");
    folder.write("whole.csv", "1,2,3\n2,5,6\n3,6,9\n");
    let found = folder.json("complete partial.csv --against whole.csv -o k.csv --json");
    assert!((found["frobenius_error"].as_f64().unwrap() - 1.0).abs() < 1e-9, "{found}");
    assert!((found["relative_error"].as_f64().unwrap() - 1.0 / 205_f64.sqrt()).abs() < 1e-9, "{found}");
    folder.refused("complete partial.csv --against x.csv -o l.csv", 1, "3 x 2");
}

#[test]
fn outliers_are_named_and_the_table_is_written_without_them() {
    let folder = Folder::new();
    let mut table = String::from("name,x,y,kind\n");
    for i in 0..100 {
        table += &format!("p{i},{},{}.50,a\n", i % 10, i / 10);
    }
    table += "far,50,50,b\n";
    folder.write("t.csv", &table);
    let said = folder.ok("outliers t.csv -k 8 -o kept.csv --report r.json");
    assert!(said.starts_with("1 outlier of t, among 101 rows") && said.contains("line 102 "), "{said}");
    // All else is as it was, to the letter.
    assert_eq!(String::from_utf8(folder.bytes("kept.csv")).unwrap(), table.replace("far,50,50,b\n", ""));
    let report: serde_json::Value = serde_json::from_slice(&folder.bytes("r.json")).unwrap();
    assert_eq!((report["factors"].as_array().unwrap().len(), &report["kept"]), (101, &100.into()));
    let none = folder.json("outliers data:swiss-roll?n=1000 --json");
    assert_eq!(none["outliers"].as_array().unwrap().len(), 0, "{none}");
    folder.write("n.csv", &(0..102).map(|i| format!("{},{}\n", i % 10, i / 10)).collect::<String>());
    folder.refused("outliers n.csv -k 102", 1, "101");
    folder.refused("outliers n.csv --threshold 0", 1, "1 or more");
    folder.refused("outliers t.csv -o t.csv", 1, "t.csv");
    folder.refused("outliers t.csv --encode one-hot -o k.csv", 2, "--encode");
}

/// The words of a line as a shell would take them: quotes are all that is used.
fn shell_words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted, mut any) = (Vec::new(), String::new(), false, false);
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => (quoted, any) = (!quoted, true),
            '\\' if !quoted => word.extend(letters.next()),
            ' ' if !quoted => {
                if any || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                any = false;
            }
            letter => word.push(letter),
        }
    }
    if any || !word.is_empty() {
        words.push(word);
    }
    words
}

#[test]
fn the_recommended_command_runs_as_printed_and_writes_the_picture() {
    let folder = Folder::new();
    let mut table = String::from("a,b,c,the kind\n");
    for i in 0..60 {
        let (x, kind) = (f64::from(i), ["one", "it's", "a & b"][i as usize % 3]);
        table += &format!("{},{},{},{kind}\n", x.sin(), x.cos() * 2.0, (x * 0.3).sin() * 0.1);
    }
    folder.write("my table.csv", &table);
    let mut compare = folder.command("compare -m pca,isomap,lda -d 2 --stability 0 --seed 3 -o r.html");
    compare.args(["my table.csv", "--label-column", "the kind"]);
    let ran = compare.output().unwrap();
    let said = String::from_utf8(ran.stdout).unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let line = said.lines().map(str::trim).find(|line| line.starts_with("lowland embed ")).unwrap();
    assert!(line.contains("'my table.csv' --label-column 'the kind' --seed 3"), "{line}");
    let page = String::from_utf8(folder.bytes("r.html")).unwrap();
    let escaped = line.replace('&', "&amp;").replace('\'', "&#39;");
    assert!(page.contains(&escaped), "{line}");
    let words = shell_words(line);
    let mut embed = folder.command("");
    embed.args(&words[1..]);
    let ran = embed.output().unwrap();
    assert!(ran.status.success(), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
    let plot = words.iter().position(|word| word == "--plot").map(|at| &words[at + 1]).unwrap();
    assert!(String::from_utf8(folder.bytes(plot)).unwrap().contains("<svg"), "{plot}");
    for purpose in
        ["to look at", "to keep neighbors", "to feed a classifier", "lda: it learned from the labels"]
    {
        assert!(said.contains(purpose), "{said}");
    }
}

#[test]
fn what_cannot_be_judged_is_refused_in_one_line() {
    let folder = Folder::new();
    folder.ok("data moons -n 20 -o x.npy --labels l.csv");
    folder.ok("data moons -n 19 -o y.npy");
    folder.refused("evaluate x.npy y.npy", 1, "19 rows for 20");
    folder.refused("evaluate x.npy x.npy --labels y.npy", 1, "y.npy");
    folder.refused("evaluate x.npy x.npy -k 20", 1, "n_neighbors = 20");
    folder.refused("evaluate x.npy missing.npy", 1, "missing.npy");
    folder.refused("evaluate x.npy x.npy --report x.npy --force", 1, "x.npy");
    folder.refused("evaluate x.npy", 2, "EMBEDDING");
    folder.refused("dimension x.npy -e fractal", 2, "two_nn");
    folder.refused("dimension x.npy --k1 9 --k2 9", 1, "k1");
    folder.write("few.csv", "1,2\n1,2\n3,4\n");
    folder.refused("dimension few.csv", 1, "2 rows are too few");
}

#[test]
fn methods_are_compared_and_the_report_holds_everything() {
    let folder = Folder::new();
    let line = "compare data:swiss-roll?n=250&seed=2 -m pca,isomap,lda,nca -d 2 --grid n_neighbors=7,10 --stability 1";
    let output = folder.json(&format!("{line} -o r.html --report r.json --json"));
    assert_eq!(output["n"], 250);
    assert_eq!(output["cells"].as_array().unwrap().len(), 5);
    assert!(output["cells"][0].get("picture").is_none(), "too long for a screen");
    let written: serde_json::Value = serde_json::from_slice(&folder.bytes("r.json")).unwrap();
    assert_eq!(written["ranking"], output["ranking"]);
    assert_eq!(written["cells"][0]["picture"]["positions"].as_array().unwrap().len(), 250);
    let page = String::from_utf8(folder.bytes("r.html")).unwrap();
    for words in
        ["<h2>Ranking", "<h2>Embeddings", "Local distortion", "<h2>Spectra", "<h2>Stability", "<h2>Cost"]
    {
        assert!(page.contains(words), "{words}");
    }
    assert!(page.contains(output["advice"]["recommendation"].as_str().unwrap()));
    // Nothing comes from elsewhere.
    for outside in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    let text = folder.ok("compare data:swiss-roll?n=60 -m pca --stability 0");
    assert!(text.contains("Use pca") && folder.names().contains(&"swiss-roll-comparison.html".to_owned()));
}

/// Killed, not asked: nothing can be tidied up, and what was finished is there all the same.
#[cfg(unix)]
#[test]
fn a_killed_comparison_goes_on_where_it_was() {
    use std::time::{Duration, Instant};
    let folder = Folder::new();
    folder.ok("data swiss-roll -n 700 -o x.npy");
    let line = "compare x.npy -m isomap,lle,ltsa,kernel-pca -d 2 --stability 0 -o r.html --threads 1 --json";
    let mut child = folder
        .command(line)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let finished = || {
        let Ok(entries) = std::fs::read_dir(folder.file("r.html.cells")) else { return Vec::new() };
        let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.filter(|name| name.ends_with(".json")).collect();
        names.sort();
        names
    };
    while finished().len() < 3 && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = finished();
    assert!(before.len() >= 3, "{before:?}");
    assert!(!folder.names().contains(&"r.html".to_owned()));
    let touched = |name: &String| {
        std::fs::metadata(folder.file("r.html.cells").join(name)).unwrap().modified().unwrap()
    };
    let times: Vec<_> = before.iter().map(touched).collect();
    let output = folder.json(line);
    let cells = output["cells"].as_array().unwrap().len();
    assert_eq!(output["resumed"], before.len());
    assert!(before.len() < cells, "it was killed too late to be sure: {} of {cells}", before.len());
    assert_eq!(before.iter().map(touched).collect::<Vec<_>>(), times, "written once, never again");
    let again = folder.json(&format!("{line} --force"));
    assert_eq!(again["resumed"], cells);
    assert_eq!(again["ranking"], output["ranking"]);
}

#[cfg(unix)]
#[test]
fn an_interrupted_comparison_says_what_it_keeps() {
    let folder = Folder::new();
    let child = folder
        .command("compare data:swiss-roll?n=3000 -d 2 -o r.html")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(900));
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let begun = std::time::Instant::now();
    let ended = child.wait_with_output().unwrap();
    assert!(begun.elapsed() < std::time::Duration::from_millis(700), "{:?}", begun.elapsed());
    assert_eq!(ended.status.code(), Some(130));
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(said.contains("r.html.cells"), "{said}");
    assert_eq!(folder.names(), ["r.html.cells"]);
}

#[test]
fn what_cannot_be_compared_is_refused_in_one_line() {
    let folder = Folder::new();
    folder.ok("data moons -n 40 -o x.npy --labels l.csv");
    folder.refused("compare x.npy -m isomop", 2, "isomap");
    folder.refused("compare x.npy --grid n_neighbors", 2, "isomap.n_neighbors=5,10,15");
    folder.refused("compare x.npy --budget soon", 2, "10min");
    folder.refused("compare x.npy -d 3", 1, "dims = 3");
    folder.refused("compare x.npy -m pca --rank-by beauty", 1, "trustworthiness");
    folder.refused("compare x.npy --labels x.npy", 1, "x.npy");
    folder.refused("compare missing.npy", 1, "missing.npy");
    folder.write("r.html", "mine");
    folder.refused("compare x.npy -o r.html", 1, "r.html");
    folder.refused("compare x.npy -m pca,isomap --rank-by knn_error", 1, "labels");
    folder.refused("compare x.npy -m isomap -k 40", 1, "n_neighbors = 40");
    folder.refused("compare x.npy -m isomap -k 0", 1, "n_neighbors = 0");
    folder.refused("compare x.npy -m isomap --grid neighbors=5", 1, "'n_neighbors'");
    folder.refused("compare x.npy -m isomap --grid n_neighbors=5..9", 1, "5..9");
    folder.refused("compare x.npy -m isomap --grid lle.n_neighbors=5", 1, "compare lle too");
    // What was skipped is output, and yet nothing was judged.
    let ran = folder.run("compare x.npy -m isomap,pca --memory 1KiB -o s.html --json");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("cannot rank any method") && ran.err.contains("s.html"), "{}", ran.err);
    let skipped: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(skipped["ranking"].as_array().unwrap().len(), 0);
    assert!(skipped["cells"][0]["reason"].as_str().unwrap().contains("1.0 KiB"));
}

#[test]
fn kernels_are_written_and_stability_is_a_curve() {
    let folder = Folder::new();
    folder.ok("data swiss-roll -n 120 -o x.npy");
    folder.ok("embed x.npy -m lle -d 2 --model lle.lowland -o y.npy");
    let output = folder.json("kernel lle.lowland --kernel inverse -o k.npy --json");
    assert_eq!((output["rows"].as_u64(), output["columns"].as_u64()), (Some(120), Some(120)));
    folder.ok("embed x.npy -m isomap -d 2 --model isomap.lowland -o z.npy");
    folder.ok("kernel isomap.lowland --rows x.npy -o k2.npy");
    let report = folder.json("embed x.npy -m kernel-pca -d 2 -o w.npy --json");
    assert!(report["resolved"]["gamma"].as_f64().is_some_and(|gamma| gamma > 0.0), "{report}");
    assert!(report["provenance"]["bibtex"].as_str().is_some_and(|text| text.starts_with("@misc{")));
    assert_eq!(report["further_eigenvalues"].as_array().map(Vec::len), Some(10));
    let curve = folder.json("stability x.npy -m pca -d 2 --shares 0.02,0.1 --splits 3 --json");
    let shares = curve["shares"].as_array().unwrap();
    assert!(shares.len() == 2 && shares[1]["exchanged"].as_u64() == Some(12), "{curve}");
    let words = folder.ok("stability x.npy -m pca -d 2 --shares 0.02 --splits 3");
    assert!(words.contains("new point"), "{words}");
}
