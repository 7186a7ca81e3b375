//! Parsing addresses.

use std::net::SocketAddr;

use server::reachable;

use super::parse_address;

#[test]
fn an_address_is_taken_as_people_write_it() {
    let check = |text: &str, expected: &str| {
        assert_eq!(parse_address(text), Ok(expected.parse::<SocketAddr>().unwrap()), "{text}");
    };
    check("7777", "127.0.0.1:7777");
    check(":7801", "127.0.0.1:7801");
    check("localhost:7801", "127.0.0.1:7801");
    check("127.0.0.1:0", "127.0.0.1:0");
    check("0.0.0.0:7802", "0.0.0.0:7802");
    check("[::1]:7803", "[::1]:7803");
    for bad in ["", "somewhere", "127.0.0.1", "70000", "host:99", ":"] {
        assert!(parse_address(bad).unwrap_err().contains("127.0.0.1:7777"), "{bad}");
    }
}

#[test]
fn an_address_for_all_is_told_as_one_that_can_be_opened() {
    let shown = reachable("0.0.0.0:7802".parse().unwrap());
    assert!(!shown.ip().is_unspecified() && shown.port() == 7802, "{shown}");
    let own: SocketAddr = "127.0.0.1:7777".parse().unwrap();
    assert_eq!(reachable(own), own);
}
