//! Finds tools by their exact names or by words. A name counts more than a keyword, and a keyword
//! more than a description. It only ranks; what a model may call afterwards is decided by
//! `conversation/search.rs` and the kernel. The number of hits is bounded, because each adds a
//! schema to the context.
//!
//! The catalogue is `list.rs`, and the names are given in `naming.rs`.

use std::cmp::Reverse;

use holm_grants::Level;

use super::{CatalogueTool, ToolCatalogue};

/// How many tools a search shows by default.
pub const DEFAULT_HITS: usize = 5;

/// The most tools that a search shows, or that one `select:` names. Each adds a
/// schema to the context.
pub const MAX_HITS: usize = 20;

/// The most words of a query that are used.
const MAX_WORDS: usize = 16;

/// Words of a query that say nothing about a tool.
const FILLERS: [&str; 33] = [
    "a", "about", "all", "an", "and", "any", "as", "at", "by", "can", "do", "for", "from", "how", "i", "in",
    "is", "it", "me", "my", "of", "on", "or", "some", "that", "the", "this", "to", "use", "want", "which",
    "with", "you",
];

/// A search for tools.
///
/// ```
/// use holm_tools::catalogue::CatalogueQuery;
///
/// assert_eq!(
///     CatalogueQuery::parse("select:read, write"),
///     CatalogueQuery::Select(vec!["read".into(), "write".into()])
/// );
/// assert_eq!(
///     CatalogueQuery::parse("Read FILE"),
///     CatalogueQuery::Words(vec!["read".into(), "file".into()])
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CatalogueQuery {
    Select(Vec<String>),
    /// Tools that have to do with these words, in lower case and without fillers such as `the`.
    Words(Vec<String>),
}

impl CatalogueQuery {
    /// Reads `select:a,b` or words.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        if let Some(names) = text.strip_prefix("select:") {
            let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
            return Self::Select(names.take(MAX_HITS).map(Into::into).collect());
        }
        let words = text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';'));
        let words = words.filter(|word| !word.is_empty()).map(str::to_lowercase);
        let words: Vec<String> =
            words.filter(|word| !FILLERS.contains(&word.as_str())).take(MAX_WORDS).collect();
        Self::Words(words)
    }
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CatalogueHits<'a> {
    /// The tools: as asked for, or the best first.
    pub hits: Vec<CatalogueHit<'a>>,
    /// Names that were asked for and that no tool has.
    pub unknown: Vec<String>,
    /// How many more there are.
    pub left_out: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CatalogueHit<'a> {
    pub tool: &'a CatalogueTool,
    /// Where the best of the words was found.
    pub rank: MatchRank,
}

/// The field in which a word was found, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchRank {
    Description,
    /// In a keyword, or it is one.
    Keyword,
    Name,
    /// It is the name.
    Exact,
}

impl MatchRank {
    /// How much a word counts that was found there: one in a name more than two in a description.
    const fn weight(self) -> usize {
        match self {
            Self::Description => 2,
            Self::Keyword => 3,
            Self::Name => 5,
            Self::Exact => 8,
        }
    }
}

impl ToolCatalogue {
    /// The tools that fit the query and can do at most as much as `level`, at most `most` (and
    /// never more than [`MAX_HITS`]).
    ///
    /// Every word counts by the best field in which it occurs. Tools are ordered by their best
    /// field, then by what all matching words count, then by the order of the catalogue.
    #[must_use]
    pub fn search(&self, query: &CatalogueQuery, level: Level, most: usize) -> CatalogueHits<'_> {
        match query {
            CatalogueQuery::Select(names) => self.select(names, level),
            CatalogueQuery::Words(words) => self.find(words, level, most.min(MAX_HITS)),
        }
    }

    fn select(&self, names: &[String], level: Level) -> CatalogueHits<'_> {
        let mut found = CatalogueHits::default();
        for name in names {
            match self.get(name).filter(|tool| tool.entry.level <= level) {
                Some(tool) => found.hits.push(CatalogueHit { tool, rank: MatchRank::Exact }),
                None => found.unknown.push(name.clone()),
            }
        }
        found
    }

    fn find(&self, words: &[String], level: Level, most: usize) -> CatalogueHits<'_> {
        let mut scored: Vec<(CatalogueHit<'_>, usize)> = self
            .up_to(level)
            .filter_map(|tool| {
                let places = SearchableFields::of(tool);
                let ranks: Vec<MatchRank> = words.iter().filter_map(|word| places.rank(word)).collect();
                let rank = ranks.iter().copied().max()?;
                Some((CatalogueHit { tool, rank }, ranks.into_iter().map(MatchRank::weight).sum()))
            })
            .collect();
        scored.sort_by_key(|(hit, weight)| Reverse((hit.rank, *weight)));
        let left_out = scored.len().saturating_sub(most);
        CatalogueHits {
            hits: scored.into_iter().take(most).map(|(hit, _)| hit).collect(),
            unknown: Vec::new(),
            left_out,
        }
    }
}

/// The searchable fields of one tool, in lower case.
struct SearchableFields {
    name: String,
    wanted: String,
    keywords: Vec<String>,
    description: String,
}

impl SearchableFields {
    fn of(tool: &CatalogueTool) -> Self {
        Self {
            name: tool.name.to_lowercase(),
            wanted: tool.entry.wanted.to_lowercase(),
            keywords: tool.entry.keywords.iter().map(|word| word.to_lowercase()).collect(),
            description: tool.entry.description.to_lowercase(),
        }
    }

    fn rank(&self, word: &str) -> Option<MatchRank> {
        if self.name == word || self.wanted == word {
            Some(MatchRank::Exact)
        } else if self.name.contains(word) || self.wanted.contains(word) {
            Some(MatchRank::Name)
        } else if self.keywords.iter().any(|keyword| keyword.contains(word) || is_begun(word, keyword)) {
            Some(MatchRank::Keyword)
        } else {
            begins_a_word(&self.description, word).then_some(MatchRank::Description)
        }
    }
}

/// Whether a word begins with this keyword: `repository` with `repo`. Shorter keywords begin too many.
fn is_begun(word: &str, keyword: &str) -> bool {
    keyword.len() >= 4 && word.starts_with(keyword)
}

/// Whether a word of the text begins like this: `run` is in `runs` and not in `trunk`.
fn begins_a_word(text: &str, beginning: &str) -> bool {
    let mut places = text.match_indices(beginning);
    places.any(|(at, _)| !text.get(..at).is_some_and(|before| before.ends_with(char::is_alphanumeric)))
}
