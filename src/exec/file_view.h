#pragma once
// A copy-on-write view of the files that runs may write: the working directory, /tmp and /dev/shm. What a run writes there only its
// worker's view shows, and the next run does not see it. Overlay mounts in a mount namespace of the worker's own; no rights are needed
// where user namespaces are allowed.
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "exec/descriptor.h"
#include "trace/input_log.h"

namespace heddle::exec {

class FileView {
 public:
  // `placed`: files that the view shows as they were recorded, whatever has become of them. Nothing where the system refuses; `why_not`
  // gets the reason.
  static std::unique_ptr<FileView> make(const std::string& directory, const std::vector<RecordedFile>& placed, const std::string& library,
                                        std::string* why_not);
  ~FileView();
  FileView(const FileView&) = delete;
  FileView& operator=(const FileView&) = delete;

  // Has anything been written since the view was last wiped or kept?
  bool written() const;
  // Forgets what was written since `keep`.
  void wipe();
  // What was written so far becomes part of the view: the program did it before its first thread.
  void keep();
  // Forgets everything that was written, also what was kept.
  void begin_anew();

  // Is the tool's /proc/PID/fd out of reach from inside?
  bool hides_the_tool() const { return static_cast<bool>(user_namespace_); }
  // In a process of one thread, between fork and exec: takes the view. False when the system refuses.
  bool enter() const;

 private:
  struct Keeper;
  FileView() = default;
  bool ask(char command, std::string* why_not);
  void order(char command);
  std::string receive();

  pid_t keeper_ = -1;  // the process that holds the namespace and mounts in it
  Descriptor socket_;
  Descriptor user_namespace_, mount_namespace_, objects_namespace_;
  std::vector<Descriptor> uppers_;  // a root's: where its writes land
  std::vector<off_t> sizes_;        // of those directories when nothing was written
  size_t roots_ = 0;
  bool kept_ = false;
};

}  // namespace heddle::exec
