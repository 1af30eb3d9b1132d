#include "symbols/symbols_names.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle::test {
namespace {

TEST(Demangle, TurnsMangledNamesIntoCxx) {
  EXPECT_EQ(demangle("_ZN7Account8withdrawEi"), "Account::withdraw(int)");
  EXPECT_EQ(demangle("_ZN7counter5COUNT17h9549dbbac9dda554E"), "counter::COUNT") << "Rust's hash";
  EXPECT_EQ(demangle("main"), "main");
  EXPECT_EQ(demangle("_ZN7broken"), "_ZN7broken");
  EXPECT_EQ(demangle(""), "");
}

TEST(ShortenStd, DropsDefaultTemplateArguments) {
  EXPECT_EQ(shorten_std("std::vector<int, std::allocator<int> >"), "std::vector<int>");
  EXPECT_EQ(shorten_std("std::map<int, std::vector<long, std::allocator<long> >, std::less<int>, "
                        "std::allocator<std::pair<int const, std::vector<long, std::allocator<long> > > > >"),
            "std::map<int, std::vector<long>>");
  EXPECT_EQ(shorten_std("std::unique_ptr<Node, std::default_delete<Node> >"), "std::unique_ptr<Node>");
}

TEST(ShortenStd, KeepsAnAllocatorThatIsTheArgument) {
  EXPECT_EQ(shorten_std("std::allocator_traits<std::allocator<char> >"), "std::allocator_traits<std::allocator<char>>");
}

TEST(ShortenStd, GivesStringsTheirUsualName) {
  EXPECT_EQ(shorten_std("std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"), "std::string");
  EXPECT_EQ(shorten_std("std::basic_ostream<char, std::char_traits<char> >& f"), "std::ostream& f");
}

TEST(ShortenStd, SurvivesUnbalancedBrackets) {
  for (const char* text : {"<", ">", "a<b<c", "a>b", "((", "{", "operator<", "operator<<<", "operator", "[abi:"}) {
    shorten_std(text);
    pretty_function(text);
  }
  EXPECT_EQ(shorten_std("a<b"), "a<b");
}

TEST(ShortenStd, SurvivesDeepNesting) {
  std::string deep;
  for (int i = 0; i < 2000; ++i) deep += "a<";
  EXPECT_FALSE(shorten_std(deep).empty());
}

struct Sample {
  const char* demangled;
  const char* pretty;
};

TEST(PrettyFunction, GivesTheNameAlone) {
  const Sample samples[] = {
      {"main", "main"},
      {"withdraw(int)", "withdraw"},
      {"Account::withdraw(int) const", "Account::withdraw"},
      {"(anonymous namespace)::Bank::withdraw(int)", "Bank::withdraw"},
      {"void app::run<int>(std::vector<int, std::allocator<int> > const&)", "app::run<int>"},
      {"std::vector<int, std::allocator<int> >::push_back(int&&)", "std::vector<int>::push_back"},
      {"unsigned long hash<long>(long)", "hash<long>"},
      {"name[abi:cxx11](int)", "name"},
      {"outer(int)::Local::inner(char)", "outer::Local::inner"},
      {"Queue::pop() const::Guard::~Guard()", "Queue::pop::Guard::~Guard"},
      {"decltype (a.b()) first<A>(A&)", "first<A>"},
      {"decltype(auto) second(int)", "second"},
      {"worker(int) [clone .constprop.0]", "worker"},
      {"worker [clone .cold]", "worker"},
  };
  for (const Sample& sample : samples) EXPECT_EQ(pretty_function(sample.demangled), sample.pretty);
}

TEST(PrettyFunction, KnowsOperators) {
  const Sample samples[] = {
      {"operator new(unsigned long)", "operator new"},
      {"Account::operator bool() const", "Account::operator bool"},
      {"Account::operator()(int)", "Account::operator()"},
      {"bool operator< <int>(A<int> const&, A<int> const&)", "operator< <int>"},
      {"std::ostream& operator<<(std::ostream&, Account const&)", "operator<<"},
      {"Pointer::operator->() const", "Pointer::operator->"},
      {"bool std::operator==<char>(std::A<char> const&)", "std::operator==<char>"},
      {"cooperate(int)", "cooperate"},
      {"operators::run(int)", "operators::run"},
  };
  for (const Sample& sample : samples) EXPECT_EQ(pretty_function(sample.demangled), sample.pretty);
}

TEST(PrettyFunction, NamesLambdasByTheirPlace) {
  const Sample samples[] = {
      {"main::{lambda()#1}::operator()() const", "main::{lambda#1}"},
      {"start(int)::{lambda(int, char)#2}::operator()(int, char) const", "start::{lambda#2}"},
      {"auto start(int)::{lambda(auto:1)#1}::operator()<int>(int) const", "start::{lambda#1}"},
      {"main::$_0::operator()() const", "main::{lambda#1}"},
      {"main::{lambda}::operator()", "main::{lambda}"},
  };
  for (const Sample& sample : samples) EXPECT_EQ(pretty_function(sample.demangled), sample.pretty);
}

}  // namespace
}  // namespace heddle::test
