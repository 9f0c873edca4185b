//! Reads catalogues of models. The package stores their text beside the module.

use alloc::string::String;

use holm_wire::catalogue::{ModelCatalogue, to_kernel};

use crate::{BindingError, BindingErrorKind, text};

/// The kernel's card for a model in a catalogue. The catalogue has the format
/// of `holm-wire`'s own one.
///
/// # Errors
/// [`BindingErrorKind::BadJson`] if the catalogue cannot be parsed or does not contain the model.
pub fn catalogue_model(catalogue: &str, name: &str) -> Result<String, BindingError> {
    let catalogue = ModelCatalogue::parse(catalogue).map_err(BindingError::of(BindingErrorKind::BadJson))?;
    let missing =
        || BindingError::new(BindingErrorKind::BadJson, format_args!("the catalogue has no model {name:?}"));
    Ok(text::json(&to_kernel(catalogue.model(name).ok_or_else(missing)?)))
}
