#pragma once
// Where a distribution keeps its libraries: what lies there is not the program's own code. In C, as the Valgrind tool asks it, too; calls nothing.
#ifdef __cplusplus
namespace heddle {
#endif

static inline int heddle_begins(const char* text, const char* with) {
  while (*with != 0 && *text == *with) ++text, ++with;
  return *with == 0;
}

static inline int heddle_is_system_path(const char* path) {
  const char* const below = heddle_begins(path, "/usr/") ? path + 4 : path;
  return heddle_begins(below, "/lib/") || heddle_begins(below, "/lib32/") || heddle_begins(below, "/lib64/") ||
         heddle_begins(below, "/libx32/");
}

#ifdef __cplusplus
}  // namespace heddle
#endif
