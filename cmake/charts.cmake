# SPDX-License-Identifier: Apache-2.0
# Bundles the charting library for the report page: npm ci from the lock file, then vite.  It never fails: where npm is missing or
# has no registry, the script it writes says why, the page then shows tables only and prints that reason.
#
# NPM its path or ""   WEB the folder with package.json   WORK where to build   OUT the script to write   CSS its style sheet
set(reason "")
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
if(NOT NPM)
  set(reason "npm was not there when it was built")
else()
  file(COPY ${WEB}/package.json ${WEB}/package-lock.json ${WEB}/vite.config.js ${WEB}/src DESTINATION ${WORK})
  # without a registry it shall not keep the build waiting
  foreach(step "ci --no-audit --no-fund --ignore-scripts --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-timeout=20000" "run build")
    separate_arguments(words UNIX_COMMAND ${step})
    execute_process(COMMAND ${NPM} ${words} WORKING_DIRECTORY ${WORK} TIMEOUT 180
                    RESULT_VARIABLE rc OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if(NOT rc STREQUAL "0")
      string(REGEX REPLACE " --.*" "" step "${step}")
      set(reason "npm ${step} failed (${rc})")
      message(NOTICE "report page: ${reason}:\n${said}")
      break()
    endif()
  endforeach()
endif()
if(reason)
  message(NOTICE "report page: built without charts: ${reason}")
  file(WRITE ${OUT} "const noCharts = \"${reason}\";\n")
  file(WRITE ${CSS} "")
else()
  configure_file(${WORK}/dist/charts.js ${OUT} COPYONLY)
  configure_file(${WORK}/dist/charts.css ${CSS} COPYONLY)
endif()
