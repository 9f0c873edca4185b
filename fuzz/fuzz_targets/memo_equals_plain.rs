//! A remembered frame must be read as the parser would read it.
#![cfg_attr(fuzzing, no_main)]

holm_fuzz::target!(memo_equals_plain);
