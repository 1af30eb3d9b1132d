#include "store/campaigns.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstring>
#include <filesystem>

#include "store/atomic_file.h"
#include "trace/error.h"

namespace heddle::store {

namespace {

constexpr int kSchema = 1;

// Learnt numbers are kept as plain arrays: they are read whole or not at all.
constexpr const char* kTables = R"(
CREATE TABLE IF NOT EXISTS program (id INTEGER PRIMARY KEY, build_id TEXT, command TEXT, tried BLOB, behaviours BLOB, sites BLOB,
                                    UNIQUE (build_id, command));
CREATE TABLE IF NOT EXISTS search (id INTEGER PRIMARY KEY, program INTEGER REFERENCES program, strategy TEXT, seed INTEGER,
                                   segment INTEGER, executions INTEGER, seconds REAL, exhausted INTEGER,
                                   at TEXT DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE IF NOT EXISTS bug (program INTEGER REFERENCES program, id TEXT, count INTEGER, PRIMARY KEY (program, id));
)";

class Statement {
 public:
  Statement(sqlite3* database, const char* text) : database_(database) {
    if (sqlite3_prepare_v2(database, text, -1, &statement_, nullptr) != SQLITE_OK) fail();
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int64_t value) {
    sqlite3_bind_int64(statement_, ++bound_, value);
    return *this;
  }
  Statement& bind(double value) {
    sqlite3_bind_double(statement_, ++bound_, value);
    return *this;
  }
  Statement& bind(const std::string& value) {
    sqlite3_bind_text(statement_, ++bound_, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
    return *this;
  }
  Statement& bind(const std::vector<uint64_t>& values) {
    sqlite3_bind_blob64(statement_, ++bound_, values.data(), values.size() * sizeof(uint64_t), SQLITE_TRANSIENT);
    return *this;
  }
  // True while there is a row.
  bool step() {
    const int code = sqlite3_step(statement_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) fail();
    return code == SQLITE_ROW;
  }
  int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  double real(int column) const { return sqlite3_column_double(statement_, column); }
  std::string text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return bytes != nullptr ? std::string(bytes, static_cast<size_t>(sqlite3_column_bytes(statement_, column))) : std::string();
  }
  std::vector<uint64_t> numbers(int column) const {
    std::vector<uint64_t> values(static_cast<size_t>(sqlite3_column_bytes(statement_, column)) / sizeof(uint64_t));
    if (!values.empty()) std::memcpy(values.data(), sqlite3_column_blob(statement_, column), values.size() * sizeof(uint64_t));
    return values;
  }

 private:
  [[noreturn]] void fail() const { throw Error(fmt::format("{}: {}", sqlite3_db_filename(database_, "main"), sqlite3_errmsg(database_))); }
  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

template <typename Map>
std::vector<uint64_t> packed(const Map& map) {
  std::vector<uint64_t> values;
  values.reserve(map.size() * 2);
  for (const auto& [key, count] : map) {
    values.push_back(key);
    values.push_back(count);
  }
  return values;
}

template <typename Map>
void unpack(const std::vector<uint64_t>& values, Map& map) {
  for (size_t i = 0; i + 1 < values.size(); i += 2) map[values[i]] = static_cast<typename Map::mapped_type>(values[i + 1]);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + '\n';
  return text;
}

}  // namespace

void CampaignStore::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

CampaignStore::CampaignStore(const std::string& root, const std::string& build_id, const std::vector<std::string>& command) {
  const std::filesystem::path directory = std::filesystem::path(root) / ".heddle";
  make_directory(directory.string());
  path_ = (directory / "campaigns.sqlite").string();
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(path_.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW, nullptr);
  database_.reset(opened);
  if (code != SQLITE_OK) throw Error(fmt::format("{}: {}", path_, sqlite3_errstr(code)));
  sqlite3_busy_timeout(opened, 5000);
  // A crash of ours leaves either state; only one of the whole machine could lose the last.
  Statement(opened, "PRAGMA synchronous = OFF").step();
  Statement version(opened, "PRAGMA user_version");
  version.step();
  if (version.integer(0) > kSchema) throw Error(fmt::format("{} was written by a later version of heddle", path_));
  char* message = nullptr;
  const std::string tables = fmt::format("BEGIN IMMEDIATE; {} PRAGMA user_version = {}; COMMIT", kTables, kSchema);
  if (version.integer(0) < kSchema && sqlite3_exec(opened, tables.c_str(), nullptr, nullptr, &message) != SQLITE_OK) {
    const std::string why = message != nullptr ? message : "cannot be written";
    sqlite3_free(message);
    throw Error(fmt::format("{}: {}", path_, why));
  }
  const std::string words = joined(command);
  Statement(opened, "INSERT OR IGNORE INTO program (build_id, command) VALUES (?, ?)").bind(build_id).bind(words).step();
  Statement row(opened, "SELECT id FROM program WHERE build_id = ? AND command = ?");
  row.bind(build_id).bind(words).step();
  program_ = row.integer(0);
}

CampaignStore::~CampaignStore() = default;

CampaignTotals CampaignStore::totals() const {
  Statement sum(database_.get(), "SELECT count(*), total(executions), total(seconds) FROM search WHERE program = ?");
  sum.bind(program_).step();
  return {static_cast<uint64_t>(sum.integer(0)), static_cast<uint64_t>(sum.integer(1)), sum.real(2)};
}

uint64_t CampaignStore::segments(const std::string& strategy, uint64_t seed) const {
  Statement count(database_.get(), "SELECT count(*) FROM search WHERE program = ? AND strategy = ? AND seed = ?");
  count.bind(program_).bind(strategy).bind(static_cast<int64_t>(seed)).step();
  return static_cast<uint64_t>(count.integer(0));
}

SearchHistory CampaignStore::history() const {
  Statement row(database_.get(), "SELECT tried, behaviours, sites FROM program WHERE id = ?");
  row.bind(program_).step();
  SearchHistory history;
  unpack(row.numbers(0), history.tried);
  unpack(row.numbers(1), history.behaviours);
  history.sites = row.numbers(2);
  return history;
}

void CampaignStore::save(const SearchRecord& r, const SearchHistory& history) {
  Statement(database_.get(), "BEGIN IMMEDIATE").step();
  try {
    if (search_ == 0) {
      Statement(database_.get(), "INSERT INTO search (program) VALUES (?)").bind(program_).step();
      search_ = sqlite3_last_insert_rowid(database_.get());
    }
    Statement(database_.get(),
              "UPDATE search SET strategy = ?, seed = ?, segment = ?, executions = ?, seconds = ?, exhausted = ? WHERE id = ?")
        .bind(r.strategy)
        .bind(static_cast<int64_t>(r.seed))
        .bind(static_cast<int64_t>(r.segment))
        .bind(static_cast<int64_t>(r.executions))
        .bind(r.seconds)
        .bind(static_cast<int64_t>(r.exhausted))
        .bind(search_)
        .step();
    Statement(database_.get(), "UPDATE program SET tried = ?, behaviours = ?, sites = ? WHERE id = ?")
        .bind(packed(history.tried))
        .bind(packed(history.behaviours))
        .bind(history.sites)
        .bind(program_)
        .step();
    Statement(database_.get(), "COMMIT").step();
  } catch (const Error&) {
    sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

void CampaignStore::count_bug(const std::string& bug, uint64_t times) {
  Statement(database_.get(),
            "INSERT INTO bug (program, id, count) VALUES (?, ?, ?) ON CONFLICT (program, id) DO UPDATE SET count = count + excluded.count")
      .bind(program_)
      .bind(bug)
      .bind(static_cast<int64_t>(times))
      .step();
}

std::vector<std::pair<std::string, uint64_t>> CampaignStore::bugs() const {
  Statement rows(database_.get(), "SELECT id, count FROM bug WHERE program = ? ORDER BY count DESC, id");
  rows.bind(program_);
  std::vector<std::pair<std::string, uint64_t>> bugs;
  while (rows.step()) bugs.emplace_back(rows.text(0), static_cast<uint64_t>(rows.integer(1)));
  return bugs;
}

}  // namespace heddle::store
