# libalfcg_cuda.so, which the library opens when a GPU is asked for, where there is nvcc: compiled for A100s and H100s and what is like them, and as
# PTX for what is newer; CUDA's runtime goes into it. nvcc is called as it is: CMake's own way has to know the version.
find_program(ALFCG_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin /usr/local/cuda/bin DOC "CUDA's compiler; none: no GPUs")
function(alfcg_cuda_library)
  set(flags -std=c++20 -O3 -Xcompiler=-fPIC,-Wall -gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90
    -gencode=arch=compute_90,code=compute_90 -DALFCG_VERSION="${PROJECT_VERSION}" -I${PROJECT_SOURCE_DIR}/include
    -I${PROJECT_SOURCE_DIR}/src)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cuda/*.cu)
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/cuda/${name}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/cuda
      COMMAND ${ALFCG_NVCC} ${flags} -MD -MF ${object}.d -c ${source} -o ${object}
      DEPENDS ${source} DEPFILE ${object}.d COMMENT "Compiling ${name}.cu for GPUs" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(library ${CMAKE_CURRENT_BINARY_DIR}/libalfcg_cuda.so)
  add_custom_command(OUTPUT ${library} COMMAND ${ALFCG_NVCC} -shared -cudart static ${objects} -o ${library} DEPENDS ${objects}
    COMMENT "Linking libalfcg_cuda.so" VERBATIM)
  add_custom_target(alfcg_cuda ALL DEPENDS ${library})
  install(PROGRAMS ${library} DESTINATION ${CMAKE_INSTALL_LIBDIR}/alfcg)
endfunction()
