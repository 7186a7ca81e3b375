//! Who calls: the principal that a token names, and the program that speaks for it.

use contract::Digester;
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
}

const PROGRAM_CHARS_MAX: usize = 40;

impl Caller {
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        let parts = context.extensions.get::<http::request::Parts>();
        let principal = parts.and_then(|parts| parts.extensions.get::<Principal>()).cloned();
        let program = context.client_info().map(|info| info.name).unwrap_or_default();
        let plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let program = program.chars().filter(plain).take(PROGRAM_CHARS_MAX).collect();
        Self { principal: principal.unwrap_or_else(Principal::local), program }
    }

    /// A short name for keys: the same for the same client of the same principal.
    pub(super) fn key(&self) -> String {
        let mut digester = Digester::default();
        digester.part(self.principal.name.as_bytes());
        digester.part(self.program.as_bytes());
        hex(digester)
    }
}

/// 32 hex digits.
pub(super) fn hex(digester: Digester) -> String {
    let digest = digester.finish().to_string();
    digest.trim_start_matches("sha256:").chars().take(32).collect()
}
