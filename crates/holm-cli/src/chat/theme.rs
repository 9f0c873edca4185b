//! Colours. Only the sixteen that every terminal has, so that the terminal's own palette applies
//! over ssh too. It names a style for each kind of text; which text has which kind is decided where
//! it is drawn. The choice of a theme is made in `chat_loop.rs` from the flag, `NO_COLOR` and
//! `chat.toml`.

use ratatui::style::{Color, Modifier, Style};

/// The styles of all kinds of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChatTheme {
    pub(super) text: Style,
    pub(super) dim: Style,
    /// Prompts of the user.
    pub(super) person: Style,
    /// Names, marks, and what should be seen first.
    pub(super) accent: Style,
    pub(super) heading: Style,
    pub(super) code: Style,
    pub(super) link: Style,
    pub(super) keyword: Style,
    pub(super) string: Style,
    pub(super) number: Style,
    pub(super) comment: Style,
    pub(super) added: Style,
    pub(super) removed: Style,
    pub(super) warning: Style,
    pub(super) error: Style,
    /// Chosen rows and search hits.
    pub(super) chosen: Style,
    /// The tab bar and the status line.
    pub(super) bar: Style,
}

/// The choice between the built-in themes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ThemeKind {
    /// Light text on a dark background.
    #[default]
    Dark,
    /// Dark text on a light background.
    Light,
    /// No colours at all.
    None,
}

impl ThemeKind {
    /// By its name in the file.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "dark" => Self::Dark,
            "light" => Self::Light,
            "none" => Self::None,
            _ => return None,
        })
    }
}

impl ChatTheme {
    /// The theme of a shade.
    pub(super) fn of(shade: ThemeKind) -> Self {
        match shade {
            ThemeKind::Dark => Self::coloured(Color::Cyan, Color::Yellow, Color::DarkGray),
            ThemeKind::Light => Self::coloured(Color::Blue, Color::Magenta, Color::DarkGray),
            ThemeKind::None => Self::plain(),
        }
    }

    fn coloured(accent: Color, mark: Color, dim: Color) -> Self {
        let (plain, of) = (Style::new(), |colour: Color| Style::new().fg(colour));
        Self {
            text: plain,
            dim: of(dim),
            person: of(Color::Green),
            accent: of(accent).add_modifier(Modifier::BOLD),
            heading: of(accent).add_modifier(Modifier::BOLD),
            code: of(mark),
            link: of(accent).add_modifier(Modifier::UNDERLINED),
            keyword: of(Color::Magenta),
            string: of(Color::Green),
            number: of(mark),
            comment: of(dim).add_modifier(Modifier::ITALIC),
            added: of(Color::Green),
            removed: of(Color::Red),
            warning: of(mark).add_modifier(Modifier::BOLD),
            error: of(Color::Red).add_modifier(Modifier::BOLD),
            chosen: plain.add_modifier(Modifier::REVERSED),
            bar: plain.add_modifier(Modifier::REVERSED),
        }
    }

    fn plain() -> Self {
        let plain = Style::new();
        let (bold, dim) = (plain.add_modifier(Modifier::BOLD), plain.add_modifier(Modifier::DIM));
        Self {
            text: plain,
            dim,
            person: bold,
            accent: bold,
            heading: bold,
            code: plain,
            link: plain.add_modifier(Modifier::UNDERLINED),
            keyword: bold,
            string: plain,
            number: plain,
            comment: dim,
            added: plain,
            removed: plain,
            warning: bold,
            error: bold,
            chosen: plain.add_modifier(Modifier::REVERSED),
            bar: plain.add_modifier(Modifier::REVERSED),
        }
    }
}
