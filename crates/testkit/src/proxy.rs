//! A TCP proxy between a store and its PostgreSQL server that cuts, holds and delays at chosen
//! moments.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What the proxy does with the bytes of clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// Passes everything.
    Nothing,
    /// Passes `commit` to the server and cuts before its answer comes back.
    AfterCommit,
    /// Cuts instead of passing `commit`.
    BeforeCommit,
    /// Cuts the connection that begins a transaction.
    AtBegin,
    /// Passes `commit` to the server; its answer never comes, and the connection stays.
    HeldAfterCommit,
    /// Keeps `commit` back, and the connection stays.
    HeldBeforeCommit,
}

/// A running proxy; it ends with its runtime.
pub struct Proxy {
    pub port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    server: u16,
    cut: watch::Sender<Cut>,
    /// Cuts all connections when it changes.
    all: watch::Sender<u32>,
    /// No byte passes.
    blocked: watch::Sender<bool>,
    refuses: AtomicBool,
    cuts: AtomicU32,
    delay_ms: AtomicU64,
}

impl Proxy {
    /// A proxy for a server on this machine.
    pub async fn start(server: u16) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let (cut, all) = (watch::Sender::new(Cut::Nothing), watch::Sender::new(0));
        let (refuses, cuts) = (AtomicBool::new(false), AtomicU32::new(0));
        let (blocked, delay_ms) = (watch::Sender::new(false), AtomicU64::new(0));
        let shared = Arc::new(Shared { server, cut, all, blocked, refuses, cuts, delay_ms });
        let accepting = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let shared = Arc::clone(&accepting);
                tokio::spawn(async move { shared.carry(client).await });
            }
        });
        Ok(Self { port, shared })
    }

    /// Cuts or holds at the next such moment, once.
    pub fn cut(&self, cut: Cut) {
        self.shared.cut.send_replace(cut);
    }

    /// Cuts every connection now.
    pub fn cut_all(&self) {
        self.shared.all.send_modify(|number| *number += 1);
    }

    /// Whether new connections are refused.
    pub fn refuse(&self, refuses: bool) {
        self.shared.refuses.store(refuses, Ordering::SeqCst);
    }

    /// Whether nothing passes, while connections stay.
    pub fn block(&self, blocks: bool) {
        self.shared.blocked.send_replace(blocks);
    }

    /// How much later every piece arrives, in both directions.
    pub fn delay(&self, time: Duration) {
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.shared.delay_ms.store(millis, Ordering::SeqCst);
    }

    /// How often a connection was cut or held at a chosen moment.
    pub fn cuts(&self) -> u32 {
        self.shared.cuts.load(Ordering::SeqCst)
    }
}

impl Shared {
    async fn carry(&self, client: TcpStream) {
        if self.refuses.load(Ordering::SeqCst) {
            return;
        }
        let Ok(server) = TcpStream::connect(("127.0.0.1", self.server)).await else { return };
        // Small pieces go at once, as on a connection without a proxy.
        let _ = (client.set_nodelay(true), server.set_nodelay(true));
        let mut all = self.all.subscribe();
        let (mut from_client, mut to_client) = client.into_split();
        let (mut from_server, mut to_server) = server.into_split();
        let (is_muted, is_held) = (AtomicBool::new(false), AtomicBool::new(false));
        let back = async {
            let mut buffer = vec![0; 64_000];
            while let Ok(read) = from_server.read(&mut buffer).await {
                if read > 0 && is_held.load(Ordering::SeqCst) {
                    continue;
                }
                // The server has answered the commit; the client never hears of it.
                if read == 0 || is_muted.load(Ordering::SeqCst) {
                    break;
                }
                self.travel().await;
                let Some(bytes) = buffer.get(..read) else { break };
                if to_client.write_all(bytes).await.is_err() {
                    break;
                }
            }
        };
        let there = async {
            let mut buffer = vec![0; 64_000];
            while let Ok(read) = from_client.read(&mut buffer).await {
                let Some(bytes) = buffer.get(..read) else { break };
                match self.moment(bytes) {
                    Cut::AfterCommit => is_muted.store(true, Ordering::SeqCst),
                    Cut::HeldAfterCommit => is_held.store(true, Ordering::SeqCst),
                    Cut::HeldBeforeCommit => continue,
                    Cut::BeforeCommit | Cut::AtBegin => break,
                    Cut::Nothing => {}
                }
                self.travel().await;
                if read == 0 || to_server.write_all(bytes).await.is_err() {
                    break;
                }
            }
        };
        tokio::select! {
            () = back => {}
            () = there => {}
            _ = all.changed() => {}
        }
    }

    /// The time on the way.
    async fn travel(&self) {
        let millis = self.delay_ms.load(Ordering::SeqCst);
        if millis > 0 {
            tokio::time::sleep(Duration::from_millis(millis)).await;
        }
        // The sender lives in `self`.
        let _ = self.blocked.subscribe().wait_for(|blocked| !*blocked).await;
    }

    /// Whether this is the moment to cut.
    fn moment(&self, bytes: &[u8]) -> Cut {
        let cut = *self.cut.borrow();
        let has = |word: &[u8]| bytes.windows(word.len()).any(|window| window == word);
        let is_now = match cut {
            Cut::Nothing => false,
            Cut::AfterCommit | Cut::BeforeCommit | Cut::HeldAfterCommit | Cut::HeldBeforeCommit => {
                has(b"commit\0")
            }
            Cut::AtBegin => has(b"begin\0"),
        };
        match is_now {
            true => {
                self.cut.send_replace(Cut::Nothing);
                self.cuts.fetch_add(1, Ordering::SeqCst);
                cut
            }
            false => Cut::Nothing,
        }
    }
}
