//! Stores under test: each in a schema of its own on one server.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use postgres::{PostgresConfig, PostgresOptions, PostgresStore};
use store::conformance::Subject;
use store::{BoxFuture, ManualClock, Store, Timestamp};

static SCHEMAS: AtomicU32 = AtomicU32::new(0);

/// Several threads, as the program has them.
pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(2).enable_all().build().unwrap().block_on(future)
}

pub(crate) fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at(Timestamp::from_millis(1_700_000_000_000)))
}

/// Options for a schema that no other store of this process has.
pub(crate) fn options() -> PostgresOptions {
    let number = SCHEMAS.fetch_add(1, Ordering::Relaxed);
    PostgresOptions { schema: format!("store_{number}"), ..PostgresOptions::server() }
}

/// The same with a clock that the test moves, and looks that do not wait for the server's.
pub(crate) fn options_with(clock: &Arc<ManualClock>) -> PostgresOptions {
    let clock: Arc<ManualClock> = Arc::clone(clock);
    PostgresOptions { clock: Some(clock), look_every: Duration::from_millis(20), ..options() }
}

pub(crate) async fn open(address: &str, options: PostgresOptions) -> PostgresStore {
    let config: PostgresConfig = address.parse().unwrap();
    PostgresStore::open(&config, options).await.unwrap()
}

/// A new store for one conformance case.
pub(crate) struct Clustered {
    pub store: Arc<PostgresStore>,
    pub clock: Arc<ManualClock>,
}

impl Clustered {
    pub(crate) async fn new(address: &str) -> Self {
        let clock = clock();
        let store = open(address, options_with(&clock)).await;
        Self { store: Arc::new(store), clock }
    }
}

impl Subject for Clustered {
    fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.store) as Arc<dyn Store>
    }
    fn advance(&self, span: Duration) -> BoxFuture<'_, ()> {
        self.clock.advance(span);
        Box::pin(std::future::ready(()))
    }
}
