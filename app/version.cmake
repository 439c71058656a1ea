# cmake -DSOURCE=... -DOUT=... -DVERSION=... -P version.cmake: writes version.c, if it changes.
find_package(Git QUIET)
set(git "")
if(GIT_FOUND AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE git OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(git STREQUAL "")
  set(git unknown)
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT [[
#include "app/version.h"

const char app_version[] = "@VERSION@";
const char app_git[] = "@git@";
]] @ONLY)
