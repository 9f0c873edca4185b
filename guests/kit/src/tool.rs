//! The declaration of a guest, as data.

/// One guest: its name, its purpose, and its parameters.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// The word that it is started by.
    pub name: &'static str,
    /// One or two sentences for the model.
    pub about: &'static str,
    /// Search terms for the guest.
    pub keywords: &'static str,
    /// The most that it can do.
    pub level: Level,
    /// Its parameters, positional ones in their order.
    pub params: &'static [Param],
}

/// The most that a guest can do, if it is granted everything it could use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    None,
    /// It reads files or the network.
    ReadOnly,
    Write,
    /// It runs the code that it is given.
    Execute,
}

/// One thing that a guest is given.
#[derive(Debug, Clone, Copy)]
pub struct Param {
    /// Its name, as in JSON; on the command line `_` is written `-`.
    pub name: &'static str,
    pub about: &'static str,
    /// Its place on the command line.
    pub place: Place,
    /// The type of its value.
    pub kind: Kind,
    /// Whether it is required.
    pub need: Need,
}

/// The place of a parameter on a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Position,
    /// By its name alone.
    Long,
    /// By its name or by one letter.
    Short(char),
}

/// The type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// There or not there.
    Flag,
    Text,
    /// A whole number from 0.
    Number,
    /// Any number of texts.
    Texts,
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// Whether a parameter is required.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// A call without it is refused.
    Required,
    /// It may be left out.
    Optional,
    /// It may be left out and is then this.
    Default(&'static str),
}

impl Tool {
    /// The parameter with this name.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<&'static Param> {
        self.params.iter().find(|param| param.name == name)
    }
}

impl Level {
    /// As help texts write it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::ReadOnly => "ReadOnly",
            Self::Write => "Write",
            Self::Execute => "Execute",
        }
    }
}

impl Level {
    /// As a description in JSON writes it.
    #[must_use]
    pub const fn slug(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::ReadOnly => "read-only",
            Self::Write => "write",
            Self::Execute => "execute",
        }
    }
}

impl Param {
    /// A required text by its position.
    #[must_use]
    pub const fn position(name: &'static str, about: &'static str) -> Self {
        Self { name, about, place: Place::Position, kind: Kind::Text, need: Need::Required }
    }

    /// An optional text by its name.
    #[must_use]
    pub const fn text(name: &'static str, about: &'static str) -> Self {
        Self { name, about, place: Place::Long, kind: Kind::Text, need: Need::Optional }
    }

    /// A parameter that is present or not.
    #[must_use]
    pub const fn flag(name: &'static str, about: &'static str) -> Self {
        Self { name, about, place: Place::Long, kind: Kind::Flag, need: Need::Optional }
    }

    /// A number with a default.
    #[must_use]
    pub const fn number(name: &'static str, default: &'static str, about: &'static str) -> Self {
        Self { name, about, place: Place::Long, kind: Kind::Number, need: Need::Default(default) }
    }

    /// The same, known by one letter too.
    #[must_use]
    pub const fn short(mut self, letter: char) -> Self {
        self.place = Place::Short(letter);
        self
    }

    /// The same, but not required.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.need = Need::Optional;
        self
    }

    /// The same, with a default.
    #[must_use]
    pub const fn or(mut self, default: &'static str) -> Self {
        self.need = Need::Default(default);
        self
    }

    /// The same parameter with another type.
    #[must_use]
    pub const fn of(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    /// Its name as written on a command line.
    #[must_use]
    pub fn long(&self) -> String {
        self.name.replace('_', "-")
    }
}
