#include "toy/kernels.h"

namespace heddle::test::toy {

Program threads(std::vector<std::vector<Step>> bodies, std::vector<Step> after) {
  Program p;
  std::vector<Step> main;
  for (size_t i = 1; i <= bodies.size(); ++i) main.push_back(create(static_cast<int>(i)));
  for (size_t i = 1; i <= bodies.size(); ++i) main.push_back(join(static_cast<int>(i)));
  for (Step& s : after) main.push_back(std::move(s));
  p.bodies.push_back(std::move(main));
  for (auto& body : bodies) p.bodies.push_back(std::move(body));
  return p;
}

// The first `count` bodies are one function.
Program alike(Program p, int count) {
  for (int i = 0; i < static_cast<int>(p.bodies.size()); ++i) p.code.push_back(i > 0 && i <= count ? 1 : i);
  return p;
}

Program independent(int count, int steps) {
  std::vector<std::vector<Step>> bodies(static_cast<size_t>(count));
  for (int t = 0; t < count; ++t) {
    for (int s = 0; s < steps; ++s) bodies[static_cast<size_t>(t)].push_back(store(100 + t, s));
  }
  return threads(std::move(bodies));
}

Program shared_writers(int count, int steps) {
  std::vector<std::vector<Step>> bodies(static_cast<size_t>(count));
  for (int t = 0; t < count; ++t) {
    for (int s = 0; s < steps; ++s) bodies[static_cast<size_t>(t)].push_back(store(1, t * 100 + s));
  }
  return threads(std::move(bodies));
}

Program lost_update(int count) {
  std::vector<std::vector<Step>> bodies(static_cast<size_t>(count), {load(1, 0), store_reg(1, 0, 1)});
  return alike(threads(std::move(bodies), {check(
                                              1, [count](const Run& r) { return r.vars.at(1) == count; }, "an update is lost")}),
               count);
}

Program reorder(int count) {
  std::vector<std::vector<Step>> bodies(static_cast<size_t>(count - 1), {store(1, 1), store(2, -1)});
  bodies.push_back({load(1, 0), read(2, [](Run& r) {
                      const int64_t a = r.reg(0);
                      const int64_t b = r.vars[2];
                      if (a == 1 && b == 0) r.fail("a without b");
                    })});
  return alike(threads(std::move(bodies)), count - 1);
}

Program two_stage(int count) {
  std::vector<std::vector<Step>> bodies(static_cast<size_t>(count - 1), {lock(1), store(1, 1), unlock(1), lock(2), store(2, 2), unlock(2)});
  // The branch is an operation of its own, on a variable of the reader.
  const Step branch = write(100, [](Run& r) {
    if (r.reg(0) == 0) r.jump(7);
  });
  bodies.push_back({lock(1), load(1, 0), unlock(1), branch, lock(2),
                    check(
                        2, [](const Run& r) { return r.vars.contains(2) && r.vars.at(2) == 2; }, "the stages differ"),
                    unlock(2)});
  return alike(threads(std::move(bodies)), count - 1);
}

Program two_locks() { return threads({{lock(1), lock(2), unlock(2), unlock(1)}, {lock(2), lock(1), unlock(1), unlock(2)}}); }

Program philosophers(int count) {
  std::vector<std::vector<Step>> bodies;
  for (int i = 0; i < count; ++i) bodies.push_back({lock(i), lock((i + 1) % count), unlock((i + 1) % count), unlock(i)});
  return alike(threads(std::move(bodies)), count);
}

Program double_fetch() {
  return threads({{store(1, 7)}, {load(1, 0), read(1, [](Run& r) {
                                    if (r.reg(0) != r.vars[1]) r.fail("the size changed under the reader");
                                  })}});
}

Program lost_wakeup() {
  return threads({{lock(1), signal(1), unlock(1)}, {read(9, [](Run&) {}), lock(1), cond_wait(1, 1), unlock(1)}});
}

Program publish_first() {
  return threads({{store(2, 1), store(1, 42)},
                  {read(2,
                        [](Run& r) {
                          if (r.vars[2] == 0) r.jump(2);
                        }),
                   check(
                       1, [](const Run& r) { return r.vars.contains(1) && r.vars.at(1) == 42; }, "published before it was ready")}});
}

Program child_first() {
  Program p;
  p.bodies.push_back({create(1), store(1, 1), join(1)});
  p.bodies.push_back({check(
      1, [](const Run& r) { return r.vars.contains(1) && r.vars.at(1) == 1; }, "used before it was initialised")});
  return p;
}

Program ping_pong() {
  return threads({{store(1, 1), store(1, 3), store(9, 1)}, {load(1, 0), store(1, 2), read(1, [](Run& r) {
                                                              if (r.reg(0) == 1 && r.vars[1] == 3) r.fail("written in between");
                                                            })}});
}

Program semaphore_order() {
  return threads({{sem_post(1), store(1, 5), sem_post(1)},
                  {sem_wait(1), check(
                                    1, [](const Run& r) { return r.vars.contains(1) && r.vars.at(1) == 5; }, "posted too early")}});
}

Program two_waiters() {
  auto waiter = [](int id) {
    return std::vector<Step>{lock(1), cond_wait(1, 1),
                             write(3,
                                   [id](Run& r) {
                                     if (r.vars[3] == 0) r.vars[3] = id;
                                   }),
                             unlock(1)};
  };
  Program p = threads({waiter(1), waiter(2), {lock(1), signal(1), unlock(1), lock(1), signal(1), unlock(1)}},
                      {check(
                          3, [](const Run& r) { return r.vars.at(3) != 2; }, "the second waiter came first")});
  return p;
}

Program try_lock_skips() {
  return threads({{lock(1), store(5, 1), unlock(1)},
                  {try_lock(1,
                            [](Run& r, bool got) {
                              if (!got) r.jump(3);
                            }),
                   store(1, 1), unlock(1)}},
                 {check(
                     1, [](const Run& r) { return r.vars.contains(1) && r.vars.at(1) == 1; }, "the work was left undone")});
}

Program spin_flag() {
  return threads({{yield(), read(1,
                                 [](Run& r) {
                                   if (r.vars[1] == 0) r.jump(0);
                                 })},
                  {store(1, 1)}});
}

Program safe_counter(int count) {
  std::vector<std::vector<Step>> bodies(static_cast<size_t>(count), {lock(1), load(1, 0), store_reg(1, 0, 1), unlock(1)});
  return alike(threads(std::move(bodies), {check(
                                              1, [count](const Run& r) { return r.vars.at(1) == count; }, "an update is lost")}),
               count);
}

std::vector<Kernel> buggy_kernels() {
  return {{"lost_update", lost_update()},   {"lost_update_5", lost_update(5)},   {"reorder_3", reorder(3)},
          {"reorder_20", reorder(20)},      {"two_stage_2", two_stage(2)},       {"two_stage_20", two_stage(20)},
          {"two_locks", two_locks()},       {"philosophers_3", philosophers(3)}, {"philosophers_5", philosophers(5)},
          {"double_fetch", double_fetch()}, {"lost_wakeup", lost_wakeup()},      {"publish_first", publish_first()},
          {"child_first", child_first()},   {"ping_pong", ping_pong()},          {"semaphore_order", semaphore_order()},
          {"two_waiters", two_waiters()},   {"try_lock_skips", try_lock_skips()}};
}

std::vector<Kernel> correct_kernels() {
  return {{"independent", independent(2, 2)},
          {"spin_flag", spin_flag()},
          {"safe_counter_2", safe_counter(2)},
          {"safe_counter_3", safe_counter(3)}};
}

}  // namespace heddle::test::toy
