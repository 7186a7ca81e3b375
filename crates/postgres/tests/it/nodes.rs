//! Two stores on one database behave like one.

use std::sync::Arc;
use std::time::Duration;

use postgres::{PostgresOptions, PostgresStore};
use store::*;
use testkit::postgres::{PostgresServer, PostgresVersion};
use tokio::task::JoinSet;

use crate::subject::{open, options, run};

const MINUTE: Duration = Duration::from_secs(60);

async fn pair(server: &PostgresServer) -> [Arc<PostgresStore>; 2] {
    let options: PostgresOptions = options();
    let address = server.socket_address();
    // Both create the tables at once.
    let (one, two) = tokio::join!(open(&address, options.clone()), open(&address, options));
    [Arc::new(one), Arc::new(two)]
}

#[test]
fn one_node_sees_what_the_other_writes() {
    let server = PostgresServer::start(PostgresVersion::Debian);
    run(async {
        let [one, two] = pair(&server).await;
        let mut watch = one.kv().watch(&Prefix::all(), Revision::START).await.unwrap();
        let log = "log".parse().unwrap();
        let mut feed = one.log().follow(&log, Sequence::FIRST).await.unwrap();
        let (key, value): (Key, Json) = ("key".parse().unwrap(), Json::of(&1).unwrap());
        let set = two.kv().set(&key, value.clone(), Expected::Absent, Expiry::Never).await;
        assert_eq!(one.kv().get(&key).await.unwrap().unwrap().revision, set.clone().unwrap());
        assert_eq!(watch.next().await.unwrap().revision(), set.clone().unwrap());
        let conflict = one.kv().delete(&key, Expected::Absent).await;
        assert_eq!(conflict, Err(StoreFault::Conflict { key: key.clone(), current: set.ok() }));
        two.log().append(&log, value.clone(), None).await.unwrap();
        assert_eq!(feed.next().await.unwrap().sequence, Sequence::FIRST);
        // The server's clock is the clock of both: it expires there by itself.
        let soon = Expiry::After(Duration::from_millis(30));
        two.kv().set(&key, value.clone(), Expected::Any, soon).await.unwrap();
        let mut changes = vec![watch.next().await.unwrap()];
        while !matches!(changes.last(), Some(Change::Deleted { .. })) {
            changes.push(watch.next().await.unwrap());
        }
        assert_eq!(two.kv().get(&key).await, Ok(None));
        let queue = "jobs".parse().unwrap();
        let delay = Duration::from_millis(30);
        let message = NewMessage { body: value, dedup: None, delay, attempts_max: 1 };
        let (claim, pushed) =
            tokio::join!(one.queue().claim_next(&queue, MINUTE), two.queue().push(&queue, message));
        assert_eq!(PushResult::New(claim.unwrap().id.message), pushed.unwrap());
    });
}

#[test]
fn many_writers_on_two_nodes_leave_no_gap_and_no_repeat() {
    let server = PostgresServer::start(PostgresVersion::Debian);
    run(async {
        let nodes = pair(&server).await;
        let logs: Vec<LogName> = ["a", "b", "c"].iter().map(|name| name.parse().unwrap()).collect();
        let mut tasks = JoinSet::new();
        for task in 0..8usize {
            let (node, mut logs) = (Arc::clone(&nodes[task % 2]), logs.clone());
            logs.rotate_left(task % 3);
            tasks.spawn(async move {
                let mut revisions = Vec::new();
                for number in 0..30u64 {
                    // Several logs and keys at once, in different orders.
                    let body = Json::of(&(task, number)).unwrap();
                    let key: Key = format!("key/{}", number % 4).parse().unwrap();
                    let appends = submit_all(
                        logs.iter().map(|log| node.log().append(log, body.clone(), None)).collect(),
                    );
                    let set = node.kv().set(&key, body.clone(), Expected::Any, Expiry::Never);
                    let (appended, set) = tokio::join!(appends, set);
                    assert!(appended.iter().all(Result::is_ok), "{appended:?}");
                    revisions.push(set.unwrap().0);
                }
                revisions
            });
        }
        let mut follows = Vec::new();
        for (place, log) in logs.iter().enumerate() {
            let mut feed = nodes[place % 2].log().follow(log, Sequence::FIRST).await.unwrap();
            follows.push(tokio::spawn(async move {
                for number in 1..=240u64 {
                    assert_eq!(feed.next().await.unwrap().sequence, Sequence(number));
                }
            }));
        }
        let mut revisions = tasks.join_all().await.concat();
        revisions.sort_unstable();
        assert!(revisions.into_iter().eq(1..=240));
        for follow in follows {
            follow.await.unwrap();
        }
    });
}

#[test]
fn an_erased_log_is_deleted_in_pieces_and_deletions_are_forgotten() {
    let server = PostgresServer::start(PostgresVersion::Debian);
    run(async {
        let clock = crate::subject::clock();
        let store = open(&server.socket_address(), crate::subject::options_with(&clock)).await;
        let log = "log".parse().unwrap();
        let many = || (0..2_500).map(|_| (Json::of(&0).unwrap(), None)).collect();
        store.log().append_all(&log, many()).await.unwrap();
        store.log().erase(&log).await.unwrap();
        let first = Sequence(2_501);
        let erased = StoreFault::Erased { log: log.clone(), first };
        assert_eq!(store.log().read(&log, Sequence::FIRST, 1).await, Err(erased));
        let appended = store.log().append(&log, Json::of(&1).unwrap(), None).await;
        assert_eq!(appended, Ok(AppendResult::New(first)));
        // Deletions.
        let set = |key: &'static str| {
            let (key, value): (Key, Json) = (key.parse().unwrap(), Json::of(&0).unwrap());
            let store = &store;
            async move { store.kv().set(&key, value, Expected::Any, Expiry::Never).await.unwrap() }
        };
        let first = set("gone").await;
        set("kept").await;
        store.kv().delete(&"gone".parse().unwrap(), Expected::Any).await.unwrap();
        let last = set("last").await;
        clock.advance(Duration::from_secs(2 * 24 * 60 * 60));
        let through = loop {
            let mut probe = store.kv().watch(&Prefix::all(), first).await.unwrap();
            match probe.next().await {
                Ok(_) => tokio::task::yield_now().await,
                Err(StoreFault::Forgotten { through }) => break through,
                Err(fault) => panic!("{fault}"),
            }
        };
        assert!(through > first && through < last);
        let mut whole = store.kv().watch(&Prefix::all(), Revision::START).await.unwrap();
        assert_eq!(whole.next().await.unwrap().key().as_str(), "kept");
        assert_eq!(whole.next().await.unwrap().revision(), last);
        // Closing completes what was accepted, and ends subscriptions.
        let mut feed = store.log().follow(&log, Sequence(2_501)).await.unwrap();
        assert!(feed.next().await.is_ok());
        store.close().await;
        assert_eq!(feed.next().await, Err(StoreFault::Closed));
    });
}
