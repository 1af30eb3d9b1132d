#include "runtime/outside/listings.h"

#include <string.h>
#include <sys/mman.h>

#include "runtime/base/sys.h"
#include "runtime/outside/recorded_names.h"

namespace heddle::rt {

namespace {

constexpr size_t kMostBytes = 4 << 20;  // of one listing
constexpr uint32_t kMaxListings = 64;   // open at a time

// Entries as bytes: the inode, the type, the name with its final 0.
struct Listing {
  const DIR* directory;  // nullptr: free
  char* bytes;
  size_t size;
  long at;
  dirent entry;
};
Listing g_listings[kMaxListings];

Listing* listing_of(const DIR* directory) {
  for (Listing& l : g_listings) {
    if (l.directory == directory) return &l;
  }
  return nullptr;
}

Listing* new_listing(const DIR* directory) {
  Listing* l = listing_of(nullptr);
  if (l == nullptr) return nullptr;
  const long at = sys(SYS_mmap, 0, kMostBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at < 0 && at > -4096) return nullptr;
  l->directory = directory;
  l->bytes = reinterpret_cast<char*>(at);
  l->size = 0;
  l->at = 0;
  return l;
}

bool add_entry(Listing* l, const dirent& e) {
  const size_t name = strlen(e.d_name) + 1;
  if (l->size + 9 + name > kMostBytes) return false;
  memcpy(l->bytes + l->size, &e.d_ino, 8);
  l->bytes[l->size + 8] = static_cast<char>(e.d_type);
  memcpy(l->bytes + l->size + 9, e.d_name, name);
  l->size += 9 + name;
  return true;
}

}  // namespace

void keep_listing(DIR* directory, dirent* (*read)(DIR*), void (*rewind)(DIR*)) {
  if (!keeps_names()) return;
  Listing* l = new_listing(directory);
  if (l == nullptr) return;
  bool whole = true;
  for (const dirent* e = read(directory); e != nullptr && whole; e = read(directory)) whole = add_entry(l, *e);
  if (!whole) {
    note(kNoSite, "the listing of a directory of more than 4 MB is not recorded");
    forget_listing(directory);
    rewind(directory);
    return;
  }
  const iovec filled{l->bytes, l->size};
  log_input(kListing, {&filled, 1, 0, 1}, static_cast<long>(l->size));
}

bool replays_listing() { return active() && replays_inputs() && has_recorded(kListing); }

void take_listing(DIR* stand_in) {
  Listing* l = stand_in != nullptr ? new_listing(stand_in) : nullptr;
  if (l == nullptr) return;
  const iovec filled{l->bytes, kMostBytes};
  const Filled all{&filled, 1, 0, 1};
  long size = 0;
  if (take_input(kListing, all, &size) && size > 0)
    l->size = static_cast<size_t>(size) < kMostBytes ? static_cast<size_t>(size) : kMostBytes;
  log_input(kListing, all, static_cast<long>(l->size));
}

bool has_listing(const DIR* directory) { return directory != nullptr && listing_of(directory) != nullptr; }

dirent* next_listed(const DIR* directory) {
  Listing* l = listing_of(directory);
  if (l->at < 0 || static_cast<size_t>(l->at) + 9 >= l->size) return nullptr;
  dirent& e = l->entry;
  memset(&e, 0, sizeof e);
  memcpy(&e.d_ino, l->bytes + l->at, 8);
  e.d_type = static_cast<unsigned char>(l->bytes[l->at + 8]);
  const size_t name = strnlen(l->bytes + l->at + 9, l->size - static_cast<size_t>(l->at) - 9);
  memcpy(e.d_name, l->bytes + l->at + 9, name < sizeof e.d_name ? name : sizeof e.d_name - 1);
  l->at += static_cast<long>(10 + name);
  e.d_off = l->at;
  e.d_reclen = sizeof e;
  return &e;
}

long* place_in_listing(const DIR* directory) { return &listing_of(directory)->at; }

void forget_listing(const DIR* directory) {
  Listing* l = listing_of(directory);
  sys(SYS_munmap, l->bytes, kMostBytes);
  l->directory = nullptr;
}

}  // namespace heddle::rt
