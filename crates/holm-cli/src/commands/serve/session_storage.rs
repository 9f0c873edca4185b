//! Where the sessions of users are stored: in files of each user, or in one database that several
//! servers share, with a schema for each user. The stores themselves are in `holm-store`. The
//! schema is made from the user's name, which is a plain word, so it cannot name another user's. An
//! error never contains the password of the database.

use holm::store::Store;
#[cfg(feature = "postgres")]
use holm::store::{ParkedSession, PostgresPool};
use holm_server::{SessionId, auth::UserName};

use crate::{
    exit::{CommandError, CommandExit},
    holm_paths::HolmPaths,
};

/// Where the sessions of users are stored.
pub(super) enum SessionStorage {
    /// In files beside the other data of each user.
    Files,
    /// In a PostgreSQL database; the stores of all users share its connections.
    #[cfg(feature = "postgres")]
    Postgres { database: String, pool: tokio::sync::OnceCell<PostgresPool> },
}

impl SessionStorage {
    /// In this database, or in files where none is named.
    pub(super) fn of(database: Option<String>) -> Result<Self, CommandError> {
        match database.filter(|database| !database.is_empty()) {
            None => Ok(Self::Files),
            #[cfg(feature = "postgres")]
            Some(database) => Ok(Self::Postgres { database, pool: tokio::sync::OnceCell::new() }),
            #[cfg(not(feature = "postgres"))]
            Some(_) => {
                Err(CommandError::new(CommandExit::Usage, "this program was built without PostgreSQL")
                    .hint("build it with the feature `postgres`"))
            }
        }
    }

    /// Whether other servers may have them too.
    pub(super) const fn are_shared(&self) -> bool {
        match self {
            Self::Files => false,
            #[cfg(feature = "postgres")]
            Self::Postgres { .. } => true,
        }
    }

    /// The store of a user.
    #[cfg_attr(
        not(feature = "postgres"),
        expect(unused_variables, reason = "files are found by their place alone")
    )]
    pub(super) async fn open(&self, user: &UserName, places: &HolmPaths) -> anyhow::Result<Store> {
        match self {
            Self::Files => places.store().await,
            #[cfg(feature = "postgres")]
            Self::Postgres { database, pool } => {
                let pool =
                    pool.get_or_try_init(|| PostgresPool::open(database)).await.map_err(unreachable)?;
                let options = holm::store::StoreOptions::new();
                let options = match schema_of(user) {
                    Some(schema) => options.schema(schema),
                    None => options,
                };
                Ok(options.postgres_on(pool).await.map_err(unreachable)?)
            }
        }
    }

    /// Sessions of all users that no server drives and that may be resumed now. `None` if the store
    /// of each user has to be asked.
    #[cfg_attr(
        not(feature = "postgres"),
        expect(clippy::unused_async, reason = "files of one user say nothing of another's")
    )]
    pub(super) async fn parked(&self) -> anyhow::Result<Option<Vec<(UserName, SessionId)>>> {
        match self {
            Self::Files => Ok(None),
            #[cfg(feature = "postgres")]
            Self::Postgres { database, pool } => {
                let pool =
                    pool.get_or_try_init(|| PostgresPool::open(database)).await.map_err(unreachable)?;
                let parked = pool.parked().await.map_err(unreachable)?;
                Ok(Some(parked.iter().filter_map(session_of).collect()))
            }
        }
    }
}

/// What the schemas of users begin with.
#[cfg(feature = "postgres")]
const SCHEMA: &str = "holm_";

/// The schema of a user; `None` for the owner, who has the default one. A user name is a plain word
/// in lower case, so it is always a safe schema name.
#[cfg(feature = "postgres")]
fn schema_of(user: &UserName) -> Option<String> {
    (*user != UserName::owner()).then(|| format!("{SCHEMA}{user}"))
}

/// Whose session it is; none for a schema that is no user's.
#[cfg(feature = "postgres")]
fn session_of(parked: &ParkedSession) -> Option<(UserName, SessionId)> {
    let user = match &parked.schema {
        None => UserName::owner(),
        Some(schema) => schema.strip_prefix(SCHEMA)?.parse().ok()?,
    };
    Some((user, parked.run.parse().ok()?))
}

/// What the database says may name it, but never the password.
#[cfg(feature = "postgres")]
#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` gives")]
fn unreachable(error: holm::store::StoreError) -> CommandError {
    CommandError::new(CommandExit::Failed, format!("cannot use the session database: {error}"))
}
