#include "store/saved_anchors.h"

#include <map>
#include <set>

#include "store/atomic_file.h"
#include "store/packed.h"
#include "trace/hash.h"

namespace heddle::store {

namespace {

constexpr std::string_view kAnchorsMagic = "heddle-anchors\n";
constexpr uint64_t kAnchorsVersion = 1;
constexpr size_t kMostAnchorBytes = 64 << 20;

// Each text once: functions, files and statements come again and again.
class TextTable {
 public:
  uint64_t index(const std::string& text) {
    const auto [at, fresh] = known_.try_emplace(text, texts_.size());
    if (fresh) texts_.push_back(text);
    return at->second;
  }
  void put(ByteWriter& out) const {
    out.number(texts_.size());
    for (const std::string& text : texts_) out.text(text);
  }

 private:
  std::map<std::string, uint64_t> known_;
  std::vector<std::string> texts_;
};

class AnchorWriter {
 public:
  void place(const SourcePlace& p) {
    text(p.function);
    text(p.file);
    body_.number(static_cast<uint64_t>(p.line));
    text(p.text);
    text(p.before);
    text(p.after);
  }
  void operation(const PlacedOperation& o) {
    body_.number(static_cast<uint64_t>(o.op));
    text(o.object);
    place(o.place);
  }
  void numbered(const std::vector<NumberedOperation>& all) {
    body_.number(all.size());
    for (const NumberedOperation& o : all) numbered(o);
  }
  void numbered(const NumberedOperation& o) {
    body_.number(o.operation);
    body_.number(o.time);
  }
  void texts(const std::vector<std::string>& all) {
    body_.number(all.size());
    for (const std::string& t : all) text(t);
  }
  void text(const std::string& t) { body_.number(texts_.index(t)); }
  ByteWriter& body() { return body_; }
  void finish(ByteWriter& out) const {
    texts_.put(out);
    out.text(body_.bytes());
  }

 private:
  TextTable texts_;
  ByteWriter body_;
};

class AnchorReader {
 public:
  explicit AnchorReader(ByteReader& in) {
    texts_.resize(in.count());
    for (std::string& t : texts_) t = in.text();
    body_ = ByteReader(in.text());
    if (!in.ok()) body_.fail();
  }
  SourcePlace place() {
    SourcePlace p;
    p.function = text();
    p.file = text();
    p.line = static_cast<int>(body_.below(1u << 30));
    p.text = text();
    p.before = text();
    p.after = text();
    return p;
  }
  PlacedOperation operation() {
    PlacedOperation o;
    o.op = static_cast<Op>(body_.below(kOpCount));
    o.object = text();
    o.place = place();
    return o;
  }
  NumberedOperation numbered(size_t operations) {
    NumberedOperation o;
    o.operation = static_cast<uint32_t>(body_.below(operations));
    o.time = static_cast<uint32_t>(body_.below(uint64_t{1} << 32));
    return o;
  }
  std::vector<NumberedOperation> all_numbered(size_t operations) {
    std::vector<NumberedOperation> all(body_.count());
    for (NumberedOperation& o : all) o = numbered(operations);
    return all;
  }
  std::vector<std::string> all_texts() {
    std::vector<std::string> all(body_.count());
    for (std::string& t : all) t = text();
    return all;
  }
  std::string text() {
    const uint64_t index = body_.below(texts_.size());
    return body_.ok() ? texts_[index] : std::string();
  }
  ByteReader& body() { return body_; }

 private:
  std::vector<std::string> texts_;
  ByteReader body_;
};

}  // namespace

void put_anchors(ByteWriter& out, const Anchors& a) {
  AnchorWriter w;
  ByteWriter& body = w.body();
  body.number(a.threads.size());
  for (const AnchoredThread& t : a.threads) {
    w.text(t.path);
    w.text(t.entry);
  }
  body.number(a.operations.size());
  for (const PlacedOperation& o : a.operations) w.operation(o);
  body.number(a.ends.size());
  for (const Anchor& e : a.ends) {
    body.number(e.thread);
    body.number(e.ready ? 1 : 0);
    w.numbered(e.after);
    w.numbered(e.before);
  }
  body.number(a.choices.size());
  for (const AnchoredChoice& c : a.choices) {
    body.number(c.thread);
    w.numbered(c.at);
    body.number(c.chosen == kNoOperation ? 0 : uint64_t{c.chosen} + 1);
    body.number(c.value);
  }
  body.number(a.sites.size());
  for (uint32_t site : a.sites) body.number(site);
  w.texts(a.held);
  w.texts(a.guarded);
  w.text(a.ending.kind);
  body.number(static_cast<uint64_t>(static_cast<uint32_t>(a.ending.code)));
  w.text(a.ending.message);
  w.place(a.ending.place);
  body.number(a.ending.waits.size());
  for (const PlacedOperation& o : a.ending.waits) w.operation(o);
  body.number(static_cast<uint64_t>(a.points));
  body.number(a.preemptions);
  body.number(a.early_timeouts);
  body.number(a.sleeps ? 1 : 0);
  w.finish(out);
}

Anchors get_anchors(ByteReader& in) {
  AnchorReader r(in);
  ByteReader& body = r.body();
  Anchors a;
  a.threads.resize(body.count());
  for (AnchoredThread& t : a.threads) t = {r.text(), r.text()};
  a.operations.resize(body.count());
  for (PlacedOperation& o : a.operations) o = r.operation();
  a.ends.resize(body.count());
  for (Anchor& e : a.ends) {
    e.thread = static_cast<uint32_t>(body.below(a.threads.size()));
    e.ready = body.below(2) != 0;
    e.after = r.all_numbered(a.operations.size());
    e.before = r.all_numbered(a.operations.size());
  }
  a.choices.resize(body.count());
  for (AnchoredChoice& c : a.choices) {
    c.thread = static_cast<uint32_t>(body.below(a.threads.size()));
    c.at = r.numbered(a.operations.size());
    const uint64_t chosen = body.below(a.threads.size() + 1);
    c.chosen = chosen == 0 ? kNoOperation : static_cast<uint32_t>(chosen - 1);
    c.value = body.number();
  }
  a.sites.resize(body.count());
  for (uint32_t& site : a.sites) site = static_cast<uint32_t>(body.below(a.operations.size()));
  a.held = r.all_texts();
  a.guarded = r.all_texts();
  a.ending.kind = r.text();
  a.ending.code = static_cast<int>(static_cast<uint32_t>(body.below(uint64_t{1} << 32)));
  a.ending.message = r.text();
  a.ending.place = r.place();
  a.ending.waits.resize(body.count());
  for (PlacedOperation& o : a.ending.waits) o = r.operation();
  a.points = static_cast<PointKind>(body.below(static_cast<uint64_t>(PointKind::kFunctions) + 1));
  a.preemptions = static_cast<uint32_t>(body.below(uint64_t{1} << 32));
  a.early_timeouts = static_cast<uint32_t>(body.below(uint64_t{1} << 32));
  a.sleeps = body.below(2) != 0;
  if (!body.ok() || !body.at_end()) in.fail();
  return in.ok() ? a : Anchors();
}

std::string encode_anchors(const Anchors& anchors) {
  ByteWriter raw;
  put_anchors(raw, anchors);
  const std::string packed = pack(raw.bytes(), kCompression);
  ByteWriter out;
  out.number(kAnchorsVersion);
  out.number(hash_bytes(packed.data(), packed.size()));
  out.text(packed);
  return std::string(kAnchorsMagic) + out.bytes();
}

std::optional<Anchors> decode_anchors(std::string_view bytes) {
  if (!bytes.starts_with(kAnchorsMagic)) return std::nullopt;
  ByteReader in(bytes.substr(kAnchorsMagic.size()));
  if (in.number() != kAnchorsVersion) return std::nullopt;
  const uint64_t sum = in.number();
  const std::string_view packed = in.text();
  if (!in.ok() || !in.at_end() || hash_bytes(packed.data(), packed.size()) != sum) return std::nullopt;
  const auto raw = unpack(packed, kMostAnchorBytes);
  if (!raw) return std::nullopt;
  ByteReader body(*raw);
  Anchors anchors = get_anchors(body);
  if (!body.ok() || !body.at_end()) return std::nullopt;
  return anchors;
}

Anchors shortened(const Anchors& anchors) {
  std::set<uint32_t> kept;
  std::set<std::string> functions;
  for (const Anchor& e : anchors.ends) {
    for (const auto* list : {&e.after, &e.before}) {
      for (const NumberedOperation& o : *list) kept.insert(o.operation);
    }
  }
  for (const AnchoredChoice& c : anchors.choices) kept.insert(c.at.operation);
  for (uint32_t site : anchors.sites) kept.insert(site);
  for (uint32_t o : kept) functions.insert(anchors.operations[o].place.function);
  // Whatever waits for time to pass, too: an edit that adds such a wait must not look as if it had always been there.
  for (uint32_t o = 0; o < anchors.operations.size(); ++o) {
    if (functions.contains(anchors.operations[o].place.function) || has(anchors.operations[o].op, kTimed)) kept.insert(o);
  }
  std::map<uint32_t, uint32_t> renamed;
  Anchors a = anchors;
  a.operations.clear();
  for (uint32_t o : kept) {
    renamed[o] = static_cast<uint32_t>(a.operations.size());
    a.operations.push_back(anchors.operations[o]);
  }
  for (Anchor& e : a.ends) {
    for (auto* list : {&e.after, &e.before}) {
      for (NumberedOperation& o : *list) o.operation = renamed[o.operation];
    }
  }
  for (AnchoredChoice& c : a.choices) c.at.operation = renamed[c.at.operation];
  for (uint32_t& site : a.sites) site = renamed[site];
  return a;
}

}  // namespace heddle::store
