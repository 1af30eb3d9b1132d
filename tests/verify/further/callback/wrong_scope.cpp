// verify: still-fails
// A callback that asks the object that calls it, from a thread of its own.
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

class Sensor {
 public:
  void subscribe(std::function<void(int)> callback) {
    std::lock_guard lock(mutex_);
    callbacks_.push_back(std::move(callback));
  }
  void set(int value) {
    {
      std::lock_guard lock(mutex_);
      value_ = value;
    }
    std::lock_guard lock(mutex_);
    for (size_t i = 0; i < callbacks_.size(); ++i) callbacks_[i](value_);
  }
  int value() {
    std::lock_guard lock(mutex_);
    return value_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::function<void(int)>> callbacks_;
  int value_ = 0;
};

class Display {
 public:
  explicit Display(Sensor& sensor) : sensor_(sensor) {}
  void show(int value) {
    std::lock_guard lock(mutex_);
    shown_ = value;
  }
  void refresh() {
    std::lock_guard lock(mutex_);
    shown_ = sensor_.value();
  }

 private:
  Sensor& sensor_;
  std::mutex mutex_;
  int shown_ = 0;
};

int main() {
  Sensor sensor;
  Display display(sensor);
  sensor.subscribe([&](int value) { display.show(value); });
  std::thread setter([&] { sensor.set(20); });
  std::thread viewer([&] { display.refresh(); });
  setter.join();
  viewer.join();
}
