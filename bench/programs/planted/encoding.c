// Frames coded row by row, each thread a frame; a row waits until the frame before has gone far enough, as x264 does it.
#include "places.h"

enum { kThreads = 4, kFrames = 8, kWidth = 64, kHeight = 48, kBlock = 8, kReach = 2, kRows = kHeight / kBlock };
static unsigned char pictures[kFrames][kHeight][kWidth], coded[kFrames][kHeight][kWidth];
static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int rows;
} progress[kFrames];
static long bits;
static int next_frame;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int difference(const unsigned char (*a)[kWidth], const unsigned char (*b)[kWidth], int y, int x, int dy, int dx) {
  int sum = 0;
  for (int i = 0; i < kBlock; i += 2) {
    for (int k = 0; k < kBlock; k += 2) {
      const int d = a[y + i][x + k] - b[y + dy + i][x + dx + k];
      sum += d < 0 ? -d : d;
    }
  }
  return sum;
}

static void wait_for_row(int frame, int row) {
  pthread_mutex_lock(&progress[frame].lock);
  while (progress[frame].rows < row) pthread_cond_wait(&progress[frame].changed, &progress[frame].lock);
  PLACE(0);
  pthread_mutex_unlock(&progress[frame].lock);
}

static long code_block(int frame, int y, int x) {
  int best = 1 << 20, best_dy = 0, best_dx = 0;
  for (int dy = -kReach; frame > 0 && dy <= kReach; ++dy) {
    for (int dx = -kReach; dx <= kReach; ++dx) {
      if (y + dy < 0 || y + dy + kBlock > kHeight || x + dx < 0 || x + dx + kBlock > kWidth) continue;
      const int d = difference(pictures[frame], coded[frame - 1], y, x, dy, dx);
      if (d < best) best = d, best_dy = dy, best_dx = dx;
    }
  }
  PLACE(1);
  for (int i = 0; i < kBlock; ++i) {
    for (int k = 0; k < kBlock; ++k)
      coded[frame][y + i][x + k] =
          frame > 0 ? (unsigned char)((coded[frame - 1][y + best_dy + i][x + best_dx + k] + pictures[frame][y + i][x + k]) / 2)
                    : pictures[frame][y + i][x + k];
  }
  if (best == 0) PLACE(2);
  return best;
}

static void code_frame(int frame) {
  PLACE(3);
  long own = 0;
  for (int row = 0; row < kRows; ++row) {
    if (frame > 0) wait_for_row(frame - 1, row + 2 < kRows ? row + 2 : kRows);
    PLACE(4);
    for (int x = 0; x < kWidth; x += kBlock) own += code_block(frame, row * kBlock, x);
    PLACE(5);
    pthread_mutex_lock(&progress[frame].lock);
    progress[frame].rows = row + 1;
    PLACE(6);
    pthread_cond_broadcast(&progress[frame].changed);
    pthread_mutex_unlock(&progress[frame].lock);
    PLACE(7);
  }
  pthread_mutex_lock(&mutex);
  bits += own;
  PLACE(8);
  pthread_mutex_unlock(&mutex);
  PLACE(9);
}

static void* coder(void* argument) {
  (void)argument;
  PLACE(10);
  for (;;) {
    pthread_mutex_lock(&mutex);
    const int frame = next_frame < kFrames ? next_frame++ : -1;
    PLACE(11);
    pthread_mutex_unlock(&mutex);
    if (frame < 0) break;
    code_frame(frame);
  }
  PLACE(12);
  return NULL;
}

int main(void) {
  for (int f = 0; f < kFrames; ++f) {
    pthread_mutex_init(&progress[f].lock, NULL);
    pthread_cond_init(&progress[f].changed, NULL);
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) pictures[f][y][x] = (unsigned char)((x + f) * 3 + y * y / 7 + (x * y + f) % 5);
    }
  }
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, coder, NULL);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  return bits > 0 ? 0 : 1;
}
