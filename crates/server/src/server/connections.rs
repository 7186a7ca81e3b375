//! The open connections, authenticated or not yet.
//!
//! Must hold: unauthenticated connections take no room from authenticated ones; a new one
//! replaces the oldest unauthenticated one. So idle connections only displace each other.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// How many connections there may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConnectionLimits {
    pub all_max: usize,
    pub unauthenticated_max: usize,
    /// From one address, which many people may share.
    pub peer_max: usize,
}

/// The open connections. Clones share them.
#[derive(Clone)]
pub(crate) struct Connections {
    limits: ConnectionLimits,
    /// Never held across an await.
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    next: u64,
    open: usize,
    /// The oldest first; each is notified when it is evicted.
    unauthenticated: BTreeMap<u64, Arc<Notify>>,
    peers: BTreeMap<IpAddr, usize>,
}

/// One open connection. All of its requests carry it.
pub(crate) struct Connection {
    pub peer: IpAddr,
    number: u64,
    leave: Arc<Notify>,
    state: Arc<Mutex<State>>,
}

impl Connections {
    pub(crate) fn new(limits: ConnectionLimits) -> Self {
        Self { limits, state: Arc::default() }
    }

    /// Accepts a connection if there is room or an unauthenticated one can be evicted.
    pub(crate) fn take(&self, peer: IpAddr) -> Option<Arc<Connection>> {
        let mut state = lock(&self.state);
        if state.peers.get(&peer).is_some_and(|open| *open >= self.limits.peer_max) {
            return None;
        }
        let is_full = state.open >= self.limits.all_max;
        if is_full || state.unauthenticated.len() >= self.limits.unauthenticated_max {
            let has_made_room = state.evict_oldest();
            if is_full && !has_made_room {
                return None;
            }
        }
        let (number, leave) = (state.next, Arc::new(Notify::new()));
        state.next += 1;
        state.open += 1;
        state.unauthenticated.insert(number, Arc::clone(&leave));
        *state.peers.entry(peer).or_default() += 1;
        Some(Arc::new(Connection { peer, number, leave, state: Arc::clone(&self.state) }))
    }

    /// Makes room when this machine has none left.
    pub(crate) fn evict_oldest(&self) {
        lock(&self.state).evict_oldest();
    }
}

impl State {
    fn evict_oldest(&mut self) -> bool {
        match self.unauthenticated.pop_first() {
            Some((_, leave)) => {
                leave.notify_one();
                true
            }
            None => false,
        }
    }
}

impl Connection {
    /// The connection has sent valid credentials and is not evicted any more.
    pub(crate) fn mark_authenticated(&self) {
        lock(&self.state).unauthenticated.remove(&self.number);
    }

    /// Waits until the connection is evicted.
    pub(crate) async fn evicted(&self) {
        self.leave.notified().await;
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let mut state = lock(&self.state);
        state.open = state.open.saturating_sub(1);
        state.unauthenticated.remove(&self.number);
        if let Some(open) = state.peers.get_mut(&self.peer) {
            *open = open.saturating_sub(1);
            if *open == 0 {
                state.peers.remove(&self.peer);
            }
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::time::Duration;

    use super::{Connection, ConnectionLimits, Connections};

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    async fn is_evicted(connection: &Connection) -> bool {
        // Waits for nothing: the notification is there or not.
        tokio::time::timeout(Duration::ZERO, connection.evicted()).await.is_ok()
    }

    #[tokio::test]
    async fn only_unauthenticated_connections_are_evicted() {
        let connections =
            Connections::new(ConnectionLimits { all_max: 4, unauthenticated_max: 2, peer_max: 9 });
        let authenticated = connections.take(HERE).unwrap();
        authenticated.mark_authenticated();
        let unauthenticated = [(); 3].map(|()| connections.take(HERE).unwrap());
        assert!(is_evicted(&unauthenticated[0]).await);
        assert!(!is_evicted(&unauthenticated[1]).await);
        assert!(!is_evicted(&authenticated).await);
        // Full, with an unauthenticated connection to evict; then with authenticated ones only.
        let fifth = connections.take(HERE).unwrap();
        assert!(is_evicted(&unauthenticated[1]).await);
        unauthenticated[2].mark_authenticated();
        fifth.mark_authenticated();
        assert!(connections.take(HERE).is_none());
        drop(unauthenticated);
        assert!(connections.take(HERE).is_some());
    }

    #[test]
    fn one_address_cannot_take_all_connections() {
        let connections =
            Connections::new(ConnectionLimits { all_max: 9, unauthenticated_max: 9, peer_max: 2 });
        let held = [(); 2].map(|()| connections.take(HERE).unwrap());
        assert!(connections.take(HERE).is_none());
        assert!(connections.take("::1".parse().unwrap()).is_some());
        drop(held);
        assert!(connections.take(HERE).is_some());
    }
}
