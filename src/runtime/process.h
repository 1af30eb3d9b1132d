#pragma once

namespace heddle::rt {

// main() has left by pthread_exit: its thread ends like any other. Defined with the thread interposers.
void finish_main();

}  // namespace heddle::rt
