// The table of a codec is published before it is filled; the second user skips the lock.
// heddle-bug: kind=assert granularity=access class=order,atomicity,race set=tuned
// fix: before|after|first|lock|hold
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

struct codec {
  uint8_t encode[256];
  int ready_for;
};

static struct codec* codec;
static pthread_mutex_t codec_lock = PTHREAD_MUTEX_INITIALIZER;

static void codec_fill(struct codec* c) {
  for (int i = 0; i < 256; i++) c->encode[i] = (uint8_t)(i ^ 0x5a);
  c->ready_for = 256;  // FIX
}

static struct codec* codec_get(void) {
  if (!codec) {
    pthread_mutex_lock(&codec_lock);
    if (!codec) {
      codec = calloc(1, sizeof *codec);  // BUG
      codec_fill(codec);                 // BUG
    }
    pthread_mutex_unlock(&codec_lock);
  }
  return codec;
}

static void encode(uint8_t* bytes, int length) {
  struct codec* c = codec_get();
  assert(c->ready_for == 256);
  for (int i = 0; i < length; i++) bytes[i] = c->encode[bytes[i]];
}

static void* stream(void* arg) {
  encode(arg, 4);
  return NULL;
}

int main(void) {
  uint8_t first[] = "abcd", second[] = "efgh";
  pthread_t a, b;
  pthread_create(&a, NULL, stream, first);
  pthread_create(&b, NULL, stream, second);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  free(codec);
  return 0;
}
