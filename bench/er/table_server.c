// A server of tables: a thread for each connection, a thread for signals, statements as lines of text.
//   USE name | INSERT table key | DELETE table | SELECT table | SORT table | STATS | CLOSE STATS | LOAD | CHECK table
// BUG 1: LOAD follows the name of the database, which is null where none was chosen (MySQL bug 110).
// BUG 2: DELETE of all rows and its entry in the log stand in two critical sections: an INSERT that falls between them is in the table and, by the log, not
// (MySQL bug 169). CHECK replays the log and compares.
// BUG 3: CLOSE STATS frees the statistics while another connection may print them.
// Stands for: "mysqld-1", "mysqld-2", "mysqld-3" of Execution Reduction Tables 1-6.
// usage: table_server PORT
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "net.h"

enum { kTables = 8, kRows = 256, kLog = 1 << 16 };
struct table {
  pthread_mutex_t lock;
  int rows[kRows];
  int count;
};
struct entry {
  int table, key;  // key < 0: all rows went
};
static struct table tables[kTables];
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry* entries;
static int entry_count;
static pthread_mutex_t stats_lock = PTHREAD_MUTEX_INITIALIZER;
static long* stats;

struct session {
  int fd;
  char name[32];
  const char* database;
};

static void pause_a_little(void) {
  struct timespec t = {0, 200000};
  nanosleep(&t, NULL);
}

static void add_entry(int table, int key) {
  pthread_mutex_lock(&log_lock);
  if (entry_count < kLog) entries[entry_count++] = (struct entry){table, key};
  pthread_mutex_unlock(&log_lock);
}

static void insert(int t, int key) {
  pthread_mutex_lock(&tables[t].lock);
  if (tables[t].count < kRows) {
    tables[t].rows[tables[t].count++] = key;
    add_entry(t, key);
  }
  pthread_mutex_unlock(&tables[t].lock);
}

static void delete_all(int t) {
  pthread_mutex_lock(&tables[t].lock);
  tables[t].count = 0;
  pthread_mutex_unlock(&tables[t].lock);
  pause_a_little();
  add_entry(t, -1);  // BUG 2: another connection may have come in between
}

static void check(int t) {
  int count = 0;
  pthread_mutex_lock(&tables[t].lock);
  pthread_mutex_lock(&log_lock);
  for (int i = 0; i < entry_count; i++) {
    if (entries[i].table == t) count = entries[i].key < 0 ? 0 : count + 1;
  }
  if (count != tables[t].count) abort();
  pthread_mutex_unlock(&log_lock);
  pthread_mutex_unlock(&tables[t].lock);
}

static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

static int sort(int t) {
  int copy[kRows], count;
  pthread_mutex_lock(&tables[t].lock);
  count = tables[t].count;
  memcpy(copy, tables[t].rows, sizeof copy);
  pthread_mutex_unlock(&tables[t].lock);
  qsort(copy, (size_t)count, sizeof *copy, compare);
  return count > 0 ? copy[0] : 0;
}

static long print_stats(void) {
  long all = 0;
  pthread_mutex_lock(&stats_lock);
  const int there = stats != NULL;
  pthread_mutex_unlock(&stats_lock);
  if (!there) return 0;
  pause_a_little();
  for (int i = 0; i < kTables; i++) all += stats[i];  // BUG 3: they may be gone by now
  return all;
}

static void close_stats(void) {
  pthread_mutex_lock(&stats_lock);
  free(stats);
  stats = NULL;
  pthread_mutex_unlock(&stats_lock);
}

static void open_stats(void) {
  pthread_mutex_lock(&stats_lock);
  if (stats == NULL) stats = calloc(kTables, sizeof *stats);
  pthread_mutex_unlock(&stats_lock);
}

static void execute(struct session* s, char* line, char* answer) {
  int t = 0, key = 0;
  strcpy(answer, "ok\n");
  if (sscanf(line, "USE %31s", s->name) == 1) {
    s->database = s->name;
  } else if (sscanf(line, "INSERT %d %d", &t, &key) == 2) {
    insert(t & (kTables - 1), key);
  } else if (sscanf(line, "DELETE %d", &t) == 1) {
    delete_all(t & (kTables - 1));
  } else if (sscanf(line, "SELECT %d", &t) == 1) {
    pthread_mutex_lock(&tables[t & (kTables - 1)].lock);
    sprintf(answer, "%d rows\n", tables[t & (kTables - 1)].count);
    pthread_mutex_unlock(&tables[t & (kTables - 1)].lock);
  } else if (sscanf(line, "SORT %d", &t) == 1) {
    sprintf(answer, "%d\n", sort(t & (kTables - 1)));
  } else if (strcmp(line, "STATS") == 0) {
    sprintf(answer, "%ld\n", print_stats());
  } else if (strcmp(line, "CLOSE STATS") == 0) {
    close_stats();
  } else if (strcmp(line, "OPEN STATS") == 0) {
    open_stats();
  } else if (sscanf(line, "CHECK %d", &t) == 1) {
    check(t & (kTables - 1));
  } else if (strcmp(line, "LOAD") == 0) {
    sprintf(answer, "%zu\n", strlen(s->database));  // BUG 1: none may have been chosen
  } else {
    strcpy(answer, "error\n");
  }
}

static void* serve(void* argument) {
  struct session s = {(int)(long)argument, "", NULL};
  char line[256], answer[64];
  ssize_t n;
  while ((n = read(s.fd, line, sizeof line - 1)) > 0) {
    line[n] = 0;
    line[strcspn(line, "\r\n")] = 0;
    execute(&s, line, answer);
    if (write(s.fd, answer, strlen(answer)) < 0) break;
  }
  close(s.fd);
  return NULL;
}

static void* wait_for_signals(void* argument) {
  sigset_t set;
  int number;
  (void)argument;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  for (;;) {
    if (sigwait(&set, &number) == 0) exit(0);
  }
}

int main(int count, char** words) {
  pthread_t thread;
  sigset_t set;
  if (count < 2) return 2;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  entries = calloc(kLog, sizeof *entries);
  open_stats();
  for (int i = 0; i < kTables; i++) pthread_mutex_init(&tables[i].lock, NULL);
  pthread_create(&thread, NULL, wait_for_signals, NULL);
  const int listener = listen_at(atoi(words[1]));
  for (;;) {
    const int client = accept(listener, NULL, NULL);
    if (client < 0) continue;
    pthread_create(&thread, NULL, serve, (void*)(long)client);
    pthread_detach(thread);
  }
}
