//! Catalogues of models, whose text the package keeps beside the module.

use alloc::string::String;

use holm_wire::catalogue::{Catalogue, to_kernel};

use crate::{Fault, FaultKind, text};

/// What the kernel is told of a model in a catalogue (the form of `holm-wire`'s own).
///
/// # Errors
/// [`FaultKind::BadJson`] if the catalogue cannot be read or does not have the model.
pub fn catalogue_model(catalogue: &str, name: &str) -> Result<String, Fault> {
    let catalogue = Catalogue::parse(catalogue).map_err(Fault::of(FaultKind::BadJson))?;
    let missing = || Fault::new(FaultKind::BadJson, format_args!("the catalogue has no model {name:?}"));
    Ok(text::json(&to_kernel(catalogue.model(name).ok_or_else(missing)?)))
}
