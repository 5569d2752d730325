//! Files that are written whole or not at all: into a temporary file beside the target, flushed to the disk, then
//! renamed. A reader sees the old file or the new one.
//!
//! Through a symbolic link, the file that it leads to is replaced, and the link stays. The permissions and the owner of
//! an existing file are kept. Devices and pipes hold nothing that could be kept: they are written to directly.
//!
//! A process that is killed leaves its temporary files behind. They are locked for as long as their writer lives, so the
//! next writer in that folder knows which ones nobody will finish, and removes them.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Distinguishes the temporary files of one process.
static NEXT: AtomicU64 = AtomicU64::new(0);
/// How the names of temporary files begin and end.
const TEMPORARY: (&str, &str) = (".lowland-", ".tmp");
/// The folders in which this process has looked for temporary files of others.
static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// So many entries of a folder are looked at.
const MOST_ENTRIES: usize = 10_000;

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
        let place = folder(&target).to_owned();
        if SWEPT.lock().unwrap_or_else(PoisonError::into_inner).insert(place.clone()) {
            sweep(&place);
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

    /// Makes sure that what was written is on the disk: after it, only the name is missing.
    pub fn seal(&self) -> io::Result<()> {
        // A device or a pipe has no disk.
        if self.temporary.is_some() { self.file.sync_all() } else { Ok(()) }
    }

    /// Makes the file appear under its name. Unless `replace`, whatever has come to be there since is an error.
    pub fn finish(self, replace: bool) -> io::Result<()> {
        self.seal()?;
        let target = self.target.clone();
        self.name(replace)?;
        keep_names(&target);
        Ok(())
    }

    /// [`Atomic::finish`] of a file that is sealed. Of several files, all are sealed first and then named: so a fault in
    /// between finds them all new or all old, but for the moment in which they are named. [`keep_names`] comes last: it takes
    /// far longer than a name.
    pub fn name(mut self, replace: bool) -> io::Result<()> {
        let Some(temporary) = &self.temporary else { return Ok(()) };
        if replace {
            fs::rename(temporary, &self.target)?;
            self.temporary = None;
        } else {
            put_new(temporary, &self.target)?;
        }
        Ok(())
    }
}

/// Makes sure that the names in the folder of a file are on the disk: a rename is only after its folder is. Not every system can
/// do that.
pub fn keep_names(target: &Path) {
    if let Ok(folder) = File::open(folder(target)) {
        let _ = folder.sync_all();
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

/// Opens a regular file for reading. A pipe without a writer would keep us waiting for ever, and is refused.
pub fn open(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        let words = "it is not a regular file; give a file, or a table as CSV on the standard input by '-'";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, words));
    }
    File::open(path)
}

/// The system's words on what went wrong, and what to do.
pub fn words(error: &io::Error) -> String {
    use io::ErrorKind::{
        FileTooLarge, IsADirectory, NotADirectory, NotFound, PermissionDenied, QuotaExceeded,
        ReadOnlyFilesystem, StorageFull,
    };
    let remedy = match error.kind() {
        NotFound => "check its name and its folder",
        PermissionDenied => "check its permissions and those of its folder",
        StorageFull | QuotaExceeded => "free some space, or choose another folder",
        FileTooLarge => "raise the limit on file sizes, or choose another file system",
        IsADirectory => "name a file in it",
        NotADirectory => "check the names of its folders",
        ReadOnlyFilesystem => "choose another folder",
        _ => return error.to_string(),
    };
    format!("{error}; {remedy}")
}

/// The path in a form in which two names of one file are equal, whether it is there or not: links followed, the folder in full.
pub fn identity(path: &Path) -> PathBuf {
    let path = resolved(path).unwrap_or_else(|_| path.to_owned());
    match (fs::canonicalize(folder(&path)), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// Removes the temporary files that nobody will finish.
fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.take(MOST_ENTRIES).flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !name.starts_with(TEMPORARY.0) || !name.ends_with(TEMPORARY.1) {
            continue;
        }
        // Not every system has locks. Without them nothing is removed.
        let Ok(file) = File::options().write(true).open(entry.path()) else { continue };
        if file.try_lock().is_ok() {
            let _ = fs::remove_file(entry.path());
        }
    }
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
        let name = format!("{}{process}-{count}-{random:016x}{}", TEMPORARY.0, TEMPORARY.1);
        let path = folder(target).join(name);
        match File::options().write(true).create_new(true).open(&path) {
            Ok(file) => {
                let _ = file.lock();
                // Whoever had the lock before us took the file for one that was left behind.
                if fs::symlink_metadata(&path).is_ok() {
                    return Ok((file, path));
                }
            }
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
mod tests;
