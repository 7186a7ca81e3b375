//! Addresses: what is understood, and that no password is ever shown.

use super::{BadAddress, PostgresConfig, TlsMode};

#[track_caller]
fn check(address: &str, place: &str, tls: TlsMode) {
    let config: PostgresConfig = address.parse().unwrap();
    assert_eq!(config.to_string(), place);
    assert_eq!(config.tls, tls);
    assert!(!format!("{config:?} {config}").contains("s3cret"), "{config:?}");
}

#[test]
fn an_address_is_understood_as_libpq_does() {
    check("postgres://ann@db/chats", "postgres://db:5432/chats", TlsMode::Prefer);
    check("postgresql://ann:s3cret@db:6432/c", "postgres://db:6432/c", TlsMode::Prefer);
    check(
        "postgres://ann:s3cret@one:1,two:2/c?sslmode=verify-full&application_name=x",
        "postgres://one:1,two:2/c",
        TlsMode::VerifyFull,
    );
    check(
        "postgres:///c?host=/run/postgresql&user=ann&password=s3cret&sslmode=disable",
        "postgres:///run/postgresql:5432/c",
        TlsMode::Disable,
    );
    check("postgres://ann:s3cret/word@db/c", "postgres://db:5432/c", TlsMode::Prefer);
    check("postgres://db/c?sslmode=require", "postgres://db:5432/c", TlsMode::Require);
    check(
        "postgres://db/c?sslmode=require&sslrootcert=%2Fetc%2Fca.pem",
        "postgres://db:5432/c",
        TlsMode::VerifyCa,
    );
}

#[test]
fn a_bad_address_is_refused_without_showing_it() {
    let fault = |address: &str| address.parse::<PostgresConfig>().unwrap_err();
    assert_eq!(fault("mysql://s3cret@db/c"), BadAddress::Scheme);
    assert_eq!(fault("postgres:///c"), BadAddress::NoHost);
    assert_eq!(fault("postgres://db/c?sslmode=s3cret"), BadAddress::SslMode);
    let broken = [
        "postgres://ann:s3cret@db:s3cret/c",
        "postgres://ann@db/c?connect_timeout=s3cret",
        "postgres://ann@db/c?s3cret",
        "postgres://ann@[s3cret/c",
    ];
    for address in broken {
        let fault = fault(address).to_string();
        assert!(!fault.contains("s3cret"), "{fault}");
    }
}
