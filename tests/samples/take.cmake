# Takes the samples of CONTRIBUTING.md: their files, and the lines of .def files, which stand alone
# here. SOURCE: the source tree. OUTPUT: a folder that gets them by the same paths.

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

foreach(path IN ITEMS yoke/models/small_cnn.cpp yoke/models/models.def
                      yoke/optim/optimizers/signum.cpp yoke/optim/optimizers.def)
  take(${path} text)
  file(WRITE ${OUTPUT}/${path} "${text}")
endforeach()
