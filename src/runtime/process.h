#pragma once

namespace heddle::rt {

// main() has left by pthread_exit: its thread ends like any other. Defined with the thread interposers.
void finish_main();
// A sanitizer's creation of threads goes through ours. Defined with them too.
void take_thread_creation();

}  // namespace heddle::rt
