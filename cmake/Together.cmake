# alfcg_together(TARGET ROOM...): compiles the files of each room as one, unless ALFCG_TOGETHER is off. Most of what it takes
# to compile a small file is its headers, and templates that its neighbours need too. Names in unnamed namespaces must then
# differ within a room.
function(alfcg_together target)
  if(NOT ALFCG_TOGETHER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(folder "${source}" DIRECTORY)
    get_filename_component(room "${folder}" NAME)
    if(room IN_LIST ARGN)
      set_source_files_properties("${source}" PROPERTIES UNITY_GROUP ${room})
    endif()
  endforeach()
  # GCC takes what is included for a header, whose types should not depend on unnamed namespaces.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

# alfcg_room_option(TARGET OPTION ROOM...): an option to compile the files of these rooms with, after alfcg_together. A file
# with options of its own would be left out of its room: CMake's own file, which includes them all, takes the option then.
function(alfcg_room_option target option)
  get_target_property(sources ${target} SOURCES)
  foreach(room IN LISTS ARGN)
    set(files "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/Unity/unity_${room}_cxx.cxx")
    if(NOT ALFCG_TOGETHER)
      set(files ${sources})
      list(FILTER files INCLUDE REGEX "/src/${room}/")
    endif()
    set_source_files_properties(${files} PROPERTIES COMPILE_OPTIONS "${option}")
  endforeach()
endfunction()
