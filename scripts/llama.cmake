# Included when llama.cpp's build is configured (see .cargo/config.toml).
#
# Its library "common" serves its own programs: argument parsing, chat templates, downloads. Holm links none of it, but the
# bindings always ask for it, and it takes as long to compile as the rest of llama.cpp.
set(LLAMA_BUILD_COMMON OFF CACHE BOOL "not linked by Holm" FORCE)
