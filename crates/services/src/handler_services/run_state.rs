//! The state of one run: its grant, counters, effects and secrets.

use std::sync::Arc;

use policy::{BoxFuture, ServiceFault};
use serde_json::Value;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::fault::FaultCode;
use crate::grant::Grant;
use crate::handler_services::effects::Effects;
use crate::handler_services::meter::Meter;
use crate::kv::lists::Change;
use crate::kv::{self, lists};
use crate::permissions::{Access, Service};
use crate::secrets::redactor::Redactor;
use crate::surface::EventKind;
use crate::{ai, attachments, fetch, files, notices, personas, secrets, surface};

pub(crate) struct RunState {
    pub(crate) grant: Grant,
    pub(crate) meter: Meter,
    pub(crate) effects: Effects,
    pub(crate) redactor: Redactor,
    /// The prefix of the keys of this run in the store.
    pub(crate) prefix: String,
    /// Held by calls that need a thread, a socket or much memory.
    slots: Semaphore,
}

impl RunState {
    pub(crate) fn new(grant: Grant) -> Self {
        let slots = Semaphore::new(grant.limits.at_once_max.clamp(1, Semaphore::MAX_PERMITS));
        let prefix = kv::tool_kv_prefix(&grant.owner);
        let (meter, effects) = (Meter::default(), Effects::default());
        RunState { grant, meter, effects, redactor: Redactor::default(), prefix, slots }
    }

    /// Checks that the service exists, is allowed and within the limits.
    pub(crate) fn admit(&self, name: &str, args: &Value) -> Result<Service, ServiceFault> {
        let limits = &self.grant.limits;
        self.meter.count_call(limits.calls_max)?;
        self.meter.count_bytes(args, limits.bytes_max)?;
        let service = Service::parse(name)?;
        service.check(&self.grant.contract)?;
        Ok(service)
    }

    /// Starts an admitted service. Events are handed to the surface before this returns, so
    /// that they arrive in order.
    pub(crate) fn begin(
        self: Arc<RunState>,
        service: Service,
        args: Value,
    ) -> BoxFuture<'static, Result<Value, ServiceFault>> {
        match service {
            Service::KvGet => Box::pin(kv::get(self, args)),
            Service::KvList => Box::pin(kv::list(self, args)),
            Service::KvSet => Box::pin(kv::set(self, args)),
            Service::KvDelete => Box::pin(kv::delete(self, args)),
            Service::KvExists => Box::pin(lists::exists(self, args)),
            Service::KvKeys => Box::pin(lists::keys(self, args)),
            Service::KvLen => Box::pin(lists::len(self, args)),
            Service::KvRange => Box::pin(lists::range(self, args)),
            Service::KvPushLeft => Box::pin(lists::edit(self, service, Change::PushLeft, args)),
            Service::KvPushRight => Box::pin(lists::edit(self, service, Change::PushRight, args)),
            Service::KvPopLeft => Box::pin(lists::edit(self, service, Change::PopLeft, args)),
            Service::KvPopRight => Box::pin(lists::edit(self, service, Change::PopRight, args)),
            Service::KvRemoveAt => Box::pin(lists::edit(self, service, Change::RemoveAt, args)),
            Service::FilesList => Box::pin(files::list(self, args)),
            Service::FilesRead => Box::pin(files::read(self, args)),
            Service::FilesStat => Box::pin(files::stat(self, args)),
            Service::FilesWrite => Box::pin(files::write(self, args)),
            Service::AttachmentsList => Box::pin(attachments::list(self, args)),
            Service::AttachmentsText => Box::pin(attachments::text(self, args)),
            Service::AttachmentsBytes => Box::pin(attachments::bytes(self, args)),
            Service::Fetch => Box::pin(fetch::fetch(self, args)),
            Service::SecretsGet => Box::pin(async move { secrets::get(&self, args) }),
            Service::PersonasNames => Box::pin(personas::names(self, args)),
            Service::PersonasList => Box::pin(personas::list(self)),
            Service::MessagesSystem => Box::pin(notices::system(self, args)),
            Service::AiComplete => Box::pin(ai::complete(self, args)),
            Service::Chunk => surface::send(&self, service, EventKind::Chunk, args),
            Service::Progress => surface::send(&self, service, EventKind::Progress, args),
            Service::MessagingSend => surface::send(&self, service, EventKind::Message, args),
            Service::AuditLog => surface::send(&self, service, EventKind::Audit, args),
            Service::Console => surface::send(&self, service, EventKind::Console, args),
        }
    }

    /// Counts the result. Results of writes are small and must not be lost, so they pass.
    pub(crate) fn count_result(
        &self,
        service: Service,
        answer: &Value,
    ) -> Result<(), ServiceFault> {
        match service.access() {
            Access::Read => self.meter.count_bytes(answer, self.grant.limits.bytes_max),
            Access::Report | Access::Write => Ok(()),
        }
    }

    /// Waits for a free slot.
    pub(crate) async fn slot(&self) -> Result<SemaphorePermit<'_>, ServiceFault> {
        let closed = |_| FaultCode::Unavailable.fault("the run is over");
        self.slots.acquire().await.map_err(closed)
    }
}
