#include "simplify_programs.h"

namespace heddle::test::toy {

namespace {

constexpr int kItems = 0;

void pad(std::vector<Step>& body, int variable, int count) {
  for (int i = 0; i < count; ++i) body.push_back(store(100 + variable, i));
}

void append(std::vector<Step>& body, std::vector<Step> steps) {
  for (Step& s : steps) body.push_back(std::move(s));
}

std::vector<Step> start_and_join(int first, int count) {
  std::vector<Step> body;
  for (int i = 0; i < count; ++i) body.push_back(create(first + i));
  for (int i = 0; i < count; ++i) body.push_back(join(first + i));
  return body;
}

}  // namespace

Program lost_update(int threads, int padding) {
  Program p;
  p.bodies.push_back(start_and_join(1, threads));
  p.bodies[0].push_back(check(
      0, [threads](const Run& r) { return r.vars.at(0) == threads; }, "an update was lost"));
  for (int t = 1; t <= threads; ++t) {
    std::vector<Step> body;
    pad(body, t, padding);
    append(body, {load(0, 0), store_reg(0, 0, 1)});
    pad(body, t, padding);
    p.bodies.push_back(body);
  }
  return p;
}

Program lock_cycle(int bystanders, int padding) {
  Program p;
  p.bodies.push_back(start_and_join(1, 2 + bystanders));
  for (int t = 1; t <= 2; ++t) {
    std::vector<Step> body;
    pad(body, t, padding);
    append(body, {lock(t), load(0, 0), lock(3 - t), store_reg(0, 0, 1), unlock(3 - t), unlock(t)});
    p.bodies.push_back(body);
  }
  for (int b = 0; b < bystanders; ++b) p.bodies.push_back({lock(9), load(5, 0), store_reg(5, 0, 1), unlock(9), lock(9), unlock(9)});
  return p;
}

Program early_wake() {
  Program p;
  p.bodies.push_back({create(1), create(2), create(3), join(1), join(2), join(3)});
  for (int consumer = 1; consumer <= 2; ++consumer) {
    std::vector<Step> body = {lock(0),
                              read(kItems, [](Run& r) { r.jump(r.vars[kItems] > 0 ? 3 : 2); }),
                              cond_wait(0, 0),
                              check(
                                  kItems, [](const Run& r) { return r.vars.at(kItems) > 0; }, "took from an empty buffer"),
                              write(kItems, [](Run& r) { --r.vars[kItems]; }),
                              unlock(0)};
    p.bodies.push_back(body);
  }
  std::vector<Step> producer;
  for (int i = 0; i < 2; ++i) append(producer, {lock(0), write(kItems, [](Run& r) { ++r.vars[kItems]; }), signal(0), unlock(0)});
  p.bodies.push_back(producer);
  return p;
}

Program use_before_init(int bystanders) {
  Program p;
  std::vector<Step> main = {create(1)};
  for (int b = 0; b < bystanders; ++b) main.push_back(create(2 + b));
  append(main, {store(0, 1), store(1, 7), join(1)});
  p.bodies.push_back(main);
  p.bodies.push_back({read(0, [](Run& r) { r.jump(r.vars[0] != 0 ? 1 : 2); }),
                      check(
                          1, [](const Run& r) { return r.vars.at(1) == 7; }, "used before its initialisation")});
  for (int b = 0; b < bystanders; ++b) p.bodies.push_back({store(20 + b, 1), load(20 + b, 0), store(20 + b, 2), load(20 + b, 0)});
  return p;
}

Program check_then_act(int threads) {
  Program p;
  p.bodies.push_back({store(0, 100)});
  append(p.bodies[0], start_and_join(1, threads));
  p.bodies[0].push_back(check(
      0, [](const Run& r) { return r.vars.at(0) >= 0; }, "the balance is negative"));
  for (int t = 1; t <= threads; ++t) {
    p.bodies.push_back({load(50 + t, 1), read(0, [](Run& r) { r.jump(r.vars[0] >= 80 ? 2 : 3); }),
                        write(0, [](Run& r) { r.vars[0] -= 80; }), store(50 + t, 1)});
  }
  return p;
}

Program wrong_order(int threads) {
  Program p;
  p.bodies.push_back(start_and_join(1, threads));
  p.bodies.push_back({store(0, 1), store(1, 1)});
  for (int t = 2; t <= threads; ++t) {
    p.bodies.push_back({load(60 + t, 0),
                        check(
                            0, [](const Run& r) { return r.vars.at(0) == 1; }, "the second came first"),
                        store(60 + t, 1)});
  }
  return p;
}

std::vector<Known> known_programs() {
  return {{"lost_update_2", lost_update(2, 2), 1},
          {"lost_update_4", lost_update(4, 5), 1},
          {"lock_cycle", lock_cycle(0, 2), 1},
          {"lock_cycle_crowd", lock_cycle(3, 4), 1},
          {"early_wake", early_wake(), 1},
          {"use_before_init", use_before_init(0), 1},
          {"use_before_init_crowd", use_before_init(4), 1},
          {"check_then_act_2", check_then_act(2), 1},
          {"check_then_act_5", check_then_act(5), 1},
          {"wrong_order", wrong_order(4), 0}};
}

std::optional<Trace> random_failure(const Program& program, uint64_t seed, size_t attempts) {
  for (size_t i = 0; i < attempts; ++i) {
    Plan plan;
    plan.tail.kind = PolicyKind::kRandom;
    plan.tail.seed = mix(seed, i);
    plan.tail.stay = 0;
    Trace trace = program.run(plan);
    if (is_failure(trace.outcome())) return trace;
  }
  return std::nullopt;
}

}  // namespace heddle::test::toy
