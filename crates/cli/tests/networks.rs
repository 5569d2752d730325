//! Networks at the terminal: trainings that are interrupted and gone on with, Boltzmann machines.

mod common;
#[path = "../../../xtask/src/data_folder.rs"]
mod data_folder;

use common::Folder;

#[cfg(unix)]
#[test]
fn an_interrupted_training_is_kept_and_gone_on_with() {
    use std::process::{Command, Stdio};
    use std::time::Duration;
    let folder = Folder::new();
    folder.ok("data blobs -n 200 -o x.npy");
    // Far more passes than there is time for.
    let fit = "embed x.npy -m autoencoder --set max_iter=1000000 --set n_iter_no_change=1000000 --set lbfgs_steps=0";
    let mut command = folder
        .command(&format!("{fit} -o y.npy --model m.lowland --on-interrupt keep --checkpoint c.lowland"));
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let ended = child.wait_with_output().unwrap();
    let errors = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(0), "{errors}");
    assert!(errors.contains("asked to stop"), "{errors}");
    assert_eq!(folder.names(), ["c.lowland", "m.lowland", "x.npy", "y.npy"]);
    // The rate of the steps depends on the number of passes; when the training ends may be another time.
    let fit = "embed x.npy -m autoencoder --set lbfgs_steps=0 --set n_iter_no_change=1";
    folder.refused(&format!("{fit} --set max_iter=9 --start c.lowland -o z.npy"), 1, "max_iter = 1000000");
    folder.ok(&format!("{fit} --set max_iter=1000000 --start c.lowland -o z.npy"));
    folder.ok("data blobs -n 200 --seed 9 -o other.npy");
    folder.refused("embed other.npy -m autoencoder --start c.lowland -o w.npy", 1, "other rows");
    folder.refused("embed x.npy -m umap --start c.lowland", 1, "the checkpoint is of autoencoder");
    folder.ok("embed x.npy -m pca -o start.csv");
    folder.refused(
        "embed x.npy -m autoencoder --start start.csv -o w.npy",
        1,
        "begin with given coordinates",
    );
    folder.refused("embed x.npy -m rbm --checkpoint d.lowland -o w.npy", 2, "leave out --checkpoint");
}

#[test]
fn boltzmann_machines_score_rows_and_draw_new_ones() {
    let folder = Folder::new();
    folder.ok("data blobs -n 120 -o x.csv");
    folder.ok("embed x.csv -m rbm -d 5 --set n_iter=20 -o y.csv --model m.lowland");
    folder.ok("score m.lowland x.csv -o energy.csv");
    let text = String::from_utf8(folder.bytes("energy.csv")).unwrap();
    assert!(text.starts_with("free_energy\n") && text.lines().count() == 121, "{text}");
    folder.ok("sample m.lowland -n 7 -o drawn.csv");
    folder.ok("inverse m.lowland y.csv -o back.csv");
    folder.ok("embed x.csv -m pca -d 2 -o p.csv --model p.lowland");
    folder.ok("score p.lowland x.csv -o likely.csv");
    assert!(String::from_utf8(folder.bytes("likely.csv")).unwrap().starts_with("log_likelihood\n"));
    folder.ok("embed x.csv -m isomap -o i.csv --model i.lowland");
    folder.refused("score i.lowland x.csv -o no.csv", 1, "not a density");
}

/// The review's claim (Maaten 4.2), small: a deep net of sigmoid units on 1,000 digits. `--example autoencoder_figures` has it
/// for the review's net and 5,000 digits.
#[test]
fn pretraining_beats_random_weights_on_digits() {
    use lowland::methods::Autoencoder;
    use lowland::neural::Pretraining;
    use lowland::{Method, Model, Run};
    let file = data_folder::data_folder().join("t10k-images-idx3-ubyte.gz").display().to_string();
    let Ok(images) = lowland_io::read(&file, &lowland_io::ReadOptions::default()) else {
        eprintln!("skipped: there is no {file}; LOWLAND_DATA names the folder");
        return;
    };
    let x = images.matrix.to_f64().slice_move(ndarray::s![..1000, ..]) / 255.0;
    for seed in 0..2 {
        let run = Run::new().with_seed(seed);
        let [random, pretrained] = [Pretraining::None, Pretraining::Rbm].map(|pretraining| {
            let method = Autoencoder {
                n_components: 20,
                hidden_layer_sizes: Some(vec![200, 100, 50]),
                pretraining: Some(pretraining),
                max_iter: Some(20),
                alpha: Some(0.0),
                ..Autoencoder::default()
            };
            method.fit_model(&x, &run).unwrap().report().objective[0].value
        });
        assert!(pretrained < 0.97 * random, "seed {seed}: {pretrained} {random}");
    }
}

/// `none` is not the word for random weights, and must not be taken for `auto`, which pretrains.
#[test]
fn a_word_that_would_mean_the_opposite_is_refused() {
    let folder = Folder::new();
    folder.refused("embed data:blobs -m autoencoder --set pretraining=none", 2, "random");
    folder.refused("embed data:blobs -m umap --set init=none", 2, "random");
    assert!(folder.json("embed data:blobs?n=60 -m t-sne --set perplexity=none --json")["parameters"]["perplexity"].is_null());
}
