// Everything that could go wrong when two copies of a unit lie in one object. Prints figures that tell.
#include "twins.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int made;
struct Made {
  Made() { ++made; }
};
static Made first;
static Made second;

thread_local int here = 7;
static int table[300];
static const char* const kNames[] = {"zero", "one", "two", "three"};

static int next_a() {
  static int x = 10;
  return ++x;
}
static int next_b() {
  static int x = 20;
  return x += 2;
}

int shared_function(int x) { return x + table[x & 255]; }

static int chosen(int k, const int* p) {
  switch (k) {
    case 0: return p[0] + 1;
    case 1: return p[1] * 7;
    case 2: return p[2] - 9;
    case 3: return p[3] ^ 5;
    case 4: return p[4] / 3;
    case 5: return p[5] << 2;
    default: return -1;
  }
}

// A table of labels is data: only one copy's labels can stand in it.
static int stepped(const char* code) {
  static void* const kWhere[] = {&&add, &&twice, &&done};
  int value = 1;
  goto* kWhere[*code - 'a'];
add:
  value += 3;
  goto* kWhere[*++code - 'a'];
twice:
  value *= 2;
  goto* kWhere[*++code - 'a'];
done:
  return value;
}

struct Guard {
  int* to;
  ~Guard() { ++*to; }
};

static int thrown(int i, int* cleaned) {
  Guard guard{cleaned};
  if (i % 3 == 0) throw i;
  return table[i & 255];
}

static int caught(int i) {
  static int cleaned;
  try {
    return thrown(i, &cleaned);
  } catch (int value) {
    return value + cleaned;
  }
}

struct Special : Counter<long> {
  int kind() const override { return 2; }
};

static void copied(int round) {
  char text[64];
  memset(text, 'a' + round % 26, sizeof text);
  memcpy(text + 8, kNames[round & 3], strlen(kNames[round & 3]) + 1);
  memmove(text + 1, text, 20);
  table[299] += text[9] + text[30];
}

static double averaged() {
  double sum = 0;
  for (int i = 0; i < 300; ++i) sum += table[i] * 0.5;
  return sum / 300;
}

static int result;
static void* work(void* unused) {
  int sum = 0;
  for (int round = 0; round < 600; ++round) {
    table[round % 299] += round;
    Special special;
    Counter<long>* counter = &special;
    sum += next_a() + next_b() + chosen(round % 7, table) + stepped("abac") + caught(round) + counter->kind() + special.add(round);
    sum += largest(table, 50) + work_b(round) + ++here + shared_function(round);
    copied(round);
  }
  result += sum;
  return unused;
}

int main() {
  for (int i = 0; i < 2; ++i) {
    pthread_t thread;
    pthread_create(&thread, nullptr, work, nullptr);
    pthread_join(thread, nullptr);
  }
  printf("%d %d %d %d %d %.3f\n", result, made, Counter<long>::made, inline_calls, address_in_b() == &shared_function, averaged());
  return 0;
}
