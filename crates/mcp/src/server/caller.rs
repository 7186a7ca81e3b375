//! Who calls: the principal that a token names, and the program that speaks for it.

use contract::{AskKind, Digester};
use engine::ToolFilter;
use rmcp::RoleServer;
use rmcp::service::RequestContext;

use super::door::Approvals;

/// Whom a client speaks for, and what it may see. A layer of the transport sets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The name in rooms, keys and the audit.
    pub name: String,
    /// Whose data tools see.
    pub client: String,
    pub tools: ToolFilter,
    /// Is there a person at this client? Nobody but the operator says so: what a client says
    /// of itself would let a program answer its own questions.
    pub approvals: Approvals,
}

impl Principal {
    /// The person at this machine, who may see everything. The client is one that the person
    /// made start us, so it may ask them.
    pub fn local() -> Self {
        let (name, client) = ("local".to_owned(), "terminal".to_owned());
        Self { name, client, tools: ToolFilter::All, approvals: Approvals::AtClient }
    }

    /// Whoever reaches an address of this machine where no token is asked for: anybody's
    /// program, so it is never asked.
    pub fn nobody_known() -> Self {
        Self { approvals: Approvals::Elsewhere, ..Self::local() }
    }

    /// May answers of this client count as a person's?
    pub(super) fn has_person(&self) -> bool {
        self.approvals == Approvals::AtClient
    }
}

/// One client of one principal.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    pub principal: Principal,
    /// What the client calls itself; never trusted for anything but keeping clients apart.
    pub program: String,
    /// Whom the client can ask: as it says itself, but a person only where there is one.
    pub can_ask: Vec<AskKind>,
}

const PROGRAM_CHARS_MAX: usize = 40;

impl Caller {
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        let parts = context.extensions.get::<http::request::Parts>();
        let principal = match parts {
            // No head of a request: our standard input.
            None => Principal::local(),
            Some(parts) => {
                let said = parts.extensions.get::<Principal>().cloned();
                said.unwrap_or_else(Principal::nobody_known)
            }
        };
        let program = context.client_info().map(|info| info.name).unwrap_or_default();
        let plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let program = program.chars().filter(plain).take(PROGRAM_CHARS_MAX).collect();
        let mut can_ask = can_ask(context);
        can_ask.retain(|kind| *kind != AskKind::Person || principal.has_person());
        Self { principal, program, can_ask }
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
