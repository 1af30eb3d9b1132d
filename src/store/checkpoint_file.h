#pragma once
// A checkpoint on disk: blocks (store/blocks.h), of which the first says what it is, the next have the pages and the last says that nothing is missing.
// It appears under its name when it is whole.
#include <memory>
#include <string>
#include <vector>

#include "trace/checkpoint.h"
#include "trace/error.h"

namespace heddle::store {

class CheckpointWriter : public CheckpointSink {
 public:
  explicit CheckpointWriter(std::string path);
  ~CheckpointWriter() override;
  void begin(const Checkpoint& checkpoint) override;
  void pages(uint64_t address, std::string_view bytes) override;
  void end() override;

 private:
  void block(uint32_t kind, std::string_view raw);
  void flush();

  std::string path_;
  int file_ = -1;
  uint32_t blocks_ = 0;
  std::vector<uint64_t> runs_;  // address and bytes of each
  std::string bytes_;
};

// Throws Error with one sentence where the file is no whole checkpoint; each step may.
class CheckpointReader : public CheckpointSource {
 public:
  explicit CheckpointReader(std::string path);
  ~CheckpointReader() override;
  const Checkpoint& checkpoint() const override { return checkpoint_; }
  bool pages(uint64_t* address, std::string* bytes) override;

 private:
  uint32_t next();  // the kind of the block that raw_ holds then

  std::string path_;
  int file_ = -1;
  uint32_t blocks_ = 0;
  Checkpoint checkpoint_;
  std::string raw_;
  std::vector<uint64_t> runs_;
  size_t run_ = 0;
  size_t at_ = 0;
};

// SHA-256 of the whole file, for whoever has to know that it is the one that was written. Empty: it cannot be read.
std::string checkpoint_digest(const std::string& path);

}  // namespace heddle::store
