// not even possible: the object is deleted after its last user has said so under the object's lock.
#include "../two.h"

namespace {

struct Base {
  Base() { pthread_mutex_init(&m, nullptr), pthread_cond_init(&c, nullptr); }
  virtual void use() {}
  void done() {
    pthread_mutex_lock(&m);
    told = true;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
  }
  virtual ~Base() {}
  pthread_mutex_t m;
  pthread_cond_t c;
  bool told = false;
};

struct Derived : Base {
  void use() override {}
  ~Derived() override {
    pthread_mutex_lock(&m);
    while (!told) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
  }
};

Base* object = new Derived;

void one() {
  object->use();
  object->done();
}
void two() { delete object; }

}  // namespace

int main() { run_both(one, two); }
