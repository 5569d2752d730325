//! Files that are written whole or not at all: into a temporary file beside the target, flushed to the disk, then
//! renamed. A reader sees the old file or the new one.
//!
//! Through a symbolic link, the file that it leads to is replaced, and the link stays. The permissions and the owner of
//! an existing file are kept. Devices and pipes hold nothing that could be kept: they are written to directly.

use std::fs::{self, File, Metadata};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Distinguishes the temporary files of one process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// A file under way. Dropped before [`Atomic::finish`], it leaves nothing behind.
#[derive(Debug)]
pub struct Atomic {
    target: PathBuf,
    file: File,
    /// None where the target is written to directly, and once the file is finished.
    temporary: Option<PathBuf>,
}

impl Atomic {
    /// Opens a temporary file beside the target, or the target itself where it is a device or a pipe.
    pub fn begin(target: &Path) -> io::Result<Self> {
        let old = fs::metadata(target).ok();
        if old.as_ref().is_some_and(is_stream) {
            let file = File::options().write(true).open(target)?;
            return Ok(Self { target: target.to_owned(), file, temporary: None });
        }
        let target = resolved(target)?;
        if old.as_ref().is_some_and(|old| !old.is_file()) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        // A file that may not be written to is not to be replaced by way of its folder either.
        if old.is_some() {
            drop(File::options().append(true).open(&target)?);
        }
        let (file, temporary) = create_beside(&target)?;
        let begun = Self { target, file, temporary: Some(temporary) };
        if let Some(old) = old {
            keep_access(&begun.file, &old)?;
        }
        Ok(begun)
    }

    /// Where it is written until it is whole: whoever ends the process from outside removes this file.
    pub fn temporary(&self) -> Option<&Path> {
        self.temporary.as_deref()
    }

    /// The file to write to.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Makes the file appear under its name. Unless `replace`, whatever has come to be there since is an error.
    pub fn finish(mut self, replace: bool) -> io::Result<()> {
        let Some(temporary) = &self.temporary else { return Ok(()) };
        self.file.sync_all()?;
        if replace {
            fs::rename(temporary, &self.target)?;
            self.temporary = None;
        } else {
            put_new(temporary, &self.target)?;
        }
        // The rename itself is on the disk only after its folder is. Not every system can do that.
        if let Ok(folder) = File::open(folder(&self.target)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Drop for Atomic {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Writes these bytes, instead of what was there.
pub fn write(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut begun = Atomic::begin(target)?;
    begun.file().write_all(bytes)?;
    begun.finish(true)
}

/// The folder that a file is in.
pub fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Whether bytes that are written there go somewhere else: a terminal, `/dev/null`, a pipe.
pub fn is_stream(found: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = found.file_type();
        kind.is_char_device() || kind.is_fifo()
    }
    #[cfg(not(unix))]
    {
        let _ = found;
        false
    }
}

/// Where links lead, also those to a file that is not there yet.
pub fn resolved(path: &Path) -> io::Result<PathBuf> {
    const MOST_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = folder(&path).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("its symbolic links go round in a circle"))
}

fn create_beside(target: &Path) -> io::Result<(File, PathBuf)> {
    if target.file_name().is_none() {
        return Err(io::ErrorKind::InvalidFilename.into());
    }
    const ATTEMPTS: usize = 16;
    let mut refused = io::ErrorKind::AlreadyExists.into();
    for _ in 0..ATTEMPTS {
        let (process, count) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        // The keys of a new hasher are random: names differ between machines that share a folder, too.
        let random = RandomState::new().hash_one(count);
        let name = format!(".lowland-{process}-{count}-{random:016x}.tmp");
        let path = folder(target).join(name);
        match File::options().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => refused = error,
            Err(error) => return Err(error),
        }
    }
    Err(refused)
}

/// The permissions and the owner of the file that will be replaced. Only an administrator can give files away; where
/// the group cannot be kept either, its members get no more than everybody had.
fn keep_access(file: &File, old: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
        let new = file.metadata()?;
        let mut mode = old.mode() & 0o777;
        if new.uid() != old.uid() {
            let _ = fchown(file, Some(old.uid()), None);
        }
        if new.gid() != old.gid() && fchown(file, None, Some(old.gid())).is_err() {
            mode &= !0o070 | (mode & 0o007) << 3;
        }
        file.set_permissions(fs::Permissions::from_mode(mode))
    }
    #[cfg(not(unix))]
    file.set_permissions(old.permissions())
}

/// Gives the file its name unless something has it.
fn put_new(temporary: &Path, target: &Path) -> io::Result<()> {
    match fs::hard_link(temporary, target) {
        // The first name goes away with the guard.
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // Not every file system has links.
        Err(_) if fs::symlink_metadata(target).is_ok() => Err(io::ErrorKind::AlreadyExists.into()),
        Err(_) => fs::rename(temporary, target),
    }
}

#[cfg(test)]
mod tests {
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
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).unwrap()
        });
        write(&pipe, b"through").unwrap();
        assert_eq!(reader.join().unwrap(), b"through");
        assert_eq!(folder.count(), 1);
    }
}
