//! Replaces references by secrets, at the last moment and only for a tool that may have them.
//!
//! The allowed needs of the call decide, not the tool and not the text: a reference without a need
//! stays a reference. The result must not be stored, logged or shown. It is called in
//! `tool/containment.rs`; removing secrets again from the output happens there too. Tools that send
//! secrets out themselves insert them on their own (`SecretReveal` in `tool/mod.rs`).

use std::borrow::Cow;

use holm_grants::{AccessRequest, CallNeed, Grant};
use secrecy::ExposeSecret;

use super::{CLOSE, OPEN, SecretRedactor, forms};

impl SecretRedactor {
    /// Inserts named secrets into a call's arguments (canonical JSON), for the names
    /// in its allowed needs.
    ///
    /// Other references are unchanged: the tool then works with the reference itself, which
    /// explains its result. A key that was found by its shape has no name and cannot be inserted.
    ///
    /// ```
    /// use holm_grants::CallNeed;
    /// use holm_runtime::SecretRedactor;
    ///
    /// let secrets = SecretRedactor::new().know("github", "hunter2-hunter2".into());
    /// let arguments = r#"{"token":"‹secret:github›"}"#;
    /// assert_eq!(secrets.reveal(arguments, &[]), arguments);
    ///
    /// let need = CallNeed::Request("secret:github@api.github.com".parse()?);
    /// assert_eq!(secrets.reveal(arguments, &[need]), r#"{"token":"hunter2-hunter2"}"#);
    /// # Ok::<(), holm_grants::GrantError>(())
    /// ```
    pub fn reveal<'a>(&self, arguments: &'a str, needs: &[CallNeed]) -> Cow<'a, str> {
        let mut pieces = arguments.split(OPEN);
        let first = pieces.next().unwrap_or_default();
        if first.len() == arguments.len() || !needs.iter().any(|need| secret_of(need).is_some()) {
            return Cow::Borrowed(arguments);
        }
        let mut out = first.to_owned();
        for segment in pieces {
            let revealed =
                segment.split_once(CLOSE).and_then(|(name, rest)| Some((self.value(name, needs)?, rest)));
            match revealed {
                Some((value, rest)) => {
                    out.push_str(&value);
                    out.push_str(rest);
                }
                None => {
                    out.push_str(OPEN);
                    out.push_str(segment);
                }
            }
        }
        Cow::Owned(out)
    }

    /// The secret of a name, escaped for a JSON string, if a need names it.
    fn value(&self, name: &str, needs: &[CallNeed]) -> Option<String> {
        let known = self.known.iter().find(|known| known.name == name)?;
        let allowed = needs.iter().filter_map(secret_of).any(|allowed| allowed == name);
        allowed.then(|| forms::json(known.value.expose_secret()))
    }
}

/// The name of the secret in a need.
fn secret_of(need: &CallNeed) -> Option<&str> {
    match need {
        CallNeed::Request(AccessRequest::Secret(used)) => Some(used.name.as_str()),
        CallNeed::Grant(Grant::Secret(pattern)) => Some(pattern.name().as_str()),
        CallNeed::Request(_) | CallNeed::Grant(_) => None,
    }
}
