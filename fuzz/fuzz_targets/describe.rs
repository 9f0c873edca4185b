//! Descriptions by the describe/run protocol.
#![cfg_attr(fuzzing, no_main)]

holm_fuzz::target!(describe);
