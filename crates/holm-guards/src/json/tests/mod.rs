mod number;
mod object;
mod parse;
pub(crate) mod properties;
mod serde;
mod value;
