//! Clients of the store itself, in this process, through every fault of the database.
//!
//! Must hold: what was acknowledged is there; no record number, revision or claim comes twice; a
//! subscription has neither a gap nor a repeat.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use store::{
    Expected, Expiry, Json, Key, LogName, NewMessage, Prefix, QueueName, Revision, Sequence, Store,
    StoreFault,
};

use super::super::Run;

const PAUSE: Duration = Duration::from_millis(25);
const CLAIM_TIME: Duration = Duration::from_secs(3);
const CATCH_UP_TIME_MAX: Duration = Duration::from_secs(40);

/// What the clients did and found.
#[derive(Debug, Default)]
pub(super) struct StoreOutcome {
    pub appends: usize,
    pub sets: usize,
    pub claims: usize,
    pub unsure: usize,
    pub followed: u64,
    pub findings: Vec<String>,
}

type Findings = Vec<String>;

pub(super) async fn drive(run: &Run<'_>, store: Arc<dyn Store>) -> StoreOutcome {
    let store = &*store;
    let (appends, sets, count, claims, feed, watch) = tokio::join!(
        appends(run, store),
        sets(run, store),
        count(run, store),
        claims(run, store),
        follow(run, store),
        watch(run, store),
    );
    let mut findings: Findings = Vec::new();
    for more in [appends.2, sets.2, count.1, claims.1, feed.1, watch] {
        findings.extend(more);
    }
    StoreOutcome {
        appends: appends.0,
        sets: sets.0 + count.0,
        claims: claims.0,
        unsure: appends.1 + sets.1,
        followed: feed.0,
        findings,
    }
}

fn log() -> LogName {
    name("chaos/log")
}

/// Names in this file are valid.
fn name<T: std::str::FromStr<Err: std::fmt::Debug>>(text: &str) -> T {
    #[expect(clippy::expect_used, reason = "names in this file are valid")]
    text.parse().expect("a valid name")
}

fn body(number: u64) -> Json {
    #[expect(clippy::expect_used, reason = "a number is JSON")]
    Json::of(&number).expect("a number")
}

/// Whether the same may be tried again.
fn is_passing(fault: &StoreFault) -> bool {
    matches!(
        fault,
        StoreFault::Busy { .. } | StoreFault::Unsure { .. } | StoreFault::Unusable { .. }
    )
}

async fn appends(run: &Run<'_>, store: &dyn Store) -> (usize, usize, Findings) {
    let (mut done, mut unsure, mut findings) = (BTreeMap::new(), 0, Vec::new());
    let mut number = 0;
    while !run.ended() {
        number += 1;
        let (phase, begun) = (run.tally.phase(), Instant::now());
        loop {
            let key = name(&format!("k{number}"));
            match store.log().append(&log(), body(number), Some(key)).await {
                Ok(result) => {
                    run.tally.acknowledged(phase, begun);
                    let at = result.sequence();
                    if let Some(other) = done.insert(at, number) {
                        findings.push(format!("record {at} was given to {other} and to {number}"));
                    }
                    break;
                }
                Err(fault) if is_passing(&fault) => {
                    unsure += usize::from(matches!(fault, StoreFault::Unsure { .. }));
                }
                Err(fault) => findings.push(format!("append {number}: {fault}")),
            }
            tokio::time::sleep(PAUSE).await;
        }
        tokio::time::sleep(PAUSE).await;
    }
    let (mut from, mut seen) = (Sequence::FIRST, BTreeMap::new());
    loop {
        let records = match store.log().read(&log(), from, 1_000).await {
            Ok(records) if records.is_empty() => break,
            Ok(records) => records,
            Err(fault) => {
                findings.push(format!("the log cannot be read: {fault}"));
                break;
            }
        };
        for record in records {
            from = record.sequence.next();
            seen.insert(record.sequence, record.body);
        }
    }
    for (at, number) in &done {
        if seen.get(at) != Some(&body(*number)) {
            findings.push(format!("lost: record {at} was acknowledged and is {:?}", seen.get(at)));
        }
    }
    let bodies: BTreeSet<&str> = seen.values().map(Json::as_str).collect();
    if bodies.len() != seen.len() {
        findings.push(format!("doubled: {} records for {} bodies", seen.len(), bodies.len()));
    }
    (done.len(), unsure, findings)
}

async fn sets(run: &Run<'_>, store: &dyn Store) -> (usize, usize, Findings) {
    let (mut done, mut unsure, mut findings) = (BTreeMap::new(), 0, Vec::new());
    let mut number = 0;
    while !run.ended() {
        number += 1;
        let (phase, begun) = (run.tally.phase(), Instant::now());
        let key: Key = name(&format!("chaos/k{number}"));
        match store.kv().set(&key, body(number), Expected::Any, Expiry::Never).await {
            Ok(revision) => {
                run.tally.acknowledged(phase, begun);
                if done.insert(revision, number).is_some() {
                    findings.push(format!("revision {revision} was given twice"));
                }
            }
            Err(fault) if is_passing(&fault) => {
                unsure += usize::from(matches!(fault, StoreFault::Unsure { .. }));
            }
            Err(fault) => findings.push(format!("set {number}: {fault}")),
        }
        tokio::time::sleep(PAUSE).await;
    }
    for (revision, number) in &done {
        let key: Key = name(&format!("chaos/k{number}"));
        let found = store.kv().get(&key).await;
        let is_there = found
            .as_ref()
            .is_ok_and(|found| found.as_ref().is_some_and(|entry| entry.revision == *revision));
        if !is_there {
            findings.push(format!("lost: {key} was acknowledged and is {found:?}"));
        }
    }
    (done.len(), unsure, findings)
}

/// Counts upwards in one key, each step only if the one before it is there.
async fn count(run: &Run<'_>, store: &dyn Store) -> (usize, Findings) {
    let (key, mut findings): (Key, Findings) = (name("chaos-count"), Vec::new());
    let (mut known, mut expected, mut steps) = (0_u64, Expected::Absent, 0);
    while !run.ended() {
        let (phase, begun) = (run.tally.phase(), Instant::now());
        match store.kv().set(&key, body(known + 1), expected, Expiry::Never).await {
            Ok(revision) => {
                run.tally.acknowledged(phase, begun);
                (known, expected, steps) = (known + 1, Expected::Revision(revision), steps + 1);
            }
            Err(StoreFault::Busy { .. } | StoreFault::Unusable { .. }) => {}
            // The step before this try may have been written all the same.
            Err(StoreFault::Unsure { .. } | StoreFault::Conflict { .. }) => {
                let Ok(Some(entry)) = store.kv().get(&key).await else { continue };
                let found = entry.value.to::<u64>().unwrap_or_default();
                if found != known && found != known + 1 {
                    findings.push(format!("lost: the count was {known} and is {found}"));
                }
                (known, expected) = (found, Expected::Revision(entry.revision));
            }
            Err(fault) => findings.push(format!("count: {fault}")),
        }
        tokio::time::sleep(PAUSE).await;
    }
    (steps, findings)
}

async fn claims(run: &Run<'_>, store: &dyn Store) -> (usize, Findings) {
    let (queue, mut findings): (QueueName, Findings) = (name("chaos"), Vec::new());
    let (mut seen, mut done, mut number) = (BTreeSet::new(), BTreeSet::new(), 0);
    while !run.ended() {
        number += 1;
        let (delay, attempts_max) = (Duration::ZERO, 1_000);
        let dedup = Some(name(&format!("q{number}")));
        let message = NewMessage { body: body(number), dedup, delay, attempts_max };
        drop(store.queue().push(&queue, message).await);
        let (phase, begun) = (run.tally.phase(), Instant::now());
        if let Ok(Some(claim)) = store.queue().claim(&queue, CLAIM_TIME).await {
            run.tally.acknowledged(phase, begun);
            if !seen.insert((claim.id.message, claim.id.number)) {
                findings.push(format!("claim {:?} was given twice", claim.id));
            }
            if done.contains(&claim.id.message) {
                findings.push(format!("{:?} was claimed after it was acknowledged", claim.id));
            }
            if store.queue().ack(&claim.id).await.is_ok() {
                done.insert(claim.id.message);
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
    (seen.len(), findings)
}

async fn follow(run: &Run<'_>, store: &dyn Store) -> (u64, Findings) {
    let mut findings = Vec::new();
    let Ok(mut feed) = store.log().follow(&log(), Sequence::FIRST).await else {
        return (0, vec!["the log cannot be followed".to_owned()]);
    };
    let (mut expected, mut caught_up) = (Sequence::FIRST, Instant::now());
    loop {
        match tokio::time::timeout(Duration::from_millis(300), feed.next()).await {
            Ok(Ok(record)) => {
                if record.sequence != expected {
                    findings.push(format!("followed {} after {expected}", record.sequence));
                }
                expected = record.sequence.next();
            }
            Ok(Err(StoreFault::Busy { .. } | StoreFault::Unusable { .. })) => {}
            Ok(Err(fault)) => {
                findings.push(format!("a feed ended: {fault}"));
                return (expected.0, findings);
            }
            Err(_) => {}
        }
        if !run.ended() {
            caught_up = Instant::now();
        } else if let Ok(Some(last)) = store.log().last(&log()).await {
            // A moment for the last appends.
            if expected > last && caught_up.elapsed() > Duration::from_secs(2) {
                return (last.0, findings);
            }
            if caught_up.elapsed() > CATCH_UP_TIME_MAX {
                findings.push(format!("a feed stays at {expected}, the log ends at {last}"));
                return (expected.0, findings);
            }
        }
    }
}

async fn watch(run: &Run<'_>, store: &dyn Store) -> Findings {
    let (mut findings, prefix): (Findings, Prefix) = (Vec::new(), name("chaos/"));
    let Ok(mut changes) = store.kv().watch(&prefix, Revision::START).await else {
        return vec!["keys cannot be watched".to_owned()];
    };
    let mut last = Revision::START;
    while !run.ended() {
        match tokio::time::timeout(Duration::from_millis(300), changes.next()).await {
            Ok(Ok(change)) => {
                if change.revision() <= last {
                    findings.push(format!("watched {} after {last}", change.revision()));
                }
                last = change.revision();
            }
            Ok(Err(StoreFault::Busy { .. } | StoreFault::Unusable { .. })) | Err(_) => {}
            Ok(Err(fault)) => {
                findings.push(format!("a watch ended: {fault}"));
                break;
            }
        }
    }
    findings
}
