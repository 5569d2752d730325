//! Wrong usage, broken files, what must not be overwritten, an interrupt, a closed pipe.

mod common;
use common::Folder;
use std::process::Stdio;

#[test]
fn wrong_usage_ends_with_2_and_says_what_to_do() {
    let folder = Folder::new();
    for (line, words) in [
        ("", "--help"),
        ("embd", "embed"),
        ("embed", "<INPUT>"),
        ("plan data:blobs", "--method"),
        ("embed data:blobs -m pca --plt x.png", "--plot"),
        ("embed data:blobs -m pka", "'pca'"),
        ("embed data:blobs -m pca -k 5", "-k"),
        ("embed data:blobs -m isomap -k 5 --set n_neighbors=9", "-k and --set n_neighbors"),
        ("cluster data:blobs -k 5 --set n_neighbors=5", "-k and --set n_neighbors"),
        ("embed data:blobs -m pca --set whiten=true --set whiten=false", "2 values for whiten"),
        ("embed data:blobs -m pca -d 2 --set n_components=1", "-d and --set n_components"),
        (
            "embed data:blobs -m lle --disconnected join --set disconnected=error",
            "--disconnected and --set disconnected",
        ),
        ("embed data:blobs -m pca -d 0", "at least 1"),
        ("embed data:blobs -m pca -d many", "mle"),
        ("embed data:blobs -m pca --set whiten", "NAME=VALUE"),
        ("embed data:blobs -m pca --set whitn=true", "whiten"),
        ("embed data:blobs -m pca --set whiten=2", "true or false"),
        ("embed data:blobs -m pca --memory 8XB", "GiB"),
        ("embed data:blobs -m pca --disconnected maybe", "largest"),
        ("embed data:blobs -m pca --disconnected join", "pca has no neighbor graph"),
        ("embed data:blobs -m pca --plot x.jpg", ".svg"),
        ("embed data:blob -m pca", "'blobs'"),
        ("embed data:blobs?n=x -m pca", "n=1000"),
        ("embed data:blobs?rows=5 -m pca", "n=1000"),
        ("embed data:blobs?n=0 -m pca", "from 1"),
        ("embed data:swiss-roll?density=0 -m pca", "above 0"),
        ("embed data:swiss-roll?density=steep -m pca", "density"),
        ("embed data:blobs?density=2 -m pca", "no parameter"),
        ("data blobs -n 10 --density 2 -o x.csv", "swiss-roll"),
        ("impute x.csv -m pca -o y.csv", "ppca"),
        ("impute x.csv --from m.lowland -d 2 -o y.csv", "--from"),
        ("sample m.lowland", "--output"),
        ("methods pka", "'pca'"),
        ("data blobs", "--output"),
        ("data blobs -n 10 --noise -1 -o x.csv", ""),
        ("transform m.lowland x.csv", "--output"),
        ("man nothing", "embed"),
        ("completions tcsh", "bash"),
    ] {
        folder.refused(line, 2, words);
    }
    assert!(folder.names().is_empty());
}

#[test]
fn a_neighborhood_is_said_once() {
    let folder = Folder::new();
    for (line, words) in [
        ("-m isomap -k 5 --set radius=2", "leave out n_neighbors or radius"),
        (
            "-m isomap --n-neighbors 5 --set radius=2",
            "n_neighbors = 5 does not go with radius = 2.0, which chooses the neighbors by itself",
        ),
        ("-m isomap -k 5 --set graph=spanning-tree", "leave out n_neighbors or graph"),
        ("-m lle --set adaptive=true --set radius=2", "leave out radius or adaptive"),
        ("-m laplacian-eigenmaps --set graph=mst --set radius=2", "leave out radius or graph"),
        ("-m isomap --set graph=mst --set adaptive=true", "leave out adaptive or graph"),
    ] {
        folder.refused(&format!("embed data:blobs?n=60 {line}"), 1, words);
    }
    folder.ok("embed data:swiss-roll?n=200 -m isomap -k 12 --set adaptive=true");
}

#[test]
fn broken_files_end_with_1() {
    let folder = Folder::new();
    folder.write("ragged.csv", "1,2\n3\n");
    folder.write("words.csv", "a,b\n1,2\n3,x\n");
    folder.write("nan.csv", "1,2\nNaN,3\n4,5\n");
    folder.write("short.npy", "\u{93}NUM");
    folder.write("model.lowland", "not a model");
    folder.write("good.csv", "1,2\n3,4\n5,7\n");
    folder.write("labels.csv", "1\n2\n");
    folder.write("ends.csv", "1\n2\n\n");
    folder.write("groups.csv", "1\n1\n2\n");
    for (line, words) in [
        ("embed missing.csv -m pca", "missing.csv"),
        ("embed ragged.csv -m pca", "ragged.csv"),
        ("embed words.csv -m pca", "words.csv"),
        ("embed nan.csv -m pca", "line 2, column 1"),
        ("embed short.npy -m pca", "short.npy"),
        ("embed good.csv -m pca -d 3", "at most 2"),
        ("embed good.csv -m pca --labels labels.csv", "labels.csv"),
        ("embed good.csv -m pca --labels ends.csv", "1 empty line at the end of the file is not counted"),
        ("embed good.csv -m pca --memory 1B", "budget"),
        ("embed good.csv -m pca -o y.unknown", "y.unknown"),
        ("transform model.lowland good.csv -o y.csv", "model file"),
        ("transform missing.lowland good.csv -o y.csv", "missing.lowland"),
        ("transform model.lowland good.csv -o y.csv", "model.lowland: "),
        ("embed missing.csv -m pca", "check its name"),
    ] {
        folder.refused(line, 1, words);
    }
    assert_eq!(folder.names().len(), 9, "nothing was left behind: {:?}", folder.names());
    folder.ok("embed good.csv -m pca --model m.lowland -q");
    folder.refused("transform m.lowland nan.csv -o y.csv", 1, "line 2, column 1");
    folder.refused("impute nan.csv --from m.lowland -o y.csv", 1, "ppca");
    folder.write("empty.csv", "1,2\n,\n4,5\n");
    folder.refused("embed empty.csv -m ppca", 1, "line 2: 1 row holds missing values only");
    folder.write("distances.csv", "0,1,2\n1,0,1\n2,1,0\n");
    for method in ["modified-lle", "hessian-lle", "ltsa"] {
        folder.refused(&format!("embed distances.csv --as distances -m {method} -d 1 -k 2"), 1, "points");
    }
    folder.ok("embed good.csv -m lda --labels groups.csv -d 1 --model l.lowland -q");
    folder.refused("sample l.lowland -o y.csv", 1, "density");
    folder.write("wide.csv", "1,2,3\n4,5,6\n");
    folder.refused("transform m.lowland wide.csv -o y.csv", 1, "3 columns");
}

#[test]
fn nothing_is_overwritten_unasked() {
    let folder = Folder::new();
    folder.write("x.csv", "1,2\n3,4\n5,7\n");
    folder.write("y.csv", "precious\n");
    folder.refused("embed x.csv -m pca -o y.csv", 1, "--force");
    assert_eq!(folder.bytes("y.csv"), b"precious\n");
    folder.refused("embed x.csv -m pca -o x.csv --force", 1, "input");
    folder.refused("embed x.csv -m pca -o ./x.csv --force", 1, "input");
    folder.refused("embed x.csv -m pca -o z.csv --report z.csv", 1, "z.csv");
    folder.refused("embed x.csv -m pca -o z.npy --model ./z.npy", 1, "two outputs");
    folder.refused("embed x.csv -m pca -o nowhere/z.csv", 1, "nowhere");
    assert_eq!(folder.names(), ["x.csv", "y.csv"]);
    folder.ok("embed x.csv -m pca -o y.csv --force");
    assert_ne!(folder.bytes("y.csv"), b"precious\n");
    folder.ok("embed x.csv -m pca --model m.lowland");
    folder.refused("transform m.lowland x.csv -o m.lowland --force", 1, "m.lowland");
}

#[test]
fn an_unwritable_folder_is_refused_before_computing() {
    let folder = Folder::new();
    // A computation of minutes: the refusal must not wait for it.
    let begun = std::time::Instant::now();
    folder.refused("embed data:hd?n=3000000 -m pca -o nowhere/y.npy", 1, "nowhere");
    assert!(begun.elapsed().as_secs_f64() < 1.0);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it_with_130_and_leaves_nothing() {
    stopped_by("-INT", 130);
}

#[cfg(unix)]
#[test]
fn a_request_to_end_does_the_same_with_143() {
    stopped_by("-TERM", 143);
}

#[cfg(unix)]
fn stopped_by(signal: &str, code: i32) {
    use std::time::{Duration, Instant};
    let folder = Folder::new();
    // Long at every stage: making the data alone takes about a second.
    let line = "embed data:hd?n=5000000&noise=0.1 -m pca -d 2 -o y.npy --model m.lowland --report r.json";
    let mut command = folder.command(line);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // It has begun once its outputs are prepared.
    let patience = Instant::now();
    while folder.names().is_empty() && patience.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(150));
    let kill = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let begun = Instant::now();
    let status = child.wait().unwrap();
    let waited = begun.elapsed();
    assert_eq!(status.code(), Some(code));
    assert!(waited < Duration::from_millis(500), "{waited:?}");
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_drama() {
    let folder = Folder::new();
    for line in ["methods pca", "--help", "completions bash", "man", "embed data:blobs -m pca --json"] {
        let mut command = folder.command(line);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{line}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{line}");
    }
}

#[test]
fn in_a_pipe_there_are_no_bars() {
    let folder = Folder::new();
    let ran = folder.run("embed data:blobs?n=20000 -m pca -d 2");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn a_pipe_without_a_writer_is_refused_and_not_waited_for() {
    let folder = Folder::new();
    folder.write("x.csv", "1,2\n3,4\n5,7\n");
    let made = std::process::Command::new("mkfifo").arg(folder.file("pipe")).status();
    if !made.is_ok_and(|status| status.success()) {
        return; // No such program here.
    }
    folder.ok("embed x.csv -m pca -d 1 --model m.lowland -q");
    for line in [
        "embed pipe -m pca",
        "transform m.lowland pipe -o y.csv",
        "transform pipe x.csv -o y.csv",
        "embed x.csv -m lda -d 1 --labels pipe",
        "embed x.csv -m t-sne --start pipe",
    ] {
        folder.refused(line, 1, "not a regular file");
    }
}

#[test]
fn outputs_of_a_run_that_fails_are_not_written_in_part() {
    let folder = Folder::new();
    folder.write("x.csv", "1,2\n3,4\n5,7\n");
    folder.write("y.csv", "old\n");
    // The second output fails: the first keeps what it had.
    if std::path::Path::new("/dev/full").exists() {
        folder.refused("embed x.csv -m pca -d 1 -o y.csv --report /dev/full --force", 1, "free some space");
        assert_eq!(folder.bytes("y.csv"), b"old\n");
    }
    assert_eq!(folder.names(), ["x.csv", "y.csv"]);
}

#[test]
fn what_no_machine_has_is_refused_before_work_and_never_an_abort() {
    let folder = Folder::new();
    folder.ok("embed data:swiss-roll?n=60 -m pca --model m.lowland -q");
    for line in [
        "embed data:swiss-roll?n=3000000 -m isomap -o y.npy",
        "sample m.lowland -n 100000000000000 -o y.npy",
        // A budget is a wish; what the system does not give is refused all the same.
        "embed data:swiss-roll?n=2000000 -m classical-mds --memory 100000000GiB -o y.npy",
    ] {
        let begun = std::time::Instant::now();
        folder.refused(line, 1, "needs");
        assert!(begun.elapsed().as_secs() < 60, "{line}");
    }
    assert_eq!(folder.names(), ["m.lowland"]);
}

#[test]
fn names_of_methods_and_flags_of_peers() {
    let folder = Folder::new();
    for (name, words) in [
        ("eigenmaps", "'laplacian-eigenmaps'"),
        ("phate", "diffusion-maps"),
        ("tsn", "'t-sne'"),
        ("qqqq", "list of methods"),
    ] {
        folder.refused(&format!("embed data:blobs -m {name}"), 2, words);
    }
    assert_eq!(
        folder.json("embed data:blobs?n=60 -m tsne --perplexity 9 --n-components 1 --json")["parameters"]["perplexity"],
        9.0
    );
    assert_eq!(
        folder.json("embed data:swiss-roll?n=60 -m isomap --n_neighbors 9 --json")["parameters"]["n_neighbors"],
        9
    );
    folder.refused("embed data:blobs -m pca --perplexity 30", 2, "perplexity");
    folder.refused("embed data:blobs -m pca --scale", 2, "--standardize");
    folder.write("c.csv", "visits,age,segment\n1,20,a\n4,,b\n2,31,a\n7,45,b\n3,28,a\n");
    folder.ok("embed c.csv -m pca --columns visits,age --missing mean -l segment -o y.csv -q");
    assert!(folder.bytes("y.csv").starts_with(b"segment,c1,c2\n"));
    folder.refused("embed data:blobs -m pca --color x", 2, "--label-column x is for tables");
}

#[test]
fn what_a_command_or_a_kind_of_rows_does_not_take_is_refused_at_once() {
    let folder = Folder::new();
    folder.write("d.csv", "0,1,2\n1,0,1\n2,1,0\n");
    for flag in ["--standardize", "--missing mean", "--missing drop-rows", "--encode one-hot"] {
        let words = format!("leave out {}", flag.split(' ').next().unwrap());
        for line in ["embed d.csv --as distances -m mds", "evaluate d.csv d.csv --as distances"] {
            folder.refused(&format!("{line} {flag}"), 2, &words);
        }
        folder.refused(&format!("cluster d.csv --as kernel {flag}"), 2, &words);
        folder.refused(&format!("plan d.csv --as graph -m isomap {flag}"), 2, &words);
    }
    for method in ["umap", "lle", "isomap"] {
        let words = format!("{method} does not take missing values; choose ppca");
        folder.refused(&format!("impute d.csv -m {method} -o y.csv"), 2, &words);
    }
    folder.write("t.csv", "a,b,kind\n1,2,x\n2,1,y\n3,5,x\n");
    folder.write("l.csv", "x\ny\nx\n");
    for command in ["stability t.csv -m pca", "plan t.csv -m pca", "cluster t.csv", "dimension t.csv"] {
        folder.refused(&format!("{command} --labels l.csv"), 2, "--label-column COLUMN");
    }
    for line in ["embed t.csv -m pca", "compare t.csv", "evaluate t.csv t.csv"] {
        folder.refused(&format!("{line} --color kind --labels l.csv"), 2, "give one of them");
    }
    for (command, shown) in [("embed", true), ("plan", true), ("compare", false), ("outliers", false)] {
        assert_eq!(folder.ok(&format!("{command} --help")).contains("--disconnected"), shown, "{command}");
    }
}

#[test]
fn a_model_that_did_not_make_the_embedding_is_refused() {
    let folder = Folder::new();
    folder.ok("data swiss-roll -n 120 --seed 2 -o x.npy");
    folder.ok("data swiss-roll -n 120 --seed 3 -o new.npy");
    for method in ["pca", "isomap", "umap"] {
        folder.ok(&format!("embed x.npy -m {method} -d 2 -o {method}.csv --model {method}.lowland"));
        folder.ok(&format!("evaluate x.npy {method}.csv --model {method}.lowland"));
        // Rows that were not in the fit, and are as many.
        // Where there is chance, by another seed.
        folder.ok(&format!("transform {method}.lowland new.npy -o new-{method}.csv --seed 5"));
        folder.ok(&format!("evaluate new.npy new-{method}.csv --model {method}.lowland"));
    }
    folder.ok("embed x.npy -m pca -d 1 -o one.csv");
    for (embedding, model) in [("isomap", "pca"), ("pca", "isomap"), ("one", "isomap"), ("pca", "umap")] {
        let line = format!("evaluate x.npy {embedding}.csv --model {model}.lowland");
        folder.refused(&line, 1, "give the model that made it, or leave out --model");
    }
}
