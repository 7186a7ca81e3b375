//! Files that are added, shared between conversations, and deleted with the last one.

use std::sync::Arc;
use std::time::Duration;

use contract::{Digest, FileContent};
use documents::{Kind, Unreadable};
use store::{ManualClock, Pages, SqliteOptions, SqliteStore, Store, Timestamp};

use crate::{Attachment, AttachmentFault, AttachmentLimits, Attachments, Use};

struct World {
    store: Arc<SqliteStore>,
    clock: Arc<ManualClock>,
    files: Attachments,
}

fn world(limits: AttachmentLimits) -> World {
    let store = Arc::new(SqliteStore::temporary(SqliteOptions::machine()).unwrap());
    let clock = Arc::new(ManualClock::at(Timestamp::from_millis(1_000_000)));
    let files = Attachments::new(store.clone(), clock.clone(), limits);
    World { store, clock, files }
}

impl World {
    async fn add(
        &self,
        owner: &str,
        name: &str,
        bytes: &[u8],
    ) -> Result<Attachment, AttachmentFault> {
        let mut upload = self.files.begin(owner).await?;
        for piece in bytes.chunks(7_777) {
            if let Err(fault) = upload.write(piece).await {
                upload.abort().await?;
                return Err(fault);
            }
        }
        upload.finish(name).await
    }

    /// Everything that is stored, by name.
    async fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let (mut keys, mut logs) = (Pages::of(500), Pages::of(500));
        let all = "attachment".parse().unwrap();
        while let Some(request) = keys.request() {
            let page = self.store.kv().keys(&all, request).await.unwrap();
            names.extend(keys.items(page).iter().map(|key| key.as_str().to_owned()));
        }
        let all = "blob/".parse().unwrap();
        while let Some(request) = logs.request() {
            let page = self.store.log().logs(&all, request).await.unwrap();
            names.extend(logs.items(page).iter().map(|log| log.as_str().to_owned()));
        }
        names
    }

    async fn bytes(&self, file: &Attachment) -> Vec<u8> {
        let mut bytes = Vec::new();
        for number in 0.. {
            match self.files.piece(file, number).await.unwrap() {
                Some(piece) => bytes.extend(piece),
                None => break,
            }
        }
        bytes
    }
}

fn long_text() -> Vec<u8> {
    (0..200_000).flat_map(|number| format!("рядок {number}\n").into_bytes()).collect()
}

#[tokio::test]
async fn a_file_comes_back_as_it_was() {
    let world = world(AttachmentLimits::machine());
    let bytes = long_text();
    let file = world.add("ana", "../Звіт.txt", &bytes).await.unwrap();
    assert_eq!((file.name.as_str(), file.kind), ("Звіт.txt", Kind::Text));
    assert_eq!(file.digest, Digest::of(&bytes));
    assert_eq!(world.bytes(&file).await, bytes);
    let text = file.text.as_ref().unwrap();
    assert_eq!((text.bytes, text.is_cut), (u64::try_from(bytes.len()).unwrap() - 1, false));
    let FileContent::Text { text, whole_bytes, is_cut } =
        world.files.content("ana", &file.named("")).await
    else {
        panic!("no text");
    };
    assert_eq!((whole_bytes, is_cut), (u64::try_from(bytes.len()).unwrap() - 1, false));
    assert!(text.len() <= 200_000 && text.len() > 199_990, "{}", text.len());
    assert!(bytes.starts_with(text.as_bytes()));
}

#[tokio::test]
async fn a_picture_is_the_base64_of_its_bytes() {
    let world = world(AttachmentLimits::machine());
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    bytes.extend((0..1_500_001_u32).map(|number| u8::try_from(number % 251).unwrap()));
    let file = world.add("ana", "a.png", &bytes).await.unwrap();
    let FileContent::Picture { base64 } = world.files.content("ana", &file.named("")).await else {
        panic!("no picture");
    };
    use base64::Engine as _;
    assert_eq!(&*base64, base64::engine::general_purpose::STANDARD.encode(&bytes));
}

#[tokio::test]
async fn a_file_is_stored_once_and_deleted_with_its_last_use() {
    let world = world(AttachmentLimits::machine());
    let first = world.add("ana", "a.txt", b"one").await.unwrap();
    let before = world.names().await;
    let second = world.add("ana", "b.txt", b"one").await.unwrap();
    assert_eq!((first.digest, world.names().await), (second.digest, before));
    let (a, b) = (Use::Conversation("a"), Use::Conversation("b"));
    world.files.keep("ana", &first.digest, a).await.unwrap();
    world.files.keep("ana", &first.digest, b).await.unwrap();
    world.files.release("ana", &first.digest, a).await.unwrap();
    world.files.find("ana", &first.digest).await.unwrap();
    world.files.release("ana", &first.digest, b).await.unwrap();
    assert_eq!(world.files.find("ana", &first.digest).await, Err(AttachmentFault::NotFound));
    assert_eq!(world.names().await, Vec::<String>::new());
}

#[tokio::test]
async fn nobody_else_gets_a_file() {
    let world = world(AttachmentLimits::machine());
    let file = world.add("ana", "a.txt", b"secret").await.unwrap();
    let missing = Err(AttachmentFault::NotFound);
    assert_eq!(world.files.find("ben", &file.digest).await, missing);
    assert_eq!(world.files.keep("ben", &file.digest, Use::Conversation("b")).await, missing);
    assert_eq!(world.files.content("ben", &file.named("")).await, FileContent::Missing);
    world.files.discard("ben", &file.digest).await.unwrap();
    world.files.find("ana", &file.digest).await.unwrap();
}

#[tokio::test]
async fn what_is_refused_leaves_nothing() {
    let limits = AttachmentLimits {
        file_bytes_max: 10_000,
        owner_files_max: 2,
        owner_bytes_max: 25,
        ..AttachmentLimits::machine()
    };
    let world = world(limits);
    let check = |result: Result<Attachment, AttachmentFault>, fault| {
        assert_eq!(result.map(|file| file.name), Err(fault));
    };
    let too_large = AttachmentFault::TooLarge { max: 10_000 };
    check(world.add("ana", "a", &[b'a'; 10_001]).await, too_large);
    check(world.add("ana", "a", b"").await, Unreadable::Empty.into());
    check(world.add("ana", "a.txt", b"\x7fELF\0\0").await, Unreadable::Kind.into());
    assert_eq!(world.names().await, Vec::<String>::new());
    world.add("ana", "a", b"0123456789012345678901234").await.unwrap();
    check(world.add("ana", "b", b"b").await, AttachmentFault::OwnerFull { max: 25 });
    world.add("ben", "a", b"a").await.unwrap();
    world.add("ben", "b", b"b").await.unwrap();
    check(world.add("ben", "c", b"c").await, AttachmentFault::TooMany { max: 2 });
}

#[tokio::test]
async fn drafts_and_broken_uploads_are_deleted_later() {
    let world = world(AttachmentLimits::machine());
    let draft = world.add("ana", "a.txt", b"draft").await.unwrap();
    let sent = world.add("ana", "b.txt", b"sent").await.unwrap();
    world.files.keep("ana", &sent.digest, Use::Conversation("a")).await.unwrap();
    let mut broken = world.files.begin("ana").await.unwrap();
    broken.write(&[b'a'; 700_000]).await.unwrap();
    drop(broken);
    world.clock.advance(Duration::from_secs(8 * 24 * 60 * 60));
    let last = world.add("ana", "c.txt", b"later").await.unwrap();
    assert_eq!(world.files.find("ana", &draft.digest).await, Err(AttachmentFault::NotFound));
    world.files.find("ana", &sent.digest).await.unwrap();
    world.files.discard("ana", &last.digest).await.unwrap();
    // What was sent: its record, its bytes and its text.
    assert_eq!(world.names().await.len(), 3);
}
