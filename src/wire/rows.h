#pragma once
// Tables whose rows stand in the files of what they name: a new search, pass, policy, verb or format is one file, and nothing lists them.
// Each row leaves its address in a section of the program or library, and the linker makes one array of them. Rows are constants: nothing
// has to run before they are there, in the target process as little as in the tool.

// After the row, which is a constant of static storage with a name of its own in the room.
#define HEDDLE_ROW(table, row) __attribute__((section("heddle_" #table), used)) static const auto* const row##_in_##table = &row

// Declares rows_begin_TABLE and rows_end_TABLE, between which the rows' addresses lie, in no particular order. The linker knows them by
// names of its own.
#define HEDDLE_TABLE(table, Row)                                                                                        \
  extern const Row* const rows_begin_##table[] __asm__("__start_heddle_" #table) __attribute__((visibility("hidden"))); \
  extern const Row* const rows_end_##table[] __asm__("__stop_heddle_" #table) __attribute__((visibility("hidden")))
