// The test symbolises itself: its own functions, inlined calls and variables.
#include "symbols/symbols.h"

#include <gtest/gtest.h>
#include <link.h>
#include <sys/stat.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "symbols/symbols_names.h"
#include "symbols_files.h"

struct SymbolsTestNode {
  int key;
  SymbolsTestNode* next;
  char tag[8];
};

struct SymbolsTestBase {
  virtual ~SymbolsTestBase() = default;
  long in_base = 1;
};

struct SymbolsTestQueue : SymbolsTestBase {
  SymbolsTestNode items[4];
  int grid[2][3];
  union {
    int as_number;
    float as_real;
  };
  std::atomic<bool> open{true};
  unsigned count = 0;
};

SymbolsTestQueue symbols_test_queue;
SymbolsTestNode* symbols_test_nodes;
int* symbols_test_counts;
void* symbols_test_anything;
std::atomic<int> symbols_test_counter{0};
std::array<int, 4> symbols_test_array{};
pthread_mutex_t symbols_test_mutex = PTHREAD_MUTEX_INITIALIZER;

namespace symbols_test {
struct Account {
  static double rate;
};
double Account::rate = 1.5;
namespace {
volatile int hidden_total = 0;
}
}  // namespace symbols_test

namespace heddle::test {
namespace {

struct Place {
  uintptr_t address;  // inside the call, not behind it
  int line;
};

__attribute__((noinline)) uintptr_t call_address() { return reinterpret_cast<uintptr_t>(__builtin_return_address(0)) - 1; }

// Something left to do after the call keeps it from becoming a jump.
inline __attribute__((always_inline)) Place keep(uintptr_t address, int line) {
  asm volatile("" : "+r"(address));
  return {address, line};
}

__attribute__((noinline)) Place plain_function() {
  uintptr_t address = call_address();
  return keep(address, __LINE__ - 1);
}

inline __attribute__((always_inline)) Place inner_step() {
  uintptr_t address = call_address();
  return keep(address, __LINE__ - 1);
}

inline __attribute__((always_inline)) Place middle_step(int& line) {
  Place place = inner_step();
  line = __LINE__ - 1;
  return place;
}

__attribute__((noinline)) Place outer_function(int& middle_line, int& outer_line) {
  Place place = middle_step(middle_line);
  outer_line = __LINE__ - 1;
  return place;
}

__attribute__((noinline)) volatile int* local_static() {
  static volatile int calls = 0;
  calls = calls + 1;
  return &calls;
}

// The library has its atomic operations inlined at every level of optimisation.
__attribute__((noinline)) void count_up() { symbols_test_counter.fetch_add(1); }

uint64_t load_bias() {
  uint64_t bias = 0;
  // The program itself comes first.
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        *static_cast<uint64_t*>(out) = info->dlpi_addr;
        return 1;
      },
      &bias);
  return bias;
}

template <class T>
uint64_t offset_of(const T& object) {
  return reinterpret_cast<uintptr_t>(&object) - load_bias();
}

std::string own_path() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

std::string base_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

class SymbolsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!symbols_.has_debug_info(0)) GTEST_SKIP() << "built without debug information";
  }
  std::string global_name(uint64_t offset) const {
    auto variable = symbols_.global_at(0, offset);
    return variable.has_value() ? variable->name : "(none)";
  }

  Symbols symbols_{{own_path()}};
};

TEST_F(SymbolsTest, NamesFunctionAndLine) {
  Place place = plain_function();
  std::vector<Frame> frames = symbols_.frames(0, place.address - load_bias());
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].function, "heddle::test::(anonymous namespace)::plain_function()");
  EXPECT_EQ(pretty_function(frames[0].function), "heddle::test::plain_function");
  EXPECT_EQ(base_name(frames[0].file), "symbols_test.cpp");
  EXPECT_EQ(frames[0].line, place.line);
  EXPECT_FALSE(frames[0].inlined);
  EXPECT_EQ(symbols_.describe(0, place.address - load_bias()), "symbols_test.cpp:" + std::to_string(place.line));
}

TEST_F(SymbolsTest, GivesInlinedFramesWithTheirCallSites) {
  int middle_line = 0;
  int outer_line = 0;
  Place place = outer_function(middle_line, outer_line);
  std::vector<Frame> frames = symbols_.frames(0, place.address - load_bias());
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(pretty_function(frames[0].function), "heddle::test::inner_step");
  EXPECT_EQ(pretty_function(frames[1].function), "heddle::test::middle_step");
  EXPECT_EQ(pretty_function(frames[2].function), "heddle::test::outer_function");
  EXPECT_EQ(frames[0].line, place.line);
  EXPECT_EQ(frames[1].line, middle_line);
  EXPECT_EQ(frames[2].line, outer_line);
  EXPECT_TRUE(frames[0].inlined);
  EXPECT_TRUE(frames[1].inlined);
  EXPECT_FALSE(frames[2].inlined);
  for (const Frame& frame : frames) EXPECT_EQ(base_name(frame.file), "symbols_test.cpp");
}

TEST_F(SymbolsTest, NamesLambdasByTheFunctionAroundThem) {
  auto lambda = []() __attribute__((noinline)) {
    uintptr_t address = call_address();
    return keep(address, __LINE__ - 1);
  };
  Place place = lambda();
  std::vector<Frame> frames = symbols_.frames(0, place.address - load_bias());
  ASSERT_FALSE(frames.empty());
  EXPECT_EQ(frames[0].line, place.line);
  std::string name = pretty_function(frames[0].function);
  EXPECT_NE(name.find("NamesLambdasByTheFunctionAroundThem_Test::TestBody::{lambda"), std::string::npos) << name;
}

TEST_F(SymbolsTest, PrefersTheProgramsOwnSourceToHeaders) {
  count_up();
  auto begin = reinterpret_cast<uintptr_t>(&count_up) - load_bias();
  int in_headers = 0;
  for (uint64_t offset = begin; offset < begin + 256; ++offset) {
    std::vector<Frame> frames = symbols_.frames(0, offset);
    if (frames.empty() || pretty_function(frames.back().function) != "heddle::test::count_up") break;
    if (!is_system_source(frames.front().file)) continue;
    ++in_headers;
    std::optional<Frame> own = symbols_.user_frame(0, offset);
    ASSERT_TRUE(own.has_value());
    EXPECT_EQ(base_name(own->file), "symbols_test.cpp");
    EXPECT_EQ(pretty_function(own->function), "heddle::test::count_up");
    EXPECT_TRUE(symbols_.describe(0, offset).starts_with("symbols_test.cpp:"));
  }
  EXPECT_GT(in_headers, 0) << "no library code was inlined, nothing was tested";
}

TEST_F(SymbolsTest, ReadsTheSourceOfAFrame) {
  Place place = plain_function();
  std::optional<Frame> frame = symbols_.user_frame(0, place.address - load_bias());
  ASSERT_TRUE(frame.has_value());
  if (!std::filesystem::exists(frame->file)) GTEST_SKIP() << "the source is not here";
  EXPECT_EQ(symbols_.source_line(frame->file, frame->line), "  uintptr_t address = call_address();");
  EXPECT_EQ(symbols_.source_statement(frame->file, frame->line), "uintptr_t address = call_address();");
  EXPECT_EQ(symbols_.source_line("no/such/file.cpp", 1), std::nullopt);
}

TEST_F(SymbolsTest, FollowsMembersAndArrays) {
  const SymbolsTestQueue& queue = symbols_test_queue;
  EXPECT_EQ(global_name(offset_of(queue)), "symbols_test_queue.vptr");
  EXPECT_EQ(global_name(offset_of(queue.in_base)), "symbols_test_queue.in_base");
  EXPECT_EQ(global_name(offset_of(queue.items[0])), "symbols_test_queue.items[0].key");
  EXPECT_EQ(global_name(offset_of(queue.items[3].next)), "symbols_test_queue.items[3].next");
  EXPECT_EQ(global_name(offset_of(queue.items[2].tag[5])), "symbols_test_queue.items[2].tag[5]");
  EXPECT_EQ(global_name(offset_of(queue.grid[1][2])), "symbols_test_queue.grid[1][2]");
  EXPECT_EQ(global_name(offset_of(queue.as_real)), "symbols_test_queue.as_number");
  EXPECT_EQ(global_name(offset_of(queue.open)), "symbols_test_queue.open");
  EXPECT_EQ(global_name(offset_of(queue.count)), "symbols_test_queue.count");
  EXPECT_EQ(global_name(offset_of(queue.count) + 1), "symbols_test_queue.count");
}

TEST_F(SymbolsTest, KnowsTypeSizeAndPlaceOfAVariable) {
  auto count = symbols_.global_at(0, offset_of(symbols_test_queue.count));
  ASSERT_TRUE(count.has_value());
  EXPECT_EQ(count->type, "unsigned int");
  EXPECT_EQ(count->size, sizeof(unsigned));
  EXPECT_EQ(count->encoding, Encoding::kUnsigned);
  EXPECT_EQ(base_name(count->file), "symbols_test.cpp");
  EXPECT_GT(count->line, 0);

  auto next = symbols_.global_at(0, offset_of(symbols_test_queue.items[1].next));
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(next->type, "SymbolsTestNode*");
  EXPECT_EQ(next->encoding, Encoding::kPointer);

  auto rate = symbols_.global_at(0, offset_of(symbols_test::Account::rate));
  ASSERT_TRUE(rate.has_value());
  EXPECT_EQ(rate->name, "symbols_test::Account::rate");
  EXPECT_EQ(rate->encoding, Encoding::kFloating);
}

TEST_F(SymbolsTest, HidesWhatLibrariesKeepToThemselves) {
  auto counter = symbols_.global_at(0, offset_of(symbols_test_counter));
  ASSERT_TRUE(counter.has_value());
  EXPECT_EQ(counter->name, "symbols_test_counter");
  EXPECT_EQ(counter->type, "int");
  EXPECT_EQ(counter->encoding, Encoding::kSigned);
  EXPECT_EQ(global_name(offset_of(symbols_test_array[2])), "symbols_test_array[2]");
  EXPECT_EQ(global_name(offset_of(symbols_test_mutex) + 16), "symbols_test_mutex");
}

TEST_F(SymbolsTest, NamesStaticsByTheirScope) {
  EXPECT_EQ(global_name(offset_of(*local_static())), "heddle::test::local_static::calls");
  symbols_test::hidden_total = 1;
  EXPECT_EQ(global_name(offset_of(symbols_test::hidden_total)), "symbols_test::hidden_total");
}

TEST_F(SymbolsTest, FindsMembersOfNamedTypes) {
  auto member = symbols_.member_at(0, "SymbolsTestQueue", offset_of(symbols_test_queue.items[2].next) - offset_of(symbols_test_queue));
  ASSERT_TRUE(member.has_value());
  EXPECT_EQ(member->name, "items[2].next");
  EXPECT_EQ(member->type, "SymbolsTestNode*");
  EXPECT_FALSE(symbols_.member_at(0, "SymbolsTestQueue", sizeof(SymbolsTestQueue)).has_value());
  EXPECT_FALSE(symbols_.member_at(0, "NoSuchType", 0).has_value());
}

TEST_F(SymbolsTest, NamesWhatLiesBehindAPointer) {
  symbols_test_nodes = nullptr;
  symbols_test_counts = nullptr;
  symbols_test_anything = nullptr;
  const uint64_t here = offset_of(*reinterpret_cast<const char*>(&local_static));
  const auto name = [&](const char* pointer, uint64_t offset) {
    const auto found = symbols_.behind_pointer(0, here, pointer, offset);
    return found ? found->name : std::string("none");
  };
  EXPECT_EQ(name("symbols_test_nodes", offsetof(SymbolsTestNode, next)), "->next");
  EXPECT_EQ(name("symbols_test_nodes", 2 * sizeof(SymbolsTestNode) + offsetof(SymbolsTestNode, next)), "[2].next");
  EXPECT_EQ(name("symbols_test_counts", 3 * sizeof(int)), "[3]");
  EXPECT_EQ(name("symbols_test_anything", 0), "none");
  EXPECT_EQ(name("symbols_test_queue", 0), "none");
  EXPECT_EQ(name("no_such_pointer", 0), "none");
}

TEST_F(SymbolsTest, AnswersNothingOutsideTheModule) {
  EXPECT_TRUE(symbols_.frames(0, UINT64_MAX).empty());
  EXPECT_TRUE(symbols_.frames(0, offset_of(symbols_test_queue)).empty());
  EXPECT_FALSE(symbols_.global_at(0, UINT64_MAX).has_value());
  EXPECT_FALSE(symbols_.global_at(0, 0).has_value());
  EXPECT_TRUE(symbols_.frames(7, 0x1000).empty());
  EXPECT_EQ(symbols_.describe(7, 0x1000), "module7+0x1000");
  EXPECT_EQ(symbols_.build_id(7), "");
}

TEST_F(SymbolsTest, DoesWithoutDebugInformation) {
  ScratchDirectory scratch;
  ElfImage image(own_path());
  image.hide_section(".debug_info");
  Symbols symbols({image.write(scratch.path() / "nodebug")});
  EXPECT_FALSE(symbols.has_debug_info(0));

  auto begin = reinterpret_cast<uintptr_t>(&plain_function) - load_bias();
  std::vector<Frame> frames = symbols.frames(0, begin + 4);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].function, "heddle::test::(anonymous namespace)::plain_function()");
  EXPECT_EQ(frames[0].file, "");
  EXPECT_EQ(symbols.describe(0, begin + 4), "heddle::test::plain_function+0x4");

  auto variable = symbols.global_at(0, offset_of(symbols_test_queue) + 8);
  ASSERT_TRUE(variable.has_value());
  EXPECT_EQ(variable->name, "symbols_test_queue+0x8");
}

TEST_F(SymbolsTest, DoesWithoutSymbols) {
  ScratchDirectory scratch;
  ElfImage image(own_path());
  for (const char* name : {".debug_info", ".symtab", ".dynsym"}) image.hide_section(name);
  Symbols symbols({image.write(scratch.path() / "stripped")});
  auto begin = reinterpret_cast<uintptr_t>(&plain_function) - load_bias();
  EXPECT_TRUE(symbols.frames(0, begin).empty());
  char expected[64];
  std::snprintf(expected, sizeof expected, "stripped+0x%llx", static_cast<unsigned long long>(begin));
  EXPECT_EQ(symbols.describe(0, begin), expected);
  EXPECT_FALSE(symbols.global_at(0, offset_of(symbols_test_queue)).has_value());
}

TEST_F(SymbolsTest, FollowsTheLinkToASeparateDebugFile) {
  if (symbols_.build_id(0).empty()) GTEST_SKIP() << "linked without a build id";
  ScratchDirectory scratch;
  ElfImage stripped(own_path());
  for (const char* name : {".debug_info", ".symtab"}) stripped.hide_section(name);
  stripped.add_debug_link("program.debug");
  std::string program = stripped.write(scratch.path() / "program");
  EXPECT_FALSE(Symbols({program}).has_debug_info(0));

  ElfImage debug(own_path());
  debug.write(scratch.path() / ".debug" / "program.debug");
  Symbols symbols({program});
  EXPECT_TRUE(symbols.has_debug_info(0));
  Place place = plain_function();
  EXPECT_EQ(symbols.describe(0, place.address - load_bias()), "symbols_test.cpp:" + std::to_string(place.line));

  debug.change_build_id();
  debug.write(scratch.path() / ".debug" / "program.debug");
  EXPECT_FALSE(Symbols({program}).has_debug_info(0)) << "took the debug file of another program";
}

// Asks everything there is to ask; the answers do not matter.
void ask_all(const std::string& path) {
  Symbols symbols({path});
  symbols.build_id(0);
  auto begin = reinterpret_cast<uintptr_t>(&plain_function) - load_bias();
  for (uint64_t offset = begin; offset < begin + 2048; offset += 16) {
    symbols.frames(0, offset);
    symbols.describe(0, offset);
  }
  for (uint64_t offset = 0; offset < sizeof symbols_test_queue; offset += 4) {
    symbols.global_at(0, offset_of(symbols_test_queue) + offset);
  }
  symbols.member_at(0, "SymbolsTestQueue", 8);
}

TEST_F(SymbolsTest, SurvivesTruncatedFiles) {
  ScratchDirectory scratch;
  ElfImage whole(own_path());
  for (size_t part = 0; part < 8; ++part) {
    ElfImage image = whole;
    image.truncate(whole.size() / 8 * part + part);
    ask_all(image.write(scratch.path() / "truncated"));
  }
  for (size_t size : {1u, 4u, 16u, 63u, 64u, 65u}) {
    ElfImage image = whole;
    image.truncate(size);
    ask_all(image.write(scratch.path() / "truncated"));
  }
}

TEST_F(SymbolsTest, SurvivesOverwrittenSections) {
  ScratchDirectory scratch;
  ElfImage whole(own_path());
  for (const std::string& name : whole.section_names()) {
    bool is_read =
        name.starts_with(".debug") || name == ".symtab" || name == ".strtab" || name == ".shstrtab" || name == ".note.gnu.build-id";
    if (!is_read) continue;
    for (int byte : {0x01, 0xff}) {
      ElfImage image = whole;
      image.fill_section(name, static_cast<unsigned char>(byte));
      ask_all(image.write(scratch.path() / "overwritten"));
    }
  }
}

TEST_F(SymbolsTest, SurvivesDamagedHeaders) {
  ScratchDirectory scratch;
  ElfImage whole(own_path());
  for (size_t at = 4; at < 64; at += 3) {
    ElfImage image = whole;
    image[at] ^= 0xff;
    ask_all(image.write(scratch.path() / "damaged"));
  }
}

TEST(SymbolsOfNothing, AnswerNothing) {
  ScratchDirectory scratch;
  std::string text = (scratch.path() / "text").string();
  std::ofstream(text) << "not an object file";
  std::string pipe = (scratch.path() / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  Symbols symbols({text, pipe, scratch.path().string(), "/no/such/libfoo.so", ""});
  for (unsigned module = 0; module < 5; ++module) {
    EXPECT_TRUE(symbols.frames(module, 0x123).empty());
    EXPECT_FALSE(symbols.global_at(module, 0x123).has_value());
    EXPECT_FALSE(symbols.has_debug_info(module));
    EXPECT_EQ(symbols.build_id(module), "");
  }
  EXPECT_EQ(symbols.describe(3, 0x123), "libfoo.so+0x123");
}

TEST(SystemLibrary, IsToldByItsPath) {
  for (const char* path : {"/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libz.so.1", "[vdso]", "linux-vdso.so.1",
                           "/opt/gcc/lib64/libstdc++.so.6", "/home/me/build/lib/libheddle-rt.so"}) {
    EXPECT_TRUE(is_system_library_path(path)) << path;
  }
  for (const char* path : {"/home/me/prog", "/usr/bin/pigz", "/usr/local/lib/libmine.so", "./libcache.so", "/libs/libmine.so",
                           "/usr/libexec/libmine.so", "/usrlib/libmine.so", ""}) {
    EXPECT_FALSE(is_system_library_path(path)) << path;
  }
  EXPECT_TRUE(is_system_source("/usr/include/c++/12/bits/std_mutex.h"));
  EXPECT_TRUE(is_system_source("/usr/src/rustc-1.63.0/library/core/src/ptr/mod.rs"));
  EXPECT_TRUE(is_system_source("/rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/std/src/thread/mod.rs"));
  EXPECT_FALSE(is_system_source("/home/me/usr/include/a.h"));
}

}  // namespace
}  // namespace heddle::test
