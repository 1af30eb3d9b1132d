#pragma once
// What the program's statements call an object that debug information gives no name: "queue->lock" of "pthread_mutex_lock(&queue->lock);".
#include <optional>
#include <string>

#include "wire/ops.h"

namespace heddle::report {

// The expression for what the operation acts on; nothing where the statement names several such things, or none in a form that is known.
std::optional<std::string> acted_on(const std::string& statement, Op op);

// "lock" of "queue->lock", "guard" of "accounts[i].guard"
std::string last_member(const std::string& expression);

}  // namespace heddle::report
