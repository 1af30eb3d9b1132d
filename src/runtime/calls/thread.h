#pragma once

namespace heddle::rt {

struct ThreadSlot;

// The body of every program thread, on its own stack.
void run_thread(ThreadSlot* slot);
// main() has left by pthread_exit: its thread ends like any other. Defined with the thread interposers.
void finish_main();
// A sanitizer's creation of threads goes through ours. Defined with them too.
void take_thread_creation();

}  // namespace heddle::rt
