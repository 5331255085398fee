# SPDX-License-Identifier: Apache-2.0
# Read by CPack once for each kind of package: which components go into it, and where they will lie.
if(CPACK_GENERATOR STREQUAL "TGZ")
  set(CPACK_COMPONENTS_ALL runtime dev bundle)
  set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
  set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
else()
  set(CPACK_COMPONENTS_ALL runtime dev python)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
endif()
