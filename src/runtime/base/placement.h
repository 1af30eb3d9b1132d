#pragma once
// Where the runtime's own data lies. A run is a forked copy, and every page that it writes is copied for it: what each run writes should
// lie on few pages. HEDDLE_APART puts a table of which a run uses little into a section after everything else (see HeddleRoom.cmake).
#define HEDDLE_APART __attribute__((section(".bss.zapart")))
