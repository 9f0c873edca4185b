//! Paths in the folder of the file tools: they lead to a file in there or nowhere.
#![cfg_attr(fuzzing, no_main)]

holm_fuzz::target!(root);
