//! Runs parsed scripts.

mod assign;
mod compound;
mod list;
mod redirect;
mod simple;
mod test;
