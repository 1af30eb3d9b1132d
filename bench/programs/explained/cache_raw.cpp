// get() hands out a plain pointer; evict() frees the page that is being read.
// heddle-bug: kind=signal,abort,assert granularity=access class=uaf set=tuned
// fix: hold|reference|wait|until|before
#include <list>
#include <mutex>
#include <thread>

struct Page {
  int number;
  int words[8];
};

class Cache {
 public:
  void put(Page* page) {
    std::lock_guard<std::mutex> g(lock_);
    pages_.push_back(page);
  }
  Page* get(int number) {
    std::lock_guard<std::mutex> g(lock_);
    for (Page* p : pages_)
      if (p->number == number) return p;
    return nullptr;
  }
  void evict() {
    std::lock_guard<std::mutex> g(lock_);
    delete pages_.front();  // FIX
    pages_.pop_front();
  }

 private:
  std::mutex lock_;
  std::list<Page*> pages_;
};

static int checksum(const Page* page) {
  int sum = 0;
  for (int w : page->words) sum += w;  // BUG
  return sum;
}

int main() {
  Cache cache;
  cache.put(new Page{1, {1, 2, 3}});
  cache.put(new Page{2, {}});
  int sum = 0;
  std::thread reader([&] {
    Page* p = cache.get(1);
    if (p) sum = checksum(p);
  });
  std::thread cleaner([&] { cache.evict(); });
  reader.join();
  cleaner.join();
  return sum < 0;
}
