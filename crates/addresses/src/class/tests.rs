//! Examples of every address class.

use super::*;

#[track_caller]
fn check(expected: AddressClass, addresses: &[&str]) {
    for address in addresses {
        assert_eq!(AddressClass::of(address.parse().unwrap()), expected, "{address}");
    }
}

#[test]
fn only_known_public_addresses_are_public() {
    check(
        AddressClass::Public,
        &[
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "168.63.129.15",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.88.98.255",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2606:4700:4700::1111",
            "2a00:1450::1",
            "2001:200::1",
            "2001:4860:4860::8888",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
        ],
    );
    check(AddressClass::Loopback, &["127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1"]);
    check(
        AddressClass::Private,
        &[
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.0.1",
            "::ffff:10.0.0.1",
            "fc00::1",
            "fd00:ec2::253",
        ],
    );
    check(
        AddressClass::Metadata,
        &[
            "169.254.169.254",
            "100.100.100.200",
            "192.0.0.192",
            "168.63.129.16",
            "fd00:ec2::254",
            "::ffff:169.254.169.254",
            "64:ff9b::169.254.169.254",
            "2002:a9fe:a9fe::1",
        ],
    );
}

#[test]
fn everything_else_is_closed() {
    check(
        AddressClass::Reserved,
        &[
            "0.0.0.0",         // unspecified
            "0.1.2.3",         // this network
            "169.254.0.1",     // link-local
            "192.0.0.1",       // protocol assignments
            "192.0.2.1",       // documentation
            "192.88.99.1",     // 6to4 relay
            "198.18.0.1",      // benchmarks
            "198.19.255.255",  // benchmarks
            "198.51.100.1",    // documentation
            "203.0.113.1",     // documentation
            "224.0.0.1",       // multicast
            "239.255.255.255", // multicast
            "240.0.0.1",       // reserved
            "255.255.255.255", // broadcast
        ],
    );
    check(
        AddressClass::Reserved,
        &[
            "::",                 // unspecified
            "::2",                // IPv4-compatible
            "::127.0.0.1",        // IPv4-compatible
            "::8.8.8.8",          // IPv4-compatible
            "::ffff:0.0.0.0",     // IPv4-mapped
            "::ffff:0:127.0.0.1", // IPv4-translated
            "64:ff9b::127.0.0.1", // NAT64
            "64:ff9b::10.0.0.1",  // NAT64
            "64:ff9b:1::8.8.8.8", // NAT64, local use
            "100::1",             // discard
            "2001::1",            // Teredo
            "2001:2::1",          // benchmarks
            "2001:10::1",         // ORCHID
            "2001:20::1",         // ORCHIDv2
            "2001:db8::1",        // documentation
            "2002:7f00:1::1",     // 6to4 of 127.0.0.1
            "2002:808:808::1",    // 6to4 of 8.8.8.8
            "3fff::1",            // documentation
            "4000::1",            // unassigned
            "5f00::1",            // segment routing
            "fe80::1",            // link-local
            "fec0::1",            // site-local
            "ff02::1",            // multicast
        ],
    );
}
