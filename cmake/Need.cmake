# alfcg_need(DEBIAN_PACKAGE NAME ARGUMENTS...): find_package(NAME ARGUMENTS...). alfcg_need_all() then names all that are missing, and
# how to get them: whoever runs `pip install` sees no more than the last lines.
set(ALFCG_MISSING "")
macro(alfcg_need debian name)
  find_package(${name} ${ARGN} QUIET)
  if(NOT ${name}_FOUND)
    list(APPEND ALFCG_MISSING ${debian})
  endif()
endmacro()

function(alfcg_need_all)
  if(ALFCG_MISSING)
    list(JOIN ALFCG_MISSING " " names)
    message(FATAL_ERROR "alfcg is compiled against C++ libraries that are not here. In Debian's names: ${names}\n"
      "As root: apt-get install ${names} (or run tools/setup in the sources of alfcg).")
  endif()
endfunction()
