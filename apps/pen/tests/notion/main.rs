//! Notion over real sockets: rows NT-01 to NT-13, recorded answers, and faults.

#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "a test stops at the first thing that is not as it should be, and reads well"
)]

mod clock;
mod faults;
mod goldens;
mod lost;
mod reading;
mod recorded;
mod settings;
mod writing;

use std::sync::Arc;

use contract::Secret;
use models::{Certificates, HttpClient};
use pen::notion::{Client, Limits};
use testkit::notion::{FakeNotion, TOKEN};

use clock::FakeClock;

/// A workspace, a client of it, and the clock that the client waits by.
async fn open() -> (FakeNotion, Client, Arc<FakeClock>) {
    open_with(Limits::usual()).await
}

async fn open_with(limits: Limits) -> (FakeNotion, Client, Arc<FakeClock>) {
    let notion = FakeNotion::start().await.unwrap();
    let (client, clock) = client(&notion.base_url(), TOKEN, limits);
    (notion, client, clock)
}

fn client(base_url: &str, token: &str, limits: Limits) -> (Client, Arc<FakeClock>) {
    let clock = Arc::new(FakeClock::default());
    let line =
        HttpClient::with(models::Limits::usual(), clock.clone(), Certificates::usual()).unwrap();
    (Client::new(base_url, Secret::new(token), line, limits), clock)
}
