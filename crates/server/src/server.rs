//! Listens, takes connections in as far as there is room, and parts from them in the end.

pub(crate) mod connections;
pub(crate) mod limits;
pub(crate) mod stall_timeout;

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn};
use cards::{Answerer, Library};
use contract::Model;
use engine::Engine;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};

use crate::assets::static_files;
use crate::auth::concurrency::ConcurrencyLimit;
use crate::auth::logins::Logins;
use crate::auth::middleware::Authenticator;
use crate::auth::rate_limit::RateLimit;
use crate::auth::tokens::Tokens;
use crate::cards::workers::Workers;
use crate::conversations::conversation_index::ConversationIndex;
use crate::conversations::turns::TurnRunner;
use crate::render::render_pool::RenderPool;
use crate::routes::call_tool::InFlightCalls;
use crate::routes::json_body::in_time;
use crate::routes::router;
use crate::server::connections::{Connections, ConnectionLimits, Connection};
use crate::server::limits::ServerLimits;
use crate::server::stall_timeout::StallTimeout;
use crate::state::{AppState, Parts};
use crate::stream::condition_clock::ConditionClock;
use crate::stream::side_events::SideEvents;
use crate::telemetry::{BadTelemetry, Exporter, Telemetry};

/// What a server is made of.
pub struct Server {
    pub engine: Engine,
    pub model: Arc<dyn Model>,
    /// Who makes flashcards.
    pub cards: Answerer,
    pub tokens: Tokens,
    /// Further names under which this server is reached.
    pub names: Vec<String>,
    /// What the model is told first in a new conversation.
    pub system: String,
    pub rounds_max: u32,
    pub output_tokens_max: Option<u32>,
    /// Where the spans of turns go, if anywhere.
    pub telemetry: Option<Telemetry>,
    /// When the conditions of tools are looked at.
    pub pulse: Arc<dyn ConditionClock>,
    pub limits: ServerLimits,
    /// Who renders texts, beside the threads that answer.
    pub renderers: RenderPool,
    /// Further addresses: each request there has passed the door and carries a [`Caller`].
    pub more: Router,
}

/// Why a server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ListenFault {
    #[error("{0} can be reached from other machines, and no token is asked for")]
    Open(SocketAddr),
    #[error(transparent)]
    Telemetry(#[from] BadTelemetry),
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl Server {
    /// Serves until `end` is ready. Then no new connection is taken, and running turns may
    /// finish for a while; those that do not are left to the next server.
    pub async fn run(
        self,
        listener: TcpListener,
        end: impl Future<Output = ()>,
    ) -> Result<(), ListenFault> {
        let address = listener.local_addr()?;
        if !address.ip().is_loopback() && self.tokens.is_empty() {
            return Err(ListenFault::Open(address));
        }
        static_files::prepare();
        let more = self.more.clone();
        let app = self.app(address)?;
        app.turns.take_up(&app).await;
        let router = router(&app, more);
        let graceful = take_all(listener, &router, app.limits, end).await;
        app.workers.part(app.limits.cancel_time_max).await;
        tokio::join!(app.turns.part(), app.in_flight.part(app.limits));
        // Streams have been told; whoever still reads is cut off.
        let _ = tokio::time::timeout(Duration::from_secs(1), graceful.shutdown()).await;
        app.engine.flush().await;
        if let Some(exporter) = &app.exporter {
            exporter.flush().await;
        }
        Ok(())
    }

    fn app(self, address: SocketAddr) -> Result<AppState, ListenFault> {
        let limits = self.limits;
        let exporter = self.telemetry.as_ref().map(Exporter::start).transpose()?;
        let store = self.engine.shared_store();
        let library = Library::new(store, Arc::new(models::SystemClock));
        Ok(AppState::new(Parts {
            exporter,
            workers: Workers::new(library, self.cards, limits.cards_runs_at_once_max),
            shelf: ConversationIndex::new(self.desk.clone()),
            runner: TurnRunner::new(
                &self.desk,
                &self.model,
                self.output_tokens_max,
                limits,
                self.renderers.clone(),
            ),
            renderers: self.renderers,
            door: Authenticator::new(self.tokens, address, &self.names),
            looks: RateLimit::new(limits.reads_burst, limits.reads_per_second),
            acts: RateLimit::new(limits.writes_burst, limits.writes_per_second),
            wrong_tokens: RateLimit::new(limits.wrong_tokens_burst, limits.wrong_tokens_per_second),
            logins: Logins::new(self.desk.shared_store(), address.port()),
            seats: ConcurrencyLimit::new(limits.streams_per_owner_max, "too many streams are open"),
            helpers: ConcurrencyLimit::new(limits.ai_edits_per_owner_max, "the model is busy with your texts"),
            desk: self.desk.clone(),
            model: self.model,
            system: self.system,
            rounds_max: self.rounds_max,
            lookouts: SideEvents::default(),
            calls: InFlightCalls::new(&self.desk),
            page: page_address(address, &self.names),
            pulse: self.pulse,
            limits,
        }))
    }
}

/// Where people find the page. An address that stands for all is no place to go to.
pub fn page_address(address: SocketAddr, names: &[String]) -> String {
    match names.first() {
        Some(name) if address.ip().is_unspecified() => format!("http://{name}:{}/", address.port()),
        Some(_) | None => format!("http://{}/", reachable(address)),
    }
}

/// Serves a router of somebody else's with the same limits of connections, heads, bodies and
/// readers. Whoever is answered with anything but 401 has been let in.
pub async fn serve_router(
    listener: TcpListener,
    router: Router,
    limits: ServerLimits,
    end: impl Future<Output = ()>,
) {
    let limited = move |request: Request, next: Next| async move {
        let visitor = request.extensions().get::<Arc<Connection>>().cloned();
        let response = next.run(in_time(request, limits.body_time_max)).await;
        if let Some(visitor) = visitor.filter(|_| response.status() != StatusCode::UNAUTHORIZED) {
            visitor.mark_authenticated();
        }
        response
    };
    let graceful = take_all(listener, &router.layer(from_fn(limited)), limits, end).await;
    let _ = tokio::time::timeout(Duration::from_secs(1), graceful.shutdown()).await;
}

/// Takes connections in until `end` is ready; what is open then can still be answered.
async fn take_all(
    listener: TcpListener,
    router: &Router,
    limits: ServerLimits,
    end: impl Future<Output = ()>,
) -> GracefulShutdown {
    let connections = Connections::new(connection_limits(&limits));
    let graceful = GracefulShutdown::new();
    tokio::pin!(end);
    loop {
        tokio::select! {
            () = &mut end => return graceful,
            taken = listener.accept() => match taken {
                Ok((socket, peer)) => match connections.take(peer.ip()) {
                    Some(visitor) => serve(socket, visitor, router, limits, &graceful),
                    None => tracing::debug!(%peer, "a connection was one too many"),
                },
                Err(fault) => {
                    // Out of file handles, mostly: others have to go first.
                    tracing::warn!(%fault, "a connection was not taken");
                    connections.evict_oldest();
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            },
        }
    }
}

fn connection_limits(limits: &ServerLimits) -> ConnectionLimits {
    ConnectionLimits {
        all_max: limits.connections_max,
        unauthenticated_max: limits.unauthenticated_max,
        peer_max: limits.connections_per_peer_max,
    }
}

/// The address as others reach it. One that stands for all of a machine's own is no place to
/// go to: in its place stands the one from which this machine goes out.
pub fn reachable(address: SocketAddr) -> SocketAddr {
    match address.ip().is_unspecified() {
        true => SocketAddr::new(outward().unwrap_or(Ipv4Addr::LOCALHOST.into()), address.port()),
        false => address,
    }
}

/// Asks the routes; nothing is sent. The far side is an address that documents may use.
fn outward() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    socket.local_addr().ok().map(|address| address.ip())
}

fn serve(
    socket: TcpStream,
    visitor: Arc<Connection>,
    router: &Router,
    limits: ServerLimits,
    graceful: &GracefulShutdown,
) {
    // Pieces of an answer go out as they come.
    let _ = socket.set_nodelay(true);
    let socket = StallTimeout::new(socket, limits.stall_time_max);
    let (router, known) = (TowerToHyperService::new(router.clone()), Arc::clone(&visitor));
    let answer = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(Arc::clone(&known));
        router.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_time_max)
        .max_buf_size(64 << 10)
        .serve_connection(TokioIo::new(socket), answer);
    let connection = graceful.watch(connection);
    tokio::spawn(async move {
        tokio::select! {
            ended = connection => if let Err(fault) = ended {
                tracing::debug!(%fault, "a connection ended early");
            },
            () = visitor.evicted() => tracing::debug!("a connection made room for another"),
        }
    });
}
