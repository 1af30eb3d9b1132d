#pragma once
// Kernel objects survive a fork: what one execution does to a pipe or to a file's offset, the next would see. Each child of the fork
// server gets its own pipes, socketpairs, events, epoll sets and open files, as they stood when the server was reached.

namespace heddle::rt {

void survey_descriptors();  // in the server, once
void renew_descriptors();   // in each child, before the program goes on

}  // namespace heddle::rt
