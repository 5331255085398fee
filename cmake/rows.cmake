# SPDX-License-Identifier: Apache-2.0
#
# The rows of isa.def by kind, each kind in a file of its own: ISA -> OUT/{lane1,lane2,lane3,conv,pred,hand}.def.  A file that comes out
# as it was keeps its time, so that a new row compiles the handlers of its kind again and no others.
#   cmake -DISA=src/ptx/isa.def -DOUT=folder -P rows.cmake
set(lane1 LANE1)
set(lane2 "LANE2|WIDE2")
set(lane3 "LANE3|WIDE3")
set(conv CONV)
set(pred "PRED1|PRED2|MASK1|MASK2|MASK3")
set(hand HAND)
file(READ ${ISA} text)
string(REPLACE ";" "<semicolon>" text "${text}") # it would divide a list
foreach(file lane1 lane2 lane3 conv pred hand)
  string(REGEX MATCHALL "\n(${${file}})\\([^\n]*" rows "${text}")
  list(JOIN rows "" rows)
  string(REPLACE "<semicolon>" ";" rows "${rows}")
  string(REGEX REPLACE "([A-Z0-9]+)\\|?" "#undef \\1\n" undefs "${${file}}")
  file(WRITE ${OUT}/${file}.new "/* Made from isa.def by cmake/rows.cmake. */${rows}\n${undefs}")
  file(COPY_FILE ${OUT}/${file}.new ${OUT}/${file}.def ONLY_IF_DIFFERENT)
  file(REMOVE ${OUT}/${file}.new)
endforeach()
