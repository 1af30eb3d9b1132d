// Creation and join order everything.
#include "../two.h"

int value;

static void* add(void* nothing) {
  value++;
  return nothing;
}

int main(void) {
  for (int i = 0; i < 3; i++) {
    pthread_t t;
    value++;
    pthread_create(&t, NULL, add, NULL);
    pthread_join(t, NULL);
    value++;
  }
  return value == 9 ? 0 : 1;
}
