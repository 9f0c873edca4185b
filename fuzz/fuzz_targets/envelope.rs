//! Tool output in its envelope: nothing inside can end it.
#![cfg_attr(fuzzing, no_main)]

holm_fuzz::target!(envelope);
