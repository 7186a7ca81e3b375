//! Who calls a tool through a door for programs: in whose name, and which tools.

use engine::ToolFilter;

/// Whose request it is, and what it may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// In rooms and keys: `OWNER@` for a person, `OWNER@PROGRAM` for a program of theirs.
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
    /// A program that asks the person who sits at it.
    AsksPerson,
}

impl Caller {
    /// A person may call every tool, and do everything else too.
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

    /// Did the operator say that a person sits at this client? Nobody else's word counts, and
    /// a person's own token is no word about the client that uses it.
    pub fn asks_a_person(&self) -> bool {
        self.kind == Kind::AsksPerson
    }
}

/// Were the calls of this conversation made in the owner's name, through a door for
/// programs? Its name is `DOOR-CALLER-…`, and no owner's name has an `@`.
pub(crate) fn is_own(conversation: &str, owner: &str) -> bool {
    let caller = conversation.split_once('-').and_then(|(_, rest)| rest.split_once('@'));
    caller.is_some_and(|(name, _)| name == owner)
}
