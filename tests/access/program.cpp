// One access of each kind and size, in a thread of its own, in the order that access_test.cpp expects. Each function makes exactly the
// accesses that its name says, whatever the compiler and its optimisation.
#include <pthread.h>
#include <string.h>

#ifdef __clang__
#define ALONE __attribute__((noinline))
#else
#define ALONE __attribute__((noipa))
#endif
// No access may be left out because nobody looks at its result, or because a later one undoes it.
#define KEEP asm volatile("" ::: "memory")

template <typename T>
ALONE void store(T* p, T value) {
  *p = value;
}
template <typename T>
ALONE T load(const T* p) {
  KEEP;
  return *p;
}
template <typename T>
ALONE void volatile_store(volatile T* p, T value) {
  *p = value;
}
template <typename T>
ALONE T volatile_load(const volatile T* p) {
  return *p;
}

template <typename T>
struct __attribute__((packed)) Odd {
  char pad;
  T value;
};
template <typename T>
ALONE void odd_store(Odd<T>* p, T value) {
  p->value = value;
}
template <typename T>
ALONE T odd_load(const Odd<T>* p) {
  KEEP;
  return p->value;
}

struct Base {
  virtual ~Base() {}
  virtual int answer() {
    KEEP;
    return 1;
  }
};
ALONE int call(Base* b) {
  KEEP;
  return b->answer();
}

__extension__ typedef __int128 Wide;
struct Block {
  long words[5];
};

template <typename T>
ALONE void atomics(T* p) {
  __atomic_store_n(p, T(5), __ATOMIC_RELEASE);
  __atomic_load_n(p, __ATOMIC_ACQUIRE);
  __atomic_exchange_n(p, T(6), __ATOMIC_ACQ_REL);
  __atomic_fetch_add(p, T(1), __ATOMIC_RELAXED);
  __atomic_fetch_sub(p, T(2), __ATOMIC_SEQ_CST);
  __atomic_fetch_and(p, T(7), __ATOMIC_RELAXED);
  __atomic_fetch_or(p, T(8), __ATOMIC_RELAXED);
  __atomic_fetch_xor(p, T(1), __ATOMIC_RELAXED);
  __atomic_fetch_nand(p, T(3), __ATOMIC_RELAXED);
}
char g1;
short g2;
int g4;
long g8;
alignas(16) Wide g16;
Odd<short> o2;
Odd<int> o4;
Odd<long> o8;
alignas(16) Block from, to;
char a1;
short a2;
int a4;
long a8;
Base object;

template <typename T>
ALONE void plain(T* p) {
  store(p, T(3));
  load(p);
  volatile_store(p, T(4));
  volatile_load(p);
}

static void* accesses(void* nothing) {
  plain(&g1);
  plain(&g2);
  plain(&g4);
  plain(&g8);
  store<Wide>(&g16, 3);
  load(&g16);
  odd_store<short>(&o2, 3);
  odd_load(&o2);
  odd_store<int>(&o4, 3);
  odd_load(&o4);
  odd_store<long>(&o8, 3);
  odd_load(&o8);
  memcpy(&to, &from, sizeof to);
  KEEP;
  memmove(&to, &from, 24);
  KEEP;
  memset(&to, 0x11, 17);
  KEEP;
  call(&object);
  atomics(&a1);
  atomics(&a2);
  atomics(&a4);
  atomics(&a8);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return nothing;
}

int main() {
  pthread_t t;
  pthread_create(&t, nullptr, accesses, nullptr);
  pthread_join(t, nullptr);
  return 0;
}
