#pragma once
// What a program has open at a checkpoint, and something in its place in another process. A replay needs less than the truth: what comes from outside
// is in the log, so a socket with that number is enough; what threads tell each other inside of the process has to be there.

namespace heddle::rt {

// When the process begins: which files its standard streams are. They are the tool's, in every process.
void note_streams();

// Writes down all that is open. nullptr, or why it cannot be: a sentence. Not asynchronous: what others do meanwhile would get into it.
const char* keep_descriptors();

// In a process that has become the checkpoint, with the standard streams and nothing else open.
void open_kept_descriptors();

}  // namespace heddle::rt
