# find_package(Heddle) gives
#   heddle_instrument(TARGET...)      what heddle-cc does, for chosen targets. They run without heddle as before; heddle then controls them at
#                                     their memory accesses too.
#   heddle_add_test(TARGET ...)       a CTest test that searches the schedules of a program
#   heddle_discover_tests(TARGET ...) the same for each test case of a GoogleTest, Catch2 or doctest binary
#   Heddle::check                     the header <heddle/check.h>
# All tests have the label `heddle`: ctest -L heddle.
get_filename_component(Heddle_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(Heddle_STUB "${Heddle_PREFIX}/lib/heddle/libheddle-stub.so")
find_program(Heddle_EXECUTABLE heddle HINTS "${Heddle_PREFIX}/bin")

if(NOT EXISTS "${Heddle_STUB}")
  set(Heddle_FOUND FALSE)
  set(Heddle_NOT_FOUND_MESSAGE "${Heddle_STUB} does not exist")
  return()
endif()

function(heddle_instrument)
  set(gnu -g -fsanitize=thread "SHELL:--param tsan-distinguish-volatile=1" -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset
    -Wno-tsan)
  set(clang -g -gdwarf-aranges -fsanitize=thread -fno-vectorize -fno-slp-vectorize "SHELL:-mllvm -tsan-distinguish-volatile"
    "SHELL:-mllvm -tsan-instrument-read-before-write")
  foreach(target ${ARGN})
    foreach(language C CXX)
      target_compile_options(${target} PRIVATE
        "$<$<COMPILE_LANG_AND_ID:${language},GNU>:${gnu}>" "$<$<COMPILE_LANG_AND_ID:${language},Clang>:${clang}>")
    endforeach()
    target_link_options(${target} PRIVATE "LINKER:--wrap=memcpy,--wrap=memmove,--wrap=memset" "LINKER:-z,now")
    # Needed although nothing asks for it by name: the loader must find the hooks where heddle is not there. As a property,
    # since a project uses one of target_link_libraries' two signatures and CMake refuses the other.
    set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES "-Wl,--push-state,--no-as-needed" "${Heddle_STUB}" "-Wl,--pop-state")
  endforeach()
endfunction()

if(NOT TARGET Heddle::check)
  add_library(Heddle::check INTERFACE IMPORTED)
  set_target_properties(Heddle::check PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${Heddle_PREFIX}/include")
endif()

# heddle_add_test(TARGET [NAME name] [TIME seconds] [EXECUTIONS n] [OPTIONS option...] [ARGS argument...])
# Passes when no schedule within the budget fails. NAME is heddle.TARGET, TIME 30.
function(heddle_add_test target)
  cmake_parse_arguments(PARSE_ARGV 1 TEST "" "NAME;TIME;EXECUTIONS" "OPTIONS;ARGS")
  if(NOT TEST_NAME)
    set(TEST_NAME heddle.${target})
  endif()
  heddle_budget_(budget)
  add_test(NAME ${TEST_NAME} COMMAND ${Heddle_EXECUTABLE} debug ${budget} ${TEST_OPTIONS} -- $<TARGET_FILE:${target}> ${TEST_ARGS})
  set_tests_properties(${TEST_NAME} PROPERTIES LABELS heddle)
endfunction()

# heddle_discover_tests(TARGET [TIME seconds] [EXECUTIONS n] [OPTIONS option...] [FILTER regex])
# The test cases are listed after each build of the target. They are called heddle.CASE.
function(heddle_discover_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 TEST "" "TIME;EXECUTIONS;FILTER" "OPTIONS")
  heddle_budget_(budget)
  set(list "${CMAKE_CURRENT_BINARY_DIR}/${target}_heddle_tests.cmake")
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} "-DHEDDLE=${Heddle_EXECUTABLE}" "-DPROGRAM=$<TARGET_FILE:${target}>" "-DFILTER=${TEST_FILTER}"
            "-DOPTIONS=${budget};${TEST_OPTIONS}" "-DOUTPUT=${list}" -P "${Heddle_DISCOVER}"
    BYPRODUCTS "${list}" COMMENT "Listing the tests of ${target} for heddle" VERBATIM)
  if(NOT EXISTS "${list}")
    file(WRITE "${list}" "add_test(heddle.${target}.is_not_built \"${CMAKE_COMMAND}\" -E false)\n")
  endif()
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${list}")
endfunction()

set(Heddle_DISCOVER "${CMAKE_CURRENT_LIST_DIR}/HeddleDiscover.cmake")

# The budget that the caller's TEST_TIME and TEST_EXECUTIONS stand for.
macro(heddle_budget_ to)
  set(${to} "")
  if(TEST_EXECUTIONS)
    list(APPEND ${to} --executions ${TEST_EXECUTIONS})
  endif()
  if(TEST_TIME)
    list(APPEND ${to} --time ${TEST_TIME})
  elseif(NOT TEST_EXECUTIONS)
    list(APPEND ${to} --time 30)
  endif()
endmacro()
