# SPDX-License-Identifier: Apache-2.0
# Compiles one kernel file to PTX and writes a C file that defines the KernelText SYMBOL (src/lab/kernels.h).
# When the compiler is missing or fails, the KernelText carries the reason, and this script still succeeds: the build
# goes on and the lab names the kernels that are missing.
#
# COMPILER nvcc|clang   PROGRAM its path   COMMAND its arguments separated by |   FILE the kernel, relative to ROOT
# PTX and OUT the files to write
set(reason "")
set(text "")
file(REMOVE ${PTX})
get_filename_component(folder ${PTX} DIRECTORY)
file(MAKE_DIRECTORY ${folder})
if(NOT PROGRAM)
  set(reason "${COMPILER} is not on this machine")
else()
  string(REPLACE "|" ";" COMMAND "${COMMAND}")
  execute_process(COMMAND ${COMMAND} ${FILE} -o ${PTX} WORKING_DIRECTORY ${ROOT}
                  RESULT_VARIABLE rc OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT rc STREQUAL "0" OR NOT EXISTS ${PTX})
    string(STRIP "${said}" said)
    string(SUBSTRING "${said}" 0 2000 said)
    set(reason "${COMPILER} failed (${rc}): ${said}")
  else()
    file(READ ${PTX} text)
    string(REPLACE "\"${ROOT}/" "\"" text "${text}")
    file(WRITE ${PTX} "${text}")
  endif()
endif()
if(reason)
  message(NOTICE "kernels: ${FILE} is not built: ${reason}")
endif()

function(c_string value out)
  string(REPLACE "\\" "\\\\" value "${value}")
  string(REPLACE "\"" "\\\"" value "${value}")
  string(REPLACE "\r" "" value "${value}")
  string(REPLACE "\t" "\\t" value "${value}")
  string(REPLACE "\n" "\\n\"\n\"" value "${value}")
  set(${out} "\"${value}\"" PARENT_SCOPE)
endfunction()
c_string("${text}" ptx_literal)
c_string("${reason}" reason_literal)
if(reason)
  set(fields "    .reason = ${reason_literal},\n")
else()
  set(fields "    .ptx = text,\n    .len = sizeof text - 1,\n")
endif()
set(code "/* Generated from ${FILE} by kernels/embed.cmake. */\n#include \"lab/kernels.h\"\n")
if(NOT reason)
  string(APPEND code "static const char text[] =\n${ptx_literal};\n")
endif()
string(APPEND code "extern const KernelText ${SYMBOL};\nconst KernelText ${SYMBOL} = {\n    .file = \"${FILE}\",\n"
       "    .compiler = \"${COMPILER}\",\n${fields}};\n")
file(WRITE ${OUT} "${code}")
