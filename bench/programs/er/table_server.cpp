// A server of tables for many clients: eight connection threads execute scripts of statements, a
// signal thread and main wait for the end.
// BUG=1: a client that loads data without having chosen a database follows its null name; it does so
// only when it finds the default database closed. BUG=2: a delete of all rows and its entry in the log
// stand in two critical sections, so that an insert falls between them in one order and into the log in
// the other. BUG=3: one client among many closes the statistics table while another prints it.
// Stands for: "mysqld-1", "mysqld-2", "mysqld-3" of Execution Reduction Tables 1-6 (10 threads; MySQL bugs 110, 169 and
// one from its change log).
// Ours differs: written anew; tables are vectors; the log is replayed at the end and must give the same table.
// heddle-kernel: family=table_server kind=1:signal,2:assert,3:signal granularity=sync optimum=1:0,2:1,3:1 variants=BUG:1,BUG:2,BUG:3 class=1:order,2:atomicity,3:atomicity paper=execution-reduction row=1:mysqld-1,2:mysqld-2,3:mysqld-3
#include <array>
#include <cassert>
#include <condition_variable>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#ifndef BUG
#define BUG 1
#endif
#ifdef FIXED
#undef BUG
#define BUG 0
#endif

namespace {

constexpr int kClients = 8;
constexpr int kStatements = 4;

struct Entry {
  bool erase_all;
  int value;
};

struct Table {
  std::mutex lock;
  std::vector<int> rows;
};

std::map<std::string, Table> tables;
std::mutex log_lock;
std::vector<Entry> table_log;  // of table "b"

struct Database {
  std::string name;
};
std::mutex database_lock;
Database test_database{"test"};
Database* default_database = &test_database;

std::mutex statistics_lock;
std::vector<int> statistics_storage{1, 2, 3};
std::vector<int>* statistics = &statistics_storage;

void insert(int value) {
  Table& table = tables.at("b");
  std::lock_guard guard(table.lock);
  table.rows.push_back(value);
  std::lock_guard log_guard(log_lock);
  table_log.push_back({false, value});
}

void erase_all() {
  Table& table = tables.at("b");
  {
    std::unique_lock guard(table.lock);
    table.rows.clear();
    if (BUG == 2) guard.unlock();  // BUG:2
    std::lock_guard log_guard(log_lock);
    table_log.push_back({true, 0});
  }
}

std::size_t select(const std::string& name) {
  Table& table = tables.at(name);
  std::lock_guard guard(table.lock);
  return table.rows.size();
}

// Loads rows from a file into the table of the current database, which the client has never chosen.
void load() {
  Database* current = nullptr;
  {
    std::lock_guard guard(database_lock);
    current = default_database;
  }
  if (!current && BUG != 1) return;             // the check that was missing
  std::size_t path = current->name.size() + 3;  // BUG:1
  if (path < 64) select("a");
}

void close_default() {
  std::lock_guard guard(database_lock);
  default_database = nullptr;
}

void print_statistics() {
  bool open = false;
  {
    std::lock_guard guard(statistics_lock);
    open = statistics != nullptr;
    if (BUG != 3) {
      if (open && statistics->size() != 3) std::abort();
      return;
    }
  }
  if (!open) return;
  std::lock_guard guard(statistics_lock);
  if (statistics->size() != 3) std::abort();  // BUG:3
}

void close_statistics() {
  std::lock_guard guard(statistics_lock);
  statistics = nullptr;
}

void serve(int client) {
  for (int i = 0; i < kStatements; i++) {
    select(client % 2 ? "a" : "b");
    if (client == 2 && i == 1) insert(10 + i);
    if (client == 5 && i == 2) erase_all();
    if (client == 1 && i == 0) load();
    if (client == 6 && i == 3) close_default();
    if (client == 4 && i == 1) print_statistics();
    if (client == 7 && i == 3) close_statistics();
  }
}

std::mutex end_lock;
std::condition_variable end_reached;
bool ended = false;

void wait_for_signals() {
  std::unique_lock guard(end_lock);
  while (!ended) end_reached.wait(guard);
}

void check_log() {
  std::vector<int> replayed;
  for (const Entry& entry : table_log) {
    if (entry.erase_all)
      replayed.clear();
    else
      replayed.push_back(entry.value);
  }
  assert(replayed == tables["b"].rows);
}

}  // namespace

int main() {
  tables["a"].rows = {1, 2};
  tables["b"];
  std::thread signals(wait_for_signals);
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; i++) clients.emplace_back(serve, i);
  for (std::thread& thread : clients) thread.join();
  {
    std::lock_guard guard(end_lock);
    ended = true;
    end_reached.notify_all();
  }
  signals.join();
  check_log();
}
