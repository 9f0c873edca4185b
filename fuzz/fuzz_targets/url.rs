//! URLs and addresses, against what browsers do.
#![cfg_attr(fuzzing, no_main)]

holm_fuzz::target!(url);
