//! What an operator opens to tools beside the open internet: an entry of `[net] allow`.
//!
//! A host, an address or a network, each with a port if only that one is meant:
//! `intranet.example`, `*.corp.example:8443`, `127.0.0.1:8099`, `[::1]:8099`, `10.0.0.0/8`.
//!
//! A name opens private networks, because somebody else says where it leads: this machine and
//! what is reserved are opened by their address. `localhost` is this machine by definition.
//! The addresses where clouds hand out keys are opened one by one, by no network and no name.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use contract::HostPattern;

use super::address::AddressClass;
use super::target::Host;

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowEntry {
    what: Scope,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Scope {
    /// A name, or `*.` and the end of names.
    Name(HostPattern),
    Address(IpAddr),
    Network {
        first: IpAddr,
        bits: u8,
    },
}

/// Why a text is no entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AllowEntryFault {
    #[error(
        "`{0}` is not a host, address or network; write `intranet.example`, `127.0.0.1:8099`, \
         `[::1]:8099` or `10.0.0.0/8`"
    )]
    Unreadable(String),
    #[error("`{0}` would open every address; name the networks that tools really need")]
    Everything(String),
    #[error("`{0}` has bits behind its network; write `{1}`")]
    NotANetwork(String, String),
}

impl FromStr for AllowEntry {
    type Err = AllowEntryFault;
    fn from_str(text: &str) -> Result<Self, AllowEntryFault> {
        let bad = || AllowEntryFault::Unreadable(text.to_owned());
        // An address of version 6 has colons of its own, and stands in brackets before a port.
        let (host, after) = match text.strip_prefix('[') {
            Some(rest) => rest.split_once(']').filter(|(inside, _)| inside.contains(':')),
            None => Some(match text.split_once(':') {
                Some((host, port)) if !port.contains(':') => (host, &text[host.len()..]),
                Some(_) | None => (text, ""),
            }),
        }
        .ok_or_else(bad)?;
        let port = match after.strip_prefix(':').map(str::parse) {
            Some(Ok(0) | Err(_)) => return Err(bad()),
            Some(Ok(port)) => Some(port),
            None if after.is_empty() => None,
            None => return Err(bad()),
        };
        let what = match host.split_once('/') {
            Some((first, bits)) => network(text, first, bits)?,
            None => match host.parse() {
                Ok(address) => Scope::Address(plain(address)),
                // Four numbers that are no address are no name either.
                Err(_) if host.ends_with(|c: char| c.is_ascii_digit()) => return Err(bad()),
                Err(_) => Scope::Name(host.parse().map_err(|_| bad())?),
            },
        };
        Ok(AllowEntry { what, port })
    }
}

fn network(text: &str, first: &str, bits: &str) -> Result<Scope, AllowEntryFault> {
    let bad = || AllowEntryFault::Unreadable(text.to_owned());
    let first: IpAddr = first.parse().map_err(|_| bad())?;
    let bits: u8 = bits.parse().map_err(|_| bad())?;
    let bits_max = if first.is_ipv4() { 32 } else { 128 };
    if bits > bits_max {
        return Err(bad());
    }
    if bits == 0 {
        return Err(AllowEntryFault::Everything(text.to_owned()));
    }
    let begin = masked(first, bits);
    match begin == first {
        true => Ok(Scope::Network { first, bits }),
        false => Err(AllowEntryFault::NotANetwork(text.to_owned(), format!("{begin}/{bits}"))),
    }
}

/// The first address of the network of so many bits around this one.
fn masked(address: IpAddr, bits: u8) -> IpAddr {
    match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(bits)).unwrap_or(0);
            IpAddr::V4((address.to_bits() & mask).into())
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(bits)).unwrap_or(0);
            IpAddr::V6((address.to_bits() & mask).into())
        }
    }
}

/// An address of version 4 that is written as one of version 6 is the same.
fn plain(address: IpAddr) -> IpAddr {
    address.to_canonical()
}

impl AllowEntry {
    /// Does it open this address, to which this host leads?
    pub(super) fn opens(&self, host: &Host, address: IpAddr, port: u16) -> bool {
        let class = AddressClass::of(address);
        let is_meant = match &self.what {
            Scope::Address(opened) => *opened == plain(address),
            Scope::Network { first, bits } => {
                let address = plain(address);
                class != AddressClass::Metadata
                    && address.is_ipv4() == first.is_ipv4()
                    && masked(address, *bits) == *first
            }
            Scope::Name(pattern) => {
                host.is(pattern.as_str())
                    && match class {
                        AddressClass::Private => true,
                        AddressClass::Loopback => host.is_this_machine(),
                        AddressClass::Public | AddressClass::Metadata | AddressClass::Reserved => {
                            false
                        }
                    }
            }
        };
        is_meant && self.port.is_none_or(|opened| opened == port)
    }

    /// May a name that a contract declares lead to what this opens? Where a name leads is
    /// not known before it is resolved.
    pub(super) fn may_open_name(&self, host: &Host, port: u16) -> bool {
        let is_meant = match &self.what {
            Scope::Name(pattern) => host.is(pattern.as_str()),
            Scope::Address(_) | Scope::Network { .. } => true,
        };
        is_meant && self.port.is_none_or(|opened| opened == port)
    }
}

impl fmt::Display for AllowEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.what, self.port) {
            (Scope::Name(name), _) => write!(f, "{name}")?,
            (Scope::Address(IpAddr::V6(address)), Some(_)) => write!(f, "[{address}]")?,
            (Scope::Address(address), _) => write!(f, "{address}")?,
            (Scope::Network { first: IpAddr::V6(first), bits }, Some(_)) => {
                write!(f, "[{first}/{bits}]")?;
            }
            (Scope::Network { first, bits }, _) => write!(f, "{first}/{bits}")?,
        }
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

#[cfg(test)]
mod tests;
