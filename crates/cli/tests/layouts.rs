//! Layouts at the terminal: given starts, Ctrl-C that keeps the layout, checkpoints.

mod common;

use common::Folder;

#[test]
fn a_layout_begins_with_given_coordinates() {
    let folder = Folder::new();
    folder.ok("data blobs -n 90 -o x.csv");
    folder.ok("embed x.csv -m pca -d 2 -o start.csv");
    folder.ok("embed x.csv -m umap --set n_epochs=20 --start start.csv -o y.csv");
    folder.ok("embed x.csv -m umap --set n_epochs=20 -o other.csv");
    assert_ne!(folder.bytes("y.csv"), folder.bytes("other.csv"));
    folder.ok("embed x.csv -m pca -d 3 -o three.csv");
    folder.refused("embed x.csv -m umap --start three.csv", 1, "90 x 3");
    folder.refused("embed x.csv -m pca --start start.csv", 1, "pca cannot begin with given coordinates");
    folder.refused("embed x.csv -m pca --checkpoint c.lowland", 2, "leave out --checkpoint");
    folder.ok("embed x.csv -m umap --set n_epochs=20 --model m.lowland");
    folder.refused("embed x.csv -m umap --start m.lowland", 1, "holds a model of umap");
}

#[cfg(unix)]
#[test]
fn an_interrupted_layout_is_kept_where_that_is_wanted_and_gone_on_with() {
    use std::process::Stdio;
    use std::time::{Duration, Instant};
    let folder = Folder::new();
    folder.ok("data blobs -n 300 -o x.npy");
    let fit =
        "embed x.npy -m t-sne --set max_iter=100000000,n_iter_without_progress=100000000,min_grad_norm=0";
    let fit = fit.replace(',', " --set ");
    let interrupted_of = |fit: &str, rest: &str| {
        let mut command = folder.command(&format!("{fit} -o y.npy --force {rest}"));
        let child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(1500));
        let kill =
            std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(kill.success());
        let begun = Instant::now();
        let ended = child.wait_with_output().unwrap();
        assert!(begun.elapsed() < Duration::from_secs(5));
        (ended.status.code(), String::from_utf8(ended.stderr).unwrap())
    };
    let interrupted = |rest: &str| interrupted_of(&fit, rest);
    // Off a terminal nobody can be asked.
    let (code, errors) = interrupted("");
    assert_eq!((code, folder.names()), (Some(130), vec!["x.npy".to_owned()]), "{errors}");
    let (code, errors) = interrupted("--on-interrupt keep --checkpoint c.lowland");
    assert_eq!(code, Some(0), "{errors}");
    assert!(errors.contains("asked to stop"), "{errors}");
    assert_eq!(folder.names(), ["c.lowland", "x.npy", "y.npy"]);
    // It goes on from there, and may replace the checkpoint.
    let (code, errors) = interrupted("--on-interrupt keep --checkpoint c.lowland --start c.lowland");
    assert_eq!(code, Some(0), "{errors}");
    folder.refused("embed x.npy -m umap --start c.lowland", 1, "the checkpoint is of t-sne");
    folder.refused("transform c.lowland x.npy -o z.npy", 1, "it is a checkpoint");
    // Layouts by stress have no checkpoints, but are kept.
    folder.ok("data swiss-roll -n 2000 -o many.npy");
    let fit = "embed many.npy -m mds --set init=random --set n_init=200 --set tol=0";
    let (code, errors) = interrupted_of(fit, "--on-interrupt keep");
    assert!(code == Some(0) && errors.contains("asked to stop"), "{code:?} {errors}");
}
