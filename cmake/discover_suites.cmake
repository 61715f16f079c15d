# Writes the entries of ctest for one test program: one for each suite, since each process takes
# half a second to load LibTorch. Run by yoke_discover_suites() with PROGRAM, SOURCES (a folder),
# LABEL, APART and OUTPUT.
#
# A skip must be seen as one, so what may skip does not hide among what runs. A test with GTEST_SKIP
# has an entry of its own, as all of a file have that has it elsewhere; a fixture with it skips for
# its parameter, whose tests are one entry.
cmake_minimum_required(VERSION 3.25)

# Sets `skipping` to the tests (Suite.Test) and fixtures (Suite) that have GTEST_SKIP.
set(skipping)
file(GLOB files ${SOURCES}/*_test.cpp)
foreach(file IN LISTS files)
  set(where)
  set(tests)
  set(anywhere FALSE)
  file(STRINGS ${file} lines REGEX "^TEST(_F|_P)?\\(|^(class|struct) |^}|GTEST_SKIP")
  foreach(line IN LISTS lines)
    if(line MATCHES "^TEST[_FP]*\\(([A-Za-z0-9_]+), *([A-Za-z0-9_]+)\\)")
      set(where ${CMAKE_MATCH_1}.${CMAKE_MATCH_2})
      list(APPEND tests ${where})
    elseif(line MATCHES "^(class|struct) ([A-Za-z0-9_]+)")
      set(where ${CMAKE_MATCH_2})
    endif()
    if(line MATCHES "GTEST_SKIP")
      if(NOT where)
        set(anywhere TRUE)
      endif()
      list(APPEND skipping ${where})
    elseif(line MATCHES "^}|}$")
      set(where)
    endif()
  endforeach()
  if(anywhere)
    list(APPEND skipping ${tests})
  endif()
endforeach()

execute_process(COMMAND ${PROGRAM} --gtest_list_tests
                OUTPUT_VARIABLE listed ERROR_VARIABLE errors RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests ended with ${status}:\n${listed}${errors}")
endif()
string(REGEX REPLACE "[ \t]*#[^\n]*" "" listed "${listed}")
string(REPLACE "\n" ";" lines "${listed}")

# Sets `filters`, one for an entry, and `less_SUITE`: what others take out of SUITE.*.
set(filters)
foreach(line IN LISTS lines)
  if(line MATCHES "^([^ ]+)\\.$")
    set(suite ${CMAKE_MATCH_1})
    string(REGEX REPLACE "^[^/]*/([^/]+)$" "\\1" fixture ${suite})
  elseif(line MATCHES "^  ([^ /]+)(/.*)?$")
    set(test "${CMAKE_MATCH_1}${CMAKE_MATCH_2}")
    if(APART OR "${fixture}.${CMAKE_MATCH_1}" IN_LIST skipping)
      set(filter "${suite}.${test}")
      string(REGEX REPLACE "/.*" "/*" each "${test}")
      list(APPEND less_${suite} "${suite}.${each}")
    elseif(fixture IN_LIST skipping AND CMAKE_MATCH_2)
      set(filter "${suite}.*${CMAKE_MATCH_2}")
    else()
      set(filter "${suite}.*")
    endif()
    list(APPEND filters ${filter})
  endif()
endforeach()
list(REMOVE_DUPLICATES filters)

set(cost)
if(APART)
  set(cost "COST 30")  # first, so that no processor waits for the last of them
endif()
set(entries)
foreach(filter IN LISTS filters)
  string(REGEX REPLACE "\\.\\*$" "" suite ${filter})
  list(REMOVE_DUPLICATES less_${suite})
  list(JOIN less_${suite} ":" less)
  if(less)
    string(PREPEND less "-")
  endif()
  string(APPEND entries "add_test([=[${filter}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${filter}${less}]=])\n"
    "set_tests_properties([=[${filter}]=] PROPERTIES LABELS [=[${LABEL}]=] ${cost}\n"
    "  SKIP_REGULAR_EXPRESSION [=[PASSED  \\] 0 tests\\.\n(\\[  SKIPPED \\][^\n]*\n)+$]=]\n"
    "  FAIL_REGULAR_EXPRESSION [=[PASSED  \\] [1-9][^\n]*\n\\[  SKIPPED]=])\n")
endforeach()
file(WRITE ${OUTPUT} "${entries}")
