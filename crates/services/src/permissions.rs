//! The table of all services, and what a contract must declare for each.

use contract::{Contract, SideEffects};
use policy::ServiceFault;

use crate::fault::FaultCode;

macro_rules! services {
    ($($variant:ident $name:literal $access:ident;)+) => {
        /// A service, identified by the name that the handler sends.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Service { $($variant),+ }

        impl Service {
            #[cfg(test)]
            pub(crate) const ALL: &[Service] = &[$(Service::$variant),+];

            pub(crate) fn parse(name: &str) -> Result<Self, ServiceFault> {
                match name {
                    $($name => Ok(Service::$variant),)+
                    _ => Err(FaultCode::UnknownService.fault(format!(
                        "there is no service `{}`", name.chars().take(64).collect::<String>()
                    ))),
                }
            }

            pub(crate) fn as_str(self) -> &'static str {
                match self { $(Service::$variant => $name),+ }
            }

            pub(crate) fn access(self) -> Access {
                match self { $(Service::$variant => Access::$access),+ }
            }
        }
    };
}

services! {
    KvGet "kv.get" Read;
    KvList "kv.list" Read;
    KvExists "kv.exists" Read;
    KvKeys "kv.keys" Read;
    KvLen "kv.llen" Read;
    KvRange "kv.lrange" Read;
    KvSet "kv.set" Write;
    KvDelete "kv.delete" Write;
    KvPushLeft "kv.lpush" Write;
    KvPushRight "kv.rpush" Write;
    KvPopLeft "kv.lpop" Write;
    KvPopRight "kv.rpop" Write;
    KvRemoveAt "kv.lremove_at" Write;
    FilesList "files.list" Read;
    FilesRead "files.read" Read;
    FilesStat "files.stat" Read;
    FilesWrite "files.write" Write;
    AttachmentsList "attachments.list" Read;
    AttachmentsText "attachments.text" Read;
    AttachmentsBytes "attachments.bytes" Read;
    // Methods that write are checked again in `fetch.rs`.
    Fetch "fetch" Read;
    SecretsGet "secrets.get" Read;
    PersonasNames "personas.names" Read;
    PersonasList "personas.list" Read;
    MessagesSystem "messages.system" Write;
    AiComplete "ai.complete" Read;
    MessagingSend "messaging.send" Write;
    Chunk "chunk" Report;
    Progress "progress" Report;
    AuditLog "audit.log" Report;
    Console "console" Report;
}

/// How a service accesses the world outside the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Only reports about its own run: every handler may.
    Report,
    /// Reads: not with `sideEffects: none`.
    Read,
    /// Writes: only with `sideEffects: writes`.
    Write,
}

impl Service {
    /// The list in `capabilities` that must not be empty, and an example entry.
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
            Service::AttachmentsList | Service::AttachmentsText | Service::AttachmentsBytes => {
                Some(("attachments", "read"))
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

    /// Checks that a handler with this contract may use the service. The service itself checks
    /// the key, path or host.
    pub(crate) fn check(self, contract: &Contract) -> Result<(), ServiceFault> {
        let name = self.as_str();
        self.access().check(name, contract.side_effects)?;
        let capabilities = &contract.capabilities;
        let Some((list, entry)) = self.capability() else { return Ok(()) };
        let is_empty = match list {
            "kv" => capabilities.kv.is_empty(),
            "files" => capabilities.files.is_empty(),
            "attachments" => capabilities.attachments.is_empty(),
            "net" => capabilities.net.is_empty(),
            _ => capabilities.secrets.is_empty(),
        };
        match is_empty {
            false => Ok(()),
            true => Err(FaultCode::NotAllowed.fault(format!(
                "`{name}` needs `{list}` in the tool's `capabilities`, as in \
                 \"{list}\": [\"{entry}\"]"
            ))),
        }
    }
}

impl Access {
    /// Checks that the declared side effects permit this.
    pub(crate) fn check(self, what: &str, declared: SideEffects) -> Result<(), ServiceFault> {
        match (self, declared) {
            (Access::Report, _)
            | (Access::Read, SideEffects::ReadOnly)
            | (Access::Read | Access::Write, SideEffects::Writes) => Ok(()),
            (Access::Read, SideEffects::None) => Err(FaultCode::NotAllowed.fault(format!(
                "`{what}` reads data outside the tool, but its `sideEffects` are `none`; \
                 declare `read_only` or `writes`"
            ))),
            (Access::Write, SideEffects::None | SideEffects::ReadOnly) => {
                Err(FaultCode::NotAllowed.fault(format!(
                    "`{what}` makes changes, but the tool's `sideEffects` are `{declared}`; \
                     declare `writes`"
                )))
            }
        }
    }
}
