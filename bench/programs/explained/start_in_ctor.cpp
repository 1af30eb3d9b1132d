// A base class starts its thread in the constructor; the derived class has not been filled yet.
// heddle-bug: kind=assert,signal granularity=access class=order set=tuned
// fix: before|first|wait
#include <cassert>
#include <thread>

struct Service {
  Service() : runner([this] { run(); }) {}  // BUG
  ~Service() { runner.join(); }
  void run();
  int* limit = nullptr;
  std::thread runner;
};

struct Mailer : Service {
  int own_limit = 7;
  Mailer() { limit = &own_limit; }  // FIX
};

void Service::run() { assert(limit != nullptr); }

int main() { Mailer mailer; }
