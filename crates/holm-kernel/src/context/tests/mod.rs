//! Tests of the view, from one message's weight to random transcripts.

mod estimate;
mod overflow;
mod plan;
mod properties;
mod retained;
mod sealed;
mod summary;
mod teller;
mod work;
