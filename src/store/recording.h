#pragma once
// A recording that is written while its program runs: a directory with segments, which are files of blocks. Each block is compressed and has a checksum, so that
// whatever is left after a crash or a power cut can be read up to the first block that is not whole.
//
//   .heddle/recordings/<id>/start          how the program was started (JSON)
//   .heddle/recordings/<id>/segment.0000   blocks, in order; the next segment begins where this one has grown to its size,
//                                          or where a checkpoint was asked for
//   .heddle/recordings/<id>/checkpoint.0003  made after segment 2: with it, that and all before it are needed no more (store/checkpoint_file.h)
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/original_files.h"
#include "trace/error.h"
#include "trace/stream_sink.h"

namespace heddle::store {

class RecordingError : public Error {
  using Error::Error;
};

// How much of a recording is kept: what is older goes once there is a checkpoint to begin from.
struct Retention {
  std::optional<std::chrono::milliseconds> time;
  std::optional<uint64_t> bytes;
};

class RecordingWriter : public StreamSink {
 public:
  // Makes the directory, which must not be there. Recordings hold what people sent: nobody else may read them.
  RecordingWriter(std::string directory, std::string_view start, Retention retention = {});
  ~RecordingWriter() override;

  void tables(const Trace& without_events) override;
  void inputs(std::string_view records) override;
  void events(uint64_t first, std::span<const Event> events) override;
  void settle() override;
  std::unique_ptr<CheckpointSink> next_checkpoint() override;
  // The program has ended: of the events so many count.
  void finish(const Trace& without_events, uint64_t events);

  uint64_t bytes() const { return bytes_; }  // on disk
  const OriginalFiles& originals() const { return originals_; }

 private:
  void block(uint32_t kind, uint64_t first, std::string_view raw);
  void open_segment();
  void drop_old();
  uint64_t bytes_from(uint32_t segment) const;

  // A place to begin from.
  struct Asked {
    uint32_t segment;
    std::chrono::steady_clock::time_point when;
  };

  std::string directory_;
  Retention retention_;
  OriginalFiles originals_;
  std::deque<Asked> asked_;
  uint32_t first_ = 0;  // segment that is still there
  int file_ = -1;
  uint32_t segments_ = 0;
  uint32_t blocks_ = 0;
  uint64_t in_segment_ = 0;
  uint64_t bytes_ = 0;
};

struct Recording {
  Trace trace;
  std::string start;
  bool finished = false;                 // the program's end is in it
  std::string complaint;                 // a sentence, where something is missing
  std::vector<std::string> checkpoints;  // files, in order
};
// Throws RecordingError with one sentence where nothing can be had of it.
Recording load_recording(const std::string& directory);
// Ids of what lies under .heddle/recordings (store/root.h), the newest last.
std::vector<std::string> list_recordings();
std::string recording_directory(const std::string& id);
void remove_recording(const std::string& directory);

}  // namespace heddle::store
