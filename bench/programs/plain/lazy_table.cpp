// A table that is made when it is first needed: its pointer is visible before its rows are.
// heddle-bug: kind=assert granularity=access class=order,race,atomicity set=tuned
#include <cassert>
#include <thread>

struct Table {
  int rows;
};
static Table storage;
static Table* volatile table;

static void make() {
  if (table == nullptr) {
    table = &storage;  // BUG
    storage.rows = 7;  // BUG
  }
}

static void use() {
  if (table != nullptr) assert(table->rows == 7);  // BUG
}

int main() {
  std::thread a(make), b(use);
  a.join();
  b.join();
}
