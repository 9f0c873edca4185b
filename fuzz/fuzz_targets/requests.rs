//! Requests as clients send them to a server of ours, in every format.
#![cfg_attr(fuzzing, no_main)]

holm_fuzz::target!(requests);
