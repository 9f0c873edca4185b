//! An agent runtime. This crate holds no code of its own: it gathers what a program needs to run agents.
