// C++ names as people say them.
#pragma once

#include <string>
#include <string_view>

#include "wire/rooms.h"

namespace heddle::symbols {

// The name as written in C++; a name that is not mangled comes back unchanged.
std::string demangle(const std::string& name);

// A type or function name without the library's own noise: default template arguments, inline namespaces, abi tags,
// the anonymous namespace; std::string and its kin under their usual names.
std::string shorten_std(std::string_view name);

// The short name of a function for a report: shortened, without return type and parameters.
//   "void (anonymous namespace)::Bank::withdraw(int)"         -> "Bank::withdraw"
//   "main::{lambda(int)#1}::operator()(int) const"            -> "main::{lambda#1}"
//   "std::vector<int, std::allocator<int> >::push_back(int&&)" -> "std::vector<int>::push_back"
std::string pretty_function(std::string_view demangled);

// The last part of a path.
inline std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace heddle::symbols
