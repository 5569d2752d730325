//! How much memory there is to be had, and refusals before it is asked for: a `Vec` that cannot grow ends the process,
//! so whatever is large is asked for here first.

use crate::error::MemoryLimit;
use crate::{Error, Result};
use std::cell::Cell;
use std::fs;
use std::hint::black_box;
use std::path::Path;

/// What can be done where nothing makes the work lighter.
pub const LARGER: &str = "set a larger memory budget";

/// Less than this is not worth a look: it comes out of what the allocator holds anyway.
const SMALL: u64 = 1 << 20;

thread_local! {
    static FALLIBLE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f`, whose allocations may fail: it looks at the outcome itself. A global allocator that ends the process where
/// memory cannot be had asks [`is_fallible`] first.
pub fn fallible<R>(f: impl FnOnce() -> R) -> R {
    let before = FALLIBLE.replace(true);
    let result = f();
    FALLIBLE.set(before);
    result
}

/// Whether this thread is inside [`fallible`].
pub fn is_fallible() -> bool {
    FALLIBLE.try_with(Cell::get).unwrap_or(false)
}

/// The bytes that this process can still get, where the system says so: what is free, within the limits of its control
/// groups and its own (`ulimit -v`).
pub fn available() -> Option<u64> {
    let bounds = [free(), control_groups(Path::new("/")), limits()];
    bounds.into_iter().flatten().min()
}

/// All that the machine has, swap included: more than this no budget brings.
fn total() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    Some(kibibytes(&text, "MemTotal:")? + kibibytes(&text, "SwapTotal:").unwrap_or(0))
}

/// What the system could give without swapping.
fn free() -> Option<u64> {
    kibibytes(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// A line such as `VmSize:   1234 kB`.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

/// The least room in any control group that the process is in, of both versions; `root` is that of the file system.
fn control_groups(root: &Path) -> Option<u64> {
    let text = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    let mut least = None;
    for line in text.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(kind), Some(path)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let (base, names) = match kind {
            "" => ("sys/fs/cgroup", ["memory.max", "memory.current", "inactive_file "]),
            _ if kind.split(',').any(|part| part == "memory") => (
                "sys/fs/cgroup/memory",
                ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "],
            ),
            _ => continue,
        };
        // The limit of every group above holds, too. Inside a container the first folder is often the group itself.
        let base = root.join(base);
        let inner = base.join(path.trim_start_matches('/'));
        for folder in inner.ancestors().take_while(|folder| folder.starts_with(&base)) {
            least = [least, room_in(folder, names)].into_iter().flatten().min();
        }
    }
    least
}

/// Limit less use, of which the cache of files that nobody reads could be given back.
fn room_in(folder: &Path, [limit, used, cache]: [&str; 3]) -> Option<u64> {
    let number = |name: &str| fs::read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok();
    let (limit, used) = (number(limit)?, number(used)?);
    let stat = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
    let cached = stat.lines().find_map(|line| line.strip_prefix(cache)?.trim().parse().ok()).unwrap_or(0);
    Some(limit.saturating_sub(used.saturating_sub(cached)))
}

/// What the limits of the process itself leave: of its address space and of its data.
fn limits() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let room = |limit: &str, used: &str| {
        let line = limits.lines().find_map(|line| line.strip_prefix(limit))?;
        let bound: u64 = line.split_whitespace().next()?.parse().ok()?;
        Some(bound.saturating_sub(kibibytes(&status, used)?))
    };
    let bounds = [room("Max address space", "VmSize:"), room("Max data size", "VmData:")];
    bounds.into_iter().flatten().min()
}

/// Whether the allocator would give so many bytes. They are given back untouched, so that this takes no time.
fn would_get(bytes: u64) -> bool {
    let Ok(bytes) = usize::try_from(bytes) else { return false };
    fallible(|| {
        let mut block = Vec::<u8>::new();
        let got = block.try_reserve_exact(bytes).is_ok();
        // Or else the compiler sees that nobody uses it.
        black_box(&block);
        got
    })
}

/// Refuses what cannot be had: more than is free, where there is no `budget`, and more than the system gives at all.
///
/// # Errors
/// [`Error::Memory`], with what there is.
pub fn require(what: &str, bytes: u64, budget: Option<u64>, remedy: &str) -> Result<()> {
    let refused = |budget, limit, remedy: String| {
        Err(Error::Memory { what: what.into(), needed: bytes, budget, limit, remedy })
    };
    match budget {
        Some(budget) if bytes > budget => return refused(budget, MemoryLimit::Budget, remedy.into()),
        _ if bytes < SMALL => return Ok(()),
        Some(_) => {
            if let Some(all) = total().filter(|&all| bytes > all) {
                return refused(all, MemoryLimit::Machine, remedy.into());
            }
        }
        None => {
            if let Some(free) = available().filter(|&free| bytes > free) {
                let remedy = if remedy == LARGER { remedy.into() } else { format!("{remedy}, or {LARGER}") };
                return refused(free, MemoryLimit::Free, remedy);
            }
        }
    }
    if would_get(bytes) {
        return Ok(());
    }
    // How much it would be: halving, down to what is small.
    let (mut least, mut most) = (0, bytes);
    while most - least > SMALL {
        let middle = least + (most - least) / 2;
        if would_get(middle) { least = middle } else { most = middle }
    }
    refused(least, MemoryLimit::Allocator, remedy.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    /// A file system of its own.
    struct Root(PathBuf);

    impl Root {
        fn new(name: &str, files: &[(&str, &str)]) -> Self {
            let root = std::env::temp_dir().join(format!("lowland-memory-{name}-{}", std::process::id()));
            for (path, text) in files {
                let path = root.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            Self(root)
        }
    }

    impl Drop for Root {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn the_tightest_control_group_counts_without_its_cache() {
        let two = Root::new(
            "two",
            &[
                ("proc/self/cgroup", "0::/jobs/one\n"),
                ("sys/fs/cgroup/jobs/one/memory.max", "max\n"),
                ("sys/fs/cgroup/jobs/one/memory.current", "5000\n"),
                ("sys/fs/cgroup/jobs/memory.max", "1000000\n"),
                ("sys/fs/cgroup/jobs/memory.current", "400000\n"),
                ("sys/fs/cgroup/jobs/memory.stat", "anon 7\ninactive_file 100000\n"),
                ("sys/fs/cgroup/memory.max", "2000000\n"),
                ("sys/fs/cgroup/memory.current", "0\n"),
            ],
        );
        assert_eq!(control_groups(&two.0), Some(700_000));
        let one = Root::new(
            "one",
            &[
                ("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/box\n"),
                ("sys/fs/cgroup/memory/memory.limit_in_bytes", "300\n"),
                ("sys/fs/cgroup/memory/memory.usage_in_bytes", "500\n"),
            ],
        );
        assert_eq!(control_groups(&one.0), Some(0));
        let none = Root::new("none", &[("proc/self/cgroup", "0::/\n")]);
        assert_eq!(control_groups(&none.0), None);
    }

    #[test]
    fn more_than_there_is_is_refused_with_or_without_a_budget() {
        for budget in [None, Some(u64::MAX)] {
            assert!(require("a little", 1000, budget, "").is_ok());
            assert!(require("a matrix", 4 << 20, budget, "").is_ok());
            let refused = require("a matrix", 1 << 60, budget, "take less").unwrap_err();
            let Error::Memory { needed, budget, remedy, .. } = refused else { panic!("{refused}") };
            assert!(
                needed == 1 << 60 && budget < needed && remedy.starts_with("take less"),
                "{budget} {remedy}"
            );
        }
        assert!(matches!(require("a word", 9, Some(8), ""), Err(Error::Memory { budget: 8, .. })));
        if cfg!(target_os = "linux") {
            assert!(available().is_some_and(|free| free > 1 << 20));
        }
    }

    #[test]
    fn a_fallible_scope_ends() {
        assert!(!is_fallible());
        assert!(fallible(|| is_fallible() && fallible(is_fallible) && is_fallible()));
        assert!(!is_fallible());
    }
}
