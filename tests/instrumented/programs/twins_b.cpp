#include "twins.h"

Function address_in_b() { return &shared_function; }

static int next_a() {
  static int x = 1000;
  return x -= 3;
}

int work_b(int round) {
  static Counter<int> counter;
  double values[40];
  for (int i = 0; i < 40; ++i) values[i] = (i * 7919 + round) % 101;
  here += 2;
  return next_a() + counter.add(round & 3) + static_cast<int>(largest(values, 40)) + here;
}
