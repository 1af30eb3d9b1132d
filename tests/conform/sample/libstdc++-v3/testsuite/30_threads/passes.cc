// { dg-do run }
#include <thread>

int main() { std::thread([] {}).join(); }
