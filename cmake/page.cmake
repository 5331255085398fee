# SPDX-License-Identifier: Apache-2.0
# Puts a page together and writes it as a C file: index.html with the styles, the charts, the model and the scripts in place of their marks.
# The mark of the data stays; the report writer fills it in.
#
# INDEX the page   STYLES SCRIPTS lists of files, in order   CHARTS WASM files, or ""   NAME of the bytes   OUT the C file   HTML the page, to be looked at
file(READ ${INDEX} page)
set(style "")
foreach(part ${STYLES})
  file(READ ${part} text)
  string(APPEND style "${text}")
endforeach()
set(script "")
foreach(part ${SCRIPTS})
  file(READ ${part} text)
  string(APPEND script "${text}")
endforeach()
set(charts "")
if(CHARTS)
  file(READ ${CHARTS} charts)
endif()
set(wasm "")
if(WASM AND EXISTS ${WASM})
  execute_process(COMMAND base64 -w0 ${WASM} OUTPUT_VARIABLE wasm)
endif()
string(REPLACE "/*STYLE*/" "${style}" page "${page}")
string(REPLACE "/*CHARTS*/" "${charts}" page "${page}")
string(REPLACE "/*WASM*/" "${wasm}" page "${page}")
string(REPLACE "/*PAGE*/" "${script}" page "${page}")
file(WRITE ${HTML} "${page}")
file(READ ${HTML} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUT} "/* Generated from web/ by cmake/page.cmake. */\n#include \"report/page.h\"\n"
     "const unsigned char ${NAME}_template[] = {\n${bytes}\n};\nconst size_t ${NAME}_template_bytes = sizeof ${NAME}_template;\n")
