#include "report/locals.h"

#include <map>

namespace heddle::report {

Trace trace_with_locals(const Trace& trace, const std::vector<LocalPlace>& locals, const Symbols& symbols) {
  if (locals.empty()) return trace;
  std::map<ObjectId, const LocalPlace*> known;
  for (const LocalPlace& place : locals) known.emplace(place.object, &place);
  Trace::Data data = trace.data();
  for (ObjectRow& row : data.objects) {
    const auto at = known.find(row.id);
    // Those of main itself are known without.
    if (at == known.end() || at->second->frame_end == 0 || at->second->frame_end >= row.b) continue;
    const LocalPlace& place = *at->second;
    auto variable = [&](SiteId site) { return symbols.local_in_scope(site_module(site), site_offset(site), row.b - place.frame_end); };
    const auto first = variable(place.first);
    const auto last = place.last == place.first ? first : variable(place.last);
    if (!first || !last || first->name != last->name || first->line != last->line) continue;
    row.site = place.first;
    row.offset = place.frame_end;
  }
  return Trace(std::move(data));
}

}  // namespace heddle::report
