//! The conformance suite, all cases, on every version that set-up installs.

use testkit::postgres::{PostgresServer, PostgresVersion};

use crate::subject::{Clustered, run};

#[track_caller]
fn check(version: PostgresVersion) {
    let server = PostgresServer::start(version);
    let address = server.socket_address();
    assert_eq!(run(store::conformance::all(async || Clustered::new(&address).await)), []);
}

#[test]
fn the_engine_conforms_on_debians_server() {
    check(PostgresVersion::Debian);
}

#[test]
fn the_engine_conforms_on_18() {
    check(PostgresVersion::Wheel);
}
