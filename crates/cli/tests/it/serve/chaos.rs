//! A few faults of the trials that `cargo xtask chaos` runs at length.

use std::path::Path;
use std::sync::Arc;

use postgres::{PostgresOptions, PostgresStore};
use store::{BoxFuture, Store};
use testkit::chaos::cluster::{self, ClusterPlan, FaultKind};
use testkit::chaos::{Plan, run};

const PROGRAM: &str = env!("CARGO_BIN_EXE_ghosthand");

#[test]
fn a_server_that_is_killed_again_and_again_loses_doubles_and_forgets_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let report = run(Path::new(PROGRAM), dir.path(), &Plan::new(6, 20)).unwrap();
    println!("{report}");
    assert_eq!(report.findings, Vec::<String>::new(), "{report}");
}

fn open(address: String) -> BoxFuture<'static, Result<Arc<dyn Store>, String>> {
    Box::pin(async move {
        let config = address.parse().unwrap();
        let opened = PostgresStore::open(&config, PostgresOptions::server()).await;
        opened.map(|store| Arc::new(store) as Arc<dyn Store>).map_err(|fault| fault.to_string())
    })
}

#[test]
fn servers_that_are_killed_and_a_database_that_fails_over_lose_and_double_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let faults = vec![FaultKind::Failover, FaultKind::Cut];
    let plan = ClusterPlan { rounds: 1, faults, ..ClusterPlan::new(4, 21) };
    let report = cluster::run(Path::new(PROGRAM), dir.path(), &plan, &open).unwrap();
    println!("{report}");
    assert_eq!(report.findings, Vec::<String>::new(), "{report}");
}
