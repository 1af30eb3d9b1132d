// What an Arc holds is written through a raw pointer by two threads.
// heddle-bug: kind=signal,abort,exit granularity=access class=atomicity,race set=held
use std::sync::Arc;
use std::thread;

fn bump(shared: &Arc<u64>) {
    let p = Arc::as_ptr(shared) as *mut u64;
    unsafe {
        let seen = p.read_volatile(); // BUG
        p.write_volatile(seen + 1); // BUG
    }
}

fn main() {
    let shared = Arc::new(0u64);
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let mine = Arc::clone(&shared);
            thread::spawn(move || bump(&mine))
        })
        .collect();
    for t in threads {
        t.join().unwrap();
    }
    assert_eq!(unsafe { Arc::as_ptr(&shared).read_volatile() }, 2);
}
