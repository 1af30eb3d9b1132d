// An atomic that is loaded and stored, not added to.
// heddle-bug: kind=signal,abort,exit granularity=access class=atomicity,race set=tuned
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

static TICKETS: AtomicUsize = AtomicUsize::new(0);

fn take() {
    let seen = TICKETS.load(Ordering::SeqCst); // BUG
    TICKETS.store(seen + 1, Ordering::SeqCst); // BUG
}

fn main() {
    let threads: Vec<_> = (0..2).map(|_| thread::spawn(take)).collect();
    for t in threads {
        t.join().unwrap();
    }
    assert_eq!(TICKETS.load(Ordering::SeqCst), 2);
}
