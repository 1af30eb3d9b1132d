// A file in blocks, compressed by workers and written in order by a thread of its own, as pigz does it.
#include <string.h>

#include "places.h"

enum { kWorkers = 4, kBlocks = 16, kBlock = 6000, kHash = 512 };
static unsigned char input[kBlocks * kBlock];
struct job {
  int sequence, length, crc;
  unsigned char output[2 * kBlock];
  struct job* next;
};
static struct job jobs[kBlocks];
static struct job *to_do, *done;
static int more = 1, written_crc, written_length;
static pthread_mutex_t to_do_lock = PTHREAD_MUTEX_INITIALIZER, done_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t to_do_changed = PTHREAD_COND_INITIALIZER, done_changed = PTHREAD_COND_INITIALIZER;

static int checksum(const unsigned char* data, int length) {
  unsigned a = 1, b = 0;
  for (int i = 0; i < length; ++i) a = (a + data[i]) % 65521, b = (b + a) % 65521;
  return (int)(b << 16 | a);
}

static int compress(const unsigned char* data, unsigned char* out) {
  int last[kHash];
  memset(last, -1, sizeof last);
  int n = 0;
  for (int i = 0; i < kBlock;) {
    const unsigned hash = i + 2 < kBlock ? (data[i] * 31u + data[i + 1] * 7u + data[i + 2]) % kHash : 0;
    const int candidate = last[hash];
    int length = 0;
    if (candidate >= 0 && i - candidate < 4096)
      while (i + length < kBlock && length < 255 && data[candidate + length] == data[i + length]) ++length;
    last[hash] = i;
    if (length > 3) {
      out[n++] = 255;
      out[n++] = (unsigned char)length;
      if (length > 128) PLACE(0);
      i += length;
    } else {
      out[n++] = data[i++] & 127;
    }
    if (n % 512 == 0) PLACE(1);
  }
  return n;
}

static void* compressor(void* argument) {
  (void)argument;
  PLACE(2);
  for (;;) {
    pthread_mutex_lock(&to_do_lock);
    while (!to_do && more) pthread_cond_wait(&to_do_changed, &to_do_lock);
    struct job* job = to_do;
    if (job) to_do = job->next;
    PLACE(3);
    pthread_mutex_unlock(&to_do_lock);
    if (!job) break;
    PLACE(4);
    job->length = compress(input + job->sequence * kBlock, job->output);
    PLACE(5);
    job->crc = checksum(input + job->sequence * kBlock, kBlock);
    PLACE(6);
    pthread_mutex_lock(&done_lock);
    struct job** at = &done;
    while (*at && (*at)->sequence < job->sequence) at = &(*at)->next;
    job->next = *at;
    *at = job;
    PLACE(7);
    pthread_cond_signal(&done_changed);
    pthread_mutex_unlock(&done_lock);
    PLACE(8);
  }
  PLACE(9);
  return NULL;
}

static void* writer(void* argument) {
  (void)argument;
  PLACE(10);
  for (int sequence = 0; sequence < kBlocks; ++sequence) {
    pthread_mutex_lock(&done_lock);
    while (!done || done->sequence != sequence) pthread_cond_wait(&done_changed, &done_lock);
    struct job* job = done;
    done = job->next;
    PLACE(11);
    pthread_mutex_unlock(&done_lock);
    written_length += job->length;
    PLACE(12);
    written_crc = written_crc * 31 + (job->crc & 0xFFFF);
  }
  PLACE(13);
  return NULL;
}

int main(void) {
  unsigned seed = 5;
  for (int i = 0; i < kBlocks * kBlock; ++i) {
    seed = seed * 1664525u + 1013904223u;
    input[i] = i % 700 < 500 ? (unsigned char)("the quick brown fox "[i % 20]) : (unsigned char)(seed >> 24 & 63);
  }
  pthread_t threads[kWorkers + 1];
  for (int i = 0; i < kWorkers; ++i) pthread_create(&threads[i], NULL, compressor, NULL);
  pthread_create(&threads[kWorkers], NULL, writer, NULL);
  for (int i = 0; i < kBlocks; ++i) {
    jobs[i].sequence = i;
    pthread_mutex_lock(&to_do_lock);
    struct job** at = &to_do;
    while (*at) at = &(*at)->next;
    jobs[i].next = NULL;
    *at = &jobs[i];
    pthread_cond_signal(&to_do_changed);
    pthread_mutex_unlock(&to_do_lock);
    PLACE(14);
  }
  pthread_mutex_lock(&to_do_lock);
  more = 0;
  pthread_cond_broadcast(&to_do_changed);
  pthread_mutex_unlock(&to_do_lock);
  PLACE(15);
  for (int i = 0; i <= kWorkers; ++i) pthread_join(threads[i], NULL);
  return written_length > 0 && written_crc != 0 ? 0 : 1;
}
