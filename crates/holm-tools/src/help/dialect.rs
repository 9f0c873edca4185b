//! Detects which family of argument parsers a program uses, where that decides how it must be
//! called. The words of a call are written in `help/plan/argv.rs`. Whether `--` ends the options is
//! a safety question: without it, a value that looks like an option is refused.

/// The syntax that a program accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OptionDialect {
    /// Whether `--name=value` is understood.
    pub equals: bool,
    /// Whether `--` ends the options.
    pub dashes: bool,
    /// How a switch that is on by default is turned off.
    pub off: SwitchOffStyle,
    /// Whether to try `help NAME` first for the help of a subcommand.
    pub help_word: bool,
}

/// How a switch that is on by default is turned off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SwitchOffStyle {
    Omit,
    /// `--name=false`, as with Go.
    EqualsFalse,
    /// `--no-name`, as with yargs.
    NoPrefix,
}

impl Default for OptionDialect {
    fn default() -> Self {
        Self { equals: true, dashes: true, off: SwitchOffStyle::Omit, help_word: false }
    }
}

/// Sentences that libraries add by themselves and that tell that `--` works.
const KNOWN: &[&str] = &[
    "show this help message",
    "show this message and exit",
    "display help for command",
    "display this message",
    "displays this message",
    "display this help",
    "prints this help",
    "print help",
    "prints help",
    "show help",
    "for more details see",
    "online help:",
    "give this help list",
    "help for ",
    "show context-sensitive help",
    "print usage message",
];

impl OptionDialect {
    /// Tells the family from what libraries print by themselves.
    pub(super) fn detect(text: &str, forms: &[String]) -> Self {
        let lower = text.to_lowercase();
        let mut dialect = Self::default();
        let argh = lower.contains("display usage information") && lower.contains("--help, help");
        let tclap = lower.contains("displays usage information and exits") && lower.contains("ignore_rest");
        dialect.equals = !(argh || tclap);
        let fire = lower.contains("showing help with the command")
            || lower.contains("use flags syntax for positional");
        // docopt takes `--` for a value unless the usage has it. Its texts are written by hand, so
        // there is no other sign of it.
        let open = forms.iter().any(|form| form.contains('<') || form.contains('('));
        let stated = forms.iter().any(|form| form.contains("[--]") || form.contains(" -- "));
        let known = KNOWN.iter().any(|sentence| lower.contains(sentence));
        dialect.dashes =
            !fire && (stated || known || !open || lower.contains("terminates argument processing"));
        dialect.off =
            if lower.contains("usage of ") || (lower.contains("flags:") && lower.contains("help for ")) {
                SwitchOffStyle::EqualsFalse
            } else if lower.contains("[boolean]") {
                SwitchOffStyle::NoPrefix
            } else {
                SwitchOffStyle::Omit
            };
        dialect.help_word = lower.contains("help [command]") && !lower.contains("--help");
        dialect
    }
}
