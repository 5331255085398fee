# SPDX-License-Identifier: Apache-2.0
# The body of the test install.consumers; variables: see CMakeLists.txt beside it.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE out ERROR_VARIABLE out RESULT_VARIABLE rc)
  if(NOT rc STREQUAL "0")
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "${line}\nended with ${rc}:\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

function(expect what)
  if(NOT out MATCHES "${what}")
    message(FATAL_ERROR "expected \"${what}\" in:\n${out}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK}/first ${WORK}/moved ${WORK}/pc ${WORK}/cm)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
file(RENAME ${WORK}/first ${WORK}/moved) # nothing may remember where it was installed
set(prefix ${WORK}/moved)
foreach(file bin/warpwright include/warpwright/warpwright.h ${LIBDIR}/libwarpwright.a ${LIBDIR}/libwarpwright.so
        ${LIBDIR}/libwarpwright.so.0 share/man/man1/warpwright.1 share/bash-completion/completions/warpwright
        share/zsh/site-functions/_warpwright share/fish/vendor_completions.d/warpwright.fish)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "not installed: ${file}")
  endif()
endforeach()
run(${prefix}/bin/warpwright --version)
expect("^warpwright ${VERSION}\n$")
file(READ ${prefix}/share/man/man1/warpwright.1 out)
expect("warpwright access.*offsets")

run(${prefix}/bin/warpwright rules leak)
expect("see ${prefix}/share/doc/warpwright/rules/leak.md\n$")
foreach(file share/doc/warpwright/rules/leak.md share/doc/warpwright/python.md share/doc/warpwright/examples/saxpy.c share/warpwright/schema/run.schema.json)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "not installed: ${file}")
  endif()
endforeach()

# only ww_* leaves the shared library
run(nm -D --defined-only ${prefix}/${LIBDIR}/libwarpwright.so.0)
string(REGEX REPLACE "[0-9a-f]+ [A-Z] (ww_[a-z_]+(@@WARPWRIGHT_0)?|WARPWRIGHT_0)\n" "" rest "${out}")
if(rest)
  message(FATAL_ERROR "the shared library exports more than ww_*:\n${rest}")
endif()
run(objdump -p ${prefix}/${LIBDIR}/libwarpwright.so.0)
expect("SONAME +libwarpwright.so.0\n")

# The kernels' texts stand once and compressed: 22 MB for the executable and the libraries that it opens, debug information and all.
set(bytes 0)
foreach(file bin/warpwright ${LIBDIR}/libwarpwright.so ${LIBDIR}/libwarpwright-kernels-lab.so.0 ${LIBDIR}/libwarpwright-kernels-matrix.so.0)
  file(REAL_PATH ${prefix}/${file} real)
  file(SIZE ${real} size)
  math(EXPR bytes "${bytes} + ${size}")
endforeach()
if(PACKED AND bytes GREATER 22000000)
  message(FATAL_ERROR "executable and libraries take ${bytes} bytes")
endif()
foreach(store lab matrix)
  run(nm -D --defined-only ${prefix}/${LIBDIR}/libwarpwright-kernels-${store}.so.0)
  expect("^[0-9a-f]+ [A-Z] ww_kernel_texts\n$")
endforeach()

# pkg-config, shared and static
file(MAKE_DIRECTORY ${WORK}/pc)
set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
set(ENV{LD_LIBRARY_PATH} ${prefix}/${LIBDIR})
run(${PKG_CONFIG} --cflags --libs warpwright)
separate_arguments(flags UNIX_COMMAND "${out}")
run(${CC} -std=c17 -Wall -Wextra -Werror ${HERE}/consumer/main.c ${flags} -o ${WORK}/pc/main)
run(${WORK}/pc/main)
expect("^${VERSION} 1 4\n$")
foreach(example saxpy product) # they stand on the installed headers alone
  run(${CC} -std=c17 -Wall -Wextra -Werror ${HERE}/../../examples/${example}.c ${flags} -o ${WORK}/pc/${example})
  run(${WORK}/pc/${example})
endforeach()

# the Python module finds the library beside it
if(PYTHON)
  file(GLOB module ${prefix}/lib/python3*/*-packages)
  if(NOT EXISTS ${module}/warpwright/py.typed)
    message(FATAL_ERROR "not installed: warpwright/py.typed under lib/python3.*/*-packages")
  endif()
  set(ENV{PYTHONPATH} ${module})
  set(ENV{LD_LIBRARY_PATH})
  run(${PYTHON} -c "print(__import__('warpwright').version(), __import__('warpwright').rungs('gemm')[0])")
  expect("^${VERSION} naive\n$")
  set(ENV{LD_LIBRARY_PATH} ${prefix}/${LIBDIR})
endif()

# find_package
run(${CMAKE_COMMAND} -S ${HERE}/consumer -B ${WORK}/cm -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_C_COMPILER=${CC})
run(${CMAKE_COMMAND} --build ${WORK}/cm)
foreach(kind shared static)
  run(${WORK}/cm/main_${kind})
  expect("^${VERSION} 1 4\n$")
endforeach()

# the shared library needs no header but its own: without any pkg-config file
file(REMOVE_RECURSE ${WORK}/bare)
set(ENV{PKG_CONFIG_LIBDIR} ${WORK}/none)
set(ENV{PKG_CONFIG_PATH})
run(${CMAKE_COMMAND} -S ${HERE}/consumer -B ${WORK}/bare -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_C_COMPILER=${CC})
run(${CMAKE_COMMAND} --build ${WORK}/bare)
run(${WORK}/bare/main_shared)
expect("^${VERSION} 1 4\n$")
if(EXISTS ${WORK}/bare/main_static)
  message(FATAL_ERROR "there is a static library without what it stands on")
endif()
