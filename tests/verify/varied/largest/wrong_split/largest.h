#pragma once
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
extern int largest;
int get_largest(void);
void set_largest(int value);
void raise_largest(int value);
