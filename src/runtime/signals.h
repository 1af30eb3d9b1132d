#pragma once

namespace heddle::rt {

// Fatal signals leave their site and stack in the trace before they kill the process. The program's own handlers go before ours.
void catch_fatal_signals();

}  // namespace heddle::rt
