//! Which addresses tools may be connected to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use contract::HostPattern;

use super::address::AddressClass;
use super::allow_entry::AllowEntry;
use super::target::{Host, split};

/// The open internet, and what the operator opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NetworkAccess {
    /// The open internet.
    Public,
    /// Also these hosts, addresses and networks, as `[net] allow` names them.
    PublicAnd(Vec<AllowEntry>),
}

/// Ends of names that nobody can have on the open internet.
const PRIVATE_ENDS: [&str; 6] =
    [".localhost", ".local", ".internal", ".home.arpa", ".lan", ".corp"];

impl NetworkAccess {
    /// May a tool be connected to this address, to which this host leads?
    pub(super) fn allows(&self, host: &Host, address: IpAddr, port: u16) -> bool {
        match AddressClass::of(address) {
            AddressClass::Public => true,
            AddressClass::Loopback
            | AddressClass::Private
            | AddressClass::Metadata
            | AddressClass::Reserved => {
                self.openings().iter().any(|opening| opening.opens(host, address, port))
            }
        }
    }

    pub(super) fn opens_this_machine(&self, host: &Host, port: u16) -> bool {
        match host {
            Host::Address(address) => self.allows(host, *address, port),
            Host::Name(_) => [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]
                .into_iter()
                .any(|address| self.allows(host, address, port)),
        }
    }

    /// Will a host that a contract names be refused, as far as that can be told without
    /// asking anybody? Such a host has a private or local address, or a name that has no
    /// other.
    pub fn is_closed_to(&self, pattern: &HostPattern) -> bool {
        let (name, port) = split(pattern.as_str());
        let port = port.unwrap_or(443);
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        if let Ok(address) = bare.parse() {
            return !self.allows(&Host::Address(address), address, port);
        }
        let host = Host::Name(name.strip_prefix("*.").unwrap_or(name).to_owned());
        let here = name == "localhost" || name.ends_with(".localhost");
        let is_private = !name.contains('.') || PRIVATE_ENDS.iter().any(|end| name.ends_with(end));
        match (here, is_private) {
            (true, _) => !self.opens_this_machine(&host, port),
            (false, true) => {
                let mut openings = self.openings().iter();
                !openings.any(|opening| opening.may_open_name(&host, port))
            }
            (false, false) => false,
        }
    }

    /// All of this machine, at these ports.
    #[cfg(test)]
    pub(super) fn this_machine(ports: &[u16]) -> Self {
        let entries =
            ports.iter().flat_map(|port| [format!("127.0.0.0/8:{port}"), format!("[::1]:{port}")]);
        NetworkAccess::PublicAnd(entries.map(|entry| entry.parse().unwrap()).collect())
    }

    fn openings(&self) -> &[AllowEntry] {
        match self {
            NetworkAccess::Public => &[],
            NetworkAccess::PublicAnd(openings) => openings,
        }
    }
}

#[cfg(test)]
mod tests;
