// What stands around a run: which programs are taken, what their output says, streams that do not leak, processes that end.
#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "exec/judge.h"
#include "exec/process.h"
#include "exec/streams.h"
#include "exec/target.h"
#include "trace/error.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

class InDirectory : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = fs::temp_directory_path() / ("heddle-exec-" + std::to_string(::getpid()));
    fs::create_directories(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }
  std::string write(const std::string& name, const std::string& bytes, mode_t mode) {
    const std::string path = (directory_ / name).string();
    std::ofstream(path) << bytes;
    ::chmod(path.c_str(), mode);
    return path;
  }
  static std::string refusal(const std::string& program) {
    try {
      Target::resolve({program});
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_code(), ExitCode::kCannotTest);
      return error.what();
    }
    return {};
  }
  fs::path directory_;
};

std::string elf_header(unsigned char file_class, uint16_t machine) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = file_class;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_EXEC;
  header.e_machine = machine;
  header.e_phoff = sizeof header;
  return {reinterpret_cast<const char*>(&header), sizeof header};
}

using TargetTest = InDirectory;

TEST_F(TargetTest, TakesProgramsOfThePathAndScripts) {
  const Target shell = Target::resolve({"sh", "-c", "exit 3"});
  EXPECT_EQ(shell.arguments.front(), "sh");
  EXPECT_EQ(shell.program.front(), '/');
  EXPECT_FALSE(shell.script);
  EXPECT_TRUE(Target::resolve({write("script", "#!/bin/sh\nexit 0\n", 0755)}).script);
}

TEST_F(TargetTest, RefusesEachInOneSentence) {
  EXPECT_NE(refusal((directory_ / "none").string()).find("No such file"), std::string::npos);
  EXPECT_NE(refusal("surely-not-a-program-of-anybody").find("not found in PATH"), std::string::npos);
  EXPECT_NE(refusal(directory_.string()).find("a directory"), std::string::npos);
  EXPECT_NE(refusal(write("text", "hello\n", 0755)).find("neither an ELF program nor a script"), std::string::npos);
  EXPECT_NE(refusal(write("empty", "", 0755)).find("neither"), std::string::npos);
  EXPECT_NE(refusal(write("plain", "#!/bin/sh\n", 0644)).find("not executable"), std::string::npos);
  EXPECT_NE(refusal(write("lost", "#!/no/such/interpreter\n", 0755)).find("interpreter"), std::string::npos);
  EXPECT_NE(refusal(write("setuid", elf_header(ELFCLASS64, EM_X86_64), 04755)).find("setuid"), std::string::npos);
  EXPECT_NE(refusal(write("old", elf_header(ELFCLASS32, EM_386), 0755)).find("32-bit"), std::string::npos);
  EXPECT_NE(refusal(write("arm", elf_header(ELFCLASS64, EM_AARCH64), 0755)).find("not a program for 64-bit x86"), std::string::npos);
  EXPECT_NE(refusal(write("static", elf_header(ELFCLASS64, EM_X86_64), 0755)).find("statically linked"), std::string::npos);
  EXPECT_NE(refusal(write("short", elf_header(ELFCLASS64, EM_X86_64).substr(0, 20), 0755)), "");
}

TEST_F(TargetTest, RefusesMusl) {
  std::string bytes = elf_header(ELFCLASS64, EM_X86_64);
  const std::string linker("/lib/ld-musl-x86_64.so.1\0", 25);
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.e_phnum = 1;
  Elf64_Phdr segment{};
  segment.p_type = PT_INTERP;
  segment.p_offset = sizeof header + sizeof segment;
  segment.p_filesz = linker.size();
  bytes.assign(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char*>(&segment), sizeof segment);
  EXPECT_NE(refusal(write("musl", bytes + linker, 0755)).find("musl"), std::string::npos);
}

Outcome outcome(OutcomeKind kind, int code = 0) {
  Outcome o;
  o.kind = kind;
  o.code = code;
  return o;
}

TEST(JudgeTest, ReadsTheWordsOfAFailure) {
  const Judge judge{Predicates{}};
  Outcome o = judge.refine(outcome(OutcomeKind::kAbort, SIGABRT),
                           {"", "terminate called after throwing an instance of 'std::runtime_error'\n  what():  queue is closed\n"});
  EXPECT_EQ(o.kind, OutcomeKind::kException);
  EXPECT_EQ(o.message, "std::runtime_error: queue is closed");
  o = judge.refine(outcome(OutcomeKind::kSignal, SIGABRT),
                   {"", "bank: bank.cpp:26: void withdraw(int): Assertion `balance >= 0' failed.\n"});
  EXPECT_EQ(o.kind, OutcomeKind::kAssert);
  EXPECT_EQ(o.message, "bank.cpp:26: void withdraw(int): Assertion `balance >= 0' failed.");
  o = judge.refine(outcome(OutcomeKind::kExit, 3), {"starting\nERROR: sum is 7\ndone\n", ""});
  EXPECT_EQ(o.message, "ERROR: sum is 7");
  o = judge.refine(outcome(OutcomeKind::kExit, 1),
                   {"[ RUN      ] Queue.Works\nsrc/queue_test.cpp:12: Failure\nExpected equality of these values:\n  "
                    "sum\n    Which is: 7\n",
                    ""});
  EXPECT_EQ(o.message.substr(0, 55), "queue_test.cpp:12: Failure: Expected equality of these ");
  EXPECT_EQ(judge.refine(outcome(OutcomeKind::kExit), {"error\n", "error\n"}), outcome(OutcomeKind::kExit));
}

TEST(JudgeTest, AppliesTheUsersPredicates) {
  Predicates expected;
  expected.expect_stdout = "a\nb\n";
  EXPECT_EQ(Judge(expected).refine(outcome(OutcomeKind::kExit), {"a\nb\n", "noise"}).kind, OutcomeKind::kExit);
  EXPECT_EQ(Judge(expected).refine(outcome(OutcomeKind::kExit), {"a\nc\n", ""}).kind, OutcomeKind::kOutput);
  EXPECT_EQ(Judge(expected).refine(outcome(OutcomeKind::kDeadlock), {"a\n", ""}).kind, OutcomeKind::kDeadlock);
  EXPECT_EQ(Judge(expected).refine(outcome(OutcomeKind::kDiverged), {"a\n", ""}).kind, OutcomeKind::kDiverged);

  Predicates pattern;
  pattern.fails_if_output = "lost [0-9]+ updates";
  EXPECT_EQ(Judge(pattern).refine(outcome(OutcomeKind::kExit), {"", "lost 3 updates\n"}).kind, OutcomeKind::kOutput);
  EXPECT_EQ(Judge(pattern).refine(outcome(OutcomeKind::kExit), {"lost no updates\n", ""}).kind, OutcomeKind::kExit);
  pattern.fails_if_output = "(";
  EXPECT_THROW(Judge{pattern}, Error);

  Predicates command;
  command.fails_if = "grep -q 42 \"$HEDDLE_STDOUT\" && test \"$3\" = 0";
  EXPECT_EQ(Judge(command).refine(outcome(OutcomeKind::kExit), {"42\n", ""}).kind, OutcomeKind::kOutput);
  EXPECT_EQ(Judge(command).refine(outcome(OutcomeKind::kExit), {"41\n", ""}).kind, OutcomeKind::kExit);
  command.fails_if = "/no/such/command";
  EXPECT_THROW(Judge(command).refine(outcome(OutcomeKind::kExit), {}), Error);

  Predicates exit;
  exit.expect_exit = 3;
  EXPECT_TRUE(Judge(exit).fails(outcome(OutcomeKind::kExit, 0)));
  EXPECT_FALSE(Judge(exit).fails(outcome(OutcomeKind::kExit, 3)));
}

TEST(StreamsTest, GoBackToTheMark) {
  const auto input = Input::of_bytes("0123456789");
  EXPECT_NE(input->id(), 0u);
  Streams streams(*input);
  char byte = 0;
  ASSERT_EQ(::read(streams.in(), &byte, 1), 1);
  write_all(streams.out(), "before ");
  streams.mark();
  for (int run = 0; run < 3; ++run) {
    streams.rewind();
    ASSERT_EQ(::read(streams.in(), &byte, 1), 1);
    EXPECT_EQ(byte, '1');
    write_all(streams.out(), "after");
    write_all(streams.err(), "oops");
    EXPECT_EQ(streams.out_bytes(), "before after");
    EXPECT_EQ(streams.err_bytes(), "oops");
  }
}

TEST(StreamsTest, CopiesAPipe) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  write_all(ends[1], "hello");
  ::close(ends[1]);
  EXPECT_EQ(Input::copy_of(ends[0])->bytes(), "hello");
  ::close(ends[0]);
}

TEST(ProcessTest, GivesTheStatus) {
  std::vector<std::string> notes;
  Launch launch;
  launch.variables = {{"HEDDLE_TEST", "5"}};
  EXPECT_EQ(Process(Target::resolve({"sh", "-c", "exit $HEDDLE_TEST"}), launch, notes).wait(), 5 << 8);
  EXPECT_EQ(WTERMSIG(Process(Target::resolve({"sh", "-c", "kill -9 $$"}), launch, notes).wait()), SIGKILL);
  EXPECT_EQ(describe_status(5 << 8), "exit code 5");
}

TEST(ProcessTest, LeavesNobodyBehind) {
  std::vector<std::string> notes;
  pid_t group = 0;
  {
    Process process(Target::resolve({"sh", "-c", "sleep 1000 & sleep 1000"}), {}, notes);
    group = process.pid();
    EXPECT_FALSE(process.ended());
  }
  // The grandchildren may be seen dying for a moment, until they are reaped by whoever inherited them.
  bool gone = false;
  for (int i = 0; i < 2000 && !gone; ++i) {
    gone = true;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      std::ifstream stat(entry.path() / "stat");
      std::string text;
      if (!std::getline(stat, text) || text.rfind(')') == std::string::npos) continue;
      char state = 0;
      int parent = 0, process_group = 0;
      std::sscanf(text.c_str() + text.rfind(')') + 1, " %c %d %d", &state, &parent, &process_group);
      if (process_group == group && state != 'Z' && state != 'X') gone = false;
    }
    if (!gone) ::usleep(10'000);
  }
  EXPECT_TRUE(gone);
}

TEST(Judge, WhatASanitizerSaysOfItselfIsNoFinding) {
  const Judge judge{Predicates{}};
  Outcome outcome;
  outcome.kind = OutcomeKind::kExit;
  outcome.code = 66;
  const Output said{"",
                    "ThreadSanitizer: CHECK failed: sanitizer_thread_registry.cpp:171 \"x\" (0x0, 0x0)\n    #0 __tsan::CheckUnwind()\n"};
  EXPECT_EQ(judge.refine(outcome, said).kind, OutcomeKind::kCannotControl);
  EXPECT_EQ(judge.refine(outcome, {"", "SUMMARY: ThreadSanitizer: data race a.c:3 in f\n"}).kind, OutcomeKind::kExit);
}

}  // namespace
}  // namespace heddle::test
