//! Who is calling: the principal of a token, and the client program that acts for it.

use contract::{AskKind, Digester};
use engine::ToolFilter;
use rmcp::RoleServer;
use rmcp::service::RequestContext;

use super::mcp_server::Approvals;

/// Whom a client acts for, and what it may see. Set by a layer of the transport.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The name in conversations, keys and the audit log.
    pub name: String,
    /// Whose data tools see.
    pub client: String,
    pub tools: ToolFilter,
    /// Whether a person uses this client. Only the operator can say so: a client that said so
    /// itself could answer its own questions.
    pub approvals: Approvals,
}

impl Principal {
    /// The user of this machine, who may see everything. They started the client that started us,
    /// so it may ask them.
    pub fn local() -> Self {
        let (name, client) = ("local".to_owned(), "terminal".to_owned());
        Self { name, client, tools: ToolFilter::All, approvals: Approvals::AtClient }
    }

    /// Any local program that reaches an address without tokens. It might answer for the user, so
    /// it is never asked.
    pub fn anonymous() -> Self {
        Self { approvals: Approvals::Elsewhere, ..Self::local() }
    }

    /// Whether this client's answers count as a person's.
    pub(crate) fn has_person(&self) -> bool {
        self.approvals == Approvals::AtClient
    }
}

/// One client program of one principal.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub principal: Principal,
    /// The name that the client gives itself; used only to tell clients apart.
    pub program: String,
    /// What the client can be asked: what it declares, and a person only if the principal has
    /// one.
    pub can_ask: Vec<AskKind>,
}

const PROGRAM_CHARS_MAX: usize = 40;

impl Caller {
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Self {
        let parts = context.extensions.get::<http::request::Parts>();
        let principal = match parts {
            // Without HTTP headers the request came over stdin.
            None => Principal::local(),
            Some(parts) => {
                let principal = parts.extensions.get::<Principal>().cloned();
                principal.unwrap_or_else(Principal::anonymous)
            }
        };
        let program = context.client_info().map(|info| info.name).unwrap_or_default();
        let plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let program = program.chars().filter(plain).take(PROGRAM_CHARS_MAX).collect();
        let mut can_ask = can_ask(context);
        can_ask.retain(|kind| *kind != AskKind::Person || principal.has_person());
        Self { principal, program, can_ask }
    }

    /// A short key that identifies this program of this principal.
    pub(crate) fn key(&self) -> String {
        let mut digester = Digester::default();
        digester.part(self.principal.name.as_bytes());
        digester.part(self.program.as_bytes());
        digester.finish().hex(KEY_DIGITS)
    }
}

fn can_ask(context: &RequestContext<RoleServer>) -> Vec<AskKind> {
    let Some(declared) = context.client_capabilities() else { return Vec::new() };
    // A client with URL elicitation only cannot show a form.
    let form = declared.elicitation.is_some_and(|asks| asks.form.is_some() || asks.url.is_none());
    let kinds = [
        (AskKind::Person, form),
        (AskKind::Model, declared.sampling.is_some()),
        (AskKind::Folders, declared.roots.is_some()),
    ];
    kinds.into_iter().filter(|(_, can)| *can).map(|(kind, _)| kind).collect()
}

/// The length of keys made from digests.
pub(crate) const KEY_DIGITS: usize = 32;
