#include "store/replay_string.h"

#include <cctype>
#include <map>

#include "store/packed.h"
#include "store/saved_anchors.h"
#include "store/store_bytes.h"
#include "trace/error.h"
#include "trace/hash.h"

namespace heddle::store {

namespace {

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr uint64_t kPlainFormat = 1;
constexpr uint64_t kAnchoredFormat = 2;
constexpr size_t kMostBytes = 64 << 20;  // of what a text may unpack to

// RFC 4648, section 5, without padding.
std::string base64url(std::string_view bytes) {
  std::string out;
  uint32_t bits = 0;
  int have = 0;
  for (char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (have += 8; have >= 6;) out += kAlphabet[(bits >> (have -= 6)) & 63];
  }
  if (have > 0) out += kAlphabet[(bits << (6 - have)) & 63];
  return out;
}

std::string from_base64url(std::string_view text) {
  static const std::string_view kLetters(kAlphabet, 64);
  std::string out;
  uint32_t bits = 0;
  int have = 0;
  for (char c : text) {
    const size_t value = kLetters.find(c);
    if (value == std::string_view::npos) throw Error("the replay string has a character that does not belong there");
    bits = bits << 6 | static_cast<uint32_t>(value);
    if ((have += 6) >= 8) out += static_cast<char>((bits >> (have -= 8)) & 255);
  }
  return out;
}

// Threads by their place in a table: an id is a hash, and hashes do not compress.
class ThreadTable {
 public:
  uint64_t index(ThreadId id) {
    const auto [at, fresh] = known_.try_emplace(id, ids_.size());
    if (fresh) ids_.push_back(id);
    return at->second;
  }
  const std::vector<ThreadId>& ids() const { return ids_; }

 private:
  std::map<ThreadId, uint64_t> known_;
  std::vector<ThreadId> ids_;
};

void put_plan(ByteWriter& out, const Plan& plan) {
  ThreadTable threads;
  ByteWriter body;
  body.number(plan.env_seed);
  body.number(plan.input_id);
  body.number(plan.points_id);
  body.number(static_cast<uint64_t>(plan.points));
  body.number(plan.slices.size());
  std::map<uint64_t, uint64_t> until;  // counted from where the thread stood
  for (const Slice& s : plan.slices) {
    const uint64_t t = threads.index(s.thread);
    body.number(t);
    body.difference(until[t], s.until);
    until[t] = s.until;
  }
  body.number(plan.choices.size());
  for (const Choice& c : plan.choices) {
    body.number(threads.index(c.thread));
    body.number(c.number);
    body.number(c.value);
  }
  body.number(plan.skips.size());
  for (const Skip& s : plan.skips) {
    body.number(static_cast<uint64_t>(s.kind));
    body.number(threads.index(s.thread));
    body.number(s.loop);
    body.number(s.iteration);
    if (s.kind != SkipKind::kThread) body.number(s.more);
  }
  body.number(plan.sites.size());
  SiteId last = 0;
  for (SiteId site : plan.sites) {
    body.difference(last, site);
    last = site;
  }
  out.number(threads.ids().size());
  for (ThreadId id : threads.ids()) out.number(id);
  out.text(body.bytes());
}

Plan get_plan(ByteReader& in) {
  std::vector<ThreadId> threads(in.count());
  for (ThreadId& id : threads) id = in.number();
  ByteReader body(in.text());
  Plan plan;
  plan.strictness = Strictness::kStrict;
  plan.env_seed = body.number();
  plan.input_id = body.number();
  plan.points_id = body.number();
  plan.points = static_cast<PointKind>(body.below(static_cast<uint64_t>(PointKind::kFunctions) + 1));
  auto thread = [&] {
    const uint64_t index = body.below(threads.size());
    return body.ok() ? threads[index] : kNoThread;
  };
  std::map<ThreadId, uint64_t> until;
  plan.slices.resize(body.count());
  for (Slice& s : plan.slices) {
    s.thread = thread();
    s.until = body.difference(until[s.thread]);
    until[s.thread] = s.until;
  }
  plan.choices.resize(body.count());
  for (Choice& c : plan.choices) c = {thread(), body.number(), body.number()};
  plan.skips.resize(body.count());
  for (Skip& s : plan.skips) {
    s.kind = static_cast<SkipKind>(body.below(static_cast<uint64_t>(SkipKind::kBirth) + 1));
    s.thread = thread();
    s.loop = body.number();
    s.iteration = body.number();
    if (s.kind != SkipKind::kThread) s.more = static_cast<uint32_t>(body.number());
  }
  plan.sites.resize(body.count());
  SiteId last = 0;
  for (SiteId& site : plan.sites) last = site = body.difference(last);
  if (!body.ok() || !body.at_end()) in.fail();
  plan.sort_choices();
  return plan;
}

}  // namespace

bool is_replay_string(std::string_view text) {
  return text.size() > 3 && text[0] == 'h' && text[1] == 'd' && std::isdigit(static_cast<unsigned char>(text[2])) != 0 &&
         text.find(':') != std::string_view::npos;
}

namespace {

void put_optional(ByteWriter& out, const std::optional<std::string>& text) {
  out.number(text ? 1 : 0);
  if (text) out.text(*text);
}

std::optional<std::string> get_optional(ByteReader& in) {
  if (in.below(2) == 0) return std::nullopt;
  return std::string(in.text());
}

void put_anchored(ByteWriter& out, const ReplayString& replay) {
  out.number(static_cast<uint64_t>(static_cast<uint32_t>(replay.expect_exit)));
  put_optional(out, replay.expect_stdout);
  put_optional(out, replay.fails_if_output);
  out.number(replay.find_executions);
  put_anchors(out, shortened(*replay.anchors));
  if (replay.ctest_rule) out.text(*replay.ctest_rule);
}

void get_anchored(ByteReader& in, ReplayString* replay) {
  replay->expect_exit = static_cast<int>(static_cast<uint32_t>(in.below(uint64_t{1} << 32)));
  replay->expect_stdout = get_optional(in);
  replay->fails_if_output = get_optional(in);
  replay->find_executions = in.number();
  replay->anchors = get_anchors(in);
  if (!in.at_end()) replay->ctest_rule = std::string(in.text());
}

}  // namespace

std::string encode_replay(const ReplayString& replay) {
  ByteWriter out;
  out.number(replay.anchors ? kAnchoredFormat : kPlainFormat);
  out.text(replay.build_id);
  out.number(replay.command.size());
  for (const std::string& word : replay.command) out.text(word);
  out.text(replay.kind);
  out.text(replay.signature);
  put_plan(out, replay.plan);
  if (replay.anchors) put_anchored(out, replay);
  const std::string packed = pack(out.bytes(), 19);
  const uint64_t sum = hash_bytes(packed.data(), packed.size());
  std::string framed;
  for (int i = 0; i < 4; ++i) framed += static_cast<char>(sum >> (8 * i) & 255);
  return std::string(replay.anchors ? kReplayPrefix : kPlainReplayPrefix) + base64url(framed + packed);
}

ReplayString decode_replay(std::string_view text) {
  const bool anchored = text.starts_with(kReplayPrefix);
  if (!anchored && !text.starts_with(kPlainReplayPrefix))
    throw Error("this replay string is of another version of heddle: hd1: and hd2: are known here");
  const std::string framed = from_base64url(text.substr(kReplayPrefix.size()));
  const std::string broken = "the replay string is damaged: part of it is missing or was changed";
  if (framed.size() < 5) throw Error(broken);
  const std::string_view packed = std::string_view(framed).substr(4);
  const uint64_t sum = hash_bytes(packed.data(), packed.size());
  for (int i = 0; i < 4; ++i) {
    if (static_cast<unsigned char>(framed[static_cast<size_t>(i)]) != (sum >> (8 * i) & 255)) throw Error(broken);
  }
  const auto raw = unpack(packed, kMostBytes);
  if (!raw) throw Error(broken);
  ByteReader in(*raw);
  if (in.number() != (anchored ? kAnchoredFormat : kPlainFormat)) throw Error("this replay string is of another version of heddle");
  ReplayString replay;
  replay.build_id = in.text();
  replay.command.resize(in.count());
  for (std::string& word : replay.command) word = in.text();
  replay.kind = in.text();
  replay.signature = in.text();
  replay.plan = get_plan(in);
  if (anchored) get_anchored(in, &replay);
  if (!in.ok() || !in.at_end()) throw Error(broken);
  return replay;
}

}  // namespace heddle::store
