// A counter under a lock of the program's own; and one whose races are said to be meant.
#include "../own_lock.h"

void AnnotateBenignRaceSized(const char*, int, const volatile void*, size_t, const char*);
void AnnotateIgnoreReadsBegin(const char*, int);
void AnnotateIgnoreReadsEnd(const char*, int);
void AnnotateIgnoreWritesBegin(const char*, int);
void AnnotateIgnoreWritesEnd(const char*, int);

static int counter, meant, unwatched;

static void one(void) {
  for (int i = 0; i < 2; ++i) {
    own_take();
    ++counter;
    own_give();
    ++meant;
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    ++unwatched;
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  }
}

int main(void) {
  AnnotateBenignRaceSized(__FILE__, __LINE__, &meant, sizeof meant, "a guess is enough");
  run_both(one, one);
  return counter != 4;
}
