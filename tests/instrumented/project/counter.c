static int value;
int counter_get(void) { return value; }
void counter_set(int to) { value = to; }
