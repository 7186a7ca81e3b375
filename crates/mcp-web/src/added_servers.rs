//! The servers that were added on the page: kept, accepted, changed, removed.
//!
//! Must hold: one change at a time; what is offered follows what is stored, also after a
//! restart; a tool that differs from what was accepted is taken out until it is accepted again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Weak};

use engine::Engine;
use mcp::client::{Listing, MCP_HANDLER_PREFIX, OnListing, ServerName};
use providers::Sealer;
use server::{InboxNotice, InboxNotices};
use store::{Expected, Expiry, Json, Key, PageRequest, Prefix, Store};
use tokio::sync::{Mutex, MutexGuard};

use crate::fault::McpWebFault;
use crate::host::ServerSet;
use crate::live_server::{Links, LiveServer, LoginOf};
use crate::new_server::NewServer;
use crate::review::{Review, ToolChoice, chosen, review, usable};
use crate::stored_server::{
    AcceptedTool, Commands, LoginKind, SERVERS, StoredServer, logins_prefix, server_key, tool_key,
    tools_prefix,
};

/// What added servers need.
pub struct AddedServersSetup {
    pub engine: Engine,
    pub store: Arc<dyn Store>,
    pub sealer: Sealer,
    /// Shared with the host that runs the tools.
    pub set: ServerSet,
    /// Starts commands; none if this server starts none that are entered on the page.
    pub commands: Commands,
    /// Names that the settings files have.
    pub configured: BTreeSet<String>,
    /// Who is told of changed tools.
    pub operator: String,
}

/// All added servers. Clones share them.
#[derive(Clone)]
pub struct AddedServers(Arc<Inner>);

struct Inner {
    setup: AddedServersSetup,
    notices: InboxNotices,
    /// Held while something is changed.
    changing: Mutex<()>,
}

const SERVERS_MAX: usize = 50;
/// More than a server may list.
const TOOLS_MAX: usize = 1_000;

impl AddedServers {
    /// Loads what is stored, and offers the accepted tools.
    pub async fn open(setup: AddedServersSetup) -> Result<Self, McpWebFault> {
        let notices = InboxNotices::new(Arc::clone(&setup.store));
        let servers = Self(Arc::new(Inner { setup, notices, changing: Mutex::default() }));
        for (name, stored) in servers.stored().await? {
            if servers.0.setup.configured.contains(name.as_str()) {
                continue;
            }
            // One that cannot be used is shown with its fault and does not stop the others.
            if let Err(fault) = servers.load(name.clone(), stored).await {
                tracing::warn!(%name, %fault, "an added MCP server cannot be used");
            }
        }
        Ok(servers)
    }

    pub(crate) fn setup(&self) -> &AddedServersSetup {
        &self.0.setup
    }

    /// The servers as they are stored, by name.
    pub(crate) async fn stored(&self) -> Result<Vec<(ServerName, StoredServer)>, McpWebFault> {
        let prefix: Prefix = SERVERS.parse()?;
        let found = self.kv().list(&prefix, PageRequest::first(SERVERS_MAX)).await?.items;
        let read = found.into_iter().filter_map(|entry| {
            let name = entry.key.as_str().strip_prefix(SERVERS)?.parse().ok()?;
            Some((name, entry.value.to().ok()?))
        });
        Ok(read.collect())
    }

    pub(crate) fn live(&self, name: &str) -> Result<Arc<LiveServer>, McpWebFault> {
        self.0.setup.set.get(name).ok_or_else(|| McpWebFault::Unknown(name.to_owned()))
    }

    /// Why a stored server is not in use.
    pub(crate) fn fault_of(&self, name: &ServerName, stored: &StoredServer) -> Option<McpWebFault> {
        if self.0.setup.configured.contains(name.as_str()) {
            return Some(McpWebFault::Configured(name.to_string()));
        }
        self.config(name, stored).err()
    }

    /// Tries a new server, and keeps it if it answers or asks for a login.
    pub(crate) async fn keep(
        &self,
        new: NewServer,
        owner: &str,
    ) -> Result<Option<Review>, McpWebFault> {
        let NewServer { name, endpoint, login, client_id, secrets } = new;
        if self.0.setup.configured.contains(name.as_str()) {
            return Err(McpWebFault::Configured(name.to_string()));
        }
        let known = self.stored().await?;
        let before = known.iter().find(|(one, _)| *one == name).map(|(_, stored)| stored);
        if before.is_none() && known.len() >= SERVERS_MAX {
            return Err(McpWebFault::TooMuch(format!("there are already {SERVERS_MAX} servers")));
        }
        // Secrets, tools and logins belong to an address; another one begins without them.
        let same = before.filter(|before| before.endpoint == endpoint);
        let sealer = &self.0.setup.sealer;
        let secrets = match (secrets, same) {
            (Some(secrets), _) => secrets,
            (None, Some(same)) => same.secrets(sealer, name.as_str())?,
            (None, None) => Default::default(),
        };
        let stored = StoredServer {
            login,
            client_id,
            sealed: secrets.seal(sealer, name.as_str(), &endpoint)?,
            secret_names: secrets.values.keys().cloned().collect(),
            reviewed: same.map(|one| one.reviewed.clone()).unwrap_or_default(),
            pending: same.map(|one| one.pending.clone()).unwrap_or_default(),
            endpoint,
        };
        let accepted = match same {
            Some(_) => self.accepted(name.as_str()).await?,
            None => Vec::new(),
        };
        let live = self.made(name.clone(), stored, accepted)?;
        let listing = match self.listing(&live, owner).await {
            Ok(listing) => Some(listing),
            Err(McpWebFault::NeedsLogin) if login != LoginKind::None => None,
            Err(fault) => return Err(fault),
        };
        let _changing = self.changing().await;
        if same.is_none() {
            self.forget_rest(name.as_str()).await?;
        }
        self.save(&live).await?;
        self.offer(Arc::new(live));
        let live = self.live(name.as_str())?;
        Ok(listing.map(|listing| review(&live, &listing)))
    }

    /// Asks a server for its tools.
    pub(crate) async fn look(&self, name: &str, owner: &str) -> Result<Review, McpWebFault> {
        let live = self.live(name)?;
        let listing = self.listing(&live, owner).await?;
        self.record(name, &listing, Scope::Whole).await?;
        Ok(review(&*self.live(name)?, &listing))
    }

    /// Accepts exactly these tools.
    pub(crate) async fn accept(
        &self,
        name: &str,
        owner: &str,
        wanted: &[ToolChoice],
    ) -> Result<(), McpWebFault> {
        let live = self.live(name)?;
        let listing = self.listing(&live, owner).await?;
        let accepted = chosen(&listing, wanted).ok_or(McpWebFault::Changed)?;
        let _changing = self.changing().await;
        let live = self.live(name)?;
        let mut stored = live.stored.clone();
        stored.reviewed = digests(&listing);
        stored.pending = BTreeMap::new();
        let kept: BTreeSet<Key> = accepted
            .iter()
            .map(|one| tool_key(name, &one.definition.name))
            .collect::<Result<_, _>>()?;
        for one in &accepted {
            let key = tool_key(name, &one.definition.name)?;
            self.kv().set(&key, Json::of(one)?, Expected::Any, Expiry::Never).await?;
        }
        for key in self.keys(&tools_prefix(name)?).await? {
            if !kept.contains(&key) {
                self.kv().delete(&key, Expected::Any).await?;
            }
        }
        let (name, config) = (live.name.clone(), live.config.clone());
        let live = LiveServer::new(name, stored, config, accepted, Arc::clone(&live.links));
        self.save(&live).await?;
        self.offer(Arc::new(live));
        Ok(())
    }

    /// Removes a server with everything that belongs to it; its tools are refused at once.
    pub(crate) async fn remove(&self, name: &str) -> Result<(), McpWebFault> {
        let _changing = self.changing().await;
        if !self.stored().await?.iter().any(|(one, _)| one.as_str() == name) {
            return Err(McpWebFault::Unknown(name.to_owned()));
        }
        if let Ok(live) = self.live(name) {
            live.links.close_all();
        }
        self.0.setup.set.remove(name);
        self.publish(name, Vec::new());
        self.kv().delete(&server_key(name)?, Expected::Any).await?;
        self.forget_rest(name).await?;
        self.0.notices.remove(&self.0.setup.operator, &notice_id(name)).await?;
        Ok(())
    }

    /// The tools as this owner's login sees them.
    async fn listing(&self, live: &LiveServer, owner: &str) -> Result<Listing, McpWebFault> {
        let whose = live.login_of(owner);
        if live.needs_login(&whose).await {
            return Err(McpWebFault::NeedsLogin);
        }
        Ok(live.connection(&whose).listing().await?)
    }

    /// Compares a list with what the operator has seen, and takes changed tools out.
    async fn record(&self, name: &str, listing: &Listing, scope: Scope) -> Result<(), McpWebFault> {
        let _changing = self.changing().await;
        let live = self.live(name)?;
        let reviewed = &live.stored.reviewed;
        let news = digests(listing).into_iter();
        let news: BTreeMap<_, _> =
            news.filter(|(tool, digest)| reviewed.get(tool) != Some(digest)).collect();
        let pending = match scope {
            Scope::Whole => news,
            // What one person may see says nothing of what is not in it.
            Scope::Part => live.stored.pending.clone().into_iter().chain(news).collect(),
        };
        // Before the first review, everything is new anyway.
        if reviewed.is_empty() || pending == live.stored.pending {
            return Ok(());
        }
        let stored = StoredServer { pending, ..live.stored.clone() };
        let accepted = self.accepted(name).await?;
        let (name, config) = (live.name.clone(), live.config.clone());
        let live = LiveServer::new(name, stored, config, accepted, Arc::clone(&live.links));
        self.save(&live).await?;
        self.offer(Arc::new(live));
        Ok(())
    }

    async fn load(&self, name: ServerName, stored: StoredServer) -> Result<(), McpWebFault> {
        let accepted = self.accepted(name.as_str()).await?;
        self.offer(Arc::new(self.made(name, stored, accepted)?));
        Ok(())
    }

    fn config(
        &self,
        name: &ServerName,
        stored: &StoredServer,
    ) -> Result<mcp::client::ServerConfig, McpWebFault> {
        let secrets = stored.secrets(&self.0.setup.sealer, name.as_str())?;
        LiveServer::config_of(name, stored, &secrets, &self.0.setup.commands)
    }

    fn made(
        &self,
        name: ServerName,
        stored: StoredServer,
        accepted: Vec<AcceptedTool>,
    ) -> Result<LiveServer, McpWebFault> {
        let AddedServersSetup { store, sealer, .. } = &self.0.setup;
        let secrets = stored.secrets(sealer, name.as_str())?;
        let config = self.config(&name, &stored)?;
        let heard = self.listener(name.to_string(), stored.login);
        let links = Links::new(Arc::clone(store), sealer.clone(), heard, &secrets);
        Ok(LiveServer::new(name, stored, config, accepted, Arc::new(links)))
    }

    /// Hears every list that a server sends, also before a call.
    fn listener(&self, name: String, login: LoginKind) -> Arc<OnListing> {
        let inner: Weak<Inner> = Arc::downgrade(&self.0);
        let scope = match login {
            LoginKind::Each => Scope::Part,
            LoginKind::None | LoginKind::Shared => Scope::Whole,
        };
        Arc::new(move |listing| {
            let Some(inner) = inner.upgrade() else { return };
            let (servers, name, listing) = (Self(inner), name.clone(), listing.clone());
            tokio::spawn(async move {
                match servers.record(&name, &listing, scope).await {
                    // It is being added, or was removed.
                    Ok(()) | Err(McpWebFault::Unknown(_)) => {}
                    Err(fault) => tracing::warn!(name, %fault, "cannot record a list of tools"),
                }
            });
        })
    }

    /// Uses a server from now on, with its tools.
    fn offer(&self, live: Arc<LiveServer>) {
        let (name, tools) = (live.name.clone(), live.tools().tools);
        self.0.setup.set.put(live);
        self.publish(name.as_str(), tools);
    }

    fn publish(&self, name: &str, tools: Vec<registry::Tool>) {
        let start = format!("{MCP_HANDLER_PREFIX}{name}#");
        self.0.setup.engine.registry().update(|registry| {
            registry.retained(|tool| !tool.handler.path.starts_with(&start)).with(tools)
        });
    }

    async fn accepted(&self, name: &str) -> Result<Vec<AcceptedTool>, McpWebFault> {
        let page = self.kv().list(&tools_prefix(name)?, PageRequest::first(TOOLS_MAX)).await?;
        Ok(page.items.into_iter().filter_map(|entry| entry.value.to().ok()).collect())
    }

    /// Stores a server, and tells the operator what waits for them.
    async fn save(&self, live: &LiveServer) -> Result<(), McpWebFault> {
        let (name, stored) = (live.name.as_str(), &live.stored);
        let json = Json::of(stored)?;
        self.kv().set(&server_key(name)?, json, Expected::Any, Expiry::Never).await?;
        let (operator, id) = (&self.0.setup.operator, notice_id(name));
        match stored.pending.len() {
            0 => self.0.notices.remove(operator, &id).await?,
            count => {
                let notice = InboxNotice::new(id, "mcp_tools", name, count);
                self.0.notices.put(operator, &notice).await?;
            }
        }
        Ok(())
    }

    /// Deletes the accepted tools and the logins of a server.
    async fn forget_rest(&self, name: &str) -> Result<(), McpWebFault> {
        for prefix in [tools_prefix(name)?, logins_prefix(name)?] {
            for key in self.keys(&prefix).await? {
                self.kv().delete(&key, Expected::Any).await?;
            }
        }
        Ok(())
    }

    async fn keys(&self, prefix: &Prefix) -> Result<Vec<Key>, McpWebFault> {
        Ok(self.kv().keys(prefix, PageRequest::first(TOOLS_MAX)).await?.items)
    }

    fn kv(&self) -> &dyn store::Kv {
        self.0.setup.store.kv()
    }

    async fn changing(&self) -> MutexGuard<'_, ()> {
        self.0.changing.lock().await
    }

    /// A login was made or deleted: the next call opens a new connection.
    pub(crate) fn reconnect(&self, name: &str, whose: &LoginOf) {
        if let Ok(live) = self.live(name) {
            live.links.close(whose);
        }
    }
}

/// How much of a server's tools a list has.
#[derive(Debug, Clone, Copy)]
enum Scope {
    Whole,
    /// What one person may see.
    Part,
}

fn digests(listing: &Listing) -> BTreeMap<String, String> {
    usable(listing).map(|one| (one.name.clone(), one.digest().to_string())).collect()
}

fn notice_id(name: &str) -> String {
    format!("mcp-{name}")
}
