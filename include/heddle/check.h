// A unit test that explores the schedules of its own body:
//
//   #include <gtest/gtest.h>      // or Catch2, before this header
//   #include <heddle/check.h>
//
//   TEST(Queue, Drains) {
//     heddle::check([] { ... threads, and EXPECT... });
//   }
//
// The body runs under many schedules when `heddle` is there (in $HEDDLE or the PATH), and once, plainly, when it is not. One file, no library.
#ifndef HEDDLE_CHECK_H
#define HEDDLE_CHECK_H

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

// Catch2 2 and 3
#if defined(CATCH_VERSION_MAJOR) || defined(CATCH_TEST_MACROS_HPP_INCLUDED)
#define HEDDLE_CHECK_CATCH
#endif

namespace heddle {

struct CheckOptions {
  unsigned executions = 1000;  // schedules at most
  unsigned seconds = 30;       // at most
  unsigned seed = 1;
};

namespace detail {

constexpr const char* kBody = "HEDDLE_CHECK_BODY";  // in the program that heddle runs: the one body that it is to run

// "file:line#2": the second call of check at that place in this program.
inline std::string name_of_call(const char* file, int line) {
  static std::vector<std::string> calls;
  const std::string place = std::string(file) + ":" + std::to_string(line);
  unsigned before = 0;
  for (const std::string& call : calls) before += call == place ? 1 : 0;
  calls.push_back(place);
  return place + "#" + std::to_string(before);
}

// Already under heddle's control: whoever started it explores the schedules.
inline bool under_heddle() { return std::getenv("HEDDLE_CHANNEL") != nullptr; }

inline std::string find_heddle() {
  if (const char* given = std::getenv("HEDDLE")) return given;
  const char* list = std::getenv("PATH");
  std::string path = list != nullptr ? list : "";
  for (std::size_t at = 0; at <= path.size();) {
    std::size_t end = path.find(':', at);
    if (end == std::string::npos) end = path.size();
    const std::string candidate = path.substr(at, end - at) + "/heddle";
    if (end > at && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    at = end + 1;
  }
  return {};
}

// The words of this program, as it was started.
inline std::vector<std::string> own_words() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

// Runs only the test that is running now, where the framework is known.
inline void choose_running_test(std::vector<std::string>& words) {
#if defined(GTEST_API_)
  if (const ::testing::TestInfo* test = ::testing::UnitTest::GetInstance()->current_test_info()) {
    words.push_back(std::string("--gtest_filter=") + test->test_suite_name() + "." + test->name());
    words.push_back("--gtest_repeat=1");
  }
#elif defined(HEDDLE_CHECK_CATCH)
  words.resize(1);
  std::string name;
  for (const char c : Catch::getResultCapture().getCurrentTestName()) {
    if (std::strchr("\\,[]\"*~", c) != nullptr) name += '\\';
    name += c;
  }
  words.push_back(name);
#else
  (void)words;
#endif
}

[[noreturn]] inline void fail_here(const std::string& words) { throw std::runtime_error(words); }

inline void report_failure(const std::string& words) {
#if defined(GTEST_API_)
  ADD_FAILURE() << words;
#elif defined(HEDDLE_CHECK_CATCH)
  FAIL(words);
#else
  fail_here(words);
#endif
}

// heddle's exit code and what it printed; -1 where it could not be run.
inline int run_tool(const std::string& heddle, const std::string& call, const CheckOptions& options, std::string& story) {
  std::vector<std::string> words = {heddle,
                                    "debug",
                                    "--seed",
                                    std::to_string(options.seed),
                                    "--time",
                                    std::to_string(options.seconds),
                                    "--whole",
                                    "--executions",
                                    std::to_string(options.executions),
                                    "--"};
  std::vector<std::string> own = own_words();
  if (own.empty()) return -1;
  char self[4096];
  const ssize_t n = ::readlink("/proc/self/exe", self, sizeof self - 1);
  if (n > 0) own[0] = std::string(self, static_cast<std::size_t>(n));
  choose_running_test(own);
  words.insert(words.end(), own.begin(), own.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(&word[0]);
  arguments.push_back(nullptr);
  ::setenv(kBody, call.c_str(), 1);
  char file[] = "/tmp/heddle-check-XXXXXX";
  const int out = ::mkstemp(file);
  int status = -1;
  if (out >= 0) {
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, out, 1);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    pid_t child = 0;
    if (::posix_spawn(&child, heddle.c_str(), &actions, nullptr, arguments.data(), environ) == 0 && ::waitpid(child, &status, 0) == child)
      status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    ::posix_spawn_file_actions_destroy(&actions);
    std::ifstream text(file);
    story.assign(std::istreambuf_iterator<char>(text), std::istreambuf_iterator<char>());
    ::close(out);
    ::unlink(file);
  }
  ::unsetenv(kBody);
  return status;
}

}  // namespace detail

// Runs `body` under many schedules and reports the first failing one to the test framework, with its story. A body that cannot be tested under control
// runs once, plainly, and a line on stderr says why.
inline void check(const std::function<void()>& body, const CheckOptions& options = {}, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
  const std::string call = detail::name_of_call(file, line);
  if (const char* wanted = std::getenv(detail::kBody)) {
    if (call == wanted) body();
    return;
  }
  const std::string heddle = detail::under_heddle() ? "" : detail::find_heddle();
  if (heddle.empty()) {
    body();
    return;
  }
  std::string story;
  const int code = detail::run_tool(heddle, call, options, story);
  if (code == 0) return;
  if (code == 1) {
    detail::report_failure("a schedule makes the body fail\n" + story);
    return;
  }
  std::fprintf(stderr, "heddle::check: %s:%d cannot be tested under control (code %d) and runs once\n", file, line, code);
  body();
}

}  // namespace heddle

#endif
