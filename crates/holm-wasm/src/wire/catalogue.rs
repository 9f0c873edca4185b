//! Reads catalogues of models. The package stores their text beside the module.

use alloc::string::String;

use holm_wire::catalogue::{Catalogue, to_kernel};

use crate::{Fault, FaultKind, text};

/// The kernel's card for a model in a catalogue. The catalogue has the format
/// of `holm-wire`'s own one.
///
/// # Errors
/// [`FaultKind::BadJson`] if the catalogue cannot be parsed or does not contain the model.
pub fn catalogue_model(catalogue: &str, name: &str) -> Result<String, Fault> {
    let catalogue = Catalogue::parse(catalogue).map_err(Fault::of(FaultKind::BadJson))?;
    let missing = || Fault::new(FaultKind::BadJson, format_args!("the catalogue has no model {name:?}"));
    Ok(text::json(&to_kernel(catalogue.model(name).ok_or_else(missing)?)))
}
