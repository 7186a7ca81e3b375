//! A TCP proxy between a store and its server that can cut connections at chosen moments.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What the proxy does with the bytes of clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Passes everything.
    Nothing,
    /// Passes `commit` to the server and cuts before its answer comes back.
    AfterCommit,
    /// Cuts instead of passing `commit`.
    BeforeCommit,
    /// Cuts the connection that begins a transaction.
    AtBegin,
}

/// A running proxy.
pub(crate) struct Proxy {
    pub port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    server: u16,
    cut: watch::Sender<Cut>,
    /// Cuts all connections when it changes.
    all: watch::Sender<u32>,
    refuses: AtomicBool,
    cuts: AtomicU32,
}

impl Proxy {
    pub(crate) async fn start(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (cut, all) = (watch::Sender::new(Cut::Nothing), watch::Sender::new(0));
        let (refuses, cuts) = (AtomicBool::new(false), AtomicU32::new(0));
        let shared = Arc::new(Shared { server, cut, all, refuses, cuts });
        let accepting = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let shared = Arc::clone(&accepting);
                tokio::spawn(async move { shared.carry(client).await });
            }
        });
        Self { port, shared }
    }

    /// Cuts at the next such moment, once.
    pub(crate) fn cut(&self, cut: Cut) {
        self.shared.cut.send_replace(cut);
    }

    /// Cuts every connection now.
    pub(crate) fn cut_all(&self) {
        self.shared.all.send_modify(|number| *number += 1);
    }

    /// Whether new connections are refused.
    pub(crate) fn refuse(&self, refuses: bool) {
        self.shared.refuses.store(refuses, Ordering::SeqCst);
    }

    /// How often a connection was cut at a chosen moment.
    pub(crate) fn cuts(&self) -> u32 {
        self.shared.cuts.load(Ordering::SeqCst)
    }
}

impl Shared {
    async fn carry(&self, client: TcpStream) {
        if self.refuses.load(Ordering::SeqCst) {
            return;
        }
        let Ok(server) = TcpStream::connect(("127.0.0.1", self.server)).await else { return };
        let mut all = self.all.subscribe();
        let (mut from_client, mut to_client) = client.into_split();
        let (mut from_server, mut to_server) = server.into_split();
        let is_muted = AtomicBool::new(false);
        let back = async {
            let mut buffer = vec![0; 64_000];
            while let Ok(read) = from_server.read(&mut buffer).await {
                // The server has answered the commit; the client never hears of it.
                if read == 0 || is_muted.load(Ordering::SeqCst) {
                    break;
                }
                if to_client.write_all(&buffer[..read]).await.is_err() {
                    break;
                }
            }
        };
        let there = async {
            let mut buffer = vec![0; 64_000];
            while let Ok(read) = from_client.read(&mut buffer).await {
                let bytes = &buffer[..read];
                match self.moment(bytes) {
                    Cut::AfterCommit => is_muted.store(true, Ordering::SeqCst),
                    Cut::BeforeCommit | Cut::AtBegin => break,
                    Cut::Nothing => {}
                }
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

    /// Whether this is the moment to cut.
    fn moment(&self, bytes: &[u8]) -> Cut {
        let cut = *self.cut.borrow();
        let has = |word: &[u8]| bytes.windows(word.len()).any(|window| window == word);
        let is_now = match cut {
            Cut::Nothing => false,
            Cut::AfterCommit | Cut::BeforeCommit => has(b"commit\0"),
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
