// A field of a heap block, and not its neighbour.
#include "../two.h"

struct node {
  int key, value;
};
static struct node* node;

static void one(void) { node->value = 1; }
static void two(void) { node->value = 2; }

int main(void) {
  node = calloc(1, sizeof *node);
  run_both(one, two);
  free(node);
  return 0;
}
