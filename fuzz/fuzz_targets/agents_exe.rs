//! Agents of agents-exe.
#![cfg_attr(fuzzing, no_main)]

holm_fuzz::target!(agents_exe);
