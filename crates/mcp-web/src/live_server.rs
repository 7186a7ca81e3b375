//! One added server while it is used: its connections and logins, and its accepted tools.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use addresses::AddressGuard;
use contract::Secret;
use engine::ToolFilter;
use mcp::client::{
    AskWhen, Connection, ConnectionState, Definition, ElicitationPolicy, Endpoint, Formats, Grant,
    ImportedTools, KeptLogin, Limits, LoginState, LoginStore, McpLock, OAuth, OnListing,
    ServerConfig, ServerName, import_tools,
};
use providers::Sealer;
use store::Store;

use crate::fault::McpWebFault;
use crate::sealed_login::{SealedLogin, place};
use crate::stored_server::{
    AcceptedTool, Commands, LoginKind, ServerSecrets, StoredEndpoint, StoredServer, login_key,
};

/// A server with its secrets. It is replaced as a whole when something is changed; the new one
/// may share the connections.
pub(crate) struct LiveServer {
    pub name: ServerName,
    pub stored: StoredServer,
    /// Without a login.
    pub config: ServerConfig,
    /// The accepted definitions.
    pub lock: McpLock,
    pub links: Arc<Links>,
}

/// The connections and logins of a server, by whose they are.
pub(crate) struct Links {
    store: Arc<dyn Store>,
    sealer: Sealer,
    on_listing: Arc<OnListing>,
    client_secret: Option<Secret>,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    connections: BTreeMap<String, (Arc<Connection>, u64)>,
    /// Kept as long as the server: the lock of a login is in it.
    logins: BTreeMap<String, LoginStore>,
    uses: u64,
}

/// Whose login a connection carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LoginOf {
    /// There is none.
    Nobody,
    Everybody,
    Owner(String),
}

impl LoginOf {
    /// Names of owners have no `+`.
    fn key(&self) -> &str {
        match self {
            Self::Nobody => "+none",
            Self::Everybody => "+shared",
            Self::Owner(owner) => owner,
        }
    }
}

/// Further owners close the connection that was not used for the longest time.
const CONNECTIONS_MAX: usize = 64;

impl Links {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        sealer: Sealer,
        on_listing: Arc<OnListing>,
        secrets: &ServerSecrets,
    ) -> Self {
        let client_secret = secrets.client_secret.clone().map(Secret::new);
        Self { store, sealer, on_listing, client_secret, open: Mutex::default() }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next call opens a new connection.
    pub(crate) fn close(&self, whose: &LoginOf) {
        self.open().connections.remove(whose.key());
    }

    pub(crate) fn close_all(&self) {
        self.open().connections.clear();
    }
}

impl LiveServer {
    /// The settings of a server, with its secrets.
    pub(crate) fn config_of(
        name: &ServerName,
        stored: &StoredServer,
        secrets: &ServerSecrets,
        commands: &Commands,
    ) -> Result<ServerConfig, McpWebFault> {
        let endpoint = match &stored.endpoint {
            StoredEndpoint::Address { url, reach } => Endpoint::Http {
                url: url.clone(),
                headers: secrets.values.clone(),
                oauth: None,
                guard: Some(AddressGuard::new(*reach)),
            },
            StoredEndpoint::Command(command) => {
                let resolve = commands.as_ref().ok_or(McpWebFault::NoCommands)?;
                let mut program = resolve(command).map_err(McpWebFault::Command)?;
                program.env.extend(secrets.values.clone());
                Endpoint::Program(program)
            }
        };
        Ok(ServerConfig {
            name: name.clone(),
            endpoint,
            tools: ToolFilter::All,
            effects: BTreeMap::new(),
            ask_when: AskWhen::ByHints,
            elicitation: ElicitationPolicy::Decline,
            formats: Formats::Noted,
            limits: Limits::usual(),
        })
    }

    pub(crate) fn new(
        name: ServerName,
        stored: StoredServer,
        mut config: ServerConfig,
        accepted: Vec<AcceptedTool>,
        links: Arc<Links>,
    ) -> Self {
        // Every tool has an entry of its own: the name of another may look like a pattern.
        config.effects =
            accepted.iter().map(|one| (one.definition.name.clone(), one.effect())).collect();
        let mut lock = McpLock::default();
        lock.pin(name.as_str(), accepted.into_iter().map(|one| one.definition));
        Self { name, stored, config, lock, links }
    }

    /// The accepted definition, unless the server has another one by now.
    pub(crate) fn pinned(&self, tool: &str) -> Option<&Definition> {
        let pinned = self.lock.get(self.name.as_str(), tool)?;
        (!self.stored.pending.contains_key(tool)).then_some(pinned)
    }

    /// The tools that may be offered: accepted, and not changed since.
    pub(crate) fn tools(&self) -> ImportedTools {
        let accepted = self.lock.of(self.name.as_str());
        let unchanged = accepted.filter(|one| !self.stored.pending.contains_key(&one.name));
        import_tools(&self.config, unchanged, &self.lock)
    }

    pub(crate) fn reads(&self, tool: &str) -> bool {
        self.config.effect_of(tool) == Some(mcp::client::Effect::Reads)
    }

    /// Whose login a call of this owner carries.
    pub(crate) fn login_of(&self, owner: &str) -> LoginOf {
        match self.stored.login {
            LoginKind::None => LoginOf::Nobody,
            LoginKind::Shared => LoginOf::Everybody,
            LoginKind::Each => LoginOf::Owner(owner.to_owned()),
        }
    }

    /// Whether somebody has to log in first.
    pub(crate) async fn needs_login(&self, whose: &LoginOf) -> bool {
        match self.login_store(whose) {
            None => false,
            Some(login) => login.state().await == LoginState::Needed,
        }
    }

    /// Where a login is kept, if the server has one.
    pub(crate) fn login_store(&self, whose: &LoginOf) -> Option<LoginStore> {
        let url = match whose {
            LoginOf::Nobody => return None,
            LoginOf::Everybody | LoginOf::Owner(_) => self.stored.endpoint.url()?,
        };
        let (name, who) = (self.name.as_str(), whose.key());
        let mut open = self.links.open();
        if let Some(known) = open.logins.get(who) {
            return Some(known.clone());
        }
        let keeper = SealedLogin {
            store: Arc::clone(&self.links.store),
            sealer: self.links.sealer.clone(),
            key: login_key(name, who).ok()?,
            place: place(name, url, who),
        };
        let made = LoginStore::Kept(KeptLogin::new(Arc::new(keeper), url));
        open.logins.insert(who.to_owned(), made.clone());
        Some(made)
    }

    /// The settings with a login.
    pub(crate) fn config_for(&self, whose: &LoginOf) -> ServerConfig {
        let mut config = self.config.clone();
        let login = self.login_store(whose);
        if let (Endpoint::Http { oauth, .. }, Some(store)) = (&mut config.endpoint, login) {
            *oauth = Some(OAuth {
                grant: Grant::Person,
                client_id: self.stored.client_id.clone(),
                client_secret: self.links.client_secret.clone(),
                scopes: Vec::new(),
                redirect_port: None,
                private_network: false,
                store,
            });
        }
        config
    }

    /// Why the last attempt to connect with this login failed.
    pub(crate) fn last_fault(&self, whose: &LoginOf) -> Option<String> {
        let known = self.links.open().connections.get(whose.key()).map(|(one, _)| Arc::clone(one));
        match known?.state() {
            ConnectionState::Failed(why) => Some(why),
            ConnectionState::Open | ConnectionState::Closed => None,
        }
    }

    /// The connection with this login, opened on demand.
    pub(crate) fn connection(&self, whose: &LoginOf) -> Arc<Connection> {
        let config = self.config_for(whose);
        let mut open = self.links.open();
        open.uses += 1;
        let now = open.uses;
        if let Some((known, used)) = open.connections.get_mut(whose.key()) {
            *used = now;
            return Arc::clone(known);
        }
        if open.connections.len() >= CONNECTIONS_MAX {
            let oldest = open.connections.iter().min_by_key(|(_, (_, used))| *used);
            if let Some(oldest) = oldest.map(|(who, _)| who.clone()) {
                open.connections.remove(&oldest);
            }
        }
        let made = Connection::new(config).listened_to(Arc::clone(&self.links.on_listing));
        let made = Arc::new(made);
        open.connections.insert(whose.key().to_owned(), (Arc::clone(&made), now));
        made
    }
}
