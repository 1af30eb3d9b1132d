// A writer fills the memory table until it is written out, a reader looks up what is known to be there. The files are in memory: runs side by
// side must not share any.
#include <stdio.h>
#include <stdlib.h>

#include <memory>
#include <string>
#include <thread>

#include "helpers/memenv/memenv.h"
#include "leveldb/db.h"
#include "leveldb/env.h"

namespace {

void must(const leveldb::Status& status, const char* what) {
  if (status.ok()) return;
  fprintf(stderr, "%s: %s\n", what, status.ToString().c_str());
  exit(1);
}

std::string key(int i) { return "key" + std::to_string(i); }

}  // namespace

int main() {
  const std::unique_ptr<leveldb::Env> files(leveldb::NewMemEnv(leveldb::Env::Default()));
  leveldb::Options options;
  options.env = files.get();
  options.create_if_missing = true;
  options.write_buffer_size = 64 << 10;  // the least that it takes
  options.compression = leveldb::kNoCompression;
  leveldb::DB* db = nullptr;
  must(leveldb::DB::Open(options, "/data", &db), "open");
  must(db->Put(leveldb::WriteOptions(), key(0), "first"), "put");
  std::thread writer([db] {
    const std::string value(9000, 'v');
    for (int i = 1; i <= 12; ++i) must(db->Put(leveldb::WriteOptions(), key(i), value), "put");
  });
  std::thread reader([db] {
    for (int i = 0; i < 4; ++i) {
      std::string value;
      must(db->Get(leveldb::ReadOptions(), key(0), &value), "get");
      if (value != "first") exit(1);
    }
  });
  writer.join();
  reader.join();
  std::string value;
  must(db->Get(leveldb::ReadOptions(), key(12), &value), "get");
  delete db;
  if (value.size() != 9000) return 1;
  puts("ok");
  return 0;
}
