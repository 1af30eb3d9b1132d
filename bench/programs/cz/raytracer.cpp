// A ray tracer: each of two threads loads the scene and renders every other row; the picture is exposed
// by the number of scenes loaded, and its hash is checked. Loading remembers the number of scenes loaded
// before and stores one more at its end, so that a load that falls into another one is not counted.
// Stands for: the case study of Choi & Zeller 2002, section 6 (SPEC JVM98 205_raytrace with the lost update of
// their Fig. 9).
// Ours differs: written anew, integer arithmetic, spheres instead of a dinosaur; points come from rendering alone.
// heddle-kernel: family=raytracer kind=exit granularity=access optimum=1 class=race paper=choi-zeller row=raytrace
#include <pthread.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#ifndef SIZE
#define SIZE 96
#endif

namespace {

constexpr int kSize = SIZE;  // the picture is kSize by kSize pixels
constexpr int kThreads = 2;
constexpr std::int64_t kOne = 1024;  // fixed point

struct Vector {
  std::int64_t x = 0, y = 0, z = 0;
};

Vector operator+(const Vector& a, const Vector& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vector operator-(const Vector& a, const Vector& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vector scaled(const Vector& a, std::int64_t by) { return {a.x * by / kOne, a.y * by / kOne, a.z * by / kOne}; }
std::int64_t dot(const Vector& a, const Vector& b) { return (a.x * b.x + a.y * b.y + a.z * b.z) / kOne; }

// The square root of a fixed-point number, by Newton's method.
std::int64_t root(std::int64_t value) {
  if (value <= 0) return 0;
  std::int64_t square = value * kOne, guess = value > kOne ? value : kOne;
  for (;;) {
    std::int64_t next = (guess + square / guess) / 2;
    if (next >= guess) return guess;
    guess = next;
  }
}

Vector unit(const Vector& a) {
  std::int64_t length = root(dot(a, a));
  return length == 0 ? a : Vector{a.x * kOne / length, a.y * kOne / length, a.z * kOne / length};
}

struct Sphere {
  Vector centre;
  std::int64_t radius = 0;
  std::int64_t colour = 0, mirror = 0;
};

struct Scene {
  std::vector<Sphere> spheres;
  Vector light;
};

// x y z radius colour mirror, in hundredths
constexpr std::string_view kSceneFile =
    "0 -10050 300 10000 60 20\n"
    "-120 0 420 80 90 10\n"
    "60 -10 300 50 70 60\n"
    "150 60 520 90 40 30\n"
    "-40 120 600 100 80 0\n"
    "10 -30 180 20 95 40\n";

int scenes_loaded = 0;
#ifdef FIXED
pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;
#endif

std::int64_t next_number(std::string_view& text) {
  std::int64_t sign = 1, number = 0;
  while (text.front() == ' ' || text.front() == '\n') text.remove_prefix(1);
  if (text.front() == '-') {
    sign = -1;
    text.remove_prefix(1);
  }
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    number = number * 10 + (text.front() - '0');
    text.remove_prefix(1);
  }
  return sign * number * kOne / 100;
}

Scene load_scene() {
#ifdef FIXED
  pthread_mutex_lock(&load_lock);
#endif
  int old_scenes_loaded = scenes_loaded;
  Scene scene;
  std::string_view text = kSceneFile;
  while (text.size() > 1) {
    Sphere sphere;
    sphere.centre.x = next_number(text);
    sphere.centre.y = next_number(text);
    sphere.centre.z = next_number(text);
    sphere.radius = next_number(text);
    sphere.colour = next_number(text);
    sphere.mirror = next_number(text);
    scene.spheres.push_back(sphere);
  }
  scene.light = unit({-2 * kOne, 4 * kOne, -3 * kOne});
  scenes_loaded = old_scenes_loaded + 1;  // BUG
#ifdef FIXED
  pthread_mutex_unlock(&load_lock);
#endif
  return scene;
}

// The distance along the ray to the sphere, or -1.
std::int64_t hit(const Sphere& sphere, const Vector& from, const Vector& direction) {
  Vector to_centre = sphere.centre - from;
  std::int64_t along = dot(to_centre, direction);
  std::int64_t under_root = along * along / kOne - dot(to_centre, to_centre) + sphere.radius * sphere.radius / kOne;
  if (under_root < 0) return -1;
  std::int64_t distance = along - root(under_root);
  return distance > kOne / 20 ? distance : -1;
}

const Sphere* nearest(const Scene& scene, const Vector& from, const Vector& direction, std::int64_t& distance) {
  const Sphere* found = nullptr;
  for (const Sphere& sphere : scene.spheres) {
    std::int64_t at = hit(sphere, from, direction);
    if (at >= 0 && (!found || at < distance)) {
      found = &sphere;
      distance = at;
    }
  }
  return found;
}

std::int64_t trace(const Scene& scene, const Vector& from, const Vector& direction, int depth) {
  std::int64_t distance = 0;
  const Sphere* sphere = nearest(scene, from, direction, distance);
  if (!sphere) return kOne / 4 + direction.y / 8;  // the sky
  Vector point = from + scaled(direction, distance);
  Vector normal = unit(point - sphere->centre);
  std::int64_t shadow = 0;
  std::int64_t lit = dot(normal, scene.light);
  if (lit < 0 || nearest(scene, point, scene.light, shadow)) lit = 0;
  std::int64_t shade = sphere->colour * (kOne / 5 + lit * 4 / 5) / kOne;
  if (sphere->mirror == 0 || depth == 0) return shade;
  Vector reflected = direction - scaled(normal, 2 * dot(direction, normal));
  std::int64_t seen = trace(scene, point, unit(reflected), depth - 1);
  return (shade * (kOne - sphere->mirror) + seen * sphere->mirror) / kOne;
}

std::array<std::int64_t, static_cast<std::size_t>(kSize) * kSize> picture;

void* render(void* arg) {
  int first_row = *static_cast<int*>(arg);
  Scene scene = load_scene();
  for (int y = first_row; y < kSize; y += kThreads) {
    for (int x = 0; x < kSize; x++) {
      Vector direction = unit({(2 * x - kSize) * kOne / kSize, (kSize - 2 * y) * kOne / kSize, kOne});
      picture[static_cast<std::size_t>(y * kSize + x)] = trace(scene, Vector{}, direction, 2);
    }
  }
  return nullptr;
}

// FNV-1a over the pixels as they would be shown.
std::uint32_t exposed_hash(int scenes) {
  std::uint32_t hash = 2166136261U;
  for (std::int64_t brightness : picture) {
    hash ^= static_cast<std::uint32_t>(brightness * scenes / kThreads);
    hash *= 16777619U;
  }
  return hash;
}

}  // namespace

int main() {
  std::array<pthread_t, kThreads> threads;
  std::array<int, kThreads> first_rows;
  for (int i = 0; i < kThreads; i++) {
    first_rows[static_cast<std::size_t>(i)] = i;
    pthread_create(&threads[static_cast<std::size_t>(i)], nullptr, render, &first_rows[static_cast<std::size_t>(i)]);
  }
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  std::uint32_t expected = exposed_hash(kThreads), got = exposed_hash(scenes_loaded);
  if (got != expected) {
    std::fprintf(stderr, "picture hash %08x, expected %08x (%d scenes loaded)\n", got, expected, scenes_loaded);
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
