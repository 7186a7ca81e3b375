//! Writes the notices of tools into the logs of conversations.

use std::sync::Arc;

use policy::BoxFuture;
use services::{Notice, NoticeFault, Notices};
use store::Store;

use super::opening::notice;

/// The logs in this store.
pub(crate) struct LogNotices(pub(crate) Arc<dyn Store>);

impl Notices for LogNotices {
    fn leave(&self, left: Notice) -> BoxFuture<'static, Result<(), NoticeFault>> {
        let store = Arc::clone(&self.0);
        Box::pin(async move {
            let Notice { conversation, owner, id, text, at } = left;
            let written = notice(store.as_ref(), &conversation, &owner, &id, text, at).await;
            written.map_err(|fault| NoticeFault(fault.to_string()))
        })
    }
}
