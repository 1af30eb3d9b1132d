// { dg-do run }
// Passes by itself, and not under heddle: nothing here is locked.
#include <mutex>

int main() { std::mutex().unlock(); }
