// The loader posts before the size is written, as it has always been done.
// heddle-bug: kind=assert granularity=access class=order set=tuned
// fix: before|after|first
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

struct image {
  sem_t loaded;
  int width, height;
};

static struct image image;

static void* load(void* unused) {
  (void)unused;
  image.width = 640;
  sem_post(&image.loaded);  // BUG
  image.height = 480;       // BUG
  return 0;
}

static void* draw(void* unused) {
  (void)unused;
  sem_wait(&image.loaded);
  const int area = image.width * image.height;
  assert(area == 640 * 480);
  return 0;
}

int main(void) {
  sem_init(&image.loaded, 0, 0);
  pthread_t a, b;
  pthread_create(&a, 0, load, 0);
  pthread_create(&b, 0, draw, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
