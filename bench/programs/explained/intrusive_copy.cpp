// A reader copies the current document: it reads the pointer and then raises the count, and the document may be gone in between.
// heddle-bug: kind=assert,signal,abort granularity=access class=uaf,atomicity set=tuned
// fix: one (atomic )?step|lock|hold|before
#include <atomic>
#include <cassert>
#include <thread>

struct Document {
  std::atomic<int> users{1};
  std::atomic<bool> alive{true};
  int pages = 12;
};

static Document first, second;
static std::atomic<Document*> current{&first};

static void drop(Document* d) {
  if (d->users.fetch_sub(1) == 1) d->alive = false;
}

static int count_pages() {
  Document* d = current.load();  // BUG
  d->users.fetch_add(1);         // BUG
  assert(d->alive);
  const int pages = d->pages;
  drop(d);
  return pages;
}

static void replace() {
  Document* old = current.exchange(&second);
  drop(old);
}

int main() {
  std::thread reader(count_pages), editor(replace);
  reader.join();
  editor.join();
}
