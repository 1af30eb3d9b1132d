#pragma once
// Classic bugs in miniature, and programs whose schedules can be counted on paper.
#include <string>
#include <vector>

#include "toy/toy.h"

namespace heddle::test::toy {

// main creates the bodies 1..n, joins them and then does `after`.
Program threads(std::vector<std::vector<Step>> bodies, std::vector<Step> after = {});

Program independent(int count, int steps);     // threads that write variables of their own: no two operations conflict
Program shared_writers(int count, int steps);  // threads that write one variable
Program lost_update(int count = 2);            // read, add, write without a lock
Program reorder(int count);                    // count - 1 setters of a then b, one checker
Program two_stage(int count);                  // two critical sections with a gap between
Program two_locks();                           // taken in both orders: deadlock
Program philosophers(int count);
Program double_fetch();           // a reader reads twice, a writer writes between
Program lost_wakeup();            // signal before the wait
Program publish_first();          // a flag set before the data
Program child_first();            // main initialises after creating: fails when the child is quick
Program ping_pong();              // needs two switches back and forth
Program semaphore_order();        // a semaphore with one post too many
Program two_waiters();            // fails only if the signal wakes the second waiter
Program try_lock_skips();         // a failed try leaves work undone
Program spin_flag();              // a thread yields until another sets a flag; no bug
Program safe_counter(int count);  // the lock is held: no bug

struct Kernel {
  std::string name;
  Program program;
};
std::vector<Kernel> buggy_kernels();
std::vector<Kernel> correct_kernels();

}  // namespace heddle::test::toy
