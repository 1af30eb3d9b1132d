// A video encoder with a thread for each of eight frames and one that looks ahead. A frame is encoded
// row by row and refers to rows of the frame before, which it waits for; now and then a frame
// hands bits to its successor and the successor settles with its reference, with the two frames' locks
// taken in opposite order.
// Stands for: row "x264" of Tinertia Tables 1-3 (deadlock, 10 threads; PARSEC).
// Ours differs: written anew; a frame is a few rows of numbers, coded as differences; decoded and compared.
// heddle-kernel: family=x264 kind=deadlock granularity=sync class=deadlock paper=tinertia row=x264
#include <pthread.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>

namespace {

constexpr std::size_t kFrames = 8;
constexpr std::size_t kRows = 2;
constexpr std::size_t kWidth = 38;

struct Frame {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t progress = PTHREAD_COND_INITIALIZER;
  std::size_t rows_done = 0;
  long bits = 0;
  pthread_mutex_t stream_lock = PTHREAD_MUTEX_INITIALIZER;  // of `coded`: a frame may be cut into slices
  std::array<std::array<int, kWidth>, kRows> pixels{}, coded{};
};

std::array<Frame, kFrames> frames;
std::array<std::size_t, kFrames> frame_numbers;
pthread_mutex_t lookahead_lock = PTHREAD_MUTEX_INITIALIZER;
std::array<long, kFrames> complexity;

void wait_for_row(Frame& reference, std::size_t row) {
  pthread_mutex_lock(&reference.lock);
  while (reference.rows_done <= row) pthread_cond_wait(&reference.progress, &reference.lock);
  pthread_mutex_unlock(&reference.lock);
}

void encode_row(Frame& frame, const Frame* reference, std::size_t row) {
  for (std::size_t x = 0; x < kWidth; x++) {
    int difference = frame.pixels[row][x] - (reference ? reference->pixels[row][x] : 0);
    pthread_mutex_lock(&frame.stream_lock);
    frame.coded[row][x] = difference;
    pthread_mutex_unlock(&frame.stream_lock);
  }
}

long cost_of(const Frame& frame, std::size_t row) {
  long bits = 0;
  for (int difference : frame.coded[row]) bits += std::abs(difference);
  return bits;
}

void row_done(Frame& frame, std::size_t row) {
  pthread_mutex_lock(&frame.lock);
  frame.rows_done = row + 1;
  frame.bits += cost_of(frame, row);
  pthread_cond_broadcast(&frame.progress);
  pthread_mutex_unlock(&frame.lock);
}

// The account of a frame with its reference.
void settle(Frame& frame, Frame& reference) {
#ifdef FIXED
  pthread_mutex_lock(&reference.lock);
  pthread_mutex_lock(&frame.lock);
#else
  pthread_mutex_lock(&frame.lock);
  pthread_mutex_lock(&reference.lock);  // BUG
#endif
  reference.bits += frame.bits / 8;
  frame.bits -= frame.bits / 8;
  pthread_mutex_unlock(&frame.lock);
  pthread_mutex_unlock(&reference.lock);
}

// What a frame has saved goes to its successor; the older frame is locked first.
void hand_on(Frame& frame, Frame& successor) {
  pthread_mutex_lock(&frame.lock);
  pthread_mutex_lock(&successor.lock);
  successor.bits = std::max(successor.bits, 1L);
  pthread_mutex_unlock(&successor.lock);
  pthread_mutex_unlock(&frame.lock);
}

void* encode(void* arg) {
  std::size_t number = *static_cast<std::size_t*>(arg);
  Frame& frame = frames[number];
  Frame* reference = number > 0 ? &frames[number - 1] : nullptr;
  for (std::size_t row = 0; row < kRows; row++) {
    if (reference) wait_for_row(*reference, row);
    encode_row(frame, reference, row);
    row_done(frame, row);
    if (row == 0 && reference) settle(frame, *reference);
    if (row == 1 && number + 1 < kFrames) hand_on(frame, frames[number + 1]);
  }
  return nullptr;
}

void* look_ahead(void*) {
  for (std::size_t f = 0; f < kFrames; f++) {
    long sum = 0;
    for (const auto& row : frames[f].pixels)
      for (int pixel : row) sum += pixel;
    pthread_mutex_lock(&lookahead_lock);
    complexity[f] = sum;
    pthread_mutex_unlock(&lookahead_lock);
  }
  return nullptr;
}

}  // namespace

int main() {
  for (std::size_t f = 0; f < kFrames; f++)
    for (std::size_t y = 0; y < kRows; y++)
      for (std::size_t x = 0; x < kWidth; x++) frames[f].pixels[y][x] = static_cast<int>((x * 3 + y * 5 + f * 2) % 17);
  std::array<pthread_t, kFrames> encoders;
  pthread_t lookahead;
  pthread_create(&lookahead, nullptr, look_ahead, nullptr);
  for (std::size_t f = 0; f < kFrames; f++) {
    frame_numbers[f] = f;
    pthread_create(&encoders[f], nullptr, encode, &frame_numbers[f]);
  }
  pthread_join(lookahead, nullptr);
  for (pthread_t thread : encoders) pthread_join(thread, nullptr);
  for (std::size_t y = 0; y < kRows; y++)
    for (std::size_t x = 0; x < kWidth; x++) {
      int pixel = 0;
      for (std::size_t f = 0; f < kFrames; f++) {
        pixel += frames[f].coded[y][x];
        assert(pixel == frames[f].pixels[y][x]);
      }
    }
}
