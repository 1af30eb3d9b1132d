#pragma once
// A copy of the run at a scheduling point, kept for plans that begin like it (contract "Snapshots and the fork server").
#include <stdint.h>

namespace heddle::rt {

void take_orders();  // of the request under way
// At a point, between two events. Returns in the run, and in every run that is begun from the snapshot.
void take_snapshot();

}  // namespace heddle::rt
