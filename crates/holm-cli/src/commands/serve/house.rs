//! Provides agents to the users of a server. The user who started it uses the data folder and the
//! folder where it was started. Every other user has their own data folder and workspace, and so
//! their own sessions, tools, agents, keys and files.

mod stock;

use std::{collections::HashMap, sync::Arc};

use holm::{
    runtime::{BoxFuture, DriveError, EventSink, JournalFailed, SecretString, Session},
    store::Store,
    wire::services::Services,
};
use holm_config::KeyFile;
use holm_mcp::server::Exposed;
use holm_server::{
    AgentCard, Home, ModelCard, OpenError, Opened, Order, SessionId, SkillCard, Start, ToolCard, Workshop,
    auth::UserName,
};
use tokio::sync::Mutex;

use super::{person::Watchers, stores::Stores};
use crate::{
    agents::Chosen,
    approve::Person,
    began::Began,
    children,
    commands::{
        mcp_server,
        run::{self, Made, Sinks},
    },
    exit::{Exit, Trouble},
    places::{self, Places},
    screen::Screen,
    skills::Skills,
};

/// The name of the default agent, which has no file.
const USUAL: &str = "holm";
/// What it is for.
const ABOUT_USUAL: &str = "Works in the workspace, with the tools that it was given.";

/// The users of a server and their agents. Clones share the state.
#[derive(Clone)]
pub(super) struct House {
    inner: Arc<Inner>,
}

struct Inner {
    args: run::Args,
    places: Places,
    stores: Stores,
    rooms: Mutex<HashMap<UserName, Place>>,
    /// Also receives the events of every session.
    told: Option<Arc<dyn EventSink>>,
}

/// The slot of a user's workspace, filled on the first request.
type Place = Arc<Mutex<Option<Arc<Room>>>>;

/// The folders and the store of a user.
struct Room {
    places: Places,
    store: Store,
    /// An agent without a user, for showing its tools; assembled on first use.
    shown: Mutex<Option<Arc<Made>>>,
}

impl House {
    /// Agents that are made of these arguments.
    pub(super) fn new(args: run::Args, places: Places, stores: Stores) -> Self {
        Self { inner: Arc::new(Inner { args, places, stores, rooms: Mutex::default(), told: None }) }
    }

    /// Also sends the events of every session to this sink. Must be called before
    /// the value is cloned.
    pub(super) fn telling(mut self, sink: Arc<dyn EventSink>) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.told = Some(sink);
        }
        self
    }

    /// Whether the owner's usual agent can be made at all.
    pub(super) async fn check(&self) -> anyhow::Result<()> {
        let screen = Arc::new(Screen::default());
        let (args, places) = self.inner.args.clone().settle(self.inner.places.clone(), &screen)?;
        let room = self.room(&UserName::owner()).await?;
        let made =
            run::seated_with(&args, &places, &screen, Person::Away, Sinks::default(), room.store.clone())
                .await?;
        *room.shown.lock().await = Some(Arc::new(made));
        Ok(())
    }

    async fn room(&self, user: &UserName) -> anyhow::Result<Arc<Room>> {
        let place = Arc::clone(self.inner.rooms.lock().await.entry(user.clone()).or_default());
        // Locked while the store is opened, for this user only: a store that is in use elsewhere
        // does not block other users.
        let mut place = place.lock().await;
        if let Some(room) = &*place {
            return Ok(Arc::clone(room));
        }
        let places = self.places_of(user)?;
        let store = self.inner.stores.open(user, &places).await?;
        let room = Arc::new(Room { places, store, shown: Mutex::default() });
        *place = Some(Arc::clone(&room));
        Ok(room)
    }

    /// A user's name is a plain word, so it names a folder and nothing else.
    fn places_of(&self, user: &UserName) -> anyhow::Result<Places> {
        let owner = &self.inner.places;
        if *user == UserName::owner() {
            return Ok(owner.clone());
        }
        if self.inner.args.is_unconfined() {
            let message = "commands run without a sandbox here, so users would not be isolated from each \
                           other";
            return Err(Trouble::new(Exit::Usage, message)
                .hint("start the server without --unconfined")
                .into());
        }
        let home = owner.data.join("users").join(user.as_str());
        // Side by side: otherwise the user's data would contain the folder of their commands, and
        // could not be hidden from them.
        let (data, work) = (home.join("data"), home.join("workspace"));
        places::private_folder(&data)?;
        places::private_folder(&work)?;
        // What the flag says of the owner's project says nothing of other people's.
        let own = Places { bounds: owner.bounds, ..Places::at(data, work) };
        places::private_folder(&own.tools())?;
        Ok(own)
    }

    async fn shown(&self, user: &UserName) -> anyhow::Result<Arc<Made>> {
        let room = self.room(user).await?;
        let mut shown = room.shown.lock().await;
        if let Some(made) = &*shown {
            return Ok(Arc::clone(made));
        }
        let screen = Arc::new(Screen::elsewhere(|_| {}));
        let (args, places) = self.inner.args.clone().settle(room.places.clone(), &screen)?;
        let made =
            run::seated_with(&args, &places, &screen, Person::Away, Sinks::default(), room.store.clone())
                .await?;
        let made = Arc::new(made);
        *shown = Some(Arc::clone(&made));
        Ok(made)
    }

    async fn make(&self, order: Order) -> Result<Opened, OpenError> {
        let room = self.room(&order.user).await.map_err(failed)?;
        let agent = order.agent.clone().filter(|name| name != USUAL);
        // A name, never a path: what a client says chooses among what is there.
        if let Some(name) = &agent
            && listed(&room.places).iter().all(|listed| listed.name != *name)
        {
            return Err(OpenError::Missing { what: "agent" });
        }
        let desk = Arc::clone(&order.desk);
        let screen = Arc::new(Screen::elsewhere(move |note| desk.tell(note)));
        let args = self.inner.args.clone().of(agent, order.model.clone());
        let args = match &order.start {
            Start::New(_) => args,
            Start::Resume(_) | Start::Fork { .. } => args.going_on(),
        };
        let (args, places) =
            args.settle(room.places.clone(), &screen).map_err(|trouble| refused(&trouble))?;
        let args = args.at_most(order.budget);
        let person = Person::Elsewhere(Arc::new(Watchers(Arc::clone(&order.desk))));
        let events = std::iter::once(Arc::clone(&order.events)).chain(self.inner.told.clone()).collect();
        let sinks = Sinks { events, deltas: Some(Arc::clone(&order.deltas)) };
        let made = run::seated_with(&args, &places, &screen, person, sinks, room.store.clone()).await;
        let made = made.map_err(|error| told(&error))?;
        // Checked before the session exists, because it could not be used.
        order.check_tools(&made.tools.begun())?;
        let session = begin(&args, &places, &made, order.start).await?;
        let following = made.tools.lend(&session, order.tools);
        let following = following.map_err(|error| OpenError::Refused(error.to_string()))?;
        Ok(Opened { session, keep: Box::new((following, made)) })
    }
}

async fn begin(args: &run::Args, places: &Places, made: &Made, start: Start) -> Result<Session, OpenError> {
    let (session, is_new) = match start {
        Start::New(Some(id)) => (made.agent.start_as(id.as_str()).await, true),
        Start::New(None) => (made.agent.start().await, true),
        Start::Resume(id) => {
            let id = id.as_str();
            children::check(&made.store, id).await.map_err(|error| told(&error))?;
            if let Some(began) = Began::of(places, id).map_err(failed)? {
                began.check(places, id).map_err(|trouble| refused(&trouble))?;
            }
            (made.agent.resume_deciding(id, |run| run::taken_up(args, made, run)).await, false)
        }
        Start::Fork { from, at, new } => {
            let new = new.map_or_else(|| format!("{from}-fork"), |new| new.to_string());
            (made.agent.fork(from.as_str(), at, &new).await, true)
        }
    };
    let session = session.map_err(driven)?;
    if is_new {
        Began::here(places, Vec::new()).keep(places, session.id()).map_err(failed)?;
    }
    Ok(session)
}

impl Workshop for House {
    fn home(&self, user: &UserName) -> BoxFuture<'static, Result<Home, OpenError>> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let room = house.room(&user).await.map_err(failed)?;
            let (workspace, private) = (room.places.work.clone(), room.places.data.clone());
            Ok(Home { store: room.store.clone(), workspace, private })
        })
    }

    fn parked(&self) -> BoxFuture<'static, Result<Option<Vec<(UserName, SessionId)>>, OpenError>> {
        let house = self.clone();
        Box::pin(async move { house.inner.stores.parked().await.map_err(failed) })
    }

    fn open(&self, order: Order) -> BoxFuture<'static, Result<Opened, OpenError>> {
        let house = self.clone();
        Box::pin(async move { house.make(order).await })
    }

    fn agents(&self, user: &UserName) -> BoxFuture<'static, Result<Vec<AgentCard>, OpenError>> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let room = house.room(&user).await.map_err(failed)?;
            let mut cards = vec![AgentCard { name: USUAL.into(), description: ABOUT_USUAL.into() }];
            cards.extend(listed(&room.places));
            Ok(cards)
        })
    }

    fn tools(&self, user: &UserName) -> BoxFuture<'static, Result<Vec<ToolCard>, OpenError>> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let made = house.shown(&user).await.map_err(failed)?;
            let snapshot = made.tools.registry().snapshot();
            let cards = snapshot.tools().map(|(tool, entry)| {
                let declared = tool.declaration();
                ToolCard {
                    name: declared.name.clone(),
                    description: declared.description.clone(),
                    level: declared.level.to_string(),
                    origin: entry.origin.clone(),
                }
            });
            Ok(cards.collect())
        })
    }

    fn skills(&self, user: &UserName) -> BoxFuture<'static, Result<Vec<SkillCard>, OpenError>> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let room = house.room(&user).await.map_err(failed)?;
            let skills = Skills::find(&room.places, &[]);
            let card = |skill: &holm_config::skills::Skill| SkillCard {
                name: skill.name.clone(),
                description: skill.description.clone(),
            };
            Ok(skills.listed().map(card).collect())
        })
    }

    fn models(&self, user: &UserName) -> BoxFuture<'static, Result<Vec<ModelCard>, OpenError>> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let made = house.shown(&user).await.map_err(failed)?;
            let models = &made.agent.config().models;
            Ok(models.iter().map(|model| ModelCard { name: model.name.clone() }).collect())
        })
    }

    fn exposed(&self, user: &UserName) -> BoxFuture<'static, Result<Option<Exposed>, OpenError>> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let room = house.room(&user).await.map_err(failed)?;
            Ok(Some(mcp_server::prompts(&room.places)))
        })
    }

    fn keys(&self, user: &UserName) -> BoxFuture<'static, Result<Vec<String>, OpenError>> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let room = house.room(&user).await.map_err(failed)?;
            let keys = KeyFile::load(&room.places.keys()).map_err(failed)?;
            Ok(keys.names().map(str::to_owned).collect())
        })
    }

    fn keep_key(
        &self,
        user: &UserName,
        provider: &str,
        key: SecretString,
    ) -> BoxFuture<'static, Result<(), OpenError>> {
        let (house, user, provider) = (self.clone(), user.clone(), provider.to_owned());
        Box::pin(async move {
            let room = house.room(&user).await.map_err(failed)?;
            let services = Services::stock();
            let service = services.find(&provider).map_err(|_| OpenError::Missing { what: "provider" })?;
            let mut keys = KeyFile::load(&room.places.keys()).map_err(failed)?;
            keys.set(&service.id, &key).map_err(|_| OpenError::Refused("not a valid key".into()))
        })
    }
}

/// The agent files that can be read. Other problems of an agent are reported when it is requested.
fn listed(places: &Places) -> Vec<AgentCard> {
    let card =
        |name, about: Result<String, String>| about.ok().map(|description| AgentCard { name, description });
    Chosen::list(places).into_iter().filter_map(|agent| card(agent.name, agent.about)).collect()
}

/// Problems of the machine are reported to the operator of the server, not to its clients.
fn failed(error: impl std::fmt::Display) -> OpenError {
    OpenError::Failed(format!("{error:#}"))
}

/// Errors in the client's request are reported to the client; all others are for the
/// operator of the server.
fn refused(trouble: &Trouble) -> OpenError {
    match trouble.exit {
        Exit::Usage | Exit::Missing | Exit::Provider => OpenError::Refused(trouble.to_string()),
        Exit::Done | Exit::Failed | Exit::NoAnswer | Exit::Limit | Exit::Cancelled => {
            OpenError::Failed(trouble.to_string())
        }
    }
}

/// As [`refused`], where anything may have gone wrong.
fn told(error: &anyhow::Error) -> OpenError {
    error.downcast_ref::<Trouble>().map_or_else(|| failed(error), refused)
}

fn driven(error: DriveError) -> OpenError {
    match error {
        DriveError::Journal(JournalFailed::Missing { .. }) => OpenError::Missing { what: "session" },
        DriveError::Journal(JournalFailed::Exists { .. }) => OpenError::Exists,
        DriveError::Journal(JournalFailed::Busy { .. }) => OpenError::Busy,
        DriveError::Journal(JournalFailed::BadName { .. }) | DriveError::Fork(_) => {
            OpenError::Refused(error.to_string())
        }
        other => OpenError::Failed(other.to_string()),
    }
}

#[cfg(test)]
mod tests;
