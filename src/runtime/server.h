#pragma once

namespace heddle::rt {

// The fork server: stands just before the first thread is created and forks a child for each plan. Returns in the child only.
void serve();

}  // namespace heddle::rt
