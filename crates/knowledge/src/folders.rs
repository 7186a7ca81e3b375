//! The folders of owners: made, filled, emptied, deleted.

use std::sync::Arc;

use attachments::{Attachments, Use};
use contract::Digest;
use store::{Expected, Expiry, Json, Key, Pages, Prefix, Revision, Store, StoreFault};
use tokio::sync::Semaphore;

use crate::cache::Cache;
use crate::embeddings::Embeddings;
use crate::fault::KnowledgeFault;
use crate::folder::{Folder, FolderFile, FolderScope};
use crate::index::Index;
use crate::limits::KnowledgeLimits;

const NAME_CHARS_MAX: usize = 100;
/// How often a change is tried again that another one was faster than.
const TRIES_MAX: usize = 20;

/// The folders of all owners. Clones share the indexes.
#[derive(Clone)]
pub struct Knowledge {
    pub(crate) attachments: Attachments,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) limits: KnowledgeLimits,
    pub(crate) cache: Arc<Cache<Digest, Index>>,
    /// One index is made at a time.
    pub(crate) readers: Arc<Semaphore>,
    pub(crate) embeddings: Arc<Embeddings>,
}

impl Knowledge {
    pub fn new(attachments: Attachments, store: Arc<dyn Store>, limits: KnowledgeLimits) -> Self {
        let cache = Arc::new(Cache::new(limits.cached_bytes_max));
        let (readers, embeddings) =
            (Arc::new(Semaphore::new(1)), Embeddings::new(limits.embedding));
        Self { attachments, store, limits, cache, readers, embeddings: Arc::new(embeddings) }
    }

    /// The folders of an owner, by name.
    pub async fn folders(&self, owner: &str) -> Result<Vec<Folder>, KnowledgeFault> {
        let (prefix, mut pages) = (prefix(owner)?, Pages::of(500));
        let mut folders: Vec<Folder> = Vec::new();
        while let Some(request) = pages.request() {
            for entry in pages.items(self.store.kv().list(&prefix, request).await?) {
                folders.push(entry.value.to().map_err(StoreFault::from)?);
            }
        }
        folders.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
        Ok(folders)
    }

    pub async fn create(
        &self,
        owner: &str,
        name: &str,
        scope: FolderScope,
    ) -> Result<Folder, KnowledgeFault> {
        let name = checked_name(name)?;
        if self.folders(owner).await?.len() >= self.limits.folders_max {
            return Err(KnowledgeFault::TooManyFolders { max: self.limits.folders_max });
        }
        let mut id = [0; 8];
        let unusable =
            |fault: getrandom::Error| StoreFault::Unusable { because: fault.to_string() };
        getrandom::fill(&mut id).map_err(unusable)?;
        let folder = Folder { id: contract::hex(&id), name, scope, files: Vec::new() };
        self.write(owner, &folder, Expected::Absent).await?;
        Ok(folder)
    }

    /// Deletes a folder, and its documents that nothing else uses.
    pub async fn delete(&self, owner: &str, id: &str) -> Result<(), KnowledgeFault> {
        let (folder, revision) = self.read(owner, id).await?;
        let deleted = self.store.kv().delete(&key(owner, id)?, Expected::Revision(revision)).await;
        deleted?;
        for file in &folder.files {
            self.attachments.release(owner, &file.digest, Use::Folder(id)).await?;
            self.forget_vectors(owner, &file.digest).await?;
        }
        Ok(())
    }

    /// Deletes the folders of a conversation.
    pub async fn delete_conversation(
        &self,
        owner: &str,
        conversation: &str,
    ) -> Result<(), KnowledgeFault> {
        let own = FolderScope::Conversation(conversation.to_owned());
        for folder in self.folders(owner).await?.into_iter().filter(|one| one.scope == own) {
            self.delete(owner, &folder.id).await?;
        }
        Ok(())
    }

    /// Adds a file that the owner has stored.
    pub async fn add_file(
        &self,
        owner: &str,
        id: &str,
        digest: &Digest,
        name: &str,
    ) -> Result<Folder, KnowledgeFault> {
        // Before the file is kept for it.
        self.read(owner, id).await?;
        let stored = self.attachments.keep(owner, digest, Use::Folder(id)).await?;
        let Some(text) = stored.text.as_ref().filter(|text| text.bytes > 0) else {
            self.attachments.release(owner, digest, Use::Folder(id)).await?;
            return Err(KnowledgeFault::NoText);
        };
        let named = stored.named(name);
        let file = FolderFile {
            digest: named.digest,
            name: named.name,
            media_type: named.media_type,
            bytes: named.bytes,
            text_bytes: text.bytes,
            pages: text.pages,
        };
        let max = self.limits.files_per_folder_max;
        let changed = self.change(owner, id, |folder| {
            folder.files.retain(|other| other.digest != file.digest);
            if folder.files.len() >= max {
                return Err(KnowledgeFault::TooManyFiles { max });
            }
            folder.files.push(file.clone());
            Ok(())
        });
        match changed.await {
            Ok(folder) => {
                self.start_embedding(owner);
                Ok(folder)
            }
            Err(fault) => {
                self.attachments.release(owner, digest, Use::Folder(id)).await?;
                Err(fault)
            }
        }
    }

    pub async fn remove_file(
        &self,
        owner: &str,
        id: &str,
        digest: &Digest,
    ) -> Result<(), KnowledgeFault> {
        self.change(owner, id, |folder| {
            folder.files.retain(|file| file.digest != *digest);
            Ok(())
        })
        .await?;
        self.attachments.release(owner, digest, Use::Folder(id)).await?;
        self.forget_vectors(owner, digest).await
    }

    async fn change(
        &self,
        owner: &str,
        id: &str,
        change: impl Fn(&mut Folder) -> Result<(), KnowledgeFault>,
    ) -> Result<Folder, KnowledgeFault> {
        for _ in 0..TRIES_MAX {
            let (mut folder, revision) = self.read(owner, id).await?;
            change(&mut folder)?;
            match self.write(owner, &folder, Expected::Revision(revision)).await {
                Ok(()) => return Ok(folder),
                Err(KnowledgeFault::Store(StoreFault::Conflict { .. })) => {}
                Err(fault) => return Err(fault),
            }
        }
        Err(StoreFault::Busy { because: "a folder is changed by many at once".to_owned() }.into())
    }

    async fn read(&self, owner: &str, id: &str) -> Result<(Folder, Revision), KnowledgeFault> {
        let entry = self.store.kv().get(&key(owner, id)?).await?.ok_or(KnowledgeFault::NoFolder)?;
        Ok((entry.value.to().map_err(StoreFault::from)?, entry.revision))
    }

    async fn write(
        &self,
        owner: &str,
        folder: &Folder,
        expected: Expected,
    ) -> Result<(), KnowledgeFault> {
        let value = Json::of(folder).map_err(StoreFault::from)?;
        self.store.kv().set(&key(owner, &folder.id)?, value, expected, Expiry::Never).await?;
        Ok(())
    }
}

fn checked_name(name: &str) -> Result<String, KnowledgeFault> {
    let name = name.trim();
    let fits = (1..=NAME_CHARS_MAX).contains(&name.chars().count());
    let fits = fits && !name.chars().any(char::is_control);
    fits.then(|| name.to_owned()).ok_or(KnowledgeFault::BadName)
}

pub(crate) fn owner_id(owner: &str) -> String {
    Digest::of(owner.as_bytes()).hex(32)
}

fn prefix(owner: &str) -> Result<Prefix, StoreFault> {
    Ok(format!("knowledge/{}/", owner_id(owner)).parse()?)
}

/// An id from a client that cannot be a part of a key is one that does not exist.
fn key(owner: &str, id: &str) -> Result<Key, KnowledgeFault> {
    let is_id = (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_id {
        return Err(KnowledgeFault::NoFolder);
    }
    let key = format!("knowledge/{}/{id}", owner_id(owner)).parse();
    key.map_err(|bad| StoreFault::from(bad).into())
}
