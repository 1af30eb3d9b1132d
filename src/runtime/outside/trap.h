#pragma once
// System calls that are made without a function we could interpose: libgomp's own futex calls, glibc's inner locks, the reads and
// writes inside of its streams. A seccomp filter turns them into SIGSYS, and the handler puts them under control. Installed only where a program needs it:
// it stays for ever, also in what the process executes.

namespace heddle::rt {

// Catches such calls from now on. False where the system refuses, which is said in a note; then they stay uncontrolled.
bool catch_inner_calls();
bool catches_inner_calls();
// In a new process with the memory of one that did.
void catch_inner_calls_again();
// A stream is made over a descriptor: catches what it reads and writes, if that may block or reach somebody.
void catch_stream(int fd);
// A library that makes its own futex calls is loaded: catch them.
void catch_where_needed();

// What this process executes has another address space, which must not meet our filter's addresses: with addresses at random it does
// not. Returns what `personality` was, or -1 where nothing had to be done.
long randomise_addresses();
// For the length of a call that starts another program.
class ForAnotherProgram {
 public:
  ForAnotherProgram();
  ~ForAnotherProgram();
  ForAnotherProgram(const ForAnotherProgram&) = delete;
  ForAnotherProgram& operator=(const ForAnotherProgram&) = delete;

 private:
  long before_;
};

}  // namespace heddle::rt
