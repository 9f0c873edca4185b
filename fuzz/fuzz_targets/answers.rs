//! What a name server answers, against what is then connected to.
#![cfg_attr(fuzzing, no_main)]

holm_fuzz::target!(answers);
