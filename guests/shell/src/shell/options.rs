//! The options of `set` and `shopt`.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OptionSwitch {
    On,
    Off,
}

/// The switches that change what commands do.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ShellOptions {
    /// A failing command ends the shell.
    pub(crate) errexit: bool,
    /// A variable that is not set is an error.
    pub(crate) nounset: bool,
    /// A pipeline fails if any of its stages does.
    pub(crate) pipefail: bool,
    /// Commands are shown before they run.
    pub(crate) xtrace: bool,
    /// No file names are made of patterns.
    pub(crate) noglob: bool,
    /// `>` does not replace files.
    pub(crate) noclobber: bool,
    /// Every variable is exported.
    pub(crate) allexport: bool,
    /// A pattern without files is nothing.
    pub(crate) nullglob: bool,
    /// `*` also matches names that begin with a dot.
    pub(crate) dotglob: bool,
    /// `**` means any folders.
    pub(crate) globstar: bool,
    /// Patterns are compared without case.
    pub(crate) nocasematch: bool,
}

impl ShellOptions {
    /// The switch of a name, as `set -o` and `shopt` have them.
    pub(crate) fn named(&mut self, name: &str) -> Option<&mut bool> {
        Some(match name {
            "errexit" => &mut self.errexit,
            "nounset" => &mut self.nounset,
            "pipefail" => &mut self.pipefail,
            "xtrace" => &mut self.xtrace,
            "noglob" => &mut self.noglob,
            "noclobber" => &mut self.noclobber,
            "allexport" => &mut self.allexport,
            "nullglob" => &mut self.nullglob,
            "dotglob" => &mut self.dotglob,
            "globstar" => &mut self.globstar,
            "nocasematch" => &mut self.nocasematch,
            _ => return None,
        })
    }

    /// The name of a letter of `set`.
    pub(crate) fn letter(letter: char) -> Option<&'static str> {
        Some(match letter {
            'e' => "errexit",
            'u' => "nounset",
            'x' => "xtrace",
            'f' => "noglob",
            'C' => "noclobber",
            'a' => "allexport",
            _ => return None,
        })
    }

    /// The text that `$-` expands to.
    pub(crate) fn letters(mut self) -> String {
        let letters = ['a', 'e', 'f', 'u', 'x', 'C'];
        letters
            .into_iter()
            .filter(|&letter| Self::letter(letter).and_then(|name| self.named(name).copied()) == Some(true))
            .collect()
    }
}
