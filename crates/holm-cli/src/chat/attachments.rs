//! Attaches files to a prompt: `@path` words become text and pictures. It also finds what the user
//! is typing behind an `@`, for completion. Flags such as `--media` are handled in
//! `prompt/media.rs`; what a model accepts is decided in `model/media_support.rs`.
//!
//! Only files that the user typed are read, never names in the text of a template, a skill or a
//! model, because these files are read with the user's rights and without a grant. Number and size
//! of files are bounded. A word that looks like a path and is not attached is reported.
//!
//! A file that is attached marks the session as one that was read by a tool would. A summary marks
//! it as untrusted and private: the session that it sums up may have read anything.

use std::{
    fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use holm::kernel::{Block, Marks, Media, Prompt, Source};

use super::state::UserText;
use crate::{default_prompt::HostNote, model::ModelMediaSupport};

/// The largest text that is attached: more would fill a window by itself.
const MOST_TEXT: u64 = 256 << 10;
/// The largest picture: what providers take.
const MOST_IMAGE: u64 = 5 << 20;
/// The most files of one prompt.
const MOST_FILES: usize = 20;

/// How the past of a session begins, before the first prompt of the next.
const PAST: &str = "What was done in the session before, in short:\n\n";
/// How a file begins, behind the prompt.
const FILE: &str = "The file ";

/// A prompt with its files, and notes about files that could not be attached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PromptWithFiles {
    pub(super) prompt: Prompt,
    pub(super) notes: Vec<String>,
}

/// Reads the files that the user names, as far as the model accepts them. A word that is not
/// a file stays a word. A word that looks like a path is reported, since the user believes
/// that it is attached.
pub(super) fn read(
    words: &UserText,
    past: Option<&str>,
    work: &Path,
    takes: &ModelMediaSupport,
) -> PromptWithFiles {
    let (mut blocks, mut notes, mut marks) = (Vec::new(), Vec::new(), Marks::default());
    if let Some(past) = past {
        marks = Marks { untrusted: true, private: true };
        blocks.push(Block::Text(format!("{PAST}{past}")));
    }
    blocks.push(Block::Text(words.text.clone()));
    for (name, path) in named(&words.typed, work) {
        if blocks.len() > MOST_FILES {
            notes.push(format!("at most {MOST_FILES} files can be attached at once"));
            break;
        }
        let seen = |block: Block| takes.refusal(&block).map_or(Ok(block), Err);
        match block(&name, &path).and_then(seen) {
            Ok(block) => {
                blocks.push(block);
                marks.private = true;
            }
            Err(why) => notes.push(format!("@{name} is not attached: {why}")),
        }
    }
    notes.extend(
        missed(&words.typed, work).map(|name| format!("@{name} is not attached: there is no such file")),
    );
    PromptWithFiles { prompt: Prompt { blocks, marks, ..Prompt::text("") }, notes }
}

/// What a person said, without what came with it; and how many files did.
pub(super) fn told(blocks: &[Block]) -> (String, usize) {
    let blocks = HostNote::remove_all(blocks);
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block.as_text()).collect();
    let texts = match texts.as_slice() {
        [past, rest @ ..] if past.starts_with(PAST) && !rest.is_empty() => rest,
        all => all,
    };
    let mut text = texts.first().copied().unwrap_or_default().to_owned();
    let mut files = blocks.iter().filter(|block| matches!(block, Block::Image(_) | Block::File(_))).count();
    for more in texts.iter().skip(1) {
        if more.starts_with(FILE) {
            files += 1;
        } else {
            text.push('\n');
            text.push_str(more);
        }
    }
    (text, files)
}

/// The first file that the person names, as they name it.
pub(super) fn first(typed: &str, work: &Path) -> Option<PathBuf> {
    named(typed, work).into_iter().next().map(|(name, _)| name.into())
}

/// Mentions that look like a file that does not exist, without the end of the sentence. A plain
/// word may be a person's name, and folders are not attached.
fn missed<'t>(text: &'t str, work: &'t Path) -> impl Iterator<Item = &'t str> {
    let is_there = move |name: &str| work.join(name).exists();
    mentioned(text).into_iter().filter_map(move |mention| match mention {
        FileMention::Quoted(name) => (!is_there(name)).then_some(name),
        FileMention::Word(name) => {
            let short = without_stop(name);
            // An opening quote means a file.
            let is_path = short.contains(['.', '/']) || short.starts_with(QUOTES);
            (is_path && !is_there(name) && !is_there(short)).then_some(short)
        }
    })
}

/// What stands around a name with blanks in it.
const QUOTES: [char; 2] = ['"', '\''];

/// A file name after an `@`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileMention<'t> {
    /// Up to the next blank: it may include the end of the sentence.
    Word(&'t str),
    /// A name in quotes, without anything else.
    Quoted(&'t str),
}

/// Everything behind an `@` that begins a word.
fn mentioned(text: &str) -> Vec<FileMention<'_>> {
    let (mut found, mut rest) = (Vec::new(), text.trim_start());
    while !rest.is_empty() {
        let word = rest.split(char::is_whitespace).next().unwrap_or(rest);
        let quoted = word.strip_prefix('@').and_then(|_| quoted(rest.get(1..)?));
        let taken = if let Some(name) = quoted {
            found.push(FileMention::Quoted(name));
            // The sign, both quotes and what stands between them.
            name.len() + 3
        } else {
            found.extend(word.strip_prefix('@').map(FileMention::Word));
            word.len()
        };
        rest = rest.get(taken..).unwrap_or_default().trim_start();
    }
    found
}

/// What stands in quotes at the beginning of a text, on one line.
fn quoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|first| QUOTES.contains(first))?;
    let (name, _) = text.get(1..)?.split_once(quote)?;
    (!name.is_empty() && !name.contains('\n')).then_some(name)
}

/// A name as it is typed behind an `@`; none where nothing that is typed would mean it.
pub(super) fn typed(name: &str) -> Option<String> {
    if !name.contains(char::is_whitespace) && !name.starts_with(QUOTES) {
        return Some(name.to_owned());
    }
    let quote = QUOTES.into_iter().find(|quote| !name.contains(*quote))?;
    Some(format!("{quote}{name}{quote}"))
}

/// The name that begins at the end of a text, and how many bytes it takes with its prefix.
pub(super) fn begun(text: &str) -> Option<(&str, usize)> {
    let line = text.rsplit('\n').next().unwrap_or(text);
    let open = QUOTES.into_iter().find_map(|quote| {
        let (before, name) = line.rsplit_once(&format!("@{quote}"))?;
        let begins_a_word = before.chars().next_back().is_none_or(char::is_whitespace);
        (begins_a_word && !name.contains(quote)).then_some((name, name.len() + 2))
    });
    open.or_else(|| {
        let name = line.rsplit(char::is_whitespace).next()?.strip_prefix('@')?;
        (!name.starts_with(QUOTES)).then_some((name, name.len() + 1))
    })
}

/// A full stop or a comma may end the sentence and not the name.
fn without_stop(name: &str) -> &str {
    name.trim_end_matches(['.', ',', ';', ':', '!', '?', ')'])
}

/// The files that are named, each once.
fn named(text: &str, work: &Path) -> Vec<(String, PathBuf)> {
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for mention in mentioned(text) {
        let names = match mention {
            FileMention::Word(name) => [name, without_stop(name)],
            FileMention::Quoted(name) => [name, name],
        };
        let file = names.into_iter().find(|name| work.join(name).is_file());
        if let Some(name) = file.filter(|name| !name.is_empty())
            && found.iter().all(|(known, _)| known != name)
        {
            found.push((name.to_owned(), work.join(name)));
        }
    }
    found
}

fn block(name: &str, path: &Path) -> Result<Block, String> {
    let file = fs::File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    file.take(MOST_IMAGE + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    let too_large = |most: u64| format!("it is larger than {} KiB", most >> 10);
    if let Some(media_type) = image(&bytes) {
        if bytes.len() as u64 > MOST_IMAGE {
            return Err(too_large(MOST_IMAGE));
        }
        return Ok(Block::Image(Media {
            media_type: media_type.into(),
            source: Source::Base64(STANDARD.encode(&bytes)),
            name: Some(name.to_owned()),
        }));
    }
    if bytes.len() as u64 > MOST_TEXT {
        return Err(too_large(MOST_TEXT));
    }
    let text = String::from_utf8(bytes).map_err(|_| "it is neither text nor a picture".to_owned())?;
    Ok(Block::Text(format!("{FILE}{name}:\n\n{text}")))
}

/// What kind of picture the bytes are, by how they begin.
fn image(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed_by(text: &str) -> UserText {
        UserText::typed(text.to_owned())
    }

    fn sees() -> ModelMediaSupport {
        ModelMediaSupport::of("openai/gpt-5-mini")
    }

    #[test]
    fn a_picture_that_the_model_would_not_be_shown_is_told() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("p.png"), [0x89, b'P', b'N', b'G', 1]).unwrap();
        let said = read(&typed_by("see @p.png"), None, folder.path(), &ModelMediaSupport::of("local/small"));
        assert_eq!(said.notes, ["@p.png is not attached: local/small takes no image/png"]);
        assert_eq!(said.prompt.blocks.len(), 1);
    }

    #[test]
    fn files_become_text_and_pictures() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.txt"), "hello").unwrap();
        fs::write(folder.path().join("p.png"), [0x89, b'P', b'N', b'G', 1]).unwrap();
        let said = read(&typed_by("look at @a.txt, and @p.png @nobody a@b"), None, folder.path(), &sees());
        assert_eq!(said.notes, Vec::<String>::new());
        let blocks = said.prompt.blocks;
        assert_eq!(blocks.len(), 3);
        assert_eq!(blocks[1].as_text(), Some("The file a.txt:\n\nhello"));
        assert!(matches!(&blocks[2], Block::Image(media) if media.media_type == "image/png"));
    }

    #[test]
    fn a_path_that_leads_nowhere_is_told_and_a_name_is_not() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("src")).unwrap();
        let words = typed_by("ask @ann about @nofile.txt, @src/ and @src/main.rs. (@src)");
        let said = read(&words, None, folder.path(), &sees());
        let told = |name: &str| format!("@{name} is not attached: there is no such file");
        assert_eq!(said.notes, [told("nofile.txt"), told("src/main.rs")]);
        assert_eq!(said.prompt.blocks.len(), 1);
    }

    #[test]
    fn a_name_with_blanks_stands_in_quotes() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["my file.txt", "it's.txt", "a.txt"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        let words = typed_by("see @\"my file.txt\", @\"it's.txt\" (and) @'a.txt'? @\"no such\" @'my file");
        let said = read(&words, None, folder.path(), &sees());
        let files: Vec<&str> = said.prompt.blocks.iter().skip(1).filter_map(Block::as_text).collect();
        let file = |name: &str| format!("The file {name}:\n\n{name}");
        assert_eq!(files, [file("my file.txt"), file("it's.txt"), file("a.txt")]);
        let told = |name: &str| format!("@{name} is not attached: there is no such file");
        assert_eq!(said.notes, [told("no such"), told("'my")]);
    }

    #[test]
    fn a_name_is_typed_so_that_it_is_read_again() {
        for (name, expect) in [
            ("a.txt", Some("a.txt")),
            ("my file.txt", Some("\"my file.txt\"")),
            ("my \"own\" file", Some("'my \"own\" file'")),
            ("it's \"mine\"", None),
        ] {
            assert_eq!(typed(name).as_deref(), expect);
        }
    }

    #[test]
    fn the_name_that_is_begun_reaches_back_to_its_quote() {
        let check = |text: &str, expect: Option<(&str, usize)>| assert_eq!(begun(text), expect, "{text}");
        check("see @ma", Some(("ma", 3)));
        check("see @\"my fi", Some(("my fi", 7)));
        check("see @'", Some(("", 2)));
        check("see @\"my file\"", None);
        check("see @\"my file\" and @o", Some(("o", 2)));
        check("a@b", None);
        check("@\"one\ntwo", None);
    }

    #[test]
    fn nobody_but_the_person_names_files() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("key"), "secret").unwrap();
        fs::write(folder.path().join("a.txt"), "hello").unwrap();
        let whole = format!("Carry out this plan:\n\n1. look at @key and @{}/key", folder.path().display());
        let said = read(&UserText::around(format!("{whole} @a.txt"), "@a.txt"), None, folder.path(), &sees());
        assert_eq!(said.prompt.blocks.len(), 2, "{:?}", said.prompt.blocks);
        assert_eq!(said.prompt.blocks[1].as_text(), Some("The file a.txt:\n\nhello"));
    }

    #[test]
    fn what_cannot_be_attached_is_told() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("big"), "a".repeat(257 << 10)).unwrap();
        fs::write(folder.path().join("odd"), [0xc3, 0x28]).unwrap();
        let said = read(&typed_by("@big @odd @big"), None, folder.path(), &sees());
        assert_eq!(said.prompt.blocks.len(), 1);
        assert_eq!(said.notes.len(), 2, "{:?}", said.notes);
    }

    #[test]
    fn what_was_attached_is_counted_and_not_shown() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.txt"), "long").unwrap();
        let said = read(&typed_by("see @a.txt"), Some("past"), folder.path(), &sees());
        assert_eq!(told(&said.prompt.blocks), ("see @a.txt".to_owned(), 1));
        let plain = [Block::Text("The file is gone".into())];
        assert_eq!(told(&plain), ("The file is gone".to_owned(), 0));
    }

    #[test]
    fn a_past_stands_before_what_is_said() {
        let said = read(&typed_by("go on"), Some("it was long"), Path::new("/"), &sees());
        assert!(said.prompt.blocks[0].as_text().unwrap().ends_with("it was long"));
        assert_eq!(said.prompt.blocks[1].as_text(), Some("go on"));
    }

    #[test]
    fn files_and_summaries_mark_the_session_as_a_tool_that_reads_them_would() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.txt"), "long").unwrap();
        let check = |text: &str, past: Option<&str>, untrusted: bool, private: bool| {
            let said = read(&typed_by(text), past, folder.path(), &sees());
            assert_eq!(said.prompt.marks, Marks { untrusted, private }, "{text}");
        };
        check("go on", None, false, false);
        check("see @b.txt", None, false, false);
        check("see @a.txt", None, false, true);
        check("go on", Some("what the page says"), true, true);
    }
}
