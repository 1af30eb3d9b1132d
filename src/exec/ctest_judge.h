#pragma once
// Judges the end of a run as CTest does.
#include <memory>
#include <string>
#include <vector>

#include "trace/ctest_rule.h"
#include "wire/rooms.h"

namespace heddle::exec {

struct Output;

class CTestJudge {
 public:
  // Throws Error for an expression that is none.
  explicit CTestJudge(const CTestRule& rule);
  ~CTestJudge();

  enum class Said { kPassed, kFailed, kSkipped };
  struct Answer {
    Said said = Said::kPassed;
    std::string why;
  };
  // Of a run that exited by itself: one that crashed has failed, whatever the properties say.
  Answer answer(int exit_code, const Output& output) const;

 private:
  class Expression;
  CTestRule rule_;
  std::vector<Expression> passes_, fails_, skips_;
};

}  // namespace heddle::exec
