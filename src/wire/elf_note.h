#pragma once
// What the notes of a program say about its language. Freestanding: asked before a program is started, and in it.
#include <elf.h>
#include <stdint.h>
#include <string.h>

namespace heddle {

// Go's linker leaves the build's number under its name.
inline bool is_note_of_go(const char* notes, uint64_t bytes) {
  constexpr uint32_t kBuildNumber = 4;
  Elf64_Nhdr note;
  for (uint64_t at = 0; at + sizeof note <= bytes;) {
    memcpy(&note, notes + at, sizeof note);
    const char* name = notes + at + sizeof note;
    if (at + sizeof note + 4 <= bytes && note.n_type == kBuildNumber && note.n_namesz == 4 && memcmp(name, "Go\0\0", 4) == 0) return true;
    at += sizeof note + ((uint64_t{note.n_namesz} + 3) & ~uint64_t{3}) + ((uint64_t{note.n_descsz} + 3) & ~uint64_t{3});
  }
  return false;
}

}  // namespace heddle
