//! What a terminal is given to show.
#![cfg_attr(fuzzing, no_main)]

holm_fuzz::target!(terminal);
