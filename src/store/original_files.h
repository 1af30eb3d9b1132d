#pragma once
// Files that a program reads while it is recorded, held open by the tool: a service writes a new one and renames it over the old one, or removes it, before anybody
// can keep a copy. What is held is still the file that was read.
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trace/input_log.h"

namespace heddle::store {

class OriginalFiles {
 public:
  OriginalFiles();
  ~OriginalFiles();
  OriginalFiles(const OriginalFiles&) = delete;
  OriginalFiles& operator=(const OriginalFiles&) = delete;

  // Holds what the log names and was there before the recording.
  void hold(const InputLog& log);
  // Those that no longer lie at their names, as they were read.
  std::vector<RecordedFile> replaced() const;

 private:
  struct Held {
    int fd;
    uint64_t changed;  // before it was read, in ns
  };
  uint64_t begun_;  // ns: what has changed since then the program may have written itself
  size_t seen_ = 0;
  std::map<std::string, Held> held_;
};

}  // namespace heddle::store
