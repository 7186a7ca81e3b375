//! The caller of a request: its owner, and the tools it may call.

use engine::ToolFilter;

/// Who sends a request, and what it may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// In conversation ids and keys: `OWNER@` for a person, `OWNER@PROGRAM` for a program.
    pub name: String,
    /// Whose data tools see.
    pub owner: String,
    pub tools: ToolFilter,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Person,
    Program,
    /// A program that can ask the person who uses it.
    AsksPerson,
}

impl Caller {
    /// A person may call every tool and use the whole API.
    pub(crate) fn person(owner: &str) -> Self {
        let (name, owner) = (format!("{owner}@"), owner.to_owned());
        Self { name, owner, tools: ToolFilter::All, kind: Kind::Person }
    }

    pub(crate) fn program(name: &str, owner: &str, tools: ToolFilter, asks_a_person: bool) -> Self {
        let (name, owner) = (format!("{owner}@{name}"), owner.to_owned());
        let kind = if asks_a_person { Kind::AsksPerson } else { Kind::Program };
        Self { name, owner, tools, kind }
    }

    pub(crate) fn is_program(&self) -> bool {
        matches!(self.kind, Kind::Program | Kind::AsksPerson)
    }

    /// Whether the operator configured that a person uses this client. A person's token does not
    /// imply it: the client that uses the token may run unattended.
    pub fn asks_a_person(&self) -> bool {
        self.kind == Kind::AsksPerson
    }
}

/// Whether this conversation holds calls of the owner's programs. Its id is
/// `PROTOCOL-CALLER-…`, and owner names contain no `@`.
pub(crate) fn is_own(conversation: &str, owner: &str) -> bool {
    let caller = conversation.split_once('-').and_then(|(_, rest)| rest.split_once('@'));
    caller.is_some_and(|(name, _)| name == owner)
}
