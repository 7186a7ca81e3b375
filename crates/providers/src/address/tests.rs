//! What people type, and what must not be reached.

use super::{Address, BadAddress};

#[test]
fn a_typed_address_is_completed_and_checked() {
    let check = |typed: &str, expected: Result<&str, &str>| {
        let parsed = Address::parse(typed);
        let shown = parsed.as_ref().map(Address::as_str).map_err(ToString::to_string);
        let expected = expected.map_err(str::to_owned);
        assert_eq!(shown, expected, "{typed}");
    };
    let more = "an address has no user, password, query or fragment";
    check("127.0.0.1:11434", Ok("http://127.0.0.1:11434"));
    check(" http://localhost:8080/v1/ ", Ok("http://localhost:8080/v1"));
    check("https://example.com/v1", Ok("https://example.com/v1"));
    check("http://[::1]:1234/v1", Ok("http://[::1]:1234/v1"));
    check("ftp://example.com", Err("this is not a web address"));
    check("", Err("this is not a web address"));
    check(&"a".repeat(400), Err("this is not a web address"));
    check("http://me:secret@example.com", Err(more));
    check("http://example.com/v1?key=1", Err(more));
}

#[test]
fn addresses_that_hand_out_credentials_are_refused() {
    for typed in [
        "http://169.254.169.254/latest",
        "http://169.254.1.1",
        "http://0.0.0.0:8080",
        "http://100.100.100.200",
        "http://168.63.129.16",
        "http://[fe80::1]:80",
        "http://[fd00:ec2::254]",
        "http://[::ffff:169.254.169.254]",
        "http://[64:ff9b::a9fe:a9fe]",
        "http://[2002:a9fe:a9fe::]",
        "http://metadata.google.internal",
        "http://METADATA.google.internal.",
        "http://2852039166",
        "http://0xa9fea9fe",
    ] {
        assert!(matches!(Address::parse(typed), Err(BadAddress::Forbidden(_))), "{typed}");
    }
}

#[test]
fn a_key_goes_unencrypted_only_to_this_machine_or_a_private_network() {
    let check = |typed: &str, is_safe: bool| {
        let address = Address::parse(typed).unwrap();
        assert_eq!(address.check_key_is_safe().is_ok(), is_safe, "{typed}");
    };
    check("http://127.0.0.1:1234", true);
    check("http://192.168.1.5:8000/v1", true);
    check("http://ollama:11434", true);
    check("https://example.com", true);
    check("http://example.com", false);
    check("http://8.8.8.8", false);
}
