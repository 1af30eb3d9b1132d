#pragma once
// Kernel objects survive a fork: what one execution does to a pipe or to a file's offset, the next would see. Each child of the fork
// server gets its own pipes, socketpairs, events, epoll sets and open files, as they stood when the server was reached.

namespace heddle::rt {

void examine_descriptors();          // in the server, once
void recreate_descriptors();         // in each child, before the program goes on
bool recreates_descriptors_again();  // also in a process that has recreated them before
// In a snapshot: as in a child, and what its children then recreate is what is open here. False where a descriptor leads to something that
// cannot be had twice; then nothing has been changed.
bool separate_descriptors();
// Asked before the copy is made: even one that is given up at once holds the ends of pipes for a while, and its sister would see that.
bool can_separate_descriptors();

}  // namespace heddle::rt
