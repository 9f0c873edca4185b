//! The errors of texts that are not a grant, a request or an amount.
//!
//! One small enum per kind of text, so that a caller can tell a typing mistake from an attack and
//! can show the hint that the message carries. None of them repeats a whole hostile text. Errors of
//! templates are in `template/parse.rs`; that an action is not granted is not an error but a
//! `PolicyDecision` (`policy.rs`). Users and models read these messages, so each says what to write
//! instead.

use alloc::boxed::Box;
use alloc::string::String;

use core::fmt;

use thiserror::Error;

/// Why a text is not a grant, a request or a denial.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GrantError {
    /// The text has no `kind:` in front.
    #[error("a grant needs a kind: write it as kind:value, such as read:src/**")]
    NoKind,
    /// The kind is not one that exists.
    #[error("unknown grant kind; use read, write, fetch, env, exec, secret, spawn or tool")]
    UnknownKind,
    /// The kind is written in capitals.
    #[error("kinds are lower case; write {kind}:")]
    Capitals {
        /// The kind as it is written.
        kind: &'static str,
    },
    /// White space follows the colon.
    #[error("white space after the colon; write {kind}: and the value without a space between them")]
    Space { kind: &'static str },
    /// Nothing follows the colon.
    #[error("nothing after {kind}:; write a name, for example {example}")]
    NoName {
        kind: &'static str,
        /// A grant of that kind.
        example: &'static str,
    },
    /// One of a list is wrong.
    #[error("entry {position} ({text:?}): {reason}")]
    Entry {
        /// Which entry, counted from one.
        position: u64,
        text: String,
        /// What is wrong with it.
        reason: Box<GrantError>,
    },
    /// The kind is a consumable one, which is a different type.
    #[error("{kind} is an allowance, not a grant; give it where amounts are given")]
    Consumable {
        /// The kind as written.
        kind: String,
    },
    /// A path or path pattern is wrong.
    #[error("path: {0}")]
    Path(#[from] PathError),
    /// A name or name pattern is wrong.
    #[error("name: {0}")]
    Name(#[from] GrantNameError),
    /// A URL or fetch pattern is wrong.
    #[error("url: {0}")]
    Url(#[from] UrlError),
    /// A secret is not written as `name@host`.
    #[error("secret must be written as name@host, for example secret:github@api.github.com")]
    SecretWithoutHost,
    /// A secret may not go to every host.
    #[error("secret must name its host; * would send it anywhere")]
    SecretForAnyHost,
    /// A denial of a URL path could be evaded by another spelling of the path.
    #[error("a denial cannot name a url path, since servers accept other spellings of it; deny the host")]
    DeniedUrlPath,
    /// There are more grants than one list may hold.
    #[error("more than {max} grants in one list")]
    TooMany {
        /// The most that one list may hold.
        max: u64,
    },
}

/// Characters of a wrong entry that are shown: enough to recognise it.
const SHOWN: usize = 40;

impl GrantError {
    /// The mistake with the place of its entry in a list.
    pub(crate) fn in_list(self, position: u64, text: &str) -> Self {
        Self::Entry { position, text: text.chars().take(SHOWN).collect(), reason: Box::new(self) }
    }

    /// The mistake alone, for a message that has already named its subject.
    pub(crate) fn without_subject(&self) -> &dyn fmt::Display {
        match self {
            Self::Path(error) => error,
            Self::Name(error) => error,
            Self::Url(error) => error,
            Self::NoKind
            | Self::UnknownKind
            | Self::Capitals { .. }
            | Self::Space { .. }
            | Self::NoName { .. }
            | Self::Entry { .. }
            | Self::Consumable { .. }
            | Self::SecretWithoutHost
            | Self::SecretForAnyHost
            | Self::DeniedUrlPath
            | Self::TooMany { .. } => self,
        }
    }
}

/// Why a text is not a file path or a path pattern.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PathError {
    #[error("empty; write . for the workspace root")]
    Empty,
    /// The text is longer than any path may be.
    #[error("longer than {max} bytes")]
    TooLong {
        /// The most bytes allowed.
        max: u64,
    },
    /// The path has more components than any path may have.
    #[error("more than {max} components")]
    TooDeep {
        /// The most components allowed.
        max: u64,
    },
    /// A component is longer than file systems allow.
    #[error("component longer than {max} bytes")]
    ComponentTooLong {
        /// The most bytes allowed in one component.
        max: u64,
    },
    /// A pattern holds `//`.
    #[error("empty component; write single slashes")]
    EmptyComponent,
    /// A pattern holds a `.` or `..` component.
    #[error("pattern with a . or .. component; write the path without it")]
    DotComponent,
    /// `..` climbs above the place where the path starts.
    #[error("leaves the folder with ..; use a path inside it")]
    Escapes,
    /// A backslash is a separator on some systems and a letter on others.
    #[error("holds a backslash; separate components with /")]
    Backslash,
    /// A control character or an invisible character.
    #[error("holds the invisible character U+{code:04X}")]
    Hidden {
        /// The code point of the character.
        code: u32,
    },
    /// `**` is mixed with other text in a component.
    #[error("** beside other text; it must be a whole component")]
    DeepInside,
    /// The path starts at a home directory, which only a shell knows.
    #[error("starts with ~; write the directory out")]
    Home,
    /// The path is an alias: it leads to a file with a different name.
    #[error("is an alias under /proc or /dev; name the file itself")]
    Alias,
}

/// Why a text is not a name or a name pattern.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GrantNameError {
    #[error("empty")]
    Empty,
    /// The name is longer than any name may be.
    #[error("longer than {max} bytes")]
    TooLong {
        /// The most bytes allowed.
        max: u64,
    },
    /// The name holds a character that no name may hold.
    #[error("{}", bad_character(*code))]
    BadCharacter {
        /// The code point of the character.
        code: u32,
    },
    /// Two stars in a row.
    #[error("** in a name; one * already stands for any text")]
    DoubleStar,
}

/// Says which character is wrong. A blank mostly means that more than a name was given.
fn bad_character(code: u32) -> alloc::string::String {
    if code == u32::from(' ') {
        return "this is one name without blanks; put the rest into other arguments".into();
    }
    alloc::format!("holds the character U+{code:04X}; use letters, digits, dots, hyphens and underscores")
}

/// Why a text is not a URL that may be fetched, or not a pattern of such URLs.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UrlError {
    /// The URL is longer than allowed.
    #[error("longer than {max} bytes")]
    TooLong {
        /// The most bytes allowed.
        max: u64,
    },
    /// No `scheme://` in front.
    #[error("not a full URL; write it like https://example.com")]
    NoScheme,
    /// A scheme that is never fetched, such as `file:` or `data:`.
    #[error("unsupported scheme; use http, https, ws, wss or tcp")]
    UnknownScheme,
    /// White space, a control character or an invisible character.
    #[error("holds white space or an invisible character; percent-encode it")]
    Hidden,
    /// A backslash, which browsers read as a slash.
    #[error("holds a backslash; write / or %5C")]
    Backslash,
    /// `user:password@` before the host.
    #[error("holds user information before the host; remove everything up to @")]
    UserInfo,
    /// The host is wrong.
    #[error("host: {0}")]
    Host(#[from] HostError),
    /// The port is not a number from 1 to 65535.
    #[error("port must be a number from 1 to 65535")]
    BadPort,
    /// A raw connection needs a port.
    #[error("tcp needs a port and has no path; write tcp://host:port")]
    TcpShape,
    /// A pattern holds a query or a fragment.
    #[error("pattern with a query or fragment; stop at the path")]
    PatternQuery,
    /// A pattern's path prefix is not in canonical form, or has a wildcard.
    #[error(
        "path prefix is not in plain form; write whole components without *, . or percent-encoded letters"
    )]
    PatternPath,
}

/// Why a text is not a host or a host pattern.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HostError {
    /// No host at all.
    #[error("empty")]
    Empty,
    /// The host, or one of its labels, is longer than DNS allows.
    #[error("longer than DNS allows")]
    TooLong,
    /// Letters outside ASCII, which look like others and map to others.
    #[error("not ASCII; write the punycode form (xn--…)")]
    NotAscii,
    /// A character that no host may hold, plain or percent-encoded.
    #[error("holds a character that no host name has")]
    BadCharacter,
    /// Two dots in a row, or one in front.
    #[error("empty label between dots")]
    EmptyLabel,
    /// The last label is a number, yet the whole is not an IPv4 address.
    #[error("ends in a number but is not an IPv4 address")]
    BadIpv4,
    /// Brackets without an IPv6 address in them.
    #[error("not an IPv6 address between the brackets")]
    BadIpv6,
    /// An IPv6 address with a zone.
    #[error("IPv6 address with a zone; zones are local to one machine")]
    Zone,
    /// An IPv6 address that carries an IPv4 address.
    #[error("IPv6 address that carries an IPv4 address; write the IPv4 address itself")]
    Embedded,
    /// An address or name that no grant may ever open.
    #[error("can never be granted: {0}")]
    Never(&'static str),
    /// A wildcard that is not `*` or `*.` in front of a name.
    #[error("wildcard must be * alone or *. in front of a domain")]
    Wildcard,
    /// A wildcard over names that mean the machine itself.
    #[error("wildcard over local names; name the host itself")]
    LocalWildcard,
}

/// Why a text is not an amount.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AllowanceError {
    /// The text has no `kind:` in front.
    #[error("allowance has no kind in front; write it as kind:amount, for example time:30s")]
    NoKind,
    /// The kind is not one that exists.
    #[error("unknown allowance kind; use spend, time, mem, fuel, output or calls")]
    UnknownKind,
    /// The amount is not a number with the unit of its kind.
    #[error("amount is wrong; write {hint}")]
    BadAmount {
        /// An example of an amount of this kind.
        hint: &'static str,
    },
    /// The amount does not fit.
    #[error("amount is too large")]
    TooLarge,
    /// One kind is given twice.
    #[error("{kind} is given twice")]
    Twice { kind: &'static str },
}
