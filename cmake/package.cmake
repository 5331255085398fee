# SPDX-License-Identifier: Apache-2.0
#
# What `make packages` makes in build/packages, from the components of install.cmake:
#   warpwright, libwarpwright-dev, python3-warpwright   .deb, for the Debian or Ubuntu that they were built on, or a later one
#   warpwright-<version>-linux-<processor>.tar.gz        all of it in one folder that may lie anywhere, with the libraries that it needs
# tools/packages_try tries them on a bare Debian.  Release builds are stripped: nobody debugs warpwright with what is installed.
set(CPACK_PACKAGE_NAME warpwright)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "warpwright's authors <warpwright@users.noreply.github.com>")
set(CPACK_PACKAGE_VENDOR warpwright)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGE_FILE_NAME warpwright-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_THREADS 0)
set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/cmake/package_kind.cmake) # which components go where

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR} ${CMAKE_BINARY_DIR}/lib/warpwright)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME warpwright)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "clang, libblas3, libfftw3-single3, libfftw3-double3, libcxsparse3, libdw1")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "CUDA kernels without a GPU: faults, counters, cost of each access
 Runs CUDA programs on an emulator of PTX.  With clang it also compiles .cu files and runs kernels as native code;
 with BLAS and FFTW programs that call cuBLAS and cuFFT run.")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libwarpwright-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "warpwright (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "libjansson-dev, libzstd-dev, liblz4-dev")
set(CPACK_COMPONENT_DEV_DESCRIPTION "warpwright's C library: headers, static library, CMake package and pkg-config file")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-warpwright)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.9), warpwright (>= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS python3-numpy)
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "warpwright's Python module")

# In the tarball alone: the Python module in a folder without a version's name, and the libraries that not every system has, with their licences.
install(DIRECTORY python/warpwright DESTINATION python COMPONENT bundle EXCLUDE_FROM_ALL
  FILES_MATCHING PATTERN "*.py" PATTERN py.typed PATTERN __pycache__ EXCLUDE)
install(CODE "
  file(GET_RUNTIME_DEPENDENCIES EXECUTABLES \"$<TARGET_FILE:warpwright_cli>\" LIBRARIES \"$<TARGET_FILE:warpwright_cuda>\"
       RESOLVED_DEPENDENCIES_VAR needed PRE_EXCLUDE_REGEXES \"^(ld-linux|libc\\\\.|libm\\\\.|libdl\\\\.|libpthread\\\\.|librt\\\\.|libgcc_s|libz\\\\.|libwarpwright)\")
  foreach(library \${needed})
    file(INSTALL \${library} DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\" FOLLOW_SYMLINK_CHAIN)
    get_filename_component(name \${library} NAME)
    execute_process(COMMAND dpkg-query -S \"*/\${name}\" OUTPUT_VARIABLE owner)
    string(REGEX REPLACE \"[:,].*\" \"\" owner \"\${owner}\")
    file(INSTALL /usr/share/doc/\${owner}/copyright DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/licences\" RENAME \${owner})
  endforeach()" COMPONENT bundle EXCLUDE_FROM_ALL)
include(CPack)
