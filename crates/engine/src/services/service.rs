//! Which services there are, and what a contract must say for each of them.

use contract::{Contract, SideEffects};
use policy::ServiceFault;

use super::fault::Code;

macro_rules! services {
    ($($variant:ident $name:literal $kind:ident;)+) => {
        /// A service, known by the name that the handler's side sends.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Service { $($variant),+ }

        impl Service {
            #[cfg(test)]
            pub(super) const ALL: &[Service] = &[$(Service::$variant),+];

            pub(super) fn parse(name: &str) -> Result<Self, ServiceFault> {
                match name {
                    $($name => Ok(Service::$variant),)+
                    _ => Err(Code::UnknownService.says(format!(
                        "there is no service `{}`", name.chars().take(64).collect::<String>()
                    ))),
                }
            }

            pub(super) fn as_str(self) -> &'static str {
                match self { $(Service::$variant => $name),+ }
            }

            pub(super) fn kind(self) -> Kind {
                match self { $(Service::$variant => Kind::$kind),+ }
            }
        }
    };
}

services! {
    KvGet "kv.get" Looks;
    KvList "kv.list" Looks;
    KvExists "kv.exists" Looks;
    KvKeys "kv.keys" Looks;
    KvLen "kv.llen" Looks;
    KvRange "kv.lrange" Looks;
    KvSet "kv.set" Changes;
    KvDelete "kv.delete" Changes;
    KvPushLeft "kv.lpush" Changes;
    KvPushRight "kv.rpush" Changes;
    KvPopLeft "kv.lpop" Changes;
    KvPopRight "kv.rpop" Changes;
    KvRemoveAt "kv.lremove_at" Changes;
    FilesList "files.list" Looks;
    FilesRead "files.read" Looks;
    FilesStat "files.stat" Looks;
    FilesWrite "files.write" Changes;
    // A method that writes is asked about again, in `fetch.rs`.
    Fetch "fetch" Looks;
    SecretsGet "secrets.get" Looks;
    PersonasNames "personas.names" Looks;
    PersonasList "personas.list" Looks;
    MessagesSystem "messages.system" Changes;
    AiComplete "ai.complete" Looks;
    MessagingSend "messaging.send" Changes;
    Chunk "chunk" Speaks;
    Progress "progress" Speaks;
    AuditLog "audit.log" Speaks;
    Console "console" Speaks;
}

/// What using a service means for the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It only says something about its own run: every handler may.
    Speaks,
    /// It looks at the world: not with `sideEffects: none`.
    Looks,
    /// It changes the world: only with `sideEffects: writes`.
    Changes,
}

impl Service {
    /// The list in `capabilities` that must not be empty, and an entry as it could be.
    fn capability(self) -> Option<(&'static str, &'static str)> {
        match self {
            Service::KvGet
            | Service::KvList
            | Service::KvExists
            | Service::KvKeys
            | Service::KvLen
            | Service::KvRange
            | Service::KvSet
            | Service::KvDelete
            | Service::KvPushLeft
            | Service::KvPushRight
            | Service::KvPopLeft
            | Service::KvPopRight
            | Service::KvRemoveAt => Some(("kv", "notes/")),
            Service::FilesList | Service::FilesRead | Service::FilesStat | Service::FilesWrite => {
                Some(("files", "data/notes"))
            }
            Service::Fetch => Some(("net", "api.example.com")),
            Service::SecretsGet => Some(("secrets", "NOTES_TOKEN")),
            Service::PersonasNames
            | Service::PersonasList
            | Service::MessagesSystem
            | Service::AiComplete
            | Service::MessagingSend
            | Service::Chunk
            | Service::Progress
            | Service::AuditLog
            | Service::Console => None,
        }
    }

    /// May a handler with this contract use the service at all? What it names, a key, a path,
    /// a host, is checked by the service itself.
    pub(super) fn check(self, contract: &Contract) -> Result<(), ServiceFault> {
        let name = self.as_str();
        self.kind().check(name, contract.side_effects)?;
        let capabilities = &contract.capabilities;
        let Some((list, entry)) = self.capability() else { return Ok(()) };
        let is_empty = match list {
            "kv" => capabilities.kv.is_empty(),
            "files" => capabilities.files.is_empty(),
            "net" => capabilities.net.is_empty(),
            _ => capabilities.secrets.is_empty(),
        };
        match is_empty {
            false => Ok(()),
            true => Err(Code::NotAllowed.says(format!(
                "`{name}` needs `{list}` in the tool's `capabilities`, as in \
                 \"{list}\": [\"{entry}\"]"
            ))),
        }
    }
}

impl Kind {
    /// Do the side effects the tool declares cover this?
    pub(super) fn check(self, what: &str, declared: SideEffects) -> Result<(), ServiceFault> {
        match (self, declared) {
            (Kind::Speaks, _)
            | (Kind::Looks, SideEffects::ReadOnly)
            | (Kind::Looks | Kind::Changes, SideEffects::Writes) => Ok(()),
            (Kind::Looks, SideEffects::None) => Err(Code::NotAllowed.says(format!(
                "`{what}` reaches out of the tool, whose `sideEffects` are `none`; \
                 declare `read_only` or `writes`"
            ))),
            (Kind::Changes, SideEffects::None | SideEffects::ReadOnly) => Err(Code::NotAllowed
                .says(format!(
                    "`{what}` changes something, and the tool's `sideEffects` are `{declared}`; \
                     declare `writes`"
                ))),
        }
    }
}
