//! What happens when connections are cut and servers die: acknowledged writes are there, unknown
//! ones are told as such, and no subscription misses or repeats anything.

use std::sync::Arc;
use std::time::Duration;

use postgres::{PostgresOptions, PostgresStore};
use store::*;
use testkit::postgres::{PostgresServer, PostgresVersion};
use testkit::proxy::{Cut, Proxy};

use crate::subject::{open, options, run};

fn json(number: u64) -> Json {
    Json::of(&number).unwrap()
}

async fn append(store: &PostgresStore, number: u64) -> Result<AppendResult, StoreFault> {
    let key = format!("k{number}").parse().unwrap();
    store.log().append(&"log".parse().unwrap(), json(number), Some(key)).await
}

#[test]
fn a_cut_connection_is_unsure_only_when_a_commit_was_under_way() {
    let server = PostgresServer::start(PostgresVersion::Debian);
    run(async {
        let proxy = Proxy::start(server.port()).await.unwrap();
        let store = open(&server.tcp_address(proxy.port), options()).await;
        assert_eq!(append(&store, 1).await, Ok(AppendResult::New(Sequence(1))));
        // Committed, but the answer never came.
        proxy.cut(Cut::AfterCommit);
        let unsure = append(&store, 2).await;
        assert!(matches!(unsure, Err(StoreFault::Unsure { .. })), "{unsure:?}");
        assert_eq!(append(&store, 2).await, Ok(AppendResult::Known(Sequence(2))));
        // Never committed, which nobody here can know.
        proxy.cut(Cut::BeforeCommit);
        let unsure = append(&store, 3).await;
        assert!(matches!(unsure, Err(StoreFault::Unsure { .. })), "{unsure:?}");
        assert_eq!(append(&store, 3).await, Ok(AppendResult::New(Sequence(3))));
        // Cut before the commit was sent: it is repeated, and nobody notices.
        proxy.cut(Cut::AtBegin);
        assert_eq!(append(&store, 4).await, Ok(AppendResult::New(Sequence(4))));
        assert_eq!(proxy.cuts(), 3);
        // Reads are repeated too.
        proxy.cut_all();
        assert_eq!(store.log().last(&"log".parse().unwrap()).await, Ok(Some(Sequence(4))));
        let shown = format!("{store:?}");
        assert!(!shown.contains("word"), "{shown}");
    });
}

#[test]
fn a_host_that_accepts_and_never_answers_does_not_hide_the_primary() {
    let server = PostgresServer::start(PostgresVersion::Debian);
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let dead = silent.local_addr().unwrap().port();
    let address =
        server.tcp_address(server.port()).replace("127.0.0.1:", "127.0.0.1:DEAD,127.0.0.1:");
    let address = address.replace("DEAD", &dead.to_string());
    run(async {
        let store = open(&address, options()).await;
        assert_eq!(append(&store, 1).await, Ok(AppendResult::New(Sequence(1))));
    });
}

#[test]
fn a_server_that_cannot_be_reached_is_told_and_subscriptions_continue() {
    let server = PostgresServer::start(PostgresVersion::Debian);
    run(async {
        let proxy = Proxy::start(server.port()).await.unwrap();
        let options = PostgresOptions { patience: Duration::from_millis(300), ..options() };
        let direct = open(&server.socket_address(), options.clone()).await;
        let store = open(&server.tcp_address(proxy.port), options).await;
        let mut feed = store.log().follow(&"log".parse().unwrap(), Sequence::FIRST).await.unwrap();
        let mut watch = store.kv().watch(&Prefix::all(), Revision::START).await.unwrap();
        let mut next = 1;
        for round in 0..4u64 {
            for _ in 0..5 {
                append(&direct, next).await.unwrap();
                let key = format!("key/{next}").parse().unwrap();
                direct.kv().set(&key, json(next), Expected::Any, Expiry::Never).await.unwrap();
                next += 1;
            }
            // All connections, the listening one too; in some rounds nothing can connect again.
            proxy.refuse(round % 2 == 1);
            proxy.cut_all();
            if round % 2 == 1 {
                let fault = append(&store, 0).await.unwrap_err();
                assert!(matches!(fault, StoreFault::Busy { .. }), "{fault:?}");
                assert!(!fault.to_string().contains("word"), "{fault}");
                let fault = store.kv().revision().await.unwrap_err();
                assert!(matches!(fault, StoreFault::Busy { .. }), "{fault:?}");
                proxy.refuse(false);
            }
            for number in next - 5..next {
                let record = continued(&mut feed).await;
                assert_eq!(record.body, json(number));
                assert_eq!(continued(&mut watch).await.revision(), Revision(number));
            }
        }
    });
}

/// The next item; a fault that is no end is passed over.
async fn continued<T>(feed: &mut Subscription<T>) -> T {
    loop {
        match feed.next().await {
            Ok(item) => return item,
            Err(StoreFault::Busy { .. }) => {}
            Err(fault) => panic!("{fault}"),
        }
    }
}

#[test]
fn a_commit_that_waits_in_vain_for_a_standby_is_unsure() {
    let server = PostgresServer::start_with(
        PostgresVersion::Debian,
        &["fsync = off", "synchronous_standby_names = 'nobody'"],
    );
    run(async {
        let options = PostgresOptions { statement_max: Duration::from_secs(2), ..options() };
        // The tables are created by a session that waits for no standby.
        let local = server.socket_address() + "&options=-csynchronous_commit%3Dlocal";
        drop(open(&local, options.clone()).await);
        let store = open(&server.socket_address(), options).await;
        let unsure = append(&store, 1).await;
        assert!(matches!(unsure, Err(StoreFault::Unsure { .. })), "{unsure:?}");
        // It was written here, and the store can still be used.
        assert_eq!(store.log().last(&"log".parse().unwrap()).await, Ok(Some(Sequence(1))));
    });
}

#[test]
fn nothing_acknowledged_is_lost_when_the_server_is_killed() {
    // With the disk: a crash of the server loses what the disk does not have.
    let mut server = PostgresServer::start_with(PostgresVersion::Debian, &["fsync = on"]);
    run(async {
        let options = PostgresOptions { patience: Duration::from_secs(60), ..options() };
        let store = Arc::new(open(&server.socket_address(), options).await);
        let (stop, stopped) = tokio::sync::watch::channel(false);
        let (progress, mut progressed) = tokio::sync::watch::channel(0u64);
        let mut tasks = tokio::task::JoinSet::new();
        for task in 0..4u64 {
            let (store, stopped, progress) =
                (Arc::clone(&store), stopped.clone(), progress.clone());
            tasks.spawn(async move {
                let (mut acknowledged, mut unsure) = (Vec::new(), 0);
                for number in 0.. {
                    if *stopped.borrow() {
                        break;
                    }
                    let number = number * 10 + task;
                    match append(&store, number).await {
                        Ok(appended) => acknowledged.push((appended.sequence(), number)),
                        Err(StoreFault::Unsure { .. }) => unsure += 1,
                        Err(fault) => panic!("{fault}"),
                    }
                    progress.send_modify(|done| *done += 1);
                }
                (acknowledged, unsure)
            });
        }
        for _ in 0..3 {
            let until = *progressed.borrow() + 40;
            progressed.wait_for(|done| *done >= until).await.unwrap();
            tokio::task::block_in_place(|| {
                server.crash();
                server.start_again();
            });
        }
        let until = *progressed.borrow() + 40;
        progressed.wait_for(|done| *done >= until).await.unwrap();
        stop.send_replace(true);
        let log: LogName = "log".parse().unwrap();
        let last = store.log().last(&log).await.unwrap().unwrap();
        let mut records = Vec::new();
        while records.len() as u64 != last.0 {
            let from = Sequence(records.len() as u64 + 1);
            records.extend(store.log().read(&log, from, 1_000).await.unwrap());
        }
        let mut unsure = 0;
        for (acknowledged, unsure_here) in tasks.join_all().await {
            unsure += unsure_here;
            for (sequence, number) in acknowledged.into_iter().filter(|(at, _)| *at <= last) {
                let record = &records[usize::try_from(sequence.0).unwrap() - 1];
                assert_eq!((record.sequence, &record.body), (sequence, &json(number)));
            }
        }
        let mut bodies: Vec<&str> = records.iter().map(|record| record.body.as_str()).collect();
        bodies.sort_unstable();
        bodies.dedup();
        assert_eq!(bodies.len(), records.len(), "a record twice; {unsure} were unsure");
    });
}
