# alfcg_embed_text(HEADER NAMESPACE FILE...): writes HEADER, which defines for each text file NAME.EXT the constant
# NAMESPACE::NAME_EXT, a std::string_view. Written again (by configuring again) whenever one of the files changes.
function(alfcg_embed_text header namespace)
  set(code "// Generated from the files of the same names; do not edit.\n#pragma once\n\n#include <string_view>\n\n")
  string(APPEND code "namespace ${namespace} {\n")
  foreach(file IN LISTS ARGN)
    get_filename_component(path "${file}" ABSOLUTE)
    get_filename_component(name "${file}" NAME)
    string(MAKE_C_IDENTIFIER "${name}" name)
    file(READ "${path}" text)
    string(APPEND code "\ninline constexpr std::string_view ${name} = R\"embedded_text(${text})embedded_text\";\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
  endforeach()
  string(APPEND code "\n}  // namespace ${namespace}\n")
  # A header that did not change keeps its time, so that nothing is compiled again.
  file(WRITE "${header}.new" "${code}")
  file(COPY_FILE "${header}.new" "${header}" ONLY_IF_DIFFERENT)
endfunction()
