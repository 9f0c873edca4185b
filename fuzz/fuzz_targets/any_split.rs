//! However the bytes of a stream are cut, the turn is the same.
#![cfg_attr(fuzzing, no_main)]

holm_fuzz::target!(any_split);
