//! Who calls: the principal that a token names, and the program that speaks for it.

use contract::{AskKind, Digester};
use engine::Allowed;
use rmcp::RoleServer;
use rmcp::service::RequestContext;

/// Whom a client speaks for, and what it may see. A layer of the transport sets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The name in rooms, keys and the audit.
    pub name: String,
    /// Whose data tools see.
    pub client: String,
    pub tools: Allowed,
}

impl Principal {
    /// The person at this machine, who may see everything.
    pub fn local() -> Self {
        let (name, client) = ("local".to_owned(), "terminal".to_owned());
        Self { name, client, tools: Allowed::All }
    }
}

/// One client of one principal.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    pub principal: Principal,
    /// What the client calls itself; never trusted for anything but keeping clients apart.
    pub program: String,
    /// Whom the client says it can ask.
    pub can_ask: Vec<AskKind>,
}

const PROGRAM_CHARS_MAX: usize = 40;

impl Caller {
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        let parts = context.extensions.get::<http::request::Parts>();
        let principal = parts.and_then(|parts| parts.extensions.get::<Principal>()).cloned();
        let program = context.client_info().map(|info| info.name).unwrap_or_default();
        let plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let program = program.chars().filter(plain).take(PROGRAM_CHARS_MAX).collect();
        let principal = principal.unwrap_or_else(Principal::local);
        Self { principal, program, can_ask: can_ask(context) }
    }

    /// A short name for keys: the same for the same client of the same principal.
    pub(super) fn key(&self) -> String {
        let mut digester = Digester::default();
        digester.part(self.principal.name.as_bytes());
        digester.part(self.program.as_bytes());
        hex(digester)
    }
}

fn can_ask(context: &RequestContext<RoleServer>) -> Vec<AskKind> {
    let Some(declared) = context.client_capabilities() else { return Vec::new() };
    // A client that shows only pages of others cannot show a form.
    let form = declared.elicitation.is_some_and(|asks| asks.form.is_some() || asks.url.is_none());
    let kinds = [
        (AskKind::Person, form),
        (AskKind::Model, declared.sampling.is_some()),
        (AskKind::Folders, declared.roots.is_some()),
    ];
    kinds.into_iter().filter(|(_, can)| *can).map(|(kind, _)| kind).collect()
}

/// 32 hex digits.
pub(super) fn hex(digester: Digester) -> String {
    let digest = digester.finish().to_string();
    digest.trim_start_matches("sha256:").chars().take(32).collect()
}
