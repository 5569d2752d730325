use super::*;
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

fn on_worker() -> bool {
    rayon::current_thread_index().is_some()
}

fn milliseconds(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// So many loops of about 4 ms on two threads.
fn loops(run: &Run, count: usize) {
    for _ in 0..count {
        run.install(|| (0..8).into_par_iter().for_each(|_| sleep(milliseconds(1))));
    }
}

#[test]
fn a_whole_task_is_inside_and_another_beside_it_is_not() {
    for threads in [1, 2] {
        let run = Run::new().with_threads(threads).unwrap();
        let other = run.clone();
        let beside = run.whole(move || {
            assert!(on_worker() && other.whole(on_worker));
            assert!(!other.is_in_loop() && other.install(|| other.is_in_loop()) && !other.is_in_loop());
            spawn(move || other.whole(on_worker)).join().unwrap()
        });
        assert!(!beside, "{threads} threads");
        // It is free again, after a panic, too, and no thread is marked.
        assert!(catch_unwind(AssertUnwindSafe(|| run.whole(|| panic!("a whole task")))).is_err());
        assert!(catch_unwind(AssertUnwindSafe(|| run.install(|| panic!("a loop")))).is_err());
        let marks = run.pool.as_ref().unwrap().threads.broadcast(|_| CARRIES_WHOLE.get());
        assert_eq!((marks, run.callers().load(Ordering::Relaxed)), (vec![false; threads], 0));
        assert!(run.whole(on_worker));
    }
}

/// Each loop asks for helpers: some who are asked help already, or have the task.
#[test]
fn many_short_loops_of_a_whole_task_leave_no_helper_behind() {
    for threads in [2, 3] {
        let run = Run::new().with_threads(threads).unwrap();
        let once = |i: u64| run.install(|| (0..4).into_par_iter().map(|j| i ^ j).sum::<u64>());
        let sum: u64 = run.whole(|| (0..100_000).map(once).sum());
        assert_eq!(sum, (0..100_000).flat_map(|i| (0..4).map(move |j| i ^ j)).sum());
        let asked = || Arc::strong_count(run.users()) - 1;
        let begun = Instant::now();
        while asked() > 0 && begun.elapsed() < Duration::from_secs(20) {
            sleep(milliseconds(10));
        }
        assert_eq!(asked(), 0, "{threads} threads");
        // The loops after the task go on without helpers, and the next task has them again.
        assert_eq!(run.install(|| (0..9).into_par_iter().sum::<u64>()), 36);
        assert_eq!(run.whole(|| once(3)), 6);
    }
}

/// Who shares the pool with a long task waits for none of it, whoever is first and even if there is one thread.
#[test]
fn a_short_task_does_not_wait_for_a_long_one() {
    for threads in [1, 2] {
        let run = Run::new().with_threads(threads).unwrap();
        let (begin, begun) = mpsc::channel();
        let long = run.clone();
        let ended = spawn(move || {
            long.whole(|| {
                begin.send(()).unwrap();
                loops(&long, 100);
            });
            Instant::now()
        });
        begun.recv().unwrap();
        run.whole(|| loops(&run, 3));
        let short = Instant::now();
        assert!(short + milliseconds(200) < ended.join().unwrap(), "{threads} threads");
    }
}

/// Work without end, for 20 seconds at most.
fn again(begun: Instant, over: Arc<AtomicUsize>) {
    if over.load(Ordering::Relaxed) == 0 && begun.elapsed() < Duration::from_secs(20) {
        rayon::spawn(move || again(begun, over));
    }
}

#[test]
fn a_thread_stops_helping_when_others_use_the_pool() {
    let run = Run::new().with_threads(1).unwrap();
    let (begun, over, asked) = (Instant::now(), Arc::new(AtomicUsize::new(0)), AtomicUsize::new(0));
    run.install(|| {
        again(begun, over.clone());
        run.users().helpers.help(|| asked.fetch_add(1, Ordering::Relaxed) == 100);
    });
    over.store(1, Ordering::Relaxed);
    assert_eq!(asked.load(Ordering::Relaxed), 101);
}

#[test]
fn a_loop_does_not_wait_for_a_whole_task_that_comes_after_it() {
    let run = Run::new().with_threads(2).unwrap();
    let (begin, begun) = mpsc::channel();
    let long = run.clone();
    let ended = spawn(move || {
        begun.recv().unwrap();
        sleep(milliseconds(20));
        long.whole(|| loops(&long, 150));
        Instant::now()
    });
    run.install(|| {
        begin.send(()).unwrap();
        // One of the threads waits for the other when the long task comes.
        rayon::join(|| sleep(milliseconds(5)), || sleep(milliseconds(100)));
    });
    let short = Instant::now();
    assert!(short + milliseconds(200) < ended.join().unwrap());
}

#[test]
fn a_whole_task_can_be_left_while_it_waits_for_a_long_call() {
    for threads in [0, 1, 2] {
        let run = Run::new().with_threads(threads).unwrap();
        let switch = run.cancel_switch();
        spawn(move || {
            sleep(milliseconds(50));
            switch.cancel();
        });
        let begun = Instant::now();
        let slow = run.whole(|| run.interruptible(|| sleep(Duration::from_secs(2))));
        assert_eq!(slow, Err(Error::Canceled));
        assert!(begun.elapsed() < milliseconds(550), "{threads} threads");
    }
}
