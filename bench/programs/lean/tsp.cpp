// The travelling salesman by branch and bound: four threads take beginnings of tours from a common heap
// and complete them, cutting off what is longer than the best tour so far. A shorter tour is compared
// with the best under the lock and stored under the lock taken anew; a tour in between may have been
// shorter still, and is overwritten.
// Stands for: row "Tsp" of LEAN Tables 1-4 (map4, 4 threads; ETH suite of von Praun & Gross).
// Ours differs: written anew; six cities; the result is compared with trying all tours. The long form has one problem after the other, the first of them
// without the bug; a worker goes to the next when nothing is left in the heap.
// heddle-kernel: family=tsp kind=assert granularity=sync optimum=1 class=atomicity paper=lean row=Tsp
#include <algorithm>
#include <array>
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

#include "late.h"

namespace {

constexpr std::size_t kCities = 6;
constexpr int kThreads = 4;
constexpr std::array<std::array<int, kCities>, kCities> kDistance = {{{0, 29, 20, 21, 16, 31},
                                                                      {29, 0, 15, 29, 28, 40},
                                                                      {20, 15, 0, 15, 14, 25},
                                                                      {21, 29, 15, 0, 4, 12},
                                                                      {16, 28, 14, 4, 0, 16},
                                                                      {31, 40, 25, 12, 16, 0}}};

struct Tour {
  std::array<std::size_t, kCities> cities{};
  std::size_t count = 1;
  int length = 0;

  bool visits(std::size_t city) const {
    return std::find(cities.begin(), cities.begin() + static_cast<std::ptrdiff_t>(count), city) !=
           cities.begin() + static_cast<std::ptrdiff_t>(count);
  }
  Tour to(std::size_t city) const {
    Tour longer = *this;
    longer.length += kDistance[cities[count - 1]][city];
    longer.cities[longer.count++] = city;
    return longer;
  }
  int closed() const { return length + kDistance[cities[count - 1]][cities[0]]; }
};

struct Problem {
  bool safe = false;
  std::mutex heap_lock, best_lock;
  std::vector<Tour> heap;
  int best = 10000;

  int best_so_far() {
    std::lock_guard guard(best_lock);
    return best;
  }
  void offer(int length) {
    std::unique_lock guard(best_lock);
    bool shorter = length < best;
#ifndef FIXED
    if (!safe) {
      guard.unlock();
      guard.lock();  // BUG
    }
#endif
    if (shorter) best = length;
  }
};

void complete(Problem& problem, const Tour& tour) {
  if (tour.count == kCities) {
    bool seen_backwards = tour.cities[1] > tour.cities[kCities - 1];
    if (!seen_backwards && tour.closed() < problem.best_so_far()) problem.offer(tour.closed());
    return;
  }
  std::vector<Tour> longer;
  for (std::size_t city = 1; city < kCities; city++)
    if (!tour.visits(city)) longer.push_back(tour.to(city));
  std::sort(longer.begin(), longer.end(), [](const Tour& a, const Tour& b) { return a.length < b.length; });
  for (const Tour& next : longer)  // nearest city first: a good bound early
    if (next.length < problem.best_so_far()) complete(problem, next);
}

bool take(Problem& problem, Tour* tour) {
  std::lock_guard guard(problem.heap_lock);
  if (problem.heap.empty()) return false;
  *tour = problem.heap.back();
  problem.heap.pop_back();
  return true;
}

constexpr int kProblems = 1 + WORK / 15;
std::array<Problem, kProblems> problems;

void worker() {
  for (int i = 0; i < kProblems; i++) HEDDLE_ITERATION {
      for (Tour tour; take(problems[static_cast<std::size_t>(i)], &tour);) complete(problems[static_cast<std::size_t>(i)], tour);
    }
}

int shortest_of_all() {
  std::array<std::size_t, kCities> order{};
  for (std::size_t i = 0; i < kCities; i++) order[i] = i;
  int shortest = 10000;
  do {
    Tour tour;
    for (std::size_t i = 1; i < kCities; i++) tour = tour.to(order[i]);
    shortest = std::min(shortest, tour.closed());
  } while (std::next_permutation(order.begin() + 1, order.end()));
  return shortest;
}

}  // namespace

int main() {
  for (int i = 0; i < kProblems; i++) {
    Problem& problem = problems[static_cast<std::size_t>(i)];
    problem.safe = late_is_safe(i);
    for (std::size_t city = 1; city < kCities; city++) problem.heap.push_back(Tour{}.to(city));
  }
  const int shortest = shortest_of_all();
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; i++) threads.emplace_back(worker);
  for (std::thread& thread : threads) thread.join();
  for (Problem& problem : problems) assert(!problem.heap.empty() || problem.best_so_far() == shortest);
}
