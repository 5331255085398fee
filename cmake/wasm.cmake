# SPDX-License-Identifier: Apache-2.0
# Compiles the access model to WebAssembly, where clang, lld and wasi-libc are (Debian: lld, wasi-libc, libclang-rt-14-dev-wasm32).  It never fails:
# without them the file is empty, and the page shows what was computed when it was written.
#
# CLANG its path or ""   ROOT the source folder   OUT the module
file(WRITE ${OUT} "")
if(NOT CLANG)
  message(NOTICE "access page: built without the model: no clang was there")
  return()
endif()
file(GLOB model ${ROOT}/src/model/*.c)
list(FILTER model EXCLUDE REGEX "limits|occupancy|time|profile_file")
execute_process(
  COMMAND ${CLANG} --target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi -O2 -mexec-model=reactor -std=c17 -D_GNU_SOURCE -w
          -I${ROOT}/src -I${ROOT}/include ${ROOT}/web/access/calculator.c ${model} ${ROOT}/src/base/expr.c ${ROOT}/src/base/nearest.c
          ${ROOT}/src/base/str.c ${ROOT}/src/base/arena.c -Wl,--gc-sections -Wl,--strip-all -o ${OUT}.new
  RESULT_VARIABLE rc OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(rc STREQUAL "0")
  file(RENAME ${OUT}.new ${OUT})
else()
  string(REGEX REPLACE "\n.*" "" said "${said}")
  message(NOTICE "access page: built without the model: ${said}")
endif()
