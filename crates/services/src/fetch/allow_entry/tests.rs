//! Every kind of entry, and the addresses it allows.

use super::*;

fn host(text: &str) -> Host {
    match text.parse() {
        Ok(address) => Host::Address(address),
        Err(_) => Host::Name(text.to_owned()),
    }
}

/// `leads` is `host address port`.
#[track_caller]
fn check(entry: &str, leads: &[&str], does_not: &[&str]) {
    let parsed: AllowEntry = entry.parse().unwrap();
    assert_eq!(parsed.to_string(), entry);
    let allows = |line: &str| {
        let [name, address, port] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
        parsed.allows(&host(name), address.parse().unwrap(), port.parse().unwrap())
    };
    for line in leads {
        assert!(allows(line), "{entry} does not allow {line}");
    }
    for line in does_not {
        assert!(!allows(line), "{entry} allows {line}");
    }
}

#[test]
fn an_address_allows_itself() {
    check(
        "127.0.0.1:8099",
        &[
            "127.0.0.1 127.0.0.1 8099",
            "localhost 127.0.0.1 8099",
            "a.example ::ffff:127.0.0.1 8099",
        ],
        &["127.0.0.1 127.0.0.1 8098", "127.0.0.2 127.0.0.2 8099", "localhost ::1 8099"],
    );
    check("10.1.2.3", &["10.1.2.3 10.1.2.3 1"], &["10.1.2.4 10.1.2.4 1"]);
    check("[::1]:8099", &["localhost ::1 8099"], &["localhost ::1 80", "localhost 127.0.0.1 8099"]);
    check("fd00::1", &["a.example fd00::1 443"], &["a.example fd00::2 443"]);
}

#[test]
fn a_network_allows_all_its_addresses_except_cloud_metadata() {
    check(
        "10.0.0.0/8",
        &["10.255.255.255 10.255.255.255 1", "a.example 10.0.0.1 443"],
        &["11.0.0.0 11.0.0.0 1", "a.example fd00::1 443"],
    );
    check("127.0.0.0/8:80", &["localhost 127.9.9.9 80"], &["localhost 127.9.9.9 81"]);
    check(
        "169.254.0.0/16",
        &["169.254.1.1 169.254.1.1 80"],
        &["169.254.169.254 169.254.169.254 80", "a.example ::ffff:169.254.169.254 80"],
    );
    check("fd00::/8", &["a.example fd00::1 1"], &["a.example fd00:ec2::254 80"]);
    check("100.64.0.0/10", &["100.64.0.1 100.64.0.1 1"], &["100.100.100.200 100.100.100.200 80"]);
    check("[fd00::/8]:443", &["a.example fd12::1 443"], &["a.example fd12::1 80"]);
}

#[test]
fn cloud_metadata_is_allowed_only_by_its_own_address() {
    check("169.254.169.254", &["169.254.169.254 169.254.169.254 80"], &[]);
    check("[fd00:ec2::254]:80", &["a.example fd00:ec2::254 80"], &["a.example fd00:ec2::254 81"]);
}

#[test]
fn a_name_allows_private_networks_and_only_localhost_this_machine() {
    check(
        "intranet.example:443",
        &["intranet.example 10.0.0.1 443", "intranet.example fd00::1 443"],
        &[
            "intranet.example 10.0.0.1 80",
            "intranet.example 127.0.0.1 443",
            "intranet.example 169.254.169.254 443",
            "intranet.example 169.254.0.1 443",
            "intranet.example 0.0.0.0 443",
            "a.intranet.example 10.0.0.1 443",
            "10.0.0.1 10.0.0.1 443",
        ],
    );
    check("*.corp.example", &["a.corp.example 10.0.0.1 1"], &["corp.example 10.0.0.1 1"]);
    check("localhost", &["localhost 127.0.0.1 1", "localhost ::1 1"], &["localhost 0.0.0.0 1"]);
}

#[test]
fn the_fault_of_an_invalid_entry_shows_valid_ones() {
    for text in [
        "",
        "*",
        "http://a.example",
        "a b",
        "10.0.0.0/33",
        "10.0.0/8",
        "a.example:0",
        "a.example:",
        "a.example:99999",
        "[::1",
        "[::1]x",
        "300.1.1.1",
        "a.example/8",
        "::1/129",
        "127.0.0.1:x",
    ] {
        assert!(
            matches!(text.parse::<AllowEntry>(), Err(AllowEntryFault::Unreadable(_))),
            "{text}"
        );
    }
    for text in ["0.0.0.0/0", "::/0"] {
        assert_eq!(text.parse::<AllowEntry>(), Err(AllowEntryFault::Everything(text.to_owned())));
    }
    assert_eq!(
        "10.1.2.3/8".parse::<AllowEntry>().unwrap_err().to_string(),
        "`10.1.2.3/8` has host bits set; write `10.0.0.0/8`"
    );
}
