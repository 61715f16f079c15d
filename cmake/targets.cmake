# One library per folder of yoke/, gathered into libyoke; the program; the tests.

add_library(yoke_settings INTERFACE)
target_include_directories(yoke_settings SYSTEM INTERFACE
  ${YOKE_FIRST_INCLUDE_DIR} ${TORCH_INCLUDE_DIRS} ${PROJECT_BINARY_DIR}/generated)
target_include_directories(yoke_settings INTERFACE ${PROJECT_SOURCE_DIR})
if(YOKE_WITH_NCCL)
  target_include_directories(yoke_settings SYSTEM INTERFACE ${YOKE_NCCL_INCLUDE_DIR})
endif()
target_compile_options(yoke_settings INTERFACE -fPIC -Wall -Wextra)
if(YOKE_WERROR)
  target_compile_options(yoke_settings INTERFACE -Werror)
  # What g++ guesses after inlining differs from version to version, and is often not so within
  # std::string and std::vector: shown, but no error.
  foreach(guess array-bounds dangling-pointer free-nonheap-object maybe-uninitialized nonnull restrict
                stringop-overflow stringop-overread use-after-free)
    target_compile_options(yoke_settings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-error=${guess}>)
  endforeach()
endif()
# Roots as vector instructions; the same results on processors with and without fused multiply-add.
target_compile_options(yoke_settings INTERFACE -fno-math-errno -ffp-contract=off)
if(YOKE_SANITIZE)
  # g++ warns of more that is not so when it instruments code.
  target_compile_options(yoke_settings INTERFACE -fsanitize=${YOKE_SANITIZE} -fno-omit-frame-pointer
                                                 -fno-sanitize-recover=undefined
                                                 -fno-sanitize=vptr  # compares what LibTorch hides
                                                 -Wno-maybe-uninitialized)
  target_link_options(yoke_settings INTERFACE -fsanitize=${YOKE_SANITIZE})
  add_library(yoke_sanitizers OBJECT ${PROJECT_SOURCE_DIR}/tests/support/sanitizers.cpp)
  target_link_libraries(yoke_settings INTERFACE $<TARGET_OBJECTS:yoke_sanitizers>)
endif()
if(YOKE_SANITIZE STREQUAL thread)
  # ThreadSanitizer does not see GNU's OpenMP meet its threads. LLVM's, where it comes first, tells it
  # by Archer.
  set(llvm /usr/lib/llvm-19/lib)
  find_library(YOKE_LIBOMP omp REQUIRED PATHS ${llvm} NO_DEFAULT_PATH)
  find_library(YOKE_LIBARCHER archer REQUIRED PATHS ${llvm} NO_DEFAULT_PATH)
  target_link_options(yoke_settings INTERFACE
    "LINKER:--push-state,--no-as-needed,${YOKE_LIBARCHER},${YOKE_LIBOMP},--pop-state,-rpath,${llvm}")
endif()
if(YOKE_FUZZ)
  target_compile_options(yoke_settings INTERFACE -fsanitize-coverage=trace-pc,trace-cmp)
endif()

# The LibTorch targets without their include folders, which come as SYSTEM above.
target_link_libraries(yoke_settings INTERFACE ${TORCH_LIBRARIES} Threads::Threads)

# What others link: all folders in one static library.
add_library(yoke STATIC)
add_library(yoke::yoke ALIAS yoke)
target_compile_features(yoke PUBLIC cxx_std_20)
target_include_directories(yoke PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include>)
# In an installed library, yokeConfig.cmake adds LibTorch.
target_link_libraries(yoke PUBLIC "$<BUILD_INTERFACE:${TORCH_LIBRARIES}>" Threads::Threads fmt::fmt
                                  nlohmann_json::nlohmann_json)

# What an optional part of a folder links.
set(yoke_mpi_libraries MPI::MPI_CXX)

# Files that are compiled by themselves also in unity builds: where inlining decides the speed. To add
# one whose private names clash with others': "/kernels/|/folder/file[.]cpp$".
set(yoke_alone "/kernels/|/compiled/graph/check_trace[.]cpp$|/evaluation/sightings[.]cpp$")
if(YOKE_TESTS)  # And registries, in whose place test_samples has its own.
  string(APPEND yoke_alone "|/(schedule_)?registry[.]cpp$|/parallel/compression[.]cpp$")
endif()
function(yoke_compile_alone)
  list(FILTER ARGN INCLUDE REGEX "${yoke_alone}")
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# Adds the folder yoke/<name>. USES: the folders it may include. LIBRARIES: what it links. OPTIONAL:
# parts, e.g. mpi, whose files (mpi.cpp, mpi_*.cpp) are built where the option YOKE_WITH_MPI is on,
# which code sees as a macro.
function(yoke_library name)
  cmake_parse_arguments(ARG "" "" "USES;LIBRARIES;OPTIONAL" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/yoke/${name}/*.cpp)
  file(GLOB_RECURSE protos CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/yoke/${name}/*.proto)
  set(definitions)
  foreach(part IN LISTS ARG_OPTIONAL)
    string(TOUPPER YOKE_WITH_${part} option)
    if(${option})
      list(APPEND definitions ${option})
      list(APPEND ARG_LIBRARIES ${yoke_${part}_libraries})
    else()
      list(FILTER sources EXCLUDE REGEX "/yoke/${name}/(.*/)?${part}(_[a-z_0-9]*)?\\.cpp$")
    endif()
  endforeach()
  set(kernels ${sources})
  list(FILTER kernels INCLUDE REGEX "/kernels/")
  # Their vectors are parameters of functions that are inlined, and so of no ABI. What includes
  # nothing of LibTorch is compiled while the precompiled header is.
  set_source_files_properties(${kernels} PROPERTIES COMPILE_OPTIONS -Wno-psabi
                                                    SKIP_PRECOMPILE_HEADERS ON)
  # Those that stand for oneDNN's convolutions have the fused multiply-add, as it has (decision 4).
  list(FILTER kernels INCLUDE REGEX "/kernels/winograd")
  set_property(SOURCE ${kernels} APPEND PROPERTY COMPILE_OPTIONS -ffp-contract=fast)
  yoke_compile_alone(${sources})
  add_library(yoke_${name} STATIC ${sources})
  target_compile_definitions(yoke_${name} PRIVATE ${definitions})
  target_link_libraries(yoke_${name} PUBLIC yoke_settings ${ARG_LIBRARIES})
  foreach(used IN LISTS ARG_USES)
    target_link_libraries(yoke_${name} PUBLIC yoke_${used})
  endforeach()
  foreach(proto IN LISTS protos)
    yoke_protobuf(yoke_${name} ${proto})
  endforeach()
  if(name STREQUAL core)
    target_precompile_headers(yoke_core PRIVATE ${PROJECT_SOURCE_DIR}/yoke/core/pch.h)
  elseif(NOT name STREQUAL forecast)
    target_precompile_headers(yoke_${name} REUSE_FROM yoke_core)
  endif()
  target_sources(yoke PRIVATE $<TARGET_OBJECTS:yoke_${name}>)
  target_link_libraries(yoke PRIVATE $<BUILD_INTERFACE:yoke_settings> ${ARG_LIBRARIES})
endfunction()

# Generates C++ from a .proto file of the source tree into generated/: alone, by
# `yoke_generated`.
add_custom_target(yoke_generated)
function(yoke_protobuf target proto)
  file(RELATIVE_PATH relative ${PROJECT_SOURCE_DIR} ${proto})
  string(REGEX REPLACE "\\.proto$" "" stem ${PROJECT_BINARY_DIR}/generated/${relative})
  file(WRITE ${PROJECT_BINARY_DIR}/generated/.clang-tidy "Checks: '-*,bugprone-terminating-continue'\n")
  add_custom_command(OUTPUT ${stem}.pb.cc ${stem}.pb.h
    COMMAND protobuf::protoc --cpp_out=${PROJECT_BINARY_DIR}/generated -I${PROJECT_SOURCE_DIR} ${proto}
    DEPENDS ${proto} VERBATIM)
  set_source_files_properties(${stem}.pb.cc PROPERTIES SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS -w)
  target_sources(${target} PRIVATE ${stem}.pb.cc ${stem}.pb.h)
  add_custom_target(${target}_generated DEPENDS ${stem}.pb.h)
  add_dependencies(yoke_generated ${target}_generated)
endfunction()

# The program: apps/yoke/*.cpp.
function(yoke_program)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/yoke/*.cpp)
  yoke_compile_alone(${sources})
  add_executable(yoke_program ${sources})
  set_target_properties(yoke_program PROPERTIES OUTPUT_NAME yoke)
  target_link_libraries(yoke_program PRIVATE yoke_train yoke_classify yoke_export yoke_study yoke_launch
                                             yoke_forecast CLI11::CLI11)
  target_precompile_headers(yoke_program REUSE_FROM yoke_core)
  set_target_properties(yoke_program PROPERTIES UNITY_BUILD_BATCH_SIZE 16)  # for all cores
endfunction()

# Takes from the list `variable` the files whose tests need no GPUs; all where no others are left.
function(yoke_keep_gpu_tests variable)
  set(kept)
  set(others)
  foreach(source IN LISTS ${variable})
    file(STRINGS ${source} found REGEX YOKE_NEEDS_GPUS LIMIT_COUNT 1)
    if(found)
      list(APPEND kept ${source})
    elseif(NOT source MATCHES "_test[.]cpp$")
      list(APPEND others ${source})
    endif()
  endforeach()
  if(kept)
    list(APPEND kept ${others})
  endif()
  set(${variable} ${kept} PARENT_SCOPE)
endfunction()

# The tests of one folder: tests/<name>/*.cpp, linked with the folder and what it USES. FIRST: they
# take long, and so begin before others, each file in a process. ALONE: files, without their ending,
# whose private names clash with others' of the folder.
function(yoke_tests name)
  cmake_parse_arguments(ARG "FIRST" "" "USES;ALONE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${name}/*.cpp)
  if(YOKE_ONLY_GPU_TESTS)
    yoke_keep_gpu_tests(sources)
  endif()
  if(NOT sources)
    return()
  endif()
  add_executable(test_${name} ${sources})
  foreach(used IN LISTS ARG_USES)
    target_link_libraries(test_${name} PRIVATE yoke_${used})
  endforeach()
  target_link_libraries(test_${name} PRIVATE test_support)
  set_target_properties(test_${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 8)  # for all cores
  foreach(file IN LISTS ARG_ALONE)
    set(source ${PROJECT_SOURCE_DIR}/tests/${name}/${file}.cpp)
    if(NOT EXISTS ${source})
      message(FATAL_ERROR "ALONE of the tests of ${name} names ${file}, but there is no ${source}")
    endif()
    set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
  target_precompile_headers(test_${name} REUSE_FROM test_support)
  if(YOKE_SANITIZE)  # Each start of a sanitized LibTorch takes seconds.
    add_test(NAME test_${name} COMMAND test_${name})
    # PMIx of Debian 13 wants its shared memory at an address that is ThreadSanitizer's.
    set_tests_properties(test_${name} PROPERTIES TIMEOUT 7200 ENVIRONMENT PMIX_MCA_gds=hash)
  else()
    yoke_discover_suites(test_${name} ${name} "${ARG_FIRST}")
  endif()
endfunction()

# Entries of ctest for a test program, known once it is built.
function(yoke_discover_suites target label first)
  set(suites ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake)
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:${target}> -D LABEL=${label} -D FIRST=${first}
            -D SOURCES=${PROJECT_SOURCE_DIR}/tests/${label} -D OUTPUT=${suites}
            -P ${PROJECT_SOURCE_DIR}/cmake/discover_suites.cmake
    BYPRODUCTS ${suites} VERBATIM)
  file(WRITE ${suites}.in "if(EXISTS [=[${suites}]=])\n  include([=[${suites}]=])\nelse()\n"
                          "  add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${suites}.in)
endfunction()
