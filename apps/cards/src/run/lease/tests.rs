//! Who may work on a run, and what a dead process leaves behind.

use std::sync::Arc;

use store::{Expected, SqliteOptions, SqliteStore, Store};

use super::{Holder, Lease, lease_key, set};
use crate::fault::CardsFault;
use crate::run::journal::json;

fn store() -> Arc<dyn Store> {
    Arc::new(SqliteStore::temporary(SqliteOptions::machine()).unwrap())
}

#[tokio::test]
async fn a_held_run_is_not_taken_until_it_is_given_back() {
    let (store, run) = (store(), "r".parse().unwrap());
    let lease = Lease::take(&store, &run).await.unwrap();
    let held = Lease::take(&store, &run).await.map(drop);
    assert!(matches!(held, Err(CardsFault::Held { process }) if process == std::process::id()));
    assert!(lease.check().is_ok());
    lease.give_back().await;
    assert!(Lease::take(&store, &run).await.is_ok());
}

#[tokio::test]
async fn the_run_of_a_dead_process_is_taken_over_at_once() {
    let (store, run) = (store(), "r".parse().unwrap());
    let here = Holder::here();
    let Some(began) = here.began else { return };
    // The same number, and another beginning: the machine gave it to somebody else.
    let dead = Holder { began: Some(began + 1), ..here.clone() };
    let key = lease_key(&run).unwrap();
    set(&*store, &key, json(&dead).unwrap(), Expected::Absent).await.unwrap();
    Lease::take(&store, &run).await.unwrap().give_back().await;
    // A process on another machine may be alive, whatever its number.
    let far = Holder { place: Some("elsewhere".to_owned()), ..dead };
    set(&*store, &key, json(&far).unwrap(), Expected::Absent).await.unwrap();
    assert!(matches!(Lease::take(&store, &run).await.map(drop), Err(CardsFault::Held { .. })));
}
