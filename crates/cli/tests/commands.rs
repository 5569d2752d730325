//! Each command does what it says.

mod common;
use common::Folder;

#[test]
fn a_model_embeds_the_training_rows_to_the_same_bits_and_goes_back() {
    let folder = Folder::new();
    folder.ok("data hd -n 300 --noise 0.05 --seed 3 -o x.npy");
    folder.ok("embed x.npy -m pca -d 4 -o y.npy --model m.lowland");
    folder.ok("transform m.lowland x.npy -o again.npy");
    assert_eq!(folder.bytes("y.npy"), folder.bytes("again.npy"));
    folder.ok("embed x.npy -m pca -d all -o all.npy --model all.lowland");
    folder.ok("inverse all.lowland all.npy -o back.npy");
    let (x, back) = (numbers(&folder.bytes("x.npy")), numbers(&folder.bytes("back.npy")));
    assert_eq!(x.len(), 3000);
    let worst = x.iter().zip(&back).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-12, "all components lose nothing: {worst}");
    assert_eq!(folder.names().iter().filter(|name| name.contains(".tmp")).count(), 0);
}

#[test]
fn distances_kernels_and_graphs_are_taken_as_such() {
    let folder = Folder::new();
    folder.write("d.csv", "0,1,3\n1,0,2\n3,2,0\n");
    folder.ok("embed d.csv --as distances -m classical-mds -d 1 -o y.npy --model m.lowland");
    let y = numbers(&folder.bytes("y.npy"));
    for (i, j, far) in [(0, 1, 1.0), (0, 2, 3.0), (1, 2, 2.0)] {
        let found: f64 = (y[i] - y[j]).abs();
        assert!((found - far).abs() < 1e-12);
    }
    folder.write("new.csv", "0,1,3\n");
    folder.ok("transform m.lowland new.csv -o first.npy");
    assert!((numbers(&folder.bytes("first.npy"))[0] - y[0]).abs() < 1e-12);
    folder.ok("embed d.csv --as graph -m isomap -d 1 -o g.npy");
    let g = numbers(&folder.bytes("g.npy"));
    assert!(((g[0] - g[2]).abs() - 3.0).abs() < 1e-12);
    folder.write("k.csv", "2,1\n1,2\n");
    folder.ok("embed k.csv --as kernel -m kernel-pca -d 1 -o k.npy");
    folder.refused(
        "embed d.csv --as kernel -m isomap -d 1 -o x.npy",
        1,
        "give it points, a distance matrix or a graph",
    );
}

#[test]
fn a_kernel_with_some_complete_rows_is_completed() {
    let folder = Folder::new();
    // Of the points 1, 2, -1 and 3: the first row says all.
    folder.write("k.csv", "1,2,-1,3\n2,,,\n-1,,,\n3,,,\n");
    folder.ok("complete k.csv -o full.npy");
    let full = numbers(&folder.bytes("full.npy"));
    let points = [1.0, 2.0, -1.0, 3.0];
    for (at, found) in full.iter().enumerate() {
        assert!((found - points[at / 4] * points[at % 4]).abs() < 1e-12, "{full:?}");
    }
    let said = folder.json("complete k.csv -o again.csv --json");
    assert_eq!((&said["complete_rows"], &said["filled"]), (&1.into(), &9.into()));
    folder.ok("embed full.npy --as kernel -m kernel-pca -d 1 -o y.npy");
    folder.write("none.csv", "1,\n,2\n");
    folder.refused("complete none.csv -o none.npy", 1, "0 rows of the kernel are complete");
}

/// The values of an npy file in double precision.
fn numbers(bytes: &[u8]) -> Vec<f64> {
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    bytes[start..].as_chunks().0.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect()
}

#[test]
fn the_report_has_its_keys_and_json_prints_the_same() {
    let folder = Folder::new();
    let printed = folder.json("embed data:swiss-roll?n=200&seed=1 -m PCA -d 2 --report r.json --json");
    let written: serde_json::Value = serde_json::from_slice(&folder.bytes("r.json")).unwrap();
    assert_eq!(printed, written);
    for key in [
        "method",
        "parameters",
        "n",
        "features",
        "dims",
        "seconds",
        "peak_memory_bytes",
        "eigenvalues",
        "residuals",
        "connected_component_sizes",
        "objective",
        "warnings",
    ] {
        assert!(written.get(key).is_some(), "{key}");
    }
    assert_eq!(written["method"], "pca");
    assert_eq!((&written["n"], &written["features"], &written["dims"]), (&200.into(), &3.into(), &2.into()));
    assert_eq!(written["parameters"]["n_components"], 2);
    let seconds = written["seconds"].as_object().unwrap();
    let stages: f64 =
        seconds.iter().filter(|(name, _)| *name != "total").map(|(_, s)| s.as_f64().unwrap()).sum();
    assert!(seconds.len() > 1 && stages <= seconds["total"].as_f64().unwrap());
    assert_eq!(written["eigenvalues"].as_array().unwrap().len(), 2);
    if cfg!(target_os = "linux") {
        assert!(written["peak_memory_bytes"].as_u64().unwrap() > 1 << 20);
    }
}

#[test]
fn dims_can_be_a_count_a_share_a_rule_or_all() {
    let folder = Folder::new();
    for (dims, expected) in [("3", 3..=3), ("0.9", 2..=5), ("mle", 1..=9), ("all", 10..=10)] {
        let output = folder.json(&format!("embed data:hd?n=500 -m pca -d {dims} --json"));
        let found = output["dims"].as_u64().unwrap();
        assert!(expected.contains(&found), "-d {dims}: {found}");
    }
}

#[test]
fn parameters_are_set_by_name() {
    let folder = Folder::new();
    let line = "embed data:blobs -m pca --set whiten=true --set svd-solver=svd --json";
    let output = folder.json(line);
    assert_eq!(output["parameters"]["whiten"], true);
    assert_eq!(output["parameters"]["svd_solver"], "full");
}

#[test]
fn a_minus_is_standard_input() {
    let folder = Folder::new();
    folder.ok("data hd -n 50 --noise 0.1 -o x.csv");
    folder.ok("embed x.csv -m pca -d 2 -o from-file.npy --model m.lowland");
    folder.ok_given("embed - -m pca -d 2 -o from-pipe.npy", &folder.bytes("x.csv"));
    assert_eq!(folder.bytes("from-file.npy"), folder.bytes("from-pipe.npy"));
    folder.ok_given("transform m.lowland - -o again.npy", &folder.bytes("x.csv"));
    assert_eq!(folder.bytes("from-file.npy"), folder.bytes("again.npy"));
}

#[test]
fn a_memory_lets_a_compressed_file_unfold_further() {
    let folder = Folder::new();
    // Zeros but for a corner, so that there is something to find: 16 MiB in about 16 KiB.
    let mut image = vec![0, 0, 8, 2, 0, 16, 0, 0, 0, 0, 0, 16];
    image.resize(12 + (16 << 20), 0);
    image[12..200].fill(9);
    folder.write_bytes("zeros.idx.gz", &common::gzip(&image));
    folder.refused("plan zeros.idx.gz -m pca -d 1", 1, "--memory");
    folder.ok("plan zeros.idx.gz -m pca -d 1 --memory 1GiB");
}

#[test]
fn methods_come_from_the_registry() {
    let folder = Folder::new();
    let all = folder.json("methods --json");
    assert_eq!(all.as_array().unwrap().len(), lowland::registry::all().len());
    for entry in lowland::registry::all() {
        assert!(folder.ok("methods").contains(entry.name));
        let page = folder.ok(&format!("methods {}", entry.name));
        assert!(page.contains(entry.title));
        for parameter in (entry.parameters)() {
            assert!(page.contains(&format!("{} = {}", parameter.name, parameter.default)));
        }
    }
    assert!(folder.ok("methods karhunen_loeve").starts_with("pca"));
}

#[test]
fn a_plan_reports_memory_and_time_and_whether_it_fits() {
    let folder = Folder::new();
    let output = folder.json("plan data:hd?n=5000 -m pca -d 2 --memory 1KiB --json");
    assert_eq!(output["fits"], false);
    assert!(output["memory_bytes"].as_u64().unwrap() > 1024);
    let seconds = output["seconds"].as_f64().unwrap();
    assert!(seconds > 0.0 && seconds < 60.0, "{seconds}");
    let [least, most] = [0, 1].map(|i| output["seconds_range"][i].as_f64().unwrap());
    assert!(least < seconds && seconds < most, "{least} {seconds} {most}");
    assert!(folder.ok("plan data:hd?n=5000 -m pca").contains("memory"));
    assert!(folder.names().is_empty());
}

#[test]
fn data_come_with_labels_and_truth_and_repeat_for_a_seed() {
    let folder = Folder::new();
    folder.ok("data moons -n 10 --noise 0.1 --seed 5 -o a.csv --labels l.csv --truth t.csv");
    folder.ok("data moons -n 10 --noise 0.1 --seed 5 -o b.csv");
    folder.ok("data moons -n 10 --noise 0.1 --seed 6 -o c.csv");
    assert_eq!(folder.bytes("a.csv"), folder.bytes("b.csv"));
    assert_ne!(folder.bytes("a.csv"), folder.bytes("c.csv"));
    folder.ok("data moons -n 10 --noise 0.1 --seed 5 --density 1 -o even.csv");
    folder.ok("data moons -n 10 --noise 0.1 --seed 5 --density 2 -o uneven.csv");
    assert_eq!(folder.bytes("a.csv"), folder.bytes("even.csv"));
    assert_ne!(folder.bytes("a.csv"), folder.bytes("uneven.csv"));
    let lines = |name: &str| String::from_utf8(folder.bytes(name)).unwrap().lines().count();
    assert_eq!((lines("a.csv"), lines("t.csv")), (11, 11));
    assert!((10..=11).contains(&lines("l.csv")), "a line for each point, and perhaps a name");
    folder.ok("embed data:moons?n=10&noise=0.1&seed=5 -m pca -d all -o from-name.csv");
    folder.ok("embed a.csv -m pca -d all -o from-file.csv");
    assert_eq!(folder.bytes("from-name.csv"), folder.bytes("from-file.csv"));
    for generator in lowland::data::all() {
        assert!(folder.ok("data").contains(generator.name));
        assert!(folder.json("data --json").to_string().contains(generator.name));
    }
}

#[test]
fn pictures_are_what_their_names_say() {
    let folder = Folder::new();
    folder.write("words.csv", &"left\nright\n".repeat(100));
    for (data, dims) in [("hd", "1"), ("hd", "2"), ("hd", "3"), ("hd", "5"), ("blobs", "2"), ("blobs", "1")] {
        for ending in ["png", "svg"] {
            let line = format!(
                "embed data:{data}?n=200 -m pca -d {dims} --plot p.{ending} --plot-spectrum s.{ending} \
                 --labels words.csv --force -q"
            );
            assert_eq!(folder.ok(&line), "");
            for name in [format!("p.{ending}"), format!("s.{ending}")] {
                valid(&folder.bytes(&name), ending);
            }
        }
    }
    let svg = String::from_utf8(folder.bytes("p.svg")).unwrap();
    assert!(svg.contains(">left</text>") && svg.contains(">right</text>"), "the key names the labels");
    assert!(svg.contains("Principal component analysis of blobs"));
    folder.ok("embed data:blobs?n=30000 -m pca -d 2 --plot many.svg -q");
    let many = folder.bytes("many.svg");
    valid(&many, "svg");
    assert!(many.len() < 2 << 20, "many points become pixels: {} bytes", many.len());
}

#[test]
fn a_shepard_diagram_is_drawn_and_missing_pairs_are_read() {
    let folder = Folder::new();
    for (method, ending) in [("sammon", "svg"), ("mds", "png"), ("nonmetric-mds", "svg")] {
        folder
            .ok(&format!("embed data:swiss-roll?n=80 -m {method} -d 2 --plot-shepard {method}.{ending} -q"));
        valid(&folder.bytes(&format!("{method}.{ending}")), ending);
    }
    let svg = String::from_utf8(folder.bytes("sammon.svg")).unwrap();
    assert!(svg.contains("Sammon mapping") && svg.contains("stress-1 0."), "{svg}");
    // Its distances do not go along a graph, so that there is no number of neighbors to tell.
    assert!(!svg.contains("k = "), "{svg}");
    folder.ok(
        "embed data:swiss-roll?n=80 -m sammon --set geodesic=true -d 2 --plot-stress map.svg --report r.json -q",
    );
    let svg = String::from_utf8(folder.bytes("map.svg")).unwrap();
    assert!(svg.contains(">stress<") && svg.contains("k = "), "{svg}");
    let report: serde_json::Value = serde_json::from_slice(&folder.bytes("r.json")).unwrap();
    assert_eq!(report["stress_per_point"].as_array().unwrap().len(), 80);
    assert_eq!(report["shepard"].as_array().unwrap().len(), 80 * 79 / 2);
    assert_eq!(report["shepard"][0].as_array().unwrap().len(), 3);
    folder.refused("embed data:blobs?n=50 -m pca -d 2 --plot-stress x.svg", 1, "leave out --plot-stress");
    folder.refused(
        "embed data:blobs?n=50 -m pca -d 2 --plot-shepard x.svg",
        1,
        "sammon, mds or nonmetric-mds",
    );
    // A square whose second diagonal nobody has measured.
    folder.write("d.csv", "0,1,1.4142,1\n1,0,1,\n1.4142,1,0,1\n1,,1,0\n");
    let report = folder.json("embed d.csv --as distances -m mds -d 2 -o y.npy --json");
    assert!(report.to_string().contains("stress-1"), "{report}");
    folder.refused("embed d.csv --as distances -m classical-mds -d 2 -o z.npy", 1, "");
}

fn valid(bytes: &[u8], ending: &str) {
    if ending == "png" {
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (1920, 1440));
        let ink = pixels.chunks_exact(4).filter(|pixel| pixel[..3] != [255; 3]).count();
        assert!(ink > 5000, "an empty picture");
    } else {
        let text = std::str::from_utf8(bytes).unwrap();
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
        assert_eq!(text.matches("<text ").count(), text.matches("</text>").count());
        for number in ["\"NaN", "\"inf", "\"-inf", " NaN", ",NaN"] {
            assert!(!text.contains(number), "{number}");
        }
    }
}

#[test]
fn help_version_completions_and_manual() {
    let folder = Folder::new();
    assert!(folder.ok("--help").contains("embed") && folder.ok("embed --help").contains("--plot-spectrum"));
    assert!(folder.ok("--version").starts_with("lowland "));
    for shell in ["bash", "zsh", "fish"] {
        let script = folder.ok(&format!("completions {shell}"));
        for word in ["plot-spectrum", "pca", "largest"] {
            assert!(script.contains(word), "{shell} does not offer {word}");
        }
    }
    assert!(folder.ok("man").contains(".TH lowland"));
    assert!(folder.ok("man embed").contains("plot\\-spectrum"));
}

#[test]
fn clusters_are_found_and_their_labels_written() {
    let folder = Folder::new();
    folder.ok("data moons -n 300 --noise 0.05 -o x.npy --labels truth.npy");
    let output = folder.json("cluster x.npy -n 2 -o found.npy --model m.lowland --plot y.svg --json");
    assert_eq!(output["method"], "spectral-clustering");
    assert_eq!(output["cluster_sizes"].as_array().unwrap().len(), 2);
    let (found, truth) = (numbers(&folder.bytes("found.npy")), numbers(&folder.bytes("truth.npy")));
    let same = found.iter().zip(&truth).filter(|(a, b)| a == b).count();
    assert!(found.len() == 300 && (same == 0 || same == 300), "{same}");
    folder.ok("assign m.lowland x.npy -o again.npy");
    assert_eq!(folder.bytes("again.npy"), folder.bytes("found.npy"), "training rows keep their clusters");
    let text = folder.ok("cluster data:blobs?n=300 -k 10");
    assert!(text.contains("clusters: 4"), "without a number the eigengap finds it: {text}");
    for shape in ["moons?n=400&noise=0.05", "rings?n=400&noise=0.03", "moons?n=400&noise=0.05&seed=3"] {
        let text = folder.ok(&format!("cluster data:{shape}"));
        assert!(text.contains("clusters: 2 (of 200, 200 points)"), "{shape}: {text}");
    }
}

#[test]
fn a_density_fills_in_what_is_missing_and_draws_rows() {
    let folder = Folder::new();
    // Two columns that follow the third.
    let mut text = String::from("a,b,c\n");
    for i in 0..60 {
        let t = (i as f64 * 0.7).sin() * 3.0 + i as f64 * 0.05;
        // The same noise in every column.
        let noise = |j: usize| 0.1 * (((i * 7919 + j * 104_729) % 1009) as f64 / 1009.0 - 0.5);
        let (a, b, c) = (2.0 * t + noise(1), 1.0 - t + noise(2), t + noise(3));
        text += &match i % 10 {
            3 => format!("{a},,{c}\n"),
            5 => format!("NA,{b},{c}\n"),
            8 => format!("{a},{b},nan\n"),
            _ => format!("{a},{b},{c}\n"),
        };
    }
    folder.write("holes.csv", &text);
    folder.refused("embed holes.csv -m pca", 1, "lowland impute");
    let output = folder.json("impute holes.csv -o full.csv --model m.lowland --json");
    assert_eq!((output["filled"].as_u64(), output["components"].as_u64()), (Some(18), Some(1)));
    let full = String::from_utf8(folder.bytes("full.csv")).unwrap();
    let mut lines = full.lines();
    assert_eq!(lines.next(), Some("a,b,c"));
    for (line, before) in lines.zip(text.lines().skip(1)) {
        let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        assert!((cells[0] - 2.0 * cells[2]).abs() < 0.2 && (cells[1] - 1.0 + cells[2]).abs() < 0.2, "{line}");
        for (now, before) in line.split(',').zip(before.split(',')) {
            assert!(
                before.parse().is_ok_and(|b: f64| b.is_nan() || now.parse() == Ok(b))
                    || before.is_empty()
                    || before == "NA"
            );
        }
    }
    // A saved model, other methods, and rows drawn from it.
    folder.ok("impute holes.csv --from m.lowland -o again.csv");
    assert_eq!(folder.bytes("again.csv"), folder.bytes("full.csv"));
    folder.ok("impute holes.csv -m factor-analysis -d 1 -o factors.csv");
    folder.ok("embed holes.csv -m ppca -d 1 -o y.csv --model p.lowland");
    folder.ok("transform p.lowland holes.csv -o z.csv");
    assert_eq!(folder.bytes("y.csv"), folder.bytes("z.csv"));
    folder.ok("sample m.lowland -n 500 -o drawn.npy --seed 3");
    let drawn = numbers(&folder.bytes("drawn.npy"));
    assert_eq!(drawn.len(), 1500);
    let off = drawn.chunks(3).map(|row| (row[0] - 2.0 * row[2]).abs()).sum::<f64>() / 500.0;
    assert!(off < 0.1, "{off}");
    folder.ok("sample m.lowland -n 500 -o same.npy --seed 3");
    assert_eq!(folder.bytes("drawn.npy"), folder.bytes("same.npy"));
}

#[test]
fn pictures_are_as_asked() {
    let folder = Folder::new();
    let svg = |name: &str| String::from_utf8(folder.bytes(name)).unwrap();
    for k in [8, 12] {
        folder.ok(&format!("embed data:swiss-roll?n=300 -m isomap -k {k} --plot k{k}.svg --graph -q"));
        assert!(svg(&format!("k{k}.svg")).contains(&format!("of swiss-roll, k = {k}")));
    }
    folder.ok("embed data:blobs?n=90 -m pca --plot a.svg --plot-spectrum b.svg --title Mine --dark --size 800x600 -q");
    for name in ["a.svg", "b.svg"] {
        assert!(svg(name).contains(">Mine</text>") && svg(name).contains("fill=\"#14191f\""), "{name}");
    }
    folder.ok("embed data:swiss-roll?n=200 -m isomap -k 8 --plot-spectrum r.svg -q");
    assert!(svg("r.svg").contains("residual variance") && svg("r.svg").contains("and 10 further"));
    folder.ok("embed data:hd?n=60 -m pca --plot i.svg --images --image-shape 2x5 -q");
    assert!(svg("i.svg").contains("data:image/png"));
    for (flags, word) in [
        ("--title x", "--plot"),
        ("--plot x.svg --size 5x5", "1200x800"),
        ("--plot x.svg --graph", "number of neighbors"),
        ("--plot x.svg --images", "--image-shape"),
        ("--plot x.svg --images --image-shape 3x3", "9 pixels"),
    ] {
        folder.refused(&format!("embed data:hd?n=60 -m pca {flags}"), 2, word);
    }
}
