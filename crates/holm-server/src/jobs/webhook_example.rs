//! Shows how a job is started by a message: the address, and a command that sends one.

use super::JobId;
use crate::auth::UserName;

/// The path of a job's webhook, below the address of the server.
pub fn hook_path(user: &UserName, job: &JobId) -> String {
    format!("/hooks/{user}/{job}")
}

/// A shell command that sends a signed message to a webhook. `$KEY` is the key of the job. The
/// signature is GitHub's, because a shell can make it in one line.
pub fn hook_command(url: &str) -> String {
    format!(
        "BODY='{{\"text\":\"hello\"}}'; curl -X POST '{url}' -H 'content-type: application/json' \
         -H \"x-hub-signature-256: sha256=$(printf %s \"$BODY\" | openssl dgst -sha256 -hmac \"$KEY\" -r \
         | cut -d' ' -f1)\" -d \"$BODY\""
    )
}
