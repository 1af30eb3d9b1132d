// Each access holds the mutex, the step does not: the balance is read under one lock and written under another.
// heddle-bug: kind=signal,abort,exit granularity=access class=atomicity,race set=tuned
use std::sync::{Arc, Mutex};
use std::thread;

fn main() {
    let balance = Arc::new(Mutex::new(100));
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let balance = Arc::clone(&balance);
            thread::spawn(move || {
                let seen = *balance.lock().unwrap(); // BUG
                *balance.lock().unwrap() = seen - 30; // BUG
            })
        })
        .collect();
    for t in threads {
        t.join().unwrap();
    }
    assert_eq!(*balance.lock().unwrap(), 40);
}
