// Random numbers from every source are the same in each run: the order in which two threads draw them must not matter either.
// heddle: expect=none runs<=40
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <cstdio>
#include <random>
#include <thread>

static unsigned draw() {
  unsigned a = 0, b = 0;
  if (getrandom(&a, sizeof a, 0) != sizeof a) return 0;
  const int fd = open("/dev/urandom", O_RDONLY);
  if (read(fd, &b, sizeof b) != sizeof b) return 0;
  close(fd);
  std::random_device device;
  return a ^ b ^ device();
}

int main() {
  unsigned first = 0, second = 0;
  std::thread one([&] { first = draw(); });
  std::thread two([&] { second = draw(); });
  one.join();
  two.join();
  std::printf("%u %u\n", first, second);
  return first != 0 && second != 0 && first != second ? 0 : 1;
}
