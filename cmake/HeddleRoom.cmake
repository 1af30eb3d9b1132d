# A room is a directory src/NAME and a target heddle_NAME. Its files are found by glob, so that a new file needs no edit
# here; a room that holds headers only (or nothing yet) is an INTERFACE target and changes by itself.

add_library(heddle_options INTERFACE)
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion $<$<BOOL:${HEDDLE_WERROR}>:-Werror>)
target_compile_options(heddle_options INTERFACE "$<$<COMPILE_LANGUAGE:C,CXX>:${warnings}>")
# gcc 12 warns inside its own std::string (PR 105651), in a build of single files and with precompiled headers more than in big ones.
set(false_warnings -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
target_compile_options(heddle_options INTERFACE "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:${false_warnings}>")

add_library(heddle_sanitize INTERFACE)
if(HEDDLE_SANITIZE)
  set(flags -fsanitize=${HEDDLE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(heddle_sanitize INTERFACE ${flags})
  target_link_options(heddle_sanitize INTERFACE ${flags})
endif()

# Parsing the library headers and instantiating their templates is most of the work of a build from nothing: a room is compiled as a few
# big files. To work inside one room, HEDDLE_UNITY=OFF compiles each file alone; then the headers are precompiled, which a compiler
# cache cannot see through.
option(HEDDLE_UNITY "Compile several files of a room together" ON)
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(precompile OFF)
else()
  set(precompile ON)
endif()
option(HEDDLE_PRECOMPILE "Precompile the library headers that most files of a room include" ${precompile})
set(HEDDLE_COMMON_HEADERS <algorithm> <functional> <map> <memory> <optional> <set> <span> <string> <unordered_map> <vector>)

# heddle_precompile(TARGET header...): the common headers and these, parsed once for all files of the target.
function(heddle_precompile target)
  if(HEDDLE_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${HEDDLE_COMMON_HEADERS} ${ARGN})
  endif()
endfunction()

# heddle_room(NAME [DEPENDS room...] [LIBRARIES target...] [EXCEPT file] [PRECOMPILE header...])
function(heddle_room name)
  cmake_parse_arguments(PARSE_ARGV 1 ROOM "" "EXCEPT" "DEPENDS;LIBRARIES;PRECOMPILE")
  list(TRANSFORM ROOM_DEPENDS PREPEND heddle_)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  if(ROOM_EXCEPT)
    list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/src/${name}/${ROOM_EXCEPT})
  endif()
  if(sources)
    add_library(heddle_${name} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(heddle_${name} PRIVATE heddle_options)
    set_target_properties(heddle_${name} PROPERTIES UNITY_BUILD ${HEDDLE_UNITY} UNITY_BUILD_BATCH_SIZE 10)
    if(ROOM_PRECOMPILE AND NOT HEDDLE_UNITY)
      heddle_precompile(heddle_${name} ${ROOM_PRECOMPILE})
    endif()
  else()
    add_library(heddle_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(heddle_${name} ${scope} ${PROJECT_SOURCE_DIR}/src)
  # Only for those who print it: another version is no reason to compile the rest again.
  if(name MATCHES "^(report|cli)$")
    target_compile_definitions(heddle_${name} ${scope} HEDDLE_VERSION="${PROJECT_VERSION}")
  endif()
  target_link_libraries(heddle_${name} ${scope} heddle_sanitize ${ROOM_DEPENDS} ${ROOM_LIBRARIES})
  # Nobody calls a row by name (wire/rows.h), so the linker would leave out the files that hold nothing else.
  if(sources)
    target_link_options(heddle_${name} INTERFACE
      "SHELL:LINKER:--whole-archive $<TARGET_FILE:heddle_${name}> LINKER:--no-whole-archive")
  endif()
endfunction()

# heddle_program(NAME ROOM room DEPENDS room... LIBRARIES target... PRECOMPILE header...): a room whose main.cpp makes the executable; the rest of it is
# an ordinary room, so that unit tests reach it. No executable while there is no main.cpp.
function(heddle_program name)
  cmake_parse_arguments(PARSE_ARGV 1 ROOM "" "ROOM" "DEPENDS;LIBRARIES;PRECOMPILE")
  heddle_room(${ROOM_ROOM} EXCEPT main.cpp DEPENDS ${ROOM_DEPENDS} LIBRARIES ${ROOM_LIBRARIES} PRECOMPILE ${ROOM_PRECOMPILE})
  file(GLOB main CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${ROOM_ROOM}/main.cpp)
  if(NOT main)
    return()
  endif()
  add_executable(${name} ${main})
  target_link_libraries(${name} PRIVATE heddle_options heddle_${ROOM_ROOM})
  if(TARGET heddle-rt)
    add_dependencies(${name} heddle-rt)
  endif()
  # An archive brings the tool's libraries with it (packaging/archive.py); elsewhere the directory is not there. The old tag holds for what they need, too.
  set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/heddle/libraries")
  target_link_options(${name} PRIVATE -Wl,--disable-new-dtags)
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# What runs inside the target is optimised in every build but Debug.
set(optimised $<IF:$<CONFIG:Debug>,-O0,-O2>)

# heddle_runtime(NAME ROOMS room... SUBROOMS directory...): the library that lives in the target, with the directories of the first room. It compiles the freestanding rooms again with its
# own flags, because it may not need libstdc++ or libgcc_s: the target must not see any library that it did not bring itself.
function(heddle_runtime name)
  cmake_parse_arguments(PARSE_ARGV 1 RT "" "" "ROOMS;SUBROOMS")
  list(GET RT_ROOMS 0 home)
  set(sources)
  foreach(sub ${RT_SUBROOMS})
    file(GLOB own CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${home}/${sub}/*.cpp ${PROJECT_SOURCE_DIR}/src/${home}/${sub}/*.S)
    list(APPEND sources ${own})
  endforeach()
  list(REMOVE_AT RT_ROOMS 0)
  foreach(room ${RT_ROOMS})
    file(GLOB more CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.cpp)
    list(APPEND sources ${more})
  endforeach()
  add_library(${name} SHARED ${sources})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE heddle_options)
  target_compile_options(${name} PRIVATE
    ${optimised} -g -fvisibility=hidden -ftls-model=initial-exec -fno-stack-protector -fno-semantic-interposition
    "$<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions;-fno-rtti;-fno-threadsafe-statics;-fvisibility-inlines-hidden>")
  # libgcc is linked statically (plain arithmetic helpers only); -z defs turns a forgotten libstdc++ symbol into a link error.
  target_link_options(${name} PRIVATE -nodefaultlibs -Wl,-z,defs -Wl,-z,now -Wl,--as-needed -Wl,--sort-section=name)
  # What the program defines under the name of a library function is its own affair: our calls mean our own functions and the C library's.
  # Our constructor comes before every other: the program's world is one from the first call of any library.
  target_link_options(${name} PRIVATE -Wl,-Bsymbolic-functions -Wl,-z,initfirst)
  set(calls ${PROJECT_SOURCE_DIR}/src/${home}/base/libc_calls.def)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${calls})
  target_compile_options(${name} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-include;runtime/base/libc_names.h>")
  # The wrappers of what an instrumented program calls go on to the program's own.
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/${home}/memory/tsan_memory.cpp PROPERTIES COMPILE_DEFINITIONS HEDDLE_CALLS_FOR_PROGRAM)
  file(STRINGS ${calls} lines REGEX "^HEDDLE_LIBC\\(")
  foreach(line ${lines})
    string(REGEX REPLACE "HEDDLE_LIBC\\((.*)\\)" "-Wl,--wrap=\\1" option "${line}")
    target_link_options(${name} PRIVATE ${option})
  endforeach()
  target_link_libraries(${name} PRIVATE -lc -ldl -l:libgcc.a)
  file(GLOB map CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${home}/*.map)
  if(map)
    target_link_options(${name} PRIVATE -Wl,--version-script=${map})
    set_target_properties(${name} PROPERTIES LINK_DEPENDS ${map})
  endif()
  # Beside the tool, not in the multiarch directory: the tool looks for it at ../lib and ../lib/heddle from its own place.
  install(TARGETS ${name} LIBRARY DESTINATION lib/heddle)
endfunction()

# heddle_stub(NAME FILES file...): the library that instrumented programs are linked with. The runtime's own hook sources, compiled so
# that every hook is the plain operation; the preloaded runtime comes first in the search order and takes over. gcc asks for it by
# the name of its own library, libtsan, and so does a program that was built with plain -fsanitize=thread.
function(heddle_stub name)
  cmake_parse_arguments(PARSE_ARGV 1 STUB "" "" "FILES")
  if(NOT TARGET heddle-rt)
    return()
  endif()
  list(TRANSFORM STUB_FILES PREPEND ${PROJECT_SOURCE_DIR}/src/runtime/)
  add_library(${name} SHARED ${STUB_FILES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${name} PRIVATE HEDDLE_STUB)
  target_link_libraries(${name} PRIVATE heddle_options)
  target_compile_options(${name} PRIVATE ${optimised} -fvisibility=hidden -fno-exceptions -fno-rtti -fno-stack-protector)
  target_link_options(${name} PRIVATE -nodefaultlibs -Wl,-z,defs)
  target_link_libraries(${name} PRIVATE -lc -l:libgcc.a)
  add_dependencies(heddle-rt ${name})
  set(names ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/heddle-tsan)
  file(MAKE_DIRECTORY ${names})
  foreach(alias libtsan.so libtsan.so.0 libtsan.so.2)
    file(CREATE_LINK ../lib${name}.so ${names}/${alias} SYMBOLIC)
  endforeach()
  install(TARGETS ${name} LIBRARY DESTINATION lib/heddle)
  install(DIRECTORY ${names} DESTINATION lib/heddle)
endfunction()

# heddle_assembler(NAME ROOM room): what heddle-cc puts in place of the assembler, in a directory that holds nothing else: a compiler looks there
# for all of its programs.
function(heddle_assembler name)
  cmake_parse_arguments(PARSE_ARGV 1 ASM "" "ROOM" "")
  set(place ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${name})
  add_executable(${name} ${PROJECT_SOURCE_DIR}/src/${ASM_ROOM}/main.cpp)
  target_link_libraries(${name} PRIVATE heddle_options heddle_${ASM_ROOM})
  set_target_properties(${name} PROPERTIES OUTPUT_NAME merge RUNTIME_OUTPUT_DIRECTORY ${place})
  configure_file(${PROJECT_SOURCE_DIR}/tools/twin/as ${place}/as COPYONLY)
  if(TARGET heddle-stub)
    add_dependencies(heddle-stub ${name})
  endif()
  install(TARGETS ${name} RUNTIME DESTINATION lib/heddle/${name})
  install(PROGRAMS ${PROJECT_SOURCE_DIR}/tools/twin/as DESTINATION lib/heddle/${name})
endfunction()

# heddle_plugin(NAME ROOM room): a plugin for each clang whose headers are installed, NAME-VERSION.so: heddle-cc takes the one of its compiler.
function(heddle_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 PLUGIN "" "ROOM" "")
  if(NOT TARGET heddle-rt)
    return()
  endif()
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${PLUGIN_ROOM}/*.cpp)
  foreach(version 14 15 16 17 18 19)
    set(headers /usr/lib/llvm-${version}/include)
    if(NOT EXISTS ${headers}/llvm/Passes/PassPlugin.h)
      continue()
    endif()
    add_library(${name}-${version} MODULE ${files})
    target_include_directories(${name}-${version} SYSTEM PRIVATE ${headers})
    target_include_directories(${name}-${version} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_compile_options(${name}-${version} PRIVATE -O1 -fno-rtti -fno-exceptions -fvisibility=hidden -Wall -Wextra)
    target_compile_definitions(${name}-${version} PRIVATE __STDC_CONSTANT_MACROS __STDC_LIMIT_MACROS __STDC_FORMAT_MACROS)
    set_target_properties(${name}-${version} PROPERTIES PREFIX "" CXX_STANDARD 17)
    add_dependencies(heddle-rt ${name}-${version})
    install(TARGETS ${name}-${version} LIBRARY DESTINATION lib/heddle)
  endforeach()
endfunction()

# heddle_scripts(DIR): the compiler wrappers heddle-cc and heddle-c++, copied to build/bin where they find the library as the
# tool does.
function(heddle_scripts dir)
  file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${dir}/heddle-*)
  foreach(script ${scripts})
    get_filename_component(name ${script} NAME)
    configure_file(${script} ${PROJECT_BINARY_DIR}/bin/${name} COPYONLY)
    install(PROGRAMS ${script} DESTINATION ${CMAKE_INSTALL_BINDIR})
  endforeach()
endfunction()
