#pragma once

namespace heddle::rt {

// Puts large memory that is in use on huge pages, once, before a server forks: a fork copies a table entry a page.
void collapse_memory();

}  // namespace heddle::rt
