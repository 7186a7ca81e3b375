//! Deletes what nothing uses: drafts that were never sent, uploads that broke off.

use store::{Expected, Key, Pages, Prefix, Store, StoreFault};

use crate::attachment::Attachment;
use crate::attachments::{Attachments, owner_id, owner_prefix};
use crate::blob;
use crate::fault::AttachmentFault;

/// An upload that takes longer has broken off.
const UPLOAD_MILLIS_MAX: u64 = 6 * 60 * 60 * 1_000;

/// What an owner has stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Stored {
    pub files: usize,
    pub bytes: u64,
}

impl Attachments {
    /// Deletes an owner's files that nothing uses, and counts the others.
    pub(crate) async fn sweep(&self, owner: &str) -> Result<Stored, AttachmentFault> {
        self.sweep_uploads(owner).await?;
        let (mut stored, mut pages) = (Stored::default(), Pages::of(500));
        let prefix = owner_prefix(owner)?;
        while let Some(request) = pages.request() {
            for entry in pages.items(self.store.kv().list(&prefix, request).await?) {
                let file: Attachment = entry.value.to().map_err(StoreFault::from)?;
                if file.is_used(self.now()) {
                    stored.files += 1;
                    stored.bytes = stored.bytes.saturating_add(file.bytes);
                    continue;
                }
                let expected = Expected::Revision(entry.revision);
                match self.store.kv().delete(&entry.key, expected).await {
                    Ok(_) => erase(self.store.as_ref(), &file).await?,
                    // It is used again.
                    Err(StoreFault::Conflict { .. }) => {}
                    Err(fault) => return Err(fault.into()),
                }
            }
        }
        Ok(stored)
    }

    /// Uploads whose connection or server ended.
    async fn sweep_uploads(&self, owner: &str) -> Result<(), AttachmentFault> {
        let (prefix, mut pages) = (upload_prefix(owner)?, Pages::of(500));
        while let Some(request) = pages.request() {
            for entry in pages.items(self.store.kv().list(&prefix, request).await?) {
                let begun: u64 = entry.value.to().map_err(StoreFault::from)?;
                if begun.saturating_add(UPLOAD_MILLIS_MAX) > self.now() {
                    continue;
                }
                if let Some(id) = entry.key.as_str().strip_prefix(prefix.as_str()) {
                    blob::erase(self.store.as_ref(), id).await?;
                }
                self.store.kv().delete(&entry.key, Expected::Any).await?;
            }
        }
        Ok(())
    }
}

/// Erases the bytes and the text of a file.
pub(crate) async fn erase(store: &dyn Store, file: &Attachment) -> Result<(), StoreFault> {
    blob::erase(store, &file.blob).await?;
    if let Some(text) = &file.text {
        blob::erase(store, &text.blob).await?;
    }
    Ok(())
}

fn upload_prefix(owner: &str) -> Result<Prefix, StoreFault> {
    Ok(format!("attachment-upload/{}/", owner_id(owner)).parse()?)
}

/// Marks a blob as an upload in progress.
pub(crate) fn upload_key(owner: &str, blob: &str) -> Result<Key, StoreFault> {
    Ok(format!("attachment-upload/{}/{blob}", owner_id(owner)).parse()?)
}
