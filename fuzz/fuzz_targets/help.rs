//! Help texts: values stay values.
#![cfg_attr(fuzzing, no_main)]

holm_fuzz::target!(help);
