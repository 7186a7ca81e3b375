//! Classifies IP addresses. An address is reserved unless it is known to be public.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressClass {
    /// On the public internet.
    Public,
    /// This machine.
    Loopback,
    /// In a private network.
    Private,
    /// A cloud metadata service, which hands out credentials; allowed only by its exact address.
    Metadata,
    /// Link-local, reserved, or an address that embeds such an address.
    Reserved,
}

impl AddressClass {
    pub fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => of_v4(address),
            IpAddr::V6(address) => of_v6(address),
        }
    }
}

/// AWS and most others, Alibaba, Oracle, Azure.
const METADATA_V4: [Ipv4Addr; 4] = [
    Ipv4Addr::new(169, 254, 169, 254),
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(192, 0, 0, 192),
    Ipv4Addr::new(168, 63, 129, 16),
];
const METADATA_V6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);

fn of_v4(address: Ipv4Addr) -> AddressClass {
    if METADATA_V4.contains(&address) {
        return AddressClass::Metadata;
    }
    match address.octets() {
        [127, ..] => AddressClass::Loopback,
        [10, ..]
        | [100, 64..=127, ..]              // carrier-grade NAT
        | [172, 16..=31, ..]
        | [192, 168, ..] => AddressClass::Private,
        [0, ..]                            // this network
        | [169, 254, ..]                   // link-local
        | [192, 0, 0 | 2, _]               // protocol assignments, documentation
        | [192, 88, 99, _]                 // 6to4 relays
        | [198, 18 | 19, ..]               // benchmarks
        | [198, 51, 100, _]                // documentation
        | [203, 0, 113, _]                 // documentation
        | [224..=255, ..] => AddressClass::Reserved, // multicast, reserved, broadcast
        _ => AddressClass::Public,
    }
}

fn of_v6(address: Ipv6Addr) -> AddressClass {
    if let Some(inner) = address.to_ipv4_mapped() {
        return of_v4(inner);
    }
    if address == METADATA_V6 {
        return AddressClass::Metadata;
    }
    if address == Ipv6Addr::LOCALHOST {
        return AddressClass::Loopback;
    }
    match address.segments() {
        // NAT64: networks without IPv4 reach IPv4 hosts through it, so the embedded address
        // decides; an embedded loopback or private address stays reserved.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => match of_v4(v4_of(high, low)) {
            AddressClass::Public => AddressClass::Public,
            AddressClass::Metadata => AddressClass::Metadata,
            AddressClass::Loopback | AddressClass::Private | AddressClass::Reserved => {
                AddressClass::Reserved
            }
        },
        // 6to4 embeds an IPv4 address and is obsolete.
        [0x2002, high, low, ..] => match of_v4(v4_of(high, low)) {
            AddressClass::Metadata => AddressClass::Metadata,
            AddressClass::Public
            | AddressClass::Loopback
            | AddressClass::Private
            | AddressClass::Reserved => AddressClass::Reserved,
        },
        // Teredo, ORCHID, benchmarks and similar; both documentation ranges.
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => AddressClass::Reserved,
        [0x2000..=0x3fff, ..] => AddressClass::Public,
        // Unique local.
        [0xfc00..=0xfdff, ..] => AddressClass::Private,
        // Unspecified, IPv4-compatible, link-local, multicast, and unassigned ranges.
        _ => AddressClass::Reserved,
    }
}

fn v4_of(high: u16, low: u16) -> Ipv4Addr {
    let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
    Ipv4Addr::new(a, b, c, d)
}

#[cfg(test)]
mod tests;
