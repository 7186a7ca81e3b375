//! Logs in memory: a reader sees what every process wrote and erased, and the store is asked only
//! for what is new.

use std::sync::atomic::{AtomicUsize, Ordering};

use policy::ConversationId;
use store::{
    AppendResult, BoxFuture, DedupKey, Json, Log, LogName, Page, PageRequest, Prefix, Record,
    Sequence, Store, StoreFault, Subscription,
};

use super::world::{Script, World, id, opened, says};
use crate::conversations::log_cache::{ConversationLog, LogCache};
use crate::record::encode;
use crate::{Conversation, ConversationEvent, ConversationFault, Conversations, LaterTurns};

/// Counts the records that are read.
struct CountingLog<'s>(&'s dyn Log, AtomicUsize);

impl CountingLog<'_> {
    fn count(&self) -> usize {
        self.1.swap(0, Ordering::Relaxed)
    }
}

impl Log for CountingLog<'_> {
    fn append<'a>(
        &'a self,
        log: &'a LogName,
        body: Json,
        key: Option<DedupKey>,
    ) -> BoxFuture<'a, Result<AppendResult, StoreFault>> {
        self.0.append(log, body, key)
    }

    fn read<'a>(
        &'a self,
        log: &'a LogName,
        from: Sequence,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Record>, StoreFault>> {
        Box::pin(async move {
            let page = self.0.read(log, from, limit).await?;
            self.1.fetch_add(page.len(), Ordering::Relaxed);
            Ok(page)
        })
    }

    fn find<'a>(
        &'a self,
        log: &'a LogName,
        key: &'a DedupKey,
    ) -> BoxFuture<'a, Result<Option<Record>, StoreFault>> {
        self.0.find(log, key)
    }

    fn last<'a>(&'a self, log: &'a LogName) -> BoxFuture<'a, Result<Option<Sequence>, StoreFault>> {
        self.0.last(log)
    }

    fn follow<'a>(
        &'a self,
        log: &'a LogName,
        from: Sequence,
    ) -> BoxFuture<'a, Result<Subscription<Record>, StoreFault>> {
        self.0.follow(log, from)
    }

    fn logs<'a>(
        &'a self,
        prefix: &'a Prefix,
        page: PageRequest<LogName>,
    ) -> BoxFuture<'a, Result<Page<LogName, LogName>, StoreFault>> {
        self.0.logs(prefix, page)
    }

    fn erase<'a>(&'a self, log: &'a LogName) -> BoxFuture<'a, Result<(), StoreFault>> {
        self.0.erase(log)
    }
}

fn notice(number: usize, text: &str) -> (Json, Option<DedupKey>) {
    let event = ConversationEvent::Noticed { id: number.to_string(), text: text.to_owned() };
    let (body, key) = encode(policy::Timestamp(0), None, &event).unwrap();
    (body, Some(key))
}

async fn noticed(log: &dyn Log, name: &LogName, numbers: std::ops::Range<usize>) {
    let records = numbers.map(|number| notice(number, "hm")).collect();
    log.append_all(name, records).await.unwrap();
}

#[tokio::test]
async fn only_new_records_are_read_from_the_store() {
    let world = World::new();
    let log = CountingLog(world.store.log(), AtomicUsize::new(0));
    let (cache, name): (_, LogName) = (LogCache::default(), "talk/long".parse().unwrap());
    assert_eq!(cache.read(&log, &name).await.unwrap().records.len(), 0);
    assert_eq!(cache.names(), [""; 0]);
    noticed(&log, &name, 0..2_500).await;
    assert_eq!(cache.read(&log, &name).await.unwrap().records.len(), 2_500);
    assert_eq!(log.count(), 2_500);
    // The newest one is looked at again: the log might have been erased.
    assert_eq!(cache.read(&log, &name).await.unwrap().records.len(), 2_500);
    assert_eq!(log.count(), 1);
    noticed(&log, &name, 2_500..2_503).await;
    let ConversationLog { records, conversation } = cache.read(&log, &name).await.unwrap();
    assert_eq!((records.len(), conversation.notices.len(), log.count()), (2_503, 2_503, 4));
}

#[tokio::test]
async fn an_erased_log_is_never_read_from_memory() {
    let world = World::new();
    let log = world.store.log();
    let (cache, name): (_, LogName) = (LogCache::default(), "talk/one".parse().unwrap());
    noticed(log, &name, 0..3).await;
    cache.read(log, &name).await.unwrap();
    log.erase(&name).await.unwrap();
    let fault = cache.read(log, &name).await.unwrap_err();
    assert!(matches!(fault, ConversationFault::Store(StoreFault::Erased { .. })), "{fault:?}");
    // Nor is it when the log goes on.
    noticed(log, &name, 3..5).await;
    let fault = cache.read(log, &name).await.unwrap_err();
    assert!(matches!(fault, ConversationFault::Store(StoreFault::Erased { .. })), "{fault:?}");
}

#[tokio::test]
async fn a_log_that_another_copy_of_the_store_replaced_is_read_again() {
    let (world, restored) = (World::new(), World::new());
    let (cache, name): (_, LogName) = (LogCache::default(), "talk/one".parse().unwrap());
    noticed(world.store.log(), &name, 0..3).await;
    cache.read(world.store.log(), &name).await.unwrap();
    let others = (0..3).map(|number| notice(number, "another")).collect();
    restored.store.log().append_all(&name, others).await.unwrap();
    let read = cache.read(restored.store.log(), &name).await.unwrap();
    assert!(read.conversation.notices.iter().all(|notice| notice.text == "another"));
}

#[tokio::test]
async fn the_logs_in_memory_are_those_that_were_read_last() {
    let world = World::new();
    let log = world.store.log();
    let cache = LogCache::default();
    let names: Vec<LogName> = (0..5).map(|at| format!("talk/{at}").parse().unwrap()).collect();
    for name in &names {
        let records = (0..5).map(|number| notice(number, &"x".repeat(900_000))).collect();
        log.append_all(name, records).await.unwrap();
    }
    for at in [0, 1, 2, 0, 3] {
        cache.read(log, &names[at]).await.unwrap();
    }
    assert_eq!(cache.names(), ["talk/2", "talk/0", "talk/3"]);
    cache.forget(&names[0]);
    assert_eq!(cache.names(), ["talk/2", "talk/3"]);
}

/// What is in memory is what the whole log says.
async fn check(conversations: &Conversations) {
    let whole = conversations.events(&id()).await.unwrap();
    let ConversationLog { records, conversation } = conversations.log(&id()).await.unwrap();
    assert_eq!(*records, whole);
    assert_eq!(*conversation, Conversation::read(whole.iter().map(|record| &record.event)));
}

#[tokio::test]
async fn two_processes_see_what_the_other_one_changed() {
    let world = World::new();
    let (first, second) = (world.conversations(), world.conversations());
    first.open(&id(), opened()).await.unwrap();
    let turn = async |by: &Conversations| {
        let script = Script::new([says("fine")]);
        by.run_turn(&id(), &world.answerer(script)).await.unwrap();
        by.flush().await;
        check(&first).await;
        check(&second).await;
    };
    for by in [&first, &second, &first] {
        by.say(&id(), "go").await.unwrap();
        turn(by).await;
    }
    second.say_again(&id(), Some(2), Some("go on"), None).await.unwrap();
    turn(&second).await;
    first.choose_version(&id(), 2).await.unwrap();
    first.flush().await;
    check(&second).await;
    second.rewind(&id(), 1, LaterTurns::Keep).await.unwrap();
    second.flush().await;
    check(&first).await;
    second.delete(&id()).await.unwrap();
    for reader in [&first, &second] {
        assert!(reader.get(&id()).await.is_err(), "a deleted conversation is still there");
    }
    let other = ConversationId("other".into());
    assert!(matches!(first.get(&other).await, Err(ConversationFault::NotFound(_))));
}
