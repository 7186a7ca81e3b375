//! Takes a file in, piece by piece, and finds out what it is.

use contract::{Digest, Digester};
use documents::{Document, PAGE_BREAK, picture_size, picture_tokens, text_tokens};
use store::{Expected, Expiry, Json, StoreFault};

use crate::attachment::{Attachment, StoredText, clean_name};
use crate::attachments::{Attachments, record_key};
use crate::blob::{self, PIECE_BYTES};
use crate::fault::AttachmentFault;
use crate::sweep::upload_key;

/// A file that is being added. One that is dropped before its end is deleted later.
pub struct Upload<'a> {
    all: &'a Attachments,
    owner: String,
    blob: String,
    digester: Digester,
    piece: Vec<u8>,
    bytes: usize,
}

impl Attachments {
    /// Begins to take a file in, if the owner has room.
    pub async fn begin(&self, owner: &str) -> Result<Upload<'_>, AttachmentFault> {
        let stored = self.sweep(owner).await?;
        if stored.files >= self.limits.owner_files_max {
            return Err(AttachmentFault::TooMany { max: self.limits.owner_files_max });
        }
        if stored.bytes >= self.limits.owner_bytes_max {
            return Err(AttachmentFault::OwnerFull { max: self.limits.owner_bytes_max });
        }
        let blob = blob::new_id()?;
        let begun = Json::of(&self.now()).map_err(StoreFault::from)?;
        let key = upload_key(owner, &blob)?;
        self.store.kv().set(&key, begun, Expected::Absent, Expiry::Never).await?;
        Ok(Upload {
            all: self,
            owner: owner.to_owned(),
            blob,
            digester: Digester::default(),
            piece: Vec::new(),
            bytes: 0,
        })
    }
}

impl Upload<'_> {
    /// Adds bytes; refuses those that are too many.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), AttachmentFault> {
        self.bytes = self.bytes.saturating_add(bytes.len());
        let max = self.all.limits.file_bytes_max;
        if self.bytes > max {
            return Err(AttachmentFault::TooLarge { max });
        }
        self.digester.bytes(bytes);
        let mut rest = bytes;
        while !rest.is_empty() {
            let room = PIECE_BYTES - self.piece.len();
            let (now, later) = rest.split_at(room.min(rest.len()));
            self.piece.extend_from_slice(now);
            rest = later;
            if self.piece.len() == PIECE_BYTES {
                self.write_piece().await?;
            }
        }
        Ok(())
    }

    async fn write_piece(&mut self) -> Result<(), AttachmentFault> {
        blob::append(self.all.store.as_ref(), &self.blob, &self.piece).await?;
        self.piece.clear();
        Ok(())
    }

    /// Deletes what has arrived of a file that is refused.
    pub async fn abort(self) -> Result<(), AttachmentFault> {
        blob::erase(self.all.store.as_ref(), &self.blob).await?;
        self.forget_marker().await
    }

    async fn forget_marker(&self) -> Result<(), AttachmentFault> {
        let key = upload_key(&self.owner, &self.blob)?;
        self.all.store.kv().delete(&key, Expected::Any).await?;
        Ok(())
    }

    /// Ends the file. One that the owner has already is not stored again.
    pub async fn finish(mut self, name: &str) -> Result<Attachment, AttachmentFault> {
        if !self.piece.is_empty() {
            self.write_piece().await?;
        }
        let digest = std::mem::take(&mut self.digester).finish();
        if let Some(known) = self.known(&digest).await? {
            self.abort().await?;
            return Ok(known);
        }
        let file = match self.read(digest, name).await {
            Ok(file) => file,
            Err(fault) => {
                self.abort().await?;
                return Err(fault);
            }
        };
        let key = record_key(&self.owner, &digest)?;
        let value = Json::of(&file).map_err(StoreFault::from)?;
        let kv = self.all.store.kv();
        match kv.set(&key, value, Expected::Absent, Expiry::Never).await {
            Ok(_) => {}
            // The same file arrived twice at once.
            Err(StoreFault::Conflict { .. }) => {
                crate::sweep::erase(self.all.store.as_ref(), &file).await?;
                self.forget_marker().await?;
                return self.all.find(&self.owner, &digest).await;
            }
            Err(fault) => return Err(fault.into()),
        }
        self.forget_marker().await?;
        Ok(file)
    }

    /// The owner's file with this content, kept as a draft again.
    async fn known(&self, digest: &Digest) -> Result<Option<Attachment>, AttachmentFault> {
        let until = self.draft_until();
        self.all.refresh(&self.owner, digest, until).await
    }

    fn draft_until(&self) -> u64 {
        let kept = self.all.limits.draft_time_max.as_millis();
        self.all.now().saturating_add(u64::try_from(kept).unwrap_or(u64::MAX))
    }

    /// Finds out what the file is, and stores its text.
    async fn read(&self, digest: Digest, name: &str) -> Result<Attachment, AttachmentFault> {
        let closed = |_| StoreFault::Closed;
        let _reader = self.all.readers.acquire().await.map_err(closed)?;
        let mut bytes = Vec::with_capacity(self.bytes);
        for number in 0.. {
            match blob::piece(self.all.store.as_ref(), &self.blob, number).await? {
                Some(piece) => bytes.extend(piece),
                None => break,
            }
        }
        let limits = self.all.limits.read_limits();
        let reading = tokio::task::spawn_blocking(move || {
            let document = documents::read(&bytes, limits)?;
            let pixels = picture_size(document.kind, &bytes);
            Ok::<_, documents::Unreadable>((document, pixels))
        });
        // A file that makes the reader panic is damaged.
        let damaged = |_| documents::Unreadable::Damaged("it cannot be read");
        let (Document { kind, text }, pixels) = reading.await.map_err(damaged)??;
        let prompt_bytes_max = self.all.limits.prompt_bytes_max;
        let tokens = match &text {
            Some(text) => text_tokens(start_of(&text.text, prompt_bytes_max)),
            None => picture_tokens(pixels),
        };
        let text = match text {
            Some(text) => Some(self.store_text(&text).await?),
            None => None,
        };
        let name = clean_name(name);
        Ok(Attachment {
            digest,
            name: if name.is_empty() { "file".to_owned() } else { name },
            kind,
            bytes: u64::try_from(self.bytes).unwrap_or(u64::MAX),
            text,
            pixels,
            tokens,
            blob: self.blob.clone(),
            uses: std::collections::BTreeSet::new(),
            draft_until: self.draft_until(),
        })
    }

    async fn store_text(&self, text: &documents::Text) -> Result<StoredText, AttachmentFault> {
        let blob = blob::new_id()?;
        blob::write_text(self.all.store.as_ref(), &blob, &text.text).await?;
        let pages = text.text.matches(PAGE_BREAK).count() + 1;
        Ok(StoredText {
            blob,
            bytes: u64::try_from(text.text.len()).unwrap_or(u64::MAX),
            pages: u64::try_from(pages).unwrap_or(u64::MAX),
            is_cut: text.is_cut,
        })
    }
}

fn start_of(text: &str, bytes_max: usize) -> &str {
    let mut end = text.len().min(bytes_max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}
