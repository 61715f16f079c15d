# Adds the samples to the plug-ins: those of CONTRIBUTING.md, whose files it takes out of it, and those
# of this folder. SOURCE: the source tree. OUTPUT: a folder that gets the files of CONTRIBUTING.md, and
# every .def file with the line of its sample, by the same paths.

file(READ ${SOURCE}/CONTRIBUTING.md document)

# The block of code that follows the path of a file.
function(take path variable)
  set(begin "`${path}`:\n\n```cpp\n")
  string(FIND "${document}" "${begin}" from)
  if(from EQUAL -1)
    message(FATAL_ERROR "CONTRIBUTING.md has no block of code for ${path}")
  endif()
  string(LENGTH "${begin}" length)
  math(EXPR from "${from} + ${length}")
  string(SUBSTRING "${document}" ${from} -1 rest)
  string(FIND "${rest}" "```" length)
  string(SUBSTRING "${rest}" 0 ${length} text)
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# Writes a .def file of the source tree with one more line.
function(add path line)
  file(READ ${SOURCE}/${path} lines)
  file(WRITE ${OUTPUT}/${path} "${lines}${line}")
endfunction()

foreach(path IN ITEMS yoke/models/small_cnn.cpp yoke/optim/optimizers/signum.cpp)
  take(${path} text)
  file(WRITE ${OUTPUT}/${path} "${text}")
endforeach()
foreach(path IN ITEMS yoke/models/models.def yoke/optim/optimizers.def)
  take(${path} line)
  add(${path} "${line}")
endforeach()
file(GLOB_RECURSE files RELATIVE ${CMAKE_CURRENT_LIST_DIR} ${CMAKE_CURRENT_LIST_DIR}/yoke/*.def)
foreach(path IN LISTS files)
  file(READ ${CMAKE_CURRENT_LIST_DIR}/${path} line)
  add(${path} "${line}")
endforeach()
