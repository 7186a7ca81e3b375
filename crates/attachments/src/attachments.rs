//! The files of all owners: found, kept, released, read.

use std::sync::Arc;

use contract::{Digest, FileContent, FileRef};
use store::{Clock, Expected, Expiry, Json, Key, KvEntry, Pages, Prefix, Store, StoreFault};
use tokio::sync::Semaphore;

use crate::attachment::{Attachment, Use};
use crate::fault::AttachmentFault;
use crate::limits::AttachmentLimits;
use crate::{blob, sweep};

/// All files of a store. Clones share the limit of readers.
#[derive(Clone)]
pub struct Attachments {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) limits: AttachmentLimits,
    pub(crate) readers: Arc<Semaphore>,
}

/// How often a change is tried again that another one was faster than.
const TRIES_MAX: usize = 20;

impl Attachments {
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, limits: AttachmentLimits) -> Self {
        let readers = Arc::new(Semaphore::new(limits.readers_max.max(1)));
        Self { store, clock, limits, readers }
    }

    pub fn limits(&self) -> &AttachmentLimits {
        &self.limits
    }

    /// A file of an owner.
    pub async fn find(&self, owner: &str, digest: &Digest) -> Result<Attachment, AttachmentFault> {
        match self.entry(owner, digest).await? {
            Some((attachment, _)) => Ok(attachment),
            None => Err(AttachmentFault::NotFound),
        }
    }

    /// The files of an owner that messages of a conversation have, by name; at most so many.
    pub async fn of_conversation(
        &self,
        owner: &str,
        id: &str,
        files_max: usize,
    ) -> Result<Vec<Attachment>, AttachmentFault> {
        let (prefix, mut pages) = (owner_prefix(owner)?, Pages::of(500));
        let mut found: Vec<Attachment> = Vec::new();
        while let Some(request) = pages.request() {
            for entry in pages.items(self.store.kv().list(&prefix, request).await?) {
                let file: Attachment = entry.value.to().map_err(StoreFault::from)?;
                if file.is_in_conversation(id) && found.len() < files_max {
                    found.push(file);
                }
            }
        }
        found.sort_by(|one, other| (&one.name, &one.digest).cmp(&(&other.name, &other.digest)));
        Ok(found)
    }

    /// Keeps a file for something that uses it.
    pub async fn keep(
        &self,
        owner: &str,
        digest: &Digest,
        user: Use<'_>,
    ) -> Result<Attachment, AttachmentFault> {
        let kept = self.change(owner, digest, |file| {
            file.uses.insert(user.key());
            // Nobody is still writing the message that it is for.
            file.draft_until = 0;
        });
        kept.await?.ok_or(AttachmentFault::NotFound)
    }

    /// Ends a use. The last one deletes the file, unless it was added to another message since.
    pub async fn release(
        &self,
        owner: &str,
        digest: &Digest,
        user: Use<'_>,
    ) -> Result<(), AttachmentFault> {
        let released = self.change(owner, digest, |file| {
            file.uses.remove(&user.key());
        });
        released.await?;
        Ok(())
    }

    /// Forgets a file that was added to a message and taken out again.
    pub async fn discard(&self, owner: &str, digest: &Digest) -> Result<(), AttachmentFault> {
        self.change(owner, digest, |file| file.draft_until = 0).await?;
        Ok(())
    }

    /// Keeps a file as a draft until then, if the owner has it.
    pub(crate) async fn refresh(
        &self,
        owner: &str,
        digest: &Digest,
        until: u64,
    ) -> Result<Option<Attachment>, AttachmentFault> {
        self.change(owner, digest, |file| file.draft_until = file.draft_until.max(until)).await
    }

    /// Changes the record of a file; one that is not used any more is deleted. None if there is
    /// no such file.
    async fn change(
        &self,
        owner: &str,
        digest: &Digest,
        change: impl Fn(&mut Attachment),
    ) -> Result<Option<Attachment>, AttachmentFault> {
        let key = record_key(owner, digest)?;
        for _ in 0..TRIES_MAX {
            let Some((mut file, entry)) = self.entry(owner, digest).await? else {
                return Ok(None);
            };
            change(&mut file);
            let expected = Expected::Revision(entry.revision);
            let written = match file.is_used(self.now()) {
                true => {
                    let value = Json::of(&file).map_err(StoreFault::from)?;
                    self.store.kv().set(&key, value, expected, Expiry::Never).await.map(|_| ())
                }
                false => match self.store.kv().delete(&key, expected).await {
                    Ok(_) => Ok(sweep::erase(self.store.as_ref(), &file).await?),
                    Err(fault) => Err(fault),
                },
            };
            match written {
                Ok(()) => return Ok(Some(file)),
                Err(StoreFault::Conflict { .. }) => {}
                Err(fault) => return Err(fault.into()),
            }
        }
        Err(StoreFault::Busy { because: "a file is changed by many at once".to_owned() }.into())
    }

    pub(crate) async fn entry(
        &self,
        owner: &str,
        digest: &Digest,
    ) -> Result<Option<(Attachment, KvEntry)>, AttachmentFault> {
        let key = record_key(owner, digest)?;
        let Some(entry) = self.store.kv().get(&key).await? else { return Ok(None) };
        let file = entry.value.to().map_err(StoreFault::from)?;
        Ok(Some((file, entry)))
    }

    /// The time, in milliseconds since 1970.
    pub fn now(&self) -> u64 {
        self.clock.now().as_millis()
    }

    /// A piece of the bytes, counted from 0; none after the last one.
    pub async fn piece(
        &self,
        file: &Attachment,
        number: u64,
    ) -> Result<Option<Vec<u8>>, AttachmentFault> {
        Ok(blob::piece(self.store.as_ref(), &file.blob, number).await?)
    }

    /// The text, at most about this much of it; none for a picture.
    pub async fn text(
        &self,
        file: &Attachment,
        bytes_max: usize,
    ) -> Result<Option<String>, AttachmentFault> {
        let Some(stored) = &file.text else { return Ok(None) };
        let mut text = blob::start(self.store.as_ref(), &stored.blob, bytes_max).await?;
        if text.len() > bytes_max {
            let mut end = bytes_max;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.truncate(end);
        }
        Ok(Some(text))
    }

    /// The content of a message's file, for a model.
    pub async fn content(&self, owner: &str, file: &FileRef) -> FileContent {
        match self.load(owner, file).await {
            Ok(content) => content,
            Err(AttachmentFault::NotFound) => FileContent::Missing,
            Err(fault) => {
                tracing::warn!(%fault, "cannot read a file of a message");
                FileContent::Missing
            }
        }
    }

    async fn load(&self, owner: &str, file: &FileRef) -> Result<FileContent, AttachmentFault> {
        let stored = self.find(owner, &file.digest).await?;
        if stored.kind.is_picture() {
            let base64 = blob::start(self.store.as_ref(), &stored.blob, usize::MAX).await?;
            return Ok(FileContent::Picture { base64: base64.into() });
        }
        let text = self.text(&stored, self.limits.prompt_bytes_max).await?.unwrap_or_default();
        let whole_bytes = stored.text.as_ref().map_or(0, |text| text.bytes);
        let is_cut = stored.text.as_ref().is_some_and(|text| text.is_cut);
        Ok(FileContent::Text { text: text.into(), whole_bytes, is_cut })
    }
}

/// The folder of an owner's records.
pub(crate) fn owner_prefix(owner: &str) -> Result<Prefix, StoreFault> {
    Ok(format!("attachment/{}/", owner_id(owner)).parse()?)
}

pub(crate) fn record_key(owner: &str, digest: &Digest) -> Result<Key, StoreFault> {
    Ok(format!("attachment/{}/{}", owner_id(owner), digest.hex(64)).parse()?)
}

/// Any name as a part of a key.
pub(crate) fn owner_id(owner: &str) -> String {
    Digest::of(owner.as_bytes()).hex(32)
}
