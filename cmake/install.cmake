# SPDX-License-Identifier: Apache-2.0
#
# What `make install` puts under the prefix: executable, header, static and shared library, man page, completions, pkg-config file,
# CMake package and Python module.  Every path in the installed files is relative to the file itself, so a prefix can be moved, and
# `cmake --install build --prefix P` needs no new configuration.
include(CMakePackageConfigHelpers)

# The shared library is the static one linked whole; only ww_* leaves it.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/shared.c CONTENT "/* libwarpwright.so is libwarpwright.a linked whole. */\n")
add_library(warpwright_shared SHARED ${CMAKE_BINARY_DIR}/shared.c)
set_target_properties(warpwright_shared PROPERTIES
  OUTPUT_NAME warpwright
  EXPORT_NAME warpwright
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}
  BUILD_RPATH "$ORIGIN"
  INSTALL_RPATH "$ORIGIN"
  LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/warpwright.map)
target_link_libraries(warpwright_shared PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,warpwright>)
target_link_options(warpwright_shared PRIVATE
  LINKER:--version-script=${CMAKE_SOURCE_DIR}/cmake/warpwright.map LINKER:--no-undefined LINKER:-O1 ${WW_SHIPPED})
target_include_directories(warpwright_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(warpwright PROPERTIES EXPORT_NAME static)

# The man page and the completions come out of the program itself, from options.def.
set(made ${CMAKE_BINARY_DIR}/share)
add_custom_command(
  OUTPUT ${made}/warpwright.1 ${made}/warpwright.bash ${made}/_warpwright ${made}/warpwright.fish
  COMMAND ${CMAKE_COMMAND} -E make_directory ${made}
  COMMAND warpwright_cli help --man > ${made}/warpwright.1
  COMMAND warpwright_cli help --completion bash > ${made}/warpwright.bash
  COMMAND warpwright_cli help --completion zsh > ${made}/_warpwright
  COMMAND warpwright_cli help --completion fish > ${made}/warpwright.fish
  DEPENDS warpwright_cli
  COMMENT "Man page and completions"
  VERBATIM)
add_custom_target(share ALL DEPENDS ${made}/warpwright.1)

set(private_modules jansson)
if(ZSTD_FOUND)
  string(APPEND private_modules " libzstd")
endif()
if(LZ4_FOUND)
  string(APPEND private_modules " liblz4")
endif()
string(REPLACE "lib" "" private_libs "-l${private_modules}") # not Requires.private: pkg-config wants the files of those even for a shared library
string(REPLACE " " " -l" private_libs "${private_libs}")
file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" up "${up}")
configure_file(cmake/warpwright.pc.in ${CMAKE_BINARY_DIR}/warpwright.pc @ONLY)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/warpwright)
configure_package_config_file(cmake/warpwrightConfig.cmake.in ${CMAKE_BINARY_DIR}/warpwrightConfig.cmake
  INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/warpwrightConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS warpwright_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
install(TARGETS warpwright_shared EXPORT warpwright LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev)
install(TARGETS warpwright EXPORT warpwright_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
install(EXPORT warpwright NAMESPACE warpwright:: FILE warpwrightTargets.cmake DESTINATION ${package} COMPONENT dev)
install(EXPORT warpwright_static NAMESPACE warpwright:: FILE warpwrightStatic.cmake DESTINATION ${package} COMPONENT dev)
install(FILES ${CMAKE_BINARY_DIR}/warpwrightConfig.cmake ${CMAKE_BINARY_DIR}/warpwrightConfigVersion.cmake DESTINATION ${package} COMPONENT dev)
install(FILES ${CMAKE_BINARY_DIR}/warpwright.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
install(DIRECTORY include/warpwright DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
install(FILES ${made}/warpwright.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime)
install(FILES ${made}/warpwright.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME warpwright COMPONENT runtime)
install(FILES ${made}/_warpwright DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT runtime)
install(FILES ${made}/warpwright.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT runtime)
# Python's folder depends on the prefix: Debian's own python3 reads /usr/lib/python3/dist-packages, and under another prefix that of its version.
set(WW_PYTHON_DIR "" CACHE STRING "where the Python module is installed, under the prefix; \"\": where the system's python3 looks")
execute_process(COMMAND /usr/bin/python3 -c "import sys, sysconfig; print('%d.%d;%s' % (*sys.version_info[:2], 'deb_system' in sysconfig.get_scheme_names()))"
  OUTPUT_VARIABLE python_is OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT python_is)
  set(python_is "3;False")
endif()
list(GET python_is 0 python_version)
list(GET python_is 1 python_debian)
install(CODE "
  set(to \"${WW_PYTHON_DIR}\")
  if(NOT to AND \"${python_debian}\" STREQUAL True AND CMAKE_INSTALL_PREFIX MATCHES \"/usr$\")
    set(to lib/python3/dist-packages)
  elseif(NOT to AND \"${python_debian}\" STREQUAL True)
    set(to lib/python${python_version}/dist-packages)
  elseif(NOT to)
    set(to lib/python${python_version}/site-packages)
  endif()
  file(INSTALL \"${CMAKE_SOURCE_DIR}/python/warpwright\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/\${to}\"
       FILES_MATCHING PATTERN \"*.py\" PATTERN py.typed PATTERN __pycache__ EXCLUDE)" COMPONENT python)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN data EXCLUDE PATTERN schema EXCLUDE)
install(DIRECTORY docs/schema DESTINATION ${CMAKE_INSTALL_DATADIR}/warpwright COMPONENT runtime)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime PATTERN CMakeLists.txt EXCLUDE)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
include(cmake/package.cmake)
