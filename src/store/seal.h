#pragma once
// Which files of a bug this user's heddle wrote, and what was in them: a line a file in `seal`, beside them, each under a MAC whose key only this
// user has. Without it anybody who can put a directory into a repository could have his commands run by `heddle replay`.
// A line is added before its file is replaced, and old lines stay valid: killed half-way, a bug is still its owner's.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::store {

// Called with a file's name, from the bug's directory, and its bytes, before it is written.
using Announce = std::function<void(const std::string& name, std::string_view bytes)>;

class Seal {
 public:
  // `directory` is the bug's; its last part is the bug's id, and belongs to what is sealed.
  explicit Seal(std::string directory) : directory_(std::move(directory)) {}

  // Both do nothing where no key can be had: then the bug is nobody's.
  void writes(const std::string& name, std::string_view bytes) const;
  void removes(const std::string& name) const;

  struct Verdict {
    bool own = false;                  // bug.json is as this user's heddle wrote it
    std::vector<std::string> changed;  // files that are not as they were written, gone, or somebody else's
  };
  Verdict check() const;
  // The user has seen what the bug would run, and takes all of it as his own.
  void trust() const;

 private:
  std::string directory_;
};

// Why there is no key, in a sentence; empty where there is one.
std::string key_complaint();

}  // namespace heddle::store
