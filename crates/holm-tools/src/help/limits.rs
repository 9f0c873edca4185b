//! Limits for how much of a help text is read. Each limit is far above what honest programs print,
//! and small enough that a hostile program costs next to nothing. The files that read a text
//! enforce them; errors that name a limit are in `error.rs`.

/// The most bytes of a help text; the longest honest ones (every flag of a large program) take
/// about half of it.
pub const MAX_BYTES: usize = 256 << 10;

/// The most options of one command; providers refuse schemas that are much larger.
pub const MAX_OPTIONS: usize = 400;

/// The most positions of one command.
pub const MAX_POSITIONS: usize = 32;

/// The most subcommands of one command.
pub const MAX_COMMANDS: usize = 400;

/// How many levels of subcommands are asked for their help.
pub const MAX_NESTING: usize = 4;

/// The most words of a call, and so the most values of an argument.
pub const MAX_WORDS: usize = 4096;

/// The most bytes of one word of a call: what Linux takes.
pub(super) const MAX_WORD: usize = (128 << 10) - 1;

/// The most characters of a line that are read.
pub(super) const MAX_LINE: usize = 2000;

/// The most characters of a usage line, all its continuations together.
pub(super) const MAX_USAGE: usize = 8 << 10;

/// How deep brackets in a usage line may be nested.
pub(super) const MAX_BRACKETS: usize = 12;

/// The most forms (alternative usage lines) of a program.
pub(super) const MAX_FORMS: usize = 32;

/// The most titles of a text; what follows belongs to the last.
pub(super) const MAX_SECTIONS: usize = 256;

/// The most spellings of one option.
pub(super) const MAX_SPELLINGS: usize = 8;

/// The most values that an option chooses from.
pub(super) const MAX_CHOICES: usize = 200;

/// The most characters of an option's description.
pub(super) const MAX_ABOUT: usize = 800;

/// The most characters of a program's description.
pub(super) const MAX_DESCRIPTION: usize = 2000;

/// The most keywords of a program.
pub(super) const MAX_KEYWORDS: usize = 32;

/// The longest name of a property, as the providers demand.
pub(super) const MAX_NAME: usize = 64;
