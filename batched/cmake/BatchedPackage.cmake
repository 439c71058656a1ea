# What `cmake --install` puts down: the library, its headers in include/batched/, the CMake package `batched` and
# batched.pc.
include_guard(GLOBAL)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(BATCHED_PACKAGE_DIR ${CMAKE_CURRENT_LIST_DIR})

# Libraries by name where the linker finds them anyway: no path of this machine gets into what is installed.
function(batched_link_names out)
  set(names)
  foreach(library ${ARGN})
    get_filename_component(folder ${library} DIRECTORY)
    if(folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
      string(REGEX REPLACE "^.*/lib([^/.]*)\\..*$" "\\1" library ${library})
    endif()
    list(APPEND names ${library})
  endforeach()
  list(REMOVE_DUPLICATES names)
  set(${out} ${names} PARENT_SCOPE)
endfunction()

function(batched_install)
  cmake_parse_arguments(PARSE_ARGV 0 i "" "" "HEADERS;LIBRARIES")
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/batched)
  install(TARGETS batched EXPORT batchedTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES ${i_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/batched)
  install(EXPORT batchedTargets NAMESPACE batched:: DESTINATION ${package})
  configure_package_config_file(${BATCHED_PACKAGE_DIR}/batchedConfig.cmake.in batchedConfig.cmake
                                INSTALL_DESTINATION ${package})
  write_basic_package_version_file(batchedConfigVersion.cmake VERSION ${batched_VERSION}
                                   COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/batchedConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/batchedConfigVersion.cmake
          DESTINATION ${package})

  set(libraries)
  foreach(library ${i_LIBRARIES})
    if(IS_ABSOLUTE ${library})
      string(APPEND libraries " ${library}")
    else()
      string(APPEND libraries " -l${library}")
    endif()
  endforeach()
  if(BATCHED_HAVE_CUDA)
    string(APPEND libraries " -L${CUDAToolkit_LIBRARY_DIR} -lcusolver -lcublas -lcudart_static -lstdc++ -lpthread -ldl -lrt")
  endif()
  file(RELATIVE_PATH up_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(${BATCHED_PACKAGE_DIR}/batched.pc.in batched.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/batched.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
