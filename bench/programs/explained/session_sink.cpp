// A session closes its sink while the uploader that it started still writes through it.
// heddle-bug: kind=signal granularity=access class=uaf,order set=tuned
// fix: join|wait|end|before
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

struct Sink {
  std::string lines;
  void put(const char* text) { lines += text; }
};

class Session {
 public:
  Session() : sink_(new Sink), uploader_([this] { upload(); }) {}
  ~Session() {
    delete sink_;  // BUG
    sink_ = nullptr;
    uploader_.join();  // FIX
  }
  void upload() {
    for (int i = 0; i < 2; i++) sink_->put("part\n");
  }

 private:
  Sink* sink_;
  std::thread uploader_;
};

int main() {
  Session session;
  return 0;
}
