//! Where the sessions of users are: in files of each, or in one database that several servers share, in a schema of each.

use holm::store::Store;
use holm_server::auth::UserName;

use crate::{
    exit::{Exit, Trouble},
    places::Places,
};

/// Where the sessions of users are.
pub(super) enum Stores {
    /// Beside what else is kept of a user.
    Files,
    /// In a PostgreSQL database.
    #[cfg(feature = "postgres")]
    Postgres(String),
}

impl Stores {
    /// In this database, or in files where none is named.
    pub(super) fn of(database: Option<String>) -> Result<Self, Trouble> {
        match database.filter(|database| !database.is_empty()) {
            None => Ok(Self::Files),
            #[cfg(feature = "postgres")]
            Some(database) => Ok(Self::Postgres(database)),
            #[cfg(not(feature = "postgres"))]
            Some(_) => Err(Trouble::new(Exit::Usage, "this program was built without PostgreSQL")
                .hint("build it with the feature `postgres`")),
        }
    }

    /// Whether other servers may have them too.
    pub(super) const fn are_shared(&self) -> bool {
        match self {
            Self::Files => false,
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => true,
        }
    }

    /// The store of a user.
    #[cfg_attr(
        not(feature = "postgres"),
        expect(unused_variables, reason = "files are found by their place alone")
    )]
    pub(super) async fn open(&self, user: &UserName, places: &Places) -> anyhow::Result<Store> {
        match self {
            Self::Files => places.store().await,
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => {
                let options = holm::store::Options::new();
                // A user's name is a plain word in small letters, so it names a schema and nothing else.
                let options =
                    if *user == UserName::owner() { options } else { options.schema(format!("holm_{user}")) };
                // What the database says may name it, but never the password.
                let unreachable = |error: holm::store::StoreError| {
                    Trouble::new(
                        Exit::Failed,
                        format!("the database of the sessions cannot be used: {error}"),
                    )
                };
                Ok(options.postgres(database).await.map_err(unreachable)?)
            }
        }
    }
}
