#pragma once

namespace heddle::rt {

struct ThreadSlot;

// The thread leaves its innermost initialiser without completing it.
void give_up_once(ThreadSlot* me);

}  // namespace heddle::rt
