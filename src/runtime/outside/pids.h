#pragma once
// Process and thread numbers as the program sees them. With an env_seed they are the same in every run, and they are larger than any
// number that the kernel gives, so that none of them is ever somebody else's. Every call that takes or gives a number goes through here;
// a child process keeps the number that its parent sees, through fork and through exec. Without an env_seed the numbers are the real ones.
#include <sys/types.h>

#include "runtime/engine/thread.h"

namespace heddle::rt {

// This process got a number from the one that started it by exec, see numbers_for_exec.
void inherit_numbers();
// The first process of a run: its number is a function of env_seed.
void name_this_process(uint64_t env_seed);
// In a child process after fork: `seen` is the number that its parent got for it; 0: the real one. `of_run`: it may still be the one under control.
void name_child(pid_t seen, bool of_run);
// A new process has become what another one was: to the program its numbers are those of before.
void number_process_anew();

pid_t program_pid();
pid_t program_parent();
pid_t program_tid(const ThreadSlot& thread);
pid_t own_tid();  // of the calling thread, whether under control or not
ThreadSlot* thread_with_tid(pid_t tid);

// A number from the program, as the kernel knows it; and back. 0 and what names nobody stay as they are.
pid_t real_pid(pid_t seen);
pid_t seen_pid(pid_t real);
pid_t real_group(pid_t seen);  // of a group or session
pid_t real_tid(pid_t seen);
bool is_this_process(pid_t seen);
bool is_parent(pid_t seen);  // of the first process: whoever started the program

// "/proc/<number>/..." with the number as the kernel knows it; the path itself where it has none.
struct RealPath {
  explicit RealPath(const char* path);
  operator const char*() const { return path_; }
  RealPath(const RealPath&) = delete;
  RealPath& operator=(const RealPath&) = delete;

 private:
  const char* path_;
  char own_[256];
};

// A child is about to be made: the number that it will have. From here on it counts as alive, for the program's own handlers of fork are
// operations between its birth and the return of the call that made it.
pid_t expect_child();
// What the program sees: `number`, as expected, or the real one where that is 0.
pid_t child_started(pid_t real, pid_t number);
void child_not_started();
void child_reaped(pid_t real);
uint32_t live_children();
uint32_t births();          // children that it has made so far
bool is_forked();           // this process is a child that the program made: its parent may act on what both share
bool is_child(pid_t real);  // of this process or of its parent, alive or not

// The environment for another program in this process, or in a child that has this number: it says the number. nullptr: as it was.
struct NumbersForExec {
  NumbersForExec(char* const* environment, pid_t self, pid_t parent);
  operator char* const*() const { return environment_; }
  NumbersForExec(const NumbersForExec&) = delete;
  NumbersForExec& operator=(const NumbersForExec&) = delete;

 private:
  static constexpr uint32_t kMostVariables = 4096;
  char* const* environment_;
  char text_[64];
  char* own_[kMostVariables + 3];
};
// This process's own numbers go on.
pid_t number_to_pass();
pid_t parent_to_pass();

}  // namespace heddle::rt
