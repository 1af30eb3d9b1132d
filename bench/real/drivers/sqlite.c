// Threads with a database each, in memory: they share nothing but what SQLite itself shares. At the end everything has been given back.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "sqlite3.h"

static void must(int code, const char* what) {
  if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return;
  fprintf(stderr, "%s: %s\n", what, sqlite3_errstr(code));
  exit(2);
}

static void* work(void* argument) {
  const int share = *(const int*)argument;
  sqlite3* db = NULL;
  must(sqlite3_open(":memory:", &db), "open");
  must(sqlite3_exec(db, "create table t(k integer primary key, v text)", NULL, NULL, NULL), "create");
  sqlite3_stmt* insert = NULL;
  must(sqlite3_prepare_v2(db, "insert into t values(?1, ?2)", -1, &insert, NULL), "prepare");
  for (int i = 0; i < 2; ++i) {
    sqlite3_bind_int(insert, 1, share + i);
    sqlite3_bind_text(insert, 2, "some text", -1, SQLITE_STATIC);
    must(sqlite3_step(insert), "insert");
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  sqlite3_stmt* sum = NULL;
  must(sqlite3_prepare_v2(db, "select count(*), sum(k) from t", -1, &sum, NULL), "prepare");
  must(sqlite3_step(sum), "select");
  const int rows = sqlite3_column_int(sum, 0);
  const int total = sqlite3_column_int(sum, 1);
  sqlite3_finalize(sum);
  must(sqlite3_close(db), "close");
  if (rows != 2 || total != 2 * share + 1) exit(3);
  return NULL;
}

int main(void) {
  must(sqlite3_initialize(), "initialize");
  const sqlite3_int64 before = sqlite3_memory_used();
  pthread_t threads[2];
  int shares[2] = {10, 20};
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, &shares[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  const sqlite3_int64 after = sqlite3_memory_used();
  if (after != before) {
    fprintf(stderr, "memory in use: the count is wrong\n");
    return 1;
  }
  puts("ok");
  return 0;
}
