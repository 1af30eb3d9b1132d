#!/usr/bin/env bash
# What the GitHub action and the GitLab template run: the tests of a build under many schedules.
#   HEDDLE_BUILD     a CMake build directory, whose CTest tests are run; or
#   HEDDLE_PROGRAM   a test binary of GoogleTest, Catch2 or doctest
#   HEDDLE_TIME      the budget for all of them [10m]
#   HEDDLE_BASELINE  a results.json of before: what failed there so does not fail the build
#   HEDDLE_OUTPUT    where heddle.xml, heddle.sarif and results.json go [heddle-results]
#   HEDDLE_PACKAGE   a .deb to install first, where heddle is not installed
#   HEDDLE_OPTIONS   further options of heddle test
# Exit code: that of heddle test; 1 a new failure, 125 nothing could be tested, or the time was too short to reach every test.
set -euo pipefail
say() { printf 'heddle-ci: %s\n' "$*" >&2; }

if ! command -v heddle >/dev/null; then
  [ -n "${HEDDLE_PACKAGE:-}" ] || { say "heddle is not installed, and HEDDLE_PACKAGE names no package"; exit 125; }
  root=()
  [ "$(id -u)" = 0 ] || root=(sudo)
  package=$(readlink -f "$HEDDLE_PACKAGE")
  "${root[@]}" apt-get update -qq
  "${root[@]}" apt-get install -y -qq --no-install-recommends "$package"
fi

output=${HEDDLE_OUTPUT:-heddle-results}
mkdir -p "$output"
words=(test --time "${HEDDLE_TIME:-10m}" --junit "$output/heddle.xml" --sarif "$output/heddle.sarif")
if [ -n "${HEDDLE_BASELINE:-}" ]; then
  if [ -e "$HEDDLE_BASELINE" ]; then words+=(--baseline "$HEDDLE_BASELINE"); else say "no baseline yet: every failure is new"; fi
fi
read -r -a more <<<"${HEDDLE_OPTIONS:-}"
words+=("${more[@]}")
if [ -n "${HEDDLE_BUILD:-}" ]; then
  words+=(--ctest "$HEDDLE_BUILD")
elif [ -n "${HEDDLE_PROGRAM:-}" ]; then
  words+=(-- "$HEDDLE_PROGRAM")
else
  say "neither HEDDLE_BUILD nor HEDDLE_PROGRAM is set"
  exit 2
fi
code=0
heddle "${words[@]}" || code=$?
# Kept beside the reports: the baseline of the next run, and the page of each bug.
[ ! -d .heddle/suite ] || cp -r .heddle/suite/. "$output/"
exit $code
