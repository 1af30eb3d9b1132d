#pragma once
#include <string>
#include <vector>

namespace heddle::exec {

// The cores this thread may use.
std::vector<int> usable_cores();

// Something the machine or container allows or refuses, and what we do without it.
struct Ability {
  std::string name;
  bool present = false;
  bool needed = false;  // without it nothing can be tested
  std::string otherwise;
};

// Tries each ability for real, in a process of its own where trying would change the tool.
std::vector<Ability> machine_abilities();

}  // namespace heddle::exec
