//! Shows and changes the level of the folder in which a server was started: what agents may do
//! there without asking. `holm trust` shows and changes the same file (`folder_trust.rs`); the
//! routes are in `holm-server/src/routes/trust.rs`. Other users have no such folder.

use holm_server::{FolderLevel, FolderLevelCard, FolderTrustView, SessionProviderError, auth::UserName};

use super::{CliSessionProvider, refused};
use crate::{
    exit::CommandError,
    folder_trust::{FolderAccess, FolderTrustFile, TrustLevel},
    holm_paths::HolmPaths,
};

impl CliSessionProvider {
    /// The level of the owner's folder.
    pub(super) fn show_folder_trust(&self, user: &UserName) -> Result<FolderTrustView, SessionProviderError> {
        let places = self.folder_of(user)?;
        self.view(places).map_err(|trouble| refused(&trouble))
    }

    /// Stores the level of the owner's folder.
    pub(super) fn store_folder_trust(
        &self,
        user: &UserName,
        level: FolderLevel,
    ) -> Result<FolderTrustView, SessionProviderError> {
        let places = self.folder_of(user)?;
        let stored = FolderTrustFile::open(places)
            .and_then(|mut file| file.set(&places.work, Some(trust_level(level))));
        stored.and_then(|_| self.view(places)).map_err(|trouble| refused(&trouble))
    }

    fn folder_of(&self, user: &UserName) -> Result<&HolmPaths, SessionProviderError> {
        if *user == UserName::owner() {
            Ok(&self.inner.places)
        } else {
            Err(SessionProviderError::Missing { what: "folder with a level" })
        }
    }

    fn view(&self, places: &HolmPaths) -> Result<FolderTrustView, CommandError> {
        let file = FolderTrustFile::open(places)?;
        let (chosen_for, level) = file.level_of(&places.work).unzip();
        let card = |level: TrustLevel| FolderLevelCard {
            level: folder_level(level),
            meaning: level.meaning().to_owned(),
        };
        Ok(FolderTrustView {
            folder: places.work.to_string_lossy().into_owned(),
            level: level.map(folder_level),
            chosen_for: chosen_for.map(|folder| folder.to_string_lossy().into_owned()),
            meaning: self.meaning(FolderAccess::of(places)?),
            levels: TrustLevel::ALL.map(card).to_vec(),
        })
    }

    /// What applies to new sessions, with the flags of the server.
    fn meaning(&self, access: FolderAccess) -> String {
        let args = &self.inner.args;
        if let Some(level) = args.trust() {
            return format!(
                "The server was started with --trust {}, which replaces the level of the folder. {}",
                level.name(),
                level.meaning()
            );
        }
        let is_lowered = args.is_unconfined() && access.unconfined() != access;
        let access = if is_lowered { access.unconfined() } else { access };
        let meaning = match access {
            FolderAccess::Trusted(level) => level.meaning(),
            FolderAccess::Reads => TrustLevel::Look.meaning(),
            FolderAccess::None => TrustLevel::Ask.meaning(),
        };
        if is_lowered {
            format!("The server runs commands without the jail (--unconfined), so `edit` applies. {meaning}")
        } else {
            meaning.to_owned()
        }
    }
}

const fn trust_level(level: FolderLevel) -> TrustLevel {
    match level {
        FolderLevel::Ask => TrustLevel::Ask,
        FolderLevel::Look => TrustLevel::Look,
        FolderLevel::Edit => TrustLevel::Edit,
        FolderLevel::Jail => TrustLevel::Jail,
    }
}

const fn folder_level(level: TrustLevel) -> FolderLevel {
    match level {
        TrustLevel::Ask => FolderLevel::Ask,
        TrustLevel::Look => FolderLevel::Look,
        TrustLevel::Edit => FolderLevel::Edit,
        TrustLevel::Jail => FolderLevel::Jail,
    }
}
