#pragma once
// Directories as a recording saw them: the listing is taken when the directory is opened, kept with the inputs, and shown again by a replay, in
// the same order, though the directory may have changed or be gone.
#include <dirent.h>

namespace heddle::rt {

// The listing of a directory that was just opened, with the library's functions; nothing where listings are not kept, or it is too long.
void keep_listing(DIR* directory, dirent* (*read)(DIR*), void (*rewind)(DIR*));
// Is the current thread's next input a listing? Then it is taken, for a directory that stands in for the recorded one.
bool replays_listing();
void take_listing(DIR* stand_in);

bool has_listing(const DIR* directory);
dirent* next_listed(const DIR* directory);  // nullptr: the end
long* place_in_listing(const DIR* directory);
void forget_listing(const DIR* directory);

}  // namespace heddle::rt
