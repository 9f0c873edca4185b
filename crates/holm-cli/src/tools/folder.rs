//! Paths as tools may use them: what the text says is what is opened, or nothing is.

use std::{
    env, fmt, io,
    path::{Component, Path, PathBuf},
};

use holm::grants::FilePath;
use holm_tools::root::Denies;

/// A path that leads where it says. Relative ones begin in the folder where the command was started.
///
/// The check and the opening are two steps: whoever can change the folder in between can still swap a link in. That
/// needs a hostile neighbour on this machine, not a hostile model.
pub(super) fn straight(path: &str) -> Result<PathBuf, Refused> {
    let root =
        env::current_dir().and_then(|root| root.canonicalize()).map_err(|error| refused(path, &error))?;
    straight_below(&root, path)
}

pub(super) fn straight_below(root: &Path, path: &str) -> Result<PathBuf, Refused> {
    let wanted = root.join(plain(path)?);
    let found = wanted.canonicalize().map_err(|error| refused(path, &error))?;
    if found != wanted {
        return Err(Refused(format!("{path} is a link, or leads through one; name the file itself")));
    }
    kept_from_tools(root, &found, path, Denies::reading)?;
    Ok(found)
}

/// The place of a file that is not there yet, in a folder that is.
pub(super) fn new_file(path: &str) -> Result<PathBuf, Refused> {
    let root =
        env::current_dir().and_then(|root| root.canonicalize()).map_err(|error| refused(path, &error))?;
    let wanted = root.join(plain(path)?);
    let (Some(folder), Some(name)) = (wanted.parent(), wanted.file_name()) else {
        return Err(Refused(format!("{path} names no file")));
    };
    let place = straight_below(&root, &folder.to_string_lossy())?.join(name);
    kept_from_tools(&root, &place, path, Denies::writing)?;
    Ok(place)
}

/// Refuses what the rules of file tools keep from all of them, such as `.env`.
fn kept_from_tools(
    root: &Path,
    place: &Path,
    path: &str,
    rule: impl Fn(&Denies, &FilePath) -> Option<String>,
) -> Result<(), Refused> {
    // What lies elsewhere was granted by its whole path, and the rules hold for its names all the same.
    let inside = place.strip_prefix(root).or_else(|_| place.strip_prefix("/")).unwrap_or(place);
    let named = inside.to_str().filter(|text| !text.is_empty()).unwrap_or(".").parse::<FilePath>();
    let named = named.map_err(|reason| Refused(format!("{path}: {reason}")))?;
    match rule(&Denies::usual(), &named) {
        Some(rule) => Err(Refused(format!("{path} is kept from tools by the rule {rule}"))),
        None => Ok(()),
    }
}

/// The path without `.`; `..` is refused, because what it means depends on links.
fn plain(path: &str) -> Result<PathBuf, Refused> {
    let mut out = PathBuf::new();
    for part in Path::new(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                return Err(Refused(format!("{path} goes up with ..; name the place itself")));
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(part),
        }
    }
    Ok(out)
}

/// Why a tool could not do what it was asked.
#[derive(Debug)]
pub(super) struct Refused(String);

impl fmt::Display for Refused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// What the system said about a path.
pub(super) fn refused(path: &str, error: &io::Error) -> Refused {
    Refused(format!("{path}: {error}"))
}
