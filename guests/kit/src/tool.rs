//! The declaration of a guest, as data.

/// One guest: its name, its purpose, and its parameters.
#[derive(Debug, Clone, Copy)]
pub struct GuestTool {
    /// The word that it is started by.
    pub name: &'static str,
    /// One or two sentences for the model.
    pub about: &'static str,
    /// Search terms for the guest.
    pub keywords: &'static str,
    /// The most that it can do.
    pub level: GuestToolLevel,
    /// Its parameters, positional ones in their order.
    pub params: &'static [GuestParam],
}

/// The most that a guest can do, if it is granted everything it could use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuestToolLevel {
    None,
    /// It reads files or the network.
    ReadOnly,
    Write,
    /// It runs the code that it is given.
    Execute,
}

/// One thing that a guest is given.
#[derive(Debug, Clone, Copy)]
pub struct GuestParam {
    /// Its name, as in JSON; on the command line `_` is written `-`.
    pub name: &'static str,
    pub about: &'static str,
    /// Its place on the command line.
    pub place: ParamPlace,
    /// The type of its value.
    pub kind: ParamKind,
    /// Whether it is required.
    pub need: ParamNeed,
}

/// The place of a parameter on a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamPlace {
    Position,
    /// By its name alone.
    Long,
    /// By its name or by one letter.
    Short(char),
}

/// The type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamKind {
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
pub enum ParamNeed {
    /// A call without it is refused.
    Required,
    /// It may be left out.
    Optional,
    /// It may be left out and is then this.
    Default(&'static str),
}

impl GuestTool {
    /// The parameter with this name.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<&'static GuestParam> {
        self.params.iter().find(|param| param.name == name)
    }
}

impl GuestToolLevel {
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

impl GuestToolLevel {
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

impl GuestParam {
    /// A required text by its position.
    #[must_use]
    pub const fn position(name: &'static str, about: &'static str) -> Self {
        Self { name, about, place: ParamPlace::Position, kind: ParamKind::Text, need: ParamNeed::Required }
    }

    /// An optional text by its name.
    #[must_use]
    pub const fn text(name: &'static str, about: &'static str) -> Self {
        Self { name, about, place: ParamPlace::Long, kind: ParamKind::Text, need: ParamNeed::Optional }
    }

    /// A parameter that is present or not.
    #[must_use]
    pub const fn flag(name: &'static str, about: &'static str) -> Self {
        Self { name, about, place: ParamPlace::Long, kind: ParamKind::Flag, need: ParamNeed::Optional }
    }

    /// A number with a default.
    #[must_use]
    pub const fn number(name: &'static str, default: &'static str, about: &'static str) -> Self {
        Self { name, about, place: ParamPlace::Long, kind: ParamKind::Number, need: ParamNeed::Default(default) }
    }

    /// The same, known by one letter too.
    #[must_use]
    pub const fn short(mut self, letter: char) -> Self {
        self.place = ParamPlace::Short(letter);
        self
    }

    /// The same, but not required.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.need = ParamNeed::Optional;
        self
    }

    /// The same, with a default.
    #[must_use]
    pub const fn or(mut self, default: &'static str) -> Self {
        self.need = ParamNeed::Default(default);
        self
    }

    /// The same parameter with another type.
    #[must_use]
    pub const fn of(mut self, kind: ParamKind) -> Self {
        self.kind = kind;
        self
    }

    /// Its name as written on a command line.
    #[must_use]
    pub fn long(&self) -> String {
        self.name.replace('_', "-")
    }
}
