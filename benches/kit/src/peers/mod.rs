//! What Holm is compared with: the least that any loop must do, and two loops from the crate registry.

mod agnt;
mod clark;
mod floor;

pub use agnt::Agnt;
pub use clark::Clark;
pub use floor::Floor;
