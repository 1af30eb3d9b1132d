#pragma once
// How often a test repeats itself. Under a sanitizer every step takes several times as long, and an error of memory shows in few of them.
namespace heddle::test {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

constexpr unsigned repetitions(unsigned n) { return kSanitized ? (n + 4) / 5 : n; }

}  // namespace heddle::test
