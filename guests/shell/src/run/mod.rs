//! Runs what the grammar read.

mod assign;
mod compound;
mod list;
mod redirect;
mod simple;
mod test;
