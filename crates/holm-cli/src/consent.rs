//! Asks a user to confirm the content that they were shown, by its hash: at the terminal, or by
//! `--yes HASH`. It stores no trust: the commands that ask do (`commands/config.rs`,
//! `commands/hooks.rs`, `commands/tool/trust.rs`), in the record of
//! `holm-tools/src/trust/ledger.rs`. Approvals of calls are asked in `approve/`.

use std::collections::BTreeSet;

use holm_tools::trust::ContentHash;

use crate::{
    exit::{CommandError, CommandExit},
    screen::TerminalOutput,
};

/// A question that asks for consent.
pub(crate) struct ConsentQuestion<'a> {
    /// The command that asks, as the user types it.
    pub(crate) command: &'a str,
    pub(crate) words: &'a str,
}

impl ConsentQuestion<'_> {
    /// Whether a person says yes: by naming everything that was shown, or at the terminal.
    ///
    /// # Errors
    /// Where something else was named than what lies there.
    pub(crate) fn ask(
        &self,
        yes: &BTreeSet<ContentHash>,
        hashes: &BTreeSet<ContentHash>,
        screen: &TerminalOutput,
    ) -> anyhow::Result<bool> {
        if hashes.is_subset(yes) {
            return Ok(true);
        }
        if let Some(other) = hashes.difference(yes).next().filter(|_| !yes.is_empty()) {
            // Something else lies there than what the person has seen.
            let message = format!("--yes does not name {other}, so nothing was trusted");
            return Err(CommandError::new(CommandExit::Usage, message)
                .hint("run the command without --yes, then name the hashes it shows")
                .into());
        }
        if !TerminalOutput::can_ask() {
            let words: Vec<String> = hashes.iter().map(|hash| format!("--yes {hash}")).collect();
            screen.note(&format!("holm: to trust it, run: {} {}", self.command, words.join(" ")));
            return Ok(false);
        }
        let answer = screen.question(&format!("{} [y]es, [n]o: ", self.words)).unwrap_or_default();
        Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
    }
}
