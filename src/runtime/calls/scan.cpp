// More ways to read from a stream: scanf and its kin, the unlocked and the wide forms. Like those of stdio.cpp they wait for
// their bytes at a point.
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif
#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/calls/stdio.h"

using namespace heddle::rt;

namespace {

using Scan = int (*)(FILE*, const char*, va_list);

template <typename Function>
Function library(Function* cache, const char* name) {
  if (*cache == nullptr) *cache = next_symbol<Function>(name);
  return *cache;
}

int scan(Scan* cache, const char* name, FILE* stream, const char* format, va_list arguments, void* pc) {
  before_stream_read(stream, pc);
  return library(cache, name)(stream, format, arguments);
}

Scan g_old;
Scan g_iso;

}  // namespace

#define HEDDLE_HERE __builtin_return_address(0)
#define HEDDLE_SCAN(name, cache, inner, stream, parameters)                         \
  HEDDLE_EXPORT int name parameters {                                               \
    va_list arguments;                                                              \
    va_start(arguments, format);                                                    \
    const int result = scan(&cache, inner, stream, format, arguments, HEDDLE_HERE); \
    va_end(arguments);                                                              \
    return result;                                                                  \
  }
#define HEDDLE_VSCAN(name, cache, inner, stream, parameters) \
  HEDDLE_EXPORT int name parameters { return scan(&cache, inner, stream, format, arguments, HEDDLE_HERE); }

// Two families: with GNU's old meaning of %a, and with C99's. The headers give the plain names either meaning, so that the symbols are
// named here by hand.
extern "C" {
int heddle_scanf(const char*, ...) __asm__("scanf");
int heddle_fscanf(FILE*, const char*, ...) __asm__("fscanf");
int heddle_vscanf(const char*, va_list) __asm__("vscanf");
int heddle_vfscanf(FILE*, const char*, va_list) __asm__("vfscanf");
int __isoc99_scanf(const char*, ...);
int __isoc99_fscanf(FILE*, const char*, ...);
int __isoc99_vscanf(const char*, va_list);
int __isoc99_vfscanf(FILE*, const char*, va_list);
}
HEDDLE_SCAN(heddle_scanf, g_old, "vfscanf", stdin, (const char* format, ...))
HEDDLE_SCAN(heddle_fscanf, g_old, "vfscanf", stream, (FILE * stream, const char* format, ...))
HEDDLE_VSCAN(heddle_vscanf, g_old, "vfscanf", stdin, (const char* format, va_list arguments))
HEDDLE_VSCAN(heddle_vfscanf, g_old, "vfscanf", stream, (FILE * stream, const char* format, va_list arguments))
HEDDLE_SCAN(__isoc99_scanf, g_iso, "__isoc99_vfscanf", stdin, (const char* format, ...))
HEDDLE_SCAN(__isoc99_fscanf, g_iso, "__isoc99_vfscanf", stream, (FILE * stream, const char* format, ...))
HEDDLE_VSCAN(__isoc99_vscanf, g_iso, "__isoc99_vfscanf", stdin, (const char* format, va_list arguments))
HEDDLE_VSCAN(__isoc99_vfscanf, g_iso, "__isoc99_vfscanf", stream, (FILE * stream, const char* format, va_list arguments))

#define HEDDLE_READER(result, name, stream, parameters, ...) \
  HEDDLE_EXPORT result name parameters {                     \
    static decltype(&::name) real_call;                      \
    before_stream_read(stream, HEDDLE_HERE);                 \
    return library(&real_call, #name)(__VA_ARGS__);          \
  }
HEDDLE_READER(int, fgetc_unlocked, stream, (FILE * stream), stream)
HEDDLE_READER(int, getc_unlocked, stream, (FILE * stream), stream)
HEDDLE_READER(int, getchar_unlocked, stdin, (), )
HEDDLE_READER(char*, fgets_unlocked, stream, (char* text, int size, FILE* stream), text, size, stream)
HEDDLE_READER(size_t, fread_unlocked, stream, (void* data, size_t size, size_t count, FILE* stream), data, size, count, stream)
HEDDLE_READER(wint_t, fgetwc, stream, (FILE * stream), stream)
HEDDLE_READER(wint_t, getwc, stream, (FILE * stream), stream)
HEDDLE_READER(wint_t, getwchar, stdin, (), )
HEDDLE_READER(wchar_t*, fgetws, stream, (wchar_t * text, int size, FILE* stream), text, size, stream)
