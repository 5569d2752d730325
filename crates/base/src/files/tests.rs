use super::*;

/// A folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lowland-files-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn count(&self) -> usize {
        fs::read_dir(&self.0).unwrap().count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_file_is_whole_or_not_there() {
    let folder = Folder::new("whole");
    let path = folder.0.join("x");
    write(&path, b"one").unwrap();
    let mut begun = Atomic::begin(&path).unwrap();
    begun.file().write_all(b"half").unwrap();
    assert_eq!(folder.count(), 2);
    drop(begun);
    assert_eq!((fs::read(&path).unwrap(), folder.count()), (b"one".to_vec(), 1));
    let refused = Atomic::begin(&path).unwrap().finish(false).unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
    assert_eq!((fs::read(&path).unwrap(), folder.count()), (b"one".to_vec(), 1));
    let mut new = Atomic::begin(&folder.0.join("y")).unwrap();
    new.file().write_all(b"two").unwrap();
    new.finish(false).unwrap();
    assert_eq!((fs::read(folder.0.join("y")).unwrap(), folder.count()), (b"two".to_vec(), 2));
    assert!(write(&folder.0, b"").is_err() && write(&folder.0.join("none/x"), b"").is_err());
}

#[test]
fn many_writers_of_one_file_leave_one_of_theirs() {
    let folder = Folder::new("many");
    let path = folder.0.join("x");
    std::thread::scope(|scope| {
        for byte in 0..8 {
            let path = &path;
            scope.spawn(move || (0..20).for_each(|_| write(path, &vec![byte; 1 << 12]).unwrap()));
        }
    });
    let found = fs::read(&path).unwrap();
    assert!(found.len() == 1 << 12 && found.iter().all(|byte| *byte == found[0]));
    assert_eq!(folder.count(), 1);
}

#[cfg(unix)]
#[test]
fn links_stay_and_access_is_kept() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    let folder = Folder::new("links");
    let (real, link, second) = (folder.0.join("real"), folder.0.join("link"), folder.0.join("second"));
    symlink("real", &link).unwrap();
    symlink(&link, &second).unwrap();
    // To a file that is not there yet, and then to the one that is.
    for text in [b"one", b"two"] {
        write(&second, text).unwrap();
        assert_eq!(fs::read(&real).unwrap(), text);
        assert!(link.is_symlink() && second.is_symlink() && !real.is_symlink());
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    }
    let before = fs::metadata(&real).unwrap();
    write(&link, b"three").unwrap();
    let after = fs::metadata(&real).unwrap();
    assert_eq!(after.mode() & 0o777, 0o640);
    assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
    symlink(folder.0.join("b"), folder.0.join("a")).unwrap();
    symlink(folder.0.join("a"), folder.0.join("b")).unwrap();
    assert!(write(&folder.0.join("a"), b"").is_err());
}

#[test]
fn what_a_killed_writer_left_is_removed_and_what_another_writes_is_not() {
    let folder = Folder::new("left");
    // No writer holds the first; another process would hold the second.
    let (left, busy) = (folder.0.join(".lowland-1-0-00.tmp"), folder.0.join(".lowland-2-0-00.tmp"));
    let (other, target) = (folder.0.join("mine.tmp"), folder.0.join("x"));
    [&left, &busy, &other].iter().for_each(|path| fs::write(path, b"half").unwrap());
    let held = File::open(&busy).unwrap();
    held.lock().unwrap();
    write(&target, b"whole").unwrap();
    assert!(!left.exists() && busy.exists() && other.exists());
    assert_eq!(fs::read(&target).unwrap(), b"whole");
    let begun = Atomic::begin(&target).unwrap();
    sweep(&folder.0);
    assert!(begun.temporary().unwrap().exists() && busy.exists());
}

#[test]
fn names_of_one_file_are_equal() {
    let folder = Folder::new("same");
    let path = |name: &str| identity(&folder.0.join(name));
    fs::create_dir(folder.0.join("d")).unwrap();
    assert_eq!(path("x"), path("./d/../x"));
    assert_ne!(path("x"), path("d/x"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("x", folder.0.join("link")).unwrap();
        assert_eq!(path("x"), path("link"));
    }
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_written_to_directly() {
    write(Path::new("/dev/null"), b"nothing").unwrap();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    let folder = Folder::new("pipes");
    let pipe = folder.0.join("pipe");
    if !std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
        return; // No such program here.
    }
    assert_eq!(open(&pipe).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read(pipe).unwrap()
    });
    write(&pipe, b"through").unwrap();
    assert_eq!(reader.join().unwrap(), b"through");
    assert_eq!(folder.count(), 1);
}
