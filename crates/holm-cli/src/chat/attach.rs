//! Files that come with what is said: `@path` words become text and pictures.

use std::{
    fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use holm::kernel::{Block, Media, Prompt, Source};

use super::state::Words;
use crate::model::Takes;

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

/// What is said with its files, and what could not be attached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) prompt: Prompt,
    pub(super) notes: Vec<String>,
}

/// Reads the files that the person names, as far as the model is shown them. What is no file stays a word; one that looks like
/// a path is told, since somebody believes it attached.
pub(super) fn read(words: &Words, past: Option<&str>, work: &Path, takes: &Takes) -> Said {
    let (mut blocks, mut notes) = (Vec::new(), Vec::new());
    if let Some(past) = past {
        blocks.push(Block::Text(format!("{PAST}{past}")));
    }
    blocks.push(Block::Text(words.text.clone()));
    for (name, path) in named(&words.typed, work) {
        if blocks.len() > MOST_FILES {
            notes.push(format!("more than {MOST_FILES} files are not attached at once"));
            break;
        }
        let seen = |block: Block| takes.refusal(&block).map_or(Ok(block), Err);
        match block(&name, &path).and_then(seen) {
            Ok(block) => blocks.push(block),
            Err(why) => notes.push(format!("@{name} is not attached: {why}")),
        }
    }
    notes.extend(
        missed(&words.typed, work).map(|name| format!("@{name} is not attached: there is no such file")),
    );
    Said { prompt: Prompt { blocks, marks: holm::kernel::Marks::default() }, notes }
}

/// What a person said, without what came with it; and how many files did.
pub(super) fn told(blocks: &[Block]) -> (String, usize) {
    let texts: Vec<&str> = blocks.iter().filter_map(Block::as_text).collect();
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

/// What is named like a file and is none, without the end of the sentence. A plain word may be somebody's name, and a folder is
/// not meant to be attached.
fn missed<'t>(text: &'t str, work: &'t Path) -> impl Iterator<Item = &'t str> {
    let names = text.split_whitespace().filter_map(|word| word.strip_prefix('@'));
    let names = names.filter(move |name| !work.join(name).exists()).map(without_stop);
    names.filter(move |name| name.contains(['.', '/']) && !work.join(name).exists())
}

/// A full stop or a comma may end the sentence and not the name.
fn without_stop(name: &str) -> &str {
    name.trim_end_matches(['.', ',', ';', ':', '!', '?', ')'])
}

/// The files that are named, each once.
fn named(text: &str, work: &Path) -> Vec<(String, PathBuf)> {
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for word in text.split_whitespace() {
        let Some(name) = word.strip_prefix('@') else { continue };
        let file = [name, without_stop(name)].into_iter().find(|name| work.join(name).is_file());
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

    fn typed(text: &str) -> Words {
        Words::typed(text.to_owned())
    }

    fn sees() -> Takes {
        Takes::of("openai/gpt-5-mini")
    }

    #[test]
    fn a_picture_that_the_model_would_not_be_shown_is_told() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("p.png"), [0x89, b'P', b'N', b'G', 1]).unwrap();
        let said = read(&typed("see @p.png"), None, folder.path(), &Takes::of("local/small"));
        assert_eq!(said.notes, ["@p.png is not attached: local/small takes no image/png"]);
        assert_eq!(said.prompt.blocks.len(), 1);
    }

    #[test]
    fn files_become_text_and_pictures() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.txt"), "hello").unwrap();
        fs::write(folder.path().join("p.png"), [0x89, b'P', b'N', b'G', 1]).unwrap();
        let said = read(&typed("look at @a.txt, and @p.png @nobody a@b"), None, folder.path(), &sees());
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
        let words = typed("ask @ann about @nofile.txt, @src/ and @src/main.rs. (@src)");
        let said = read(&words, None, folder.path(), &sees());
        let told = |name: &str| format!("@{name} is not attached: there is no such file");
        assert_eq!(said.notes, [told("nofile.txt"), told("src/main.rs")]);
        assert_eq!(said.prompt.blocks.len(), 1);
    }

    #[test]
    fn nobody_but_the_person_names_files() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("key"), "secret").unwrap();
        fs::write(folder.path().join("a.txt"), "hello").unwrap();
        let whole = format!("Carry out this plan:\n\n1. look at @key and @{}/key", folder.path().display());
        let said = read(&Words::around(format!("{whole} @a.txt"), "@a.txt"), None, folder.path(), &sees());
        assert_eq!(said.prompt.blocks.len(), 2, "{:?}", said.prompt.blocks);
        assert_eq!(said.prompt.blocks[1].as_text(), Some("The file a.txt:\n\nhello"));
    }

    #[test]
    fn what_cannot_be_attached_is_told() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("big"), "a".repeat(257 << 10)).unwrap();
        fs::write(folder.path().join("odd"), [0xc3, 0x28]).unwrap();
        let said = read(&typed("@big @odd @big"), None, folder.path(), &sees());
        assert_eq!(said.prompt.blocks.len(), 1);
        assert_eq!(said.notes.len(), 2, "{:?}", said.notes);
    }

    #[test]
    fn what_was_attached_is_counted_and_not_shown() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.txt"), "long").unwrap();
        let said = read(&typed("see @a.txt"), Some("past"), folder.path(), &sees());
        assert_eq!(told(&said.prompt.blocks), ("see @a.txt".to_owned(), 1));
        let plain = [Block::Text("The file is gone".into())];
        assert_eq!(told(&plain), ("The file is gone".to_owned(), 0));
    }

    #[test]
    fn a_past_stands_before_what_is_said() {
        let said = read(&typed("go on"), Some("it was long"), Path::new("/"), &sees());
        assert!(said.prompt.blocks[0].as_text().unwrap().ends_with("it was long"));
        assert_eq!(said.prompt.blocks[1].as_text(), Some("go on"));
    }
}
