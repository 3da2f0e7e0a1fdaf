# Configures examples/embedded and compares the sources and libraries of its sbdl with what it asked for.
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work}/.cmake/api/v1/query)
file(TOUCH ${work}/.cmake/api/v1/query/codemodel-v2)
execute_process(COMMAND ${CMAKE_COMMAND} -S ${source} -B ${work} -G ${generator} -D CMAKE_CXX_COMPILER=${compiler}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

file(GLOB library ${work}/.cmake/api/v1/reply/target-sbdl-*.json)
file(READ ${library} library)
foreach(wanted src/base/eigen_products.cpp src/model/no_model_file.cpp src/signals/no_hdf5_source.cpp
        src/signals/no_mat_reader.cpp)
    if(NOT library MATCHES ${wanted})
        message(SEND_ERROR "the embedded library has no ${wanted}")
    endif()
endforeach()
foreach(unwanted src/images/ src/denoise/ src/inpaint/ src/report/ src/plot/ hdf5_handle.cpp model_file.cpp hdf5_source.cpp
        "/mat5_reader")
    string(REPLACE no_model_file.cpp "" others "${library}")
    string(REPLACE no_hdf5_source.cpp "" others "${others}")
    if(others MATCHES ${unwanted})
        message(SEND_ERROR "the embedded library has ${unwanted}")
    endif()
endforeach()

file(GLOB program ${work}/.cmake/api/v1/reply/target-embedded-*.json)
file(READ ${program} program)
foreach(unwanted png jpeg tiff hdf5 blas libz)
    if(program MATCHES "[^\n]*\"fragment\" *: *\"[^\n]*lib[^\n]*${unwanted}[^\n]*")
        message(SEND_ERROR "the embedded program is linked with ${unwanted}: ${CMAKE_MATCH_0}")
    endif()
endforeach()

# No other target of sbdl: neither its program nor its tests.
file(GLOB targets RELATIVE ${work}/.cmake/api/v1/reply ${work}/.cmake/api/v1/reply/target-*.json)
list(LENGTH targets count)
if(NOT count EQUAL 2)
    message(SEND_ERROR "the embedded project has other targets than embedded and sbdl: ${targets}")
endif()
