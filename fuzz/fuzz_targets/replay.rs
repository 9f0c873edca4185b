//! Any facts in any order: no panic, and a replay that ends in the same state.
#![cfg_attr(fuzzing, no_main)]

holm_fuzz::target!(replay);
