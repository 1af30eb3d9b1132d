static __attribute__((noinline)) int deeper(int* value) { return ++*value; }
int plain_work(int* value) { return deeper(value); }
