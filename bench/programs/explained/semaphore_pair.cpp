// A job needs a slot of the scanner and one of the printer; half of them take the printer's first.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=held
// fix: order|before|give
#include <semaphore>
#include <thread>

static std::binary_semaphore scanner{1}, printer{1};

static void copy() {
  scanner.acquire();
  printer.acquire();  // BUG
  printer.release();
  scanner.release();
}

static void fax() {
  printer.acquire();
  scanner.acquire();  // BUG
  scanner.release();
  printer.release();
}

int main() {
  std::thread a(copy), b(fax);
  a.join();
  b.join();
}
