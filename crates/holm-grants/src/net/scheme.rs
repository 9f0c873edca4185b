//! The URL schemes that Holm knows. `file:`, `gopher:`, `ftp:`, `data:`, `unix:` and all others are
//! refused. URLs are parsed in `net/url.rs`; which schemes a grant covers is decided in
//! `net/pattern.rs`.

use core::fmt;

/// The scheme of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UrlScheme {
    Http,
    Https,
    Ws,
    Wss,
    /// A raw TCP connection; it has no default port and no path.
    Tcp,
}

impl UrlScheme {
    /// Every scheme, so that `*://` can be decided one by one.
    pub(crate) const ALL: [Self; 5] = [Self::Http, Self::Https, Self::Ws, Self::Wss, Self::Tcp];

    /// The scheme of this name, in any case.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scheme| scheme.as_str().eq_ignore_ascii_case(text))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
            Self::Ws => "ws",
            Self::Wss => "wss",
            Self::Tcp => "tcp",
        }
    }

    /// The port of a URL that names none.
    #[must_use]
    pub fn default_port(self) -> Option<u16> {
        match self {
            Self::Http | Self::Ws => Some(80),
            Self::Https | Self::Wss => Some(443),
            Self::Tcp => None,
        }
    }
}

impl fmt::Display for UrlScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
