//! Journals: any bytes, and sound ones that were damaged.
#![cfg_attr(fuzzing, no_main)]

holm_fuzz::target!(journal);
