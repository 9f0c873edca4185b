mod number;
mod parse;
pub(crate) mod properties;
mod serde;
mod value;
