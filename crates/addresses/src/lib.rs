//! IP addresses that a connection may go to: classes, resolvers, and a guard for names.
//!
//! In: the name of a host. Out: its addresses, if every one of them is allowed. Must hold: the
//! addresses that were checked are the ones that a client connects to, so that a name which
//! answers differently the next time (DNS rebinding) gains nothing.
//!
//! Start at [`AddressGuard`].

mod class;
mod guard;
mod resolver;

pub use class::AddressClass;
pub use guard::{AddressGuard, Reach};
pub use resolver::{BoxFuture, Resolver, SystemResolver};
