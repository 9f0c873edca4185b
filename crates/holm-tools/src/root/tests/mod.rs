//! A root that attackers prepared, and what must hold of it.

mod attacks;
mod autorun;
pub(crate) mod corpus;
mod denies;
mod folders;
mod hand;
mod races;
mod replacing;
pub(crate) mod stage;
mod walking;
