// Included before everything else in what the runtime is made of: calls of these functions mean the C library's own, whoever defines the
// names in front of it. The assembler does it, so that calls which the compiler makes by itself are among them (as in glibc's own
// symbol-hacks.h).
#pragma once
#ifndef HEDDLE_CALLS_FOR_PROGRAM
#define HEDDLE_LIBC(name)
#define HEDDLE_LIBC_TEXT(name) __asm__(#name " = heddle_libc_" #name);
#include "runtime/base/libc_calls.def"
#undef HEDDLE_LIBC
#undef HEDDLE_LIBC_TEXT
#endif
