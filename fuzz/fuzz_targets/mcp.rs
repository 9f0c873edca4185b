//! Frames of MCP, of either side.
#![cfg_attr(fuzzing, no_main)]

holm_fuzz::target!(mcp);
