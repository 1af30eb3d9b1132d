#pragma once
// A namespace a room, and which rooms each of them speaks of by plain names: those it may include, as the root CMakeLists.txt states it. This is
// the one place that says so, and tests/rules compares the two. The names of `wire` are in `heddle` itself, the contract that all rooms share.
// Those of `model` are written out (`model::ready`): whoever asks what an operation means shows it.

namespace heddle {

namespace model {}
namespace policy {}
namespace symbols {}
namespace trace {}
namespace store {}
namespace exec {}
namespace search {}
namespace simplify {}
namespace suite {}
namespace report {}

namespace trace {
using namespace symbols;
}
namespace store {
using namespace trace;
}
namespace exec {
using namespace trace;
using namespace symbols;
}  // namespace exec
namespace search {
using namespace trace;
using namespace policy;
}  // namespace search
namespace simplify {
using namespace trace;
using namespace policy;
}  // namespace simplify
namespace suite {
using namespace trace;
using namespace store;
}  // namespace suite
namespace report {
using namespace trace;
using namespace symbols;
using namespace store;
using namespace suite;
}  // namespace report
namespace cli {
using namespace exec;
using namespace suite;
using namespace search;
using namespace simplify;
using namespace report;
using namespace trace;
using namespace symbols;
using namespace store;
using namespace policy;
}  // namespace cli
namespace rt {
using namespace policy;
}
// The tests, which are in none of the rooms.
namespace test {
using namespace cli;
}

}  // namespace heddle
