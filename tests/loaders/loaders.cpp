// Every loader of bytes that somebody else may have written, under libFuzzer: --loader=NAME chooses. A loader may refuse with an Error and
// nothing else. What it lets through is used as the tool would use it.
#include <unistd.h>
#include <zstd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "store/bugs.h"
#include "store/campaigns.h"
#include "store/input_store.h"
#include "store/reduction.h"
#include "store/replay_string.h"
#include "store/saved_anchors.h"
#include "store/saved_cause.h"
#include "store/saved_stacks.h"
#include "store/store.h"
#include "trace/enabled.h"
#include "trace/error.h"
#include "trace/hash.h"
#include "trace/input_log.h"
#include "trace/races.h"

namespace {

using namespace heddle;
using namespace heddle::test;
namespace fs = std::filesystem;

const fs::path& scratch() {
  // Never destroyed: it is removed at the very end.
  static const fs::path* const place = [] {
    std::string name = (fs::temp_directory_path() / "heddle-loaders-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) abort();
    return new fs::path(name);
  }();
  return *place;
}

void remove_scratch() {
  std::error_code ignored;
  fs::remove_all(scratch(), ignored);
}

void write(const fs::path& path, std::string_view bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

size_t g_used;  // so that nothing is optimised away

void use(const Trace& trace) {
  g_used += trace.counts().preemptions + signature(trace).size() + plan_of(trace).slices.size() + encode_trace(trace).size();
  for (EnabledWalk walk(trace); !walk.done(); walk.advance()) g_used += walk.pending_operations().size();
}

void load_file(std::string_view bytes) { use(decode_trace(bytes, "input")); }

// Past the checksum, where the fuzzer would hardly come.
void load_contents(std::string_view bytes) { use(decode_trace(compressed_for_test(bytes), "input")); }

void load_bug(std::string_view bytes) {
  write(scratch() / ".heddle/bugs/0123/bug.json", bytes);
  const BugStore store(scratch().string());
  for (const BugStore::Listed& listed : store.list()) g_used += listed.complaint.size();
  const Bug bug = store.load("0123");
  g_used += bug.command.size() + store.id_for(bug).size();
}

void load_latest(std::string_view bytes) {
  write(scratch() / ".heddle/latest", bytes);
  g_used += BugStore(scratch().string()).load("").id.size();
}

void load_cause(std::string_view bytes) {
  if (const auto cause = decode_cause(std::string(bytes))) g_used += encode_cause(*cause).size();
}

void load_reduction(std::string_view bytes) {
  if (const auto reduction = decode_reduction(std::string(bytes))) g_used += encode_reduction(*reduction).size();
}

void load_stacks(std::string_view bytes) { g_used += encode_stacks(decode_stacks(std::string(bytes))).size(); }

void load_replay(std::string_view bytes) {
  const ReplayString replay = decode_replay(bytes);
  g_used += encode_replay(replay).size() + encode(replay.plan).size();
}

// A replay string with these contents: packed, summed and written in letters as heddle would.
void load_packed_replay(std::string_view bytes, const char* prefix) {
  static const char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 1));
  const uint64_t sum = hash_bytes(packed.data(), packed.size());
  std::string framed;
  for (int i = 0; i < 4; ++i) framed += static_cast<char>(sum >> (8 * i) & 255);
  framed += packed;
  std::string text = prefix;
  for (size_t bit = 0; bit < framed.size() * 8; bit += 6) {
    unsigned value = 0;
    for (size_t i = bit; i < bit + 6; ++i) {
      const unsigned byte = i / 8 < framed.size() ? static_cast<unsigned char>(framed[i / 8]) : 0;
      value = value << 1 | (byte >> (7 - i % 8) & 1);
    }
    text += kLetters[value];
  }
  load_replay(text);
}

void load_replay_contents(std::string_view bytes) { load_packed_replay(bytes, "hd1:"); }
void load_anchored_contents(std::string_view bytes) { load_packed_replay(bytes, "hd2:"); }

void load_anchors(std::string_view bytes) {
  if (const auto anchors = decode_anchors(bytes)) g_used += encode_anchors(*anchors).size() + shortened(*anchors).operations.size();
}

// Past the checksum.
void load_anchors_contents(std::string_view bytes) {
  ByteReader in(bytes);
  const Anchors anchors = get_anchors(in);
  if (in.ok()) g_used += encode_anchors(shortened(anchors)).size();
}

void load_inputs(std::string_view bytes) {
  InputLog log;
  parse_inputs(bytes.data(), bytes.size(), log);
  g_used += replay_block(log, true).size() + replay_block(log, false).size();
}

void load_input_index(std::string_view bytes) {
  write(scratch() / "inputs/index.json", bytes);
  g_used += changed_files((scratch() / "inputs").string()).size();
}

void load_campaigns(std::string_view bytes) {
  for (const char* rest : {"-wal", "-shm", "-journal"}) fs::remove(scratch() / (std::string(".heddle/campaigns.sqlite") + rest));
  write(scratch() / ".heddle/campaigns.sqlite", bytes);
  CampaignStore store(scratch().string(), "build", {"./program"});
  g_used += store.totals().searches + store.segments("pct", 1) + store.history().sites.size() + store.bugs().size();
  store.count_bug("0123", 1);
  store.save({"pct", 1, 0, 5, 0.1, false}, {});
}

void load_suppressions(std::string_view bytes) { Suppressions::parse(std::string(bytes)); }

struct Loader {
  const char* name;
  void (*load)(std::string_view);
};
constexpr Loader kLoaders[] = {
    {"trace", load_file},
    {"trace-contents", load_contents},
    {"bug", load_bug},
    {"latest", load_latest},
    {"cause", load_cause},
    {"reduction", load_reduction},
    {"stacks", load_stacks},
    {"replay", load_replay},
    {"replay-contents", load_replay_contents},
    {"anchored-contents", load_anchored_contents},
    {"anchors", load_anchors},
    {"anchors-contents", load_anchors_contents},
    {"inputs", load_inputs},
    {"input-index", load_input_index},
    {"campaigns", load_campaigns},
    {"suppressions", load_suppressions},
};

const Loader* g_loader;

// Seeds for what lies inside a file: --unpack=FILE writes it to standard output.
int unpack(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::cout << uncompressed_for_test(bytes);
  return 0;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  for (int i = 1; i < *argc; ++i) {
    const char* word = (*argv)[i];
    if (strncmp(word, "--unpack=", 9) == 0) exit(unpack(word + 9));
    if (strcmp(word, "--loaders") == 0) {
      for (const Loader& loader : kLoaders) puts(loader.name);
      exit(0);
    }
    for (const Loader& loader : kLoaders) {
      if (strncmp(word, "--loader=", 9) == 0 && strcmp(word + 9, loader.name) == 0) g_loader = &loader;
    }
  }
  if (g_loader == nullptr) {
    fputs("--loader=NAME; --loaders names them\n", stderr);
    exit(2);
  }
  atexit(remove_scratch);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    g_loader->load({reinterpret_cast<const char*>(data), size});
  } catch (const Error&) {
    // Refused in one sentence.
  }
  return 0;
}
