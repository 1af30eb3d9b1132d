#pragma once
// Toy programs with known optima, for the tests of passes.
#include <optional>
#include <string>
#include <vector>

#include "toy/toy.h"
#include "trace/trace.h"

namespace heddle::test::toy {

struct Known {
  std::string name;
  Program program;
  size_t preemptions;  // the least that any failing schedule has
};

// Threads add 1 to a variable without a lock, main joins them and checks the sum.
Program lost_update(int threads, int padding);
// Two threads take two locks in opposite orders, between `padding` steps of their own; `bystanders` only use a third lock.
Program lock_cycle(int bystanders, int padding);
// A consumer waits with `if` instead of `while`: another one may have emptied the buffer when it wakes.
Program early_wake();
// Main publishes a pointer before it has filled what it points to.
Program use_before_init(int bystanders);
// A check and the act on it, in one thread; another changes the balance between: the bank.
Program check_then_act(int threads);
// Fails in every schedule with the thread order "second before first", without any preemption.
Program wrong_order(int threads);

std::vector<Known> known_programs();

// A failing trace under a random walk, from the first seed at or after `seed` that gives one of the wanted kind.
std::optional<Trace> random_failure(const Program& program, uint64_t seed, size_t attempts = 5000);

}  // namespace heddle::test::toy
