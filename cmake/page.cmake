# SPDX-License-Identifier: Apache-2.0
# Puts the report page together and writes it as a C file: index.html with the style, the charts and the scripts in place of their
# marks.  The mark of the data stays; the report writer fills it in.
#
# PAGE the folder with index.html   CHARTS CSS what charts.cmake wrote   OUT the C file   HTML the page, to be looked at
file(READ ${PAGE}/index.html page)
file(READ ${PAGE}/style.css style)
file(READ ${CSS} chart_style)
file(READ ${CHARTS} charts)
set(script "")
foreach(part data dom picture sections main)
  file(READ ${PAGE}/${part}.js text)
  string(APPEND script "${text}")
endforeach()
string(REPLACE "/*STYLE*/" "${chart_style}${style}" page "${page}")
string(REPLACE "/*CHARTS*/" "${charts}" page "${page}")
string(REPLACE "/*PAGE*/" "${script}" page "${page}")
file(WRITE ${HTML} "${page}")
file(READ ${HTML} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUT} "/* Generated from web/ by cmake/page.cmake. */\n#include \"report/page.h\"\n"
     "const unsigned char page_template[] = {\n${bytes}\n};\nconst size_t page_template_bytes = sizeof page_template;\n")
