// Shared by twins_a.cpp and twins_b.cpp: what two units have in common must stay one thing, whichever copy of a function runs.
#pragma once

inline int inline_calls;

template <typename T>
struct Counter {
  static int made;
  int add(T by) {
    static int calls = 100;
    ++inline_calls;
    return calls += static_cast<int>(by);
  }
  virtual ~Counter() { ++made; }
  virtual int kind() const { return 1; }
};
template <typename T>
int Counter<T>::made = 0;

template <typename T>
T largest(const T* at, int count) {
  T best = at[0];
  for (int i = 1; i < count; ++i) {
    if (at[i] > best) best = at[i];
  }
  return best;
}

using Function = int (*)(int);
Function address_in_b();
int shared_function(int x);
int work_b(int round);
extern thread_local int here;
