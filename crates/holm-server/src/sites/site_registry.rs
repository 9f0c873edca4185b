//! Stores all sites in one private file. It opens no listener: `serve.rs` does. A change is on disk
//! before it takes effect; names and places are unique, and the number of sites is bounded.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{PoisonError, RwLock},
};

use serde::{Deserialize, Serialize};

use super::{PublishedSite, SiteName, SitePlace};
use crate::{ApiError, ServerError, auth::write_private};

const KEPT: &str = "sites.json";
/// Sites of one server: each may have a listener.
const MOST: usize = 64;

/// The published sites. A change is written to disk before it takes effect.
#[derive(Debug)]
pub struct SiteRegistry {
    path: PathBuf,
    kept: RwLock<SiteRegistryFile>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct SiteRegistryFile {
    #[serde(default)]
    sites: Vec<PublishedSite>,
}

impl SiteRegistry {
    /// Opens the sites of a folder; the list is empty if the file is missing.
    ///
    /// # Errors
    /// [`ServerError::File`] if the file cannot be read.
    pub fn open(folder: &Path) -> Result<Self, ServerError> {
        let path = folder.join(KEPT);
        let kept = match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| ServerError::File {
                place: path.display().to_string(),
                reason: error.to_string(),
            })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => SiteRegistryFile::default(),
            Err(error) => return Err(ServerError::file(&path, &error)),
        };
        Ok(Self { path, kept: RwLock::new(kept) })
    }

    /// All sites, by name.
    pub fn list(&self) -> Vec<PublishedSite> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner).sites.clone()
    }

    /// The site of a name.
    pub fn find(&self, name: &SiteName) -> Option<PublishedSite> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        kept.sites.iter().find(|site| site.name == *name).cloned()
    }

    /// The site of a host name.
    pub fn hosted(&self, host: &str) -> Option<PublishedSite> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        let is_it = |site: &&PublishedSite| match &site.place {
            SitePlace::Host(own) => own.eq_ignore_ascii_case(host),
            SitePlace::Listen(_) => false,
        };
        kept.sites.iter().find(is_it).cloned()
    }

    /// Publishes a folder as a site.
    ///
    /// # Errors
    /// [`ApiError`] if the name or the address is taken, or there are too many sites.
    pub fn add(&self, site: PublishedSite) -> Result<(), ApiError> {
        site.place.check()?;
        self.change(|sites| {
            if sites.len() >= MOST {
                return Err(ApiError::conflict("full", "too many sites; remove one first"));
            }
            // A port that the system chooses is never taken.
            let free = matches!(site.place, SitePlace::Listen(address) if address.port() == 0);
            let taken = |kept: &PublishedSite| kept.name == site.name || (kept.place == site.place && !free);
            if sites.iter().any(taken) {
                return Err(ApiError::conflict("exists", "a site with that name or address already exists"));
            }
            sites.push(site);
            sites.sort_by(|a, b| a.name.cmp(&b.name));
            Ok(())
        })
    }

    /// Removes a published site.
    ///
    /// # Errors
    /// [`ApiError`] if there is no such site.
    pub fn remove(&self, name: &SiteName) -> Result<(), ApiError> {
        self.change(|sites| {
            let before = sites.len();
            sites.retain(|site| site.name != *name);
            if sites.len() < before { Ok(()) } else { Err(ApiError::missing("site")) }
        })
    }

    /// Changes a copy and stores it; only then the change takes effect.
    fn change(
        &self,
        change: impl FnOnce(&mut Vec<PublishedSite>) -> Result<(), ApiError>,
    ) -> Result<(), ApiError> {
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        let mut changed = kept.clone();
        change(&mut changed.sites)?;
        let text = serde_json::to_vec_pretty(&changed)
            .map_err(|_| ApiError::failed("the sites cannot be stored"))?;
        write_private(&self.path, &text)?;
        *kept = changed;
        Ok(())
    }
}
