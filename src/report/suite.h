#pragma once
// What a run over a whole suite leaves for people and other tools: JUnit's XML, one page with a row for each test, one SARIF file of all bugs.
#include <string>
#include <vector>

#include "suite/result.h"

namespace heddle::report {

std::string suite_junit(const suite::SuiteResult& result);

// `page_of`: where the page of a bug is, seen from this page's place; by the test's number, empty where there is none.
std::string suite_page(const suite::SuiteResult& result, const std::vector<std::string>& page_of);

// The SARIF texts of single bugs as one run: their rules once each, their results one after the other.
std::string joined_sarif(const std::vector<std::string>& texts);

}  // namespace heddle::report
