#pragma once
#include <string>

#include "store/bugs.h"

namespace heddle::store {

// A bug that is written apart and put into its place when all of it is there: a full disk, or the end of the tool, leaves the bug of that id as it was, or
// none. What was not published is removed.
class BugDraft {
 public:
  explicit BugDraft(std::string root = store_root());
  BugDraft(const BugDraft&) = delete;
  BugDraft& operator=(const BugDraft&) = delete;
  ~BugDraft();

  const BugStore& store() const { return store_; }
  // Saves bug.json and puts all that was saved under the bug's id in place of what is there; it becomes the latest. Throws Error.
  void publish(const Bug& bug);

 private:
  std::string root_;
  std::string place_;
  BugStore store_;
};

}  // namespace heddle::store
