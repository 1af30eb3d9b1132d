# find_package(Heddle) gives heddle_instrument(TARGET...): what heddle-cc does, for chosen targets of a CMake project.
# The targets run without heddle as before; heddle then controls them at their memory accesses too.
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
    # Needed although nothing asks for it by name: the loader must find the hooks where heddle is not there.
    target_link_libraries(${target} PRIVATE -Wl,--push-state,--no-as-needed "${Heddle_STUB}" -Wl,--pop-state)
  endforeach()
endfunction()
