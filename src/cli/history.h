#pragma once
// A checkout of the user's repository beside his own, to build old commits in: what he has in his is not touched.
#include <string>
#include <vector>

namespace heddle::cli {

class History {
 public:
  // Of the repository that the working directory is in. Throws Error with one sentence.
  History();
  History(const History&) = delete;
  History& operator=(const History&) = delete;
  ~History();

  // The full name of a commit. Throws Error where it names none.
  std::string commit(const std::string& revision) const;
  // Hash and subject.
  std::string shown(const std::string& commit) const;
  bool has_parent(const std::string& commit) const;
  // Puts the files of the commit there; what was built stays, so that building is short.
  void check_out(const std::string& commit);

  // git's own bisection, which knows merges and skipped commits. The answer is empty while it goes on.
  void start(const std::string& bad, const std::string& good);
  struct Answer {
    std::string first_bad;                // empty if it is not known yet
    std::vector<std::string> candidates;  // where only skipped commits are left
  };
  Answer mark(const std::string& commit, const std::string& word);  // "good", "bad" or "skip"
  std::string current() const;

  // The place in the checkout that corresponds to one in the user's tree. Throws Error for one outside of it.
  std::string path(const std::string& in_tree) const;
  // Where the user's working directory is, in the checkout.
  std::string directory() const;

 private:
  std::string git(const std::vector<std::string>& words, const std::string& where) const;

  std::string top_, prefix_, place_;
  bool added_ = false;
};

}  // namespace heddle::cli
