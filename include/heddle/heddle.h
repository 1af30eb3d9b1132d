/* Marks the iterations of a loop, so that `heddle reduce` and `heddle debug` can leave out those that a bug does not need:
 *
 *   #include <heddle/heddle.h>
 *
 *   for (int i = 0; i < 1000; i++) HEDDLE_ITERATION {
 *     request(i);
 *   }
 *
 * C and C++, gcc and clang, every loop: `while (take(&job)) HEDDLE_ITERATION { serve(&job); }` leaves out requests. `break`, `continue` and `return`
 * mean what they mean without it. A block that is in no loop is marked in the same way: each time it is executed is an iteration.
 *
 * Nothing is to be linked. Without Heddle each iteration is executed, and costs the test of one pointer; with HEDDLE_OFF defined not even
 * that. Under Heddle an iteration is left out only in runs that a reduction proposes, and every one of those is validated by what it does. */
#ifndef HEDDLE_HEDDLE_H
#define HEDDLE_HEDDLE_H

#if defined(HEDDLE_OFF) || !defined(__GNUC__)

#define HEDDLE_ITERATION

#else

#define HEDDLE_TEXT_OF_(x) #x
#define HEDDLE_TEXT_(x) HEDDLE_TEXT_OF_(x)
#define HEDDLE_HERE_ __FILE__ ":" HEDDLE_TEXT_(__LINE__)

#ifdef __cplusplus
extern "C" {
#endif

/* Of the library that Heddle puts in front of a program that it runs; null in every other program. */
int heddle_skip_iteration(const char* place) __attribute__((weak));
void heddle_end_iteration(const char* place) __attribute__((weak));

typedef int (*heddle_skip_function_)(const char*);
typedef void (*heddle_end_function_)(const char*);

/* The linker of a program that is not position-independent would take an undefined address for null, for ever: it is read from a table that is filled
 * when the program starts. */
static __inline__ __attribute__((unused)) heddle_skip_function_ heddle_skip_address_(void) {
#if defined(__x86_64__) && !defined(__PIC__)
  heddle_skip_function_ address;
  __asm__("movq heddle_skip_iteration@GOTPCREL(%%rip), %0\n\t.weak heddle_skip_iteration" : "=r"(address));
  return address;
#else
  return heddle_skip_iteration;
#endif
}
static __inline__ __attribute__((unused)) heddle_end_function_ heddle_end_address_(void) {
#if defined(__x86_64__) && !defined(__PIC__)
  heddle_end_function_ address;
  __asm__("movq heddle_end_iteration@GOTPCREL(%%rip), %0\n\t.weak heddle_end_iteration" : "=r"(address));
  return address;
#else
  return heddle_end_iteration;
#endif
}
static __inline__ __attribute__((unused)) int heddle_left_out_(const char* place) {
  const heddle_skip_function_ skip = heddle_skip_address_();
  return __builtin_expect(skip != 0, 0) && skip(place);
}
static __inline__ __attribute__((unused)) void heddle_ended_(const char* place) {
  const heddle_end_function_ end = heddle_end_address_();
  if (__builtin_expect(end != 0, 0)) end(place);
}

#ifdef __cplusplus
}

/* Also when the iteration ends by an exception or a jump. */
class heddle_iteration_ {
 public:
  explicit heddle_iteration_(const char* place) : place_(heddle_left_out_(place) ? 0 : place) {}
  ~heddle_iteration_() {
    if (place_ != 0) heddle_ended_(place_);
  }
  operator bool() const { return place_ == 0; }

 private:
  const char* place_;
};

#define HEDDLE_ITERATION                                                        \
  if (const heddle_iteration_ heddle_here_ = heddle_iteration_(HEDDLE_HERE_)) { \
  } else

#else

#define HEDDLE_ITERATION                \
  if (heddle_left_out_(HEDDLE_HERE_)) { \
  } else

#endif
#endif
#endif
