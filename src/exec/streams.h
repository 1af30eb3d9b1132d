#pragma once
// The standard streams of controlled runs: nothing of one execution leaks into the next.
#include <memory>
#include <string>

#include "exec/descriptor.h"

namespace heddle::exec {

// What the program reads from its standard input: copied once, served again to every run.
class Input {
 public:
  // Nothing where the descriptor is a terminal or closed. `note` gets a sentence where the input was cut off.
  static std::shared_ptr<const Input> copy_of(int fd, std::string* note = nullptr);
  static std::shared_ptr<const Input> of_bytes(const std::string& bytes);

  // A reader with an offset of its own, at the start.
  Descriptor open() const;
  std::string bytes() const { return read_from_start(file_); }
  uint64_t id() const { return id_; }  // hash of the contents; 0 if empty

 private:
  Descriptor file_;
  uint64_t id_ = 0;
};

// How far the standard streams have come in the middle of a run.
struct StreamState {
  off_t in = 0;
  std::string out, err;
};

// One worker's standard streams. A mark is taken when the fork server has started; each run starts from it.
class Streams {
 public:
  explicit Streams(const Input& input);

  int in() const { return in_.get(); }
  int out() const { return out_.get(); }
  int err() const { return err_.get(); }
  void mark();
  void rewind();
  // `there`: what has been written up to that point is in the files already.
  void rewind_to(const StreamState& state, bool there);
  std::string out_bytes() const { return read_from_start(out_); }
  std::string err_bytes() const { return read_from_start(err_); }
  // What lies in the files, which are memory.
  uint64_t size() const;

 private:
  struct Mark {
    off_t in = 0, out = 0, err = 0;
    off_t out_size = 0, err_size = 0;
  };
  Descriptor in_, out_, err_;
  Mark mark_;
};

}  // namespace heddle::exec
