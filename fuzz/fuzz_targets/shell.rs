//! Shell scripts and the rules about them.
#![cfg_attr(fuzzing, no_main)]

holm_fuzz::target!(shell);
