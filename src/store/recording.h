#pragma once
// A recording that is written while its program runs: a directory with segments, which are files of blocks. Each block is compressed and has a checksum, so that
// whatever is left after a crash or a power cut can be read up to the first block that is not whole.
//
//   .heddle/recordings/<id>/start          how the program was started (JSON)
//   .heddle/recordings/<id>/segment.0000   blocks, in order; the next segment begins where this one has grown to its size
#include <string>
#include <vector>

#include "trace/error.h"
#include "trace/stream_sink.h"

namespace heddle::store {

class RecordingError : public Error {
  using Error::Error;
};

class RecordingWriter : public StreamSink {
 public:
  // Makes the directory, which must not be there. Recordings hold what people sent: nobody else may read them.
  RecordingWriter(std::string directory, std::string_view start);
  ~RecordingWriter() override;

  void tables(const Trace& without_events) override;
  void inputs(std::string_view records) override;
  void events(uint64_t first, std::span<const Event> events) override;
  void settle() override;
  // The program has ended: of the events so many count.
  void finish(const Trace& without_events, uint64_t events);

  uint64_t bytes() const { return bytes_; }  // on disk

 private:
  void block(uint32_t kind, uint64_t first, std::string_view raw);
  void open_segment();

  std::string directory_;
  int file_ = -1;
  uint32_t segments_ = 0;
  uint32_t blocks_ = 0;
  uint64_t in_segment_ = 0;
  uint64_t bytes_ = 0;
};

struct Recording {
  Trace trace;
  std::string start;
  bool finished = false;  // the program's end is in it
  std::string complaint;  // a sentence, where something is missing
};
// Throws RecordingError with one sentence where nothing can be had of it.
Recording load_recording(const std::string& directory);
// Ids of what lies under .heddle/recordings (store/root.h), the newest last.
std::vector<std::string> list_recordings();
std::string recording_directory(const std::string& id);
void remove_recording(const std::string& directory);

}  // namespace heddle::store
