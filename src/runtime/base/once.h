#pragma once

namespace heddle::rt {

// glibc's values of a pthread_once_t. Busy also carries a fork generation in the upper bits natively; ours has none.
inline constexpr int kOnceFresh = 0;
inline constexpr int kOnceBusy = 1;
inline constexpr int kOnceDone = 2;

}  // namespace heddle::rt
