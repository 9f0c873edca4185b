//! Encodes text as base64 and decodes it. The smallest guest of the world `holm:tool`: it imports
//! nothing, so it can do nothing but answer, and a call costs little more than making an instance.

use base64::Engine;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, general_purpose};
use guest_kit::{GuestError, GuestToolLevel, GuestParam, GuestTool, ArgumentValues};

/// The declaration of the guest.
pub const TOOL: GuestTool = GuestTool {
    name: "base64",
    about: "Encodes text as base64, or decodes base64 to text",
    keywords: "base64, encode, decode, text",
    level: GuestToolLevel::None,
    params: &[
        GuestParam::position("text", "What to encode or decode"),
        GuestParam::flag("decode", "Decode instead of encode").short('d'),
        GuestParam::flag("url_safe", "Use the alphabet for addresses and file names").short('u'),
    ],
};

/// The author of the text may have left out the padding.
const LENIENT: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);

/// Does the work of one call.
///
/// # Errors
///
/// If the input of a decoding is not base64, or does not decode to text.
pub fn work(values: &ArgumentValues) -> Result<String, GuestError> {
    let text = values.need("text")?;
    let url_safe = values.flag("url_safe");
    if !values.flag("decode") {
        return Ok(if url_safe { URL_SAFE.encode(text) } else { STANDARD.encode(text) });
    }
    let alphabet = if url_safe { base64::alphabet::URL_SAFE } else { base64::alphabet::STANDARD };
    let engine: GeneralPurpose = general_purpose::GeneralPurpose::new(&alphabet, LENIENT);
    let packed: String = text.split_whitespace().collect();
    let bytes =
        engine.decode(packed).map_err(|error| GuestError::failed(format!("this is no base64: {error}")))?;
    String::from_utf8(bytes).map_err(|error| {
        let length = error.as_bytes().len();
        GuestError::failed(format!("it decodes to {length} bytes that are no text"))
    })
}

#[cfg(target_family = "wasm")]
mod export {
    use guest_kit::text::exports::holm::tool::{call, description};

    struct Base64Guest;

    impl call::Guest for Base64Guest {
        fn run(input: String) -> Result<String, String> {
            guest_kit::answer(&super::TOOL, &input, super::work)
        }
    }

    impl description::Guest for Base64Guest {
        fn describe() -> String {
            guest_kit::description(&super::TOOL)
        }
    }

    guest_kit::text::export!(Base64Guest with_types_in guest_kit::text);
}

#[cfg(test)]
mod tests;
