//! Declared hosts that are refused without a DNS query.

use super::*;

#[track_caller]
fn check(opened: &[&str], host: &str, expected: bool) {
    let entries = opened.iter().map(|entry| entry.parse().unwrap()).collect();
    let found = NetworkAccess::PublicAnd(entries).is_closed_to(&host.parse().unwrap());
    assert_eq!(found, expected, "{host} with {opened:?}");
}

#[test]
fn a_private_or_local_host_is_closed_until_the_operator_allows_it() {
    for host in [
        "127.0.0.1:8099",
        "10.0.0.1",
        "[::1]:80",
        "169.254.169.254",
        "localhost:8099",
        "printer",
        "nas.local",
        "db.internal:5984",
        "*.corp.internal",
        "192.168.1.2:8443",
    ] {
        check(&[], host, true);
    }
    for host in ["api.example.com", "*.example.com:8443", "8.8.8.8"] {
        check(&[], host, false);
    }
    check(&["127.0.0.1:8099"], "127.0.0.1:8099", false);
    check(&["127.0.0.1:8099"], "127.0.0.1:8098", true);
    check(&["127.0.0.1:8099"], "localhost:8099", false);
    check(&["localhost:8099"], "localhost:8099", false);
    check(&["localhost:8099"], "127.0.0.1:8099", true);
    check(&["10.0.0.0/8"], "10.0.0.1", false);
    check(&["10.0.0.0/8"], "db.internal:5984", false);
    check(&["other.internal"], "db.internal:5984", true);
    check(&["db.internal"], "db.internal:5984", false);
    check(&["169.254.0.0/16"], "169.254.169.254", true);
    check(&["169.254.169.254"], "169.254.169.254", false);
}
