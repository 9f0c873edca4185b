# Included when llama.cpp's build is configured (see .cargo/config.toml).
#
# Its library "common" serves its own programs: argument parsing, chat templates, downloads. Holm links none of it, but the
# bindings always ask for it, and it takes as long to compile as the rest of llama.cpp.
set(LLAMA_BUILD_COMMON OFF CACHE BOOL "not linked by Holm" FORCE)

# Its library "llama" knows 150 kinds of models and computes nothing itself, ggml does: it is joined into few units, and optimised
# only a little where nobody hands the program out. The target does not exist yet, so this waits until the whole project was read;
# cmake before 3.19 cannot wait.
if(CMAKE_CURRENT_SOURCE_DIR STREQUAL CMAKE_SOURCE_DIR AND NOT CMAKE_VERSION VERSION_LESS 3.19)
    cmake_language(DEFER CALL set_target_properties llama PROPERTIES UNITY_BUILD_BATCH_SIZE 40)
    if(UNIX AND "$ENV{PROFILE}" STREQUAL "debug")
        cmake_language(DEFER CALL target_compile_options llama PRIVATE -O1)
    endif()
endif()

# What was compiled before is taken from the user's cache. ccache and its like, where they are installed, are used by llama.cpp itself.
find_program(HOLM_COMPILER_CACHE NAMES ccache sccache)
if(UNIX AND NOT HOLM_COMPILER_CACHE AND CMAKE_SOURCE_DIR MATCHES "/registry/src/")
    set(CMAKE_C_COMPILER_LAUNCHER "${CMAKE_CURRENT_LIST_DIR}/cached-compiler" "${CMAKE_BINARY_DIR}")
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_CURRENT_LIST_DIR}/cached-compiler" "${CMAKE_BINARY_DIR}")
endif()
