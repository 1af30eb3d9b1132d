#pragma once
// The processor's counter (rdtsc, rdtscp). It differs from run to run, and what depends on it does: random numbers of OpenSSL, allocations of libraries
// that measure themselves when they are loaded. So reads of it in a module's code are diverted to one of ours, which goes by the run's clock.
namespace heddle::rt {

// Once, before any constructor of the program; modules that are loaded later are looked at before their constructors run, too.
void divert_counter_reads();

}  // namespace heddle::rt
