# Every target of the project compiles with the same strict warnings. They are errors in the presets: other compilers, and other
# ways to compile, may warn of more.
option(ALFCG_WERROR "Warnings are errors" OFF)
function(alfcg_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast -Wduplicated-cond -Wlogical-op)
  if(ALFCG_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 warns of impossible overlaps inside std::string's operator+ (GCC bug 105651).
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    target_compile_options(${target} PRIVATE -Wno-unknown-warning-option)
  endif()
  if(ALFCG_SANITIZE)
    target_link_options(${target} PRIVATE -fsanitize=${ALFCG_SANITIZE})
    target_compile_options(${target} PRIVATE -fsanitize=${ALFCG_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    if(ALFCG_SANITIZE MATCHES "address.*undefined")
      # Where it matters, the address sanitizer sees these too; looking at every pointer takes a third of the time to compile.
      target_compile_options(${target} PRIVATE -fno-sanitize=null,object-size)
    endif()
  endif()
endfunction()
