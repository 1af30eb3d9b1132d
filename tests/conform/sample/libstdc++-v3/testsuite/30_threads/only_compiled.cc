// { dg-do compile }
#include <thread>
