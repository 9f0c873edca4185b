//! Command shapes that have fooled others, each by name, and what a person's answers come to.

mod command_family;
mod corpus;
mod family;
mod gate;
mod proxy;
mod runners;
