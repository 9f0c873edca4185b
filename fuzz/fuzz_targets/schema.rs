//! A schema on the first line, a value on the rest.
#![cfg_attr(fuzzing, no_main)]

holm_fuzz::target!(schema);
