//! The server: accepts connections up to a limit, serves the routes, shuts down gracefully.

pub(crate) mod connections;
mod graceful;
pub(crate) mod limits;
pub(crate) mod stall_timeout;

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use attachments::Attachments;
use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn};
use conversation::Conversations;
use engine::Engine;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use providers::Providers;
use tokio::net::{TcpListener, TcpStream};

use crate::assets::static_files::StaticFiles;
use crate::auth::concurrency::ConcurrencyLimit;
use crate::auth::logins::Logins;
use crate::auth::middleware::Authenticator;
use crate::auth::rate_limit::RateLimit;
use crate::auth::tokens::{Tokens, random_name};
use crate::cluster::Cluster;
use crate::conversations::conversation_index::ConversationIndex;
use crate::conversations::shares::Shares;
use crate::conversations::stop_requests;
use crate::conversations::takeover;
use crate::conversations::temporary::{self, Temporary};
use crate::conversations::turns::TurnRunner;
use crate::extension::Extension;
use crate::render::render_pool::RenderPool;
use crate::routes::Routes;
use crate::routes::call_tool::InFlightCalls;
use crate::routes::json_body::with_time_limit;
use crate::routes::openapi::Access;
use crate::server::connections::{Connection, ConnectionLimits, Connections};
use crate::server::graceful::Graceful;
use crate::server::limits::ServerLimits;
use crate::server::stall_timeout::StallTimeout;
use crate::state::{AppState, Shared};
use crate::stream::condition_clock::ConditionClock;
use crate::stream::side_events::SideEvents;
use crate::telemetry::{BadTelemetry, Exporter, Telemetry};

/// The parts of a server.
pub struct Server {
    pub engine: Engine,
    /// Where models come from.
    pub providers: Providers,
    pub tokens: Tokens,
    /// Further host names of this server.
    pub names: Vec<String>,
    /// The system prompt of new conversations.
    pub system_prompt: String,
    pub rounds_max: u32,
    pub output_tokens_max: Option<u32>,
    /// Where to export the spans of turns.
    pub telemetry: Option<Telemetry>,
    /// When to evaluate the conditions of tools.
    pub condition_clock: Arc<dyn ConditionClock>,
    pub limits: ServerLimits,
    pub render_pool: RenderPool,
    pub extensions: Vec<Extension>,
}

/// Why a server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ListenFault {
    #[error("{0} is reachable from other machines, and no token is required")]
    Open(SocketAddr),
    #[error(transparent)]
    Telemetry(#[from] BadTelemetry),
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl Server {
    /// Serves until `end` is ready. Then it accepts no further connections and lets running turns
    /// finish for a while; the next server resumes the others.
    pub async fn run(
        mut self,
        listener: TcpListener,
        end: impl Future<Output = ()>,
    ) -> Result<(), ListenFault> {
        let address = listener.local_addr()?;
        refuse_open(address, !self.tokens.is_empty())?;
        let files = StaticFiles::load(&self.extensions);
        let routes = Routes::collect(&self.limits, &mut self.extensions);
        let hooks: Vec<_> =
            self.extensions.iter_mut().filter_map(|one| one.shutdown.take()).collect();
        let app = self.app(address, files, &routes)?;
        app.cluster.join().await;
        temporary::end_left_behind(&app).await;
        app.turns.resume_open(&app).await;
        let router = routes.router(&app);
        let graceful = tokio::select! {
            graceful = accept_all(listener, &router, app.limits, end) => graceful,
            never = temporary::sweep(&app) => match never {},
            never = takeover::watch(&app) => match never {},
            never = stop_requests::watch(&app) => match never {},
            never = app.cluster.keep() => match never {},
        };
        app.cluster.drain();
        for shut_down in hooks {
            shut_down(app.limits.cancel_time_max).await;
        }
        tokio::join!(app.turns.shut_down(), app.in_flight.shut_down(app.limits));
        // The streams have ended; connections that stay open are closed.
        let _ = tokio::time::timeout(Duration::from_secs(1), graceful.shutdown()).await;
        temporary::end_all(&app).await;
        app.conversations.flush().await;
        app.cluster.leave().await;
        if let Some(exporter) = &app.exporter {
            exporter.flush().await;
        }
        Ok(())
    }

    fn app(
        self,
        address: SocketAddr,
        files: StaticFiles,
        routes: &Routes,
    ) -> Result<AppState, ListenFault> {
        let limits = self.limits;
        let attachments =
            Attachments::new(self.engine.shared_store(), self.engine.clock(), limits.attachments);
        let node = random_name().map_err(std::io::Error::other)?;
        let conversations =
            Conversations::new(self.engine.clone()).with_attachments(attachments).with_node(&node);
        let cluster = Arc::new(Cluster::new(node, self.engine.clone()));
        let access = Access::of(!self.tokens.is_empty());
        let exporter = self.telemetry.as_ref().map(Exporter::start).transpose()?;
        let too_many_streams = "too many streams are open";
        let too_many_edits = "the model is busy with your texts";
        Ok(AppState::new(Shared {
            exporter,
            index: ConversationIndex::new(conversations.clone(), cluster.id()),
            shares: Shares::new(conversations.clone()),
            temporary: Temporary::default(),
            turns: TurnRunner::new(
                &conversations,
                self.output_tokens_max,
                limits,
                self.render_pool.clone(),
                Arc::clone(&cluster),
            ),
            cluster,
            render_pool: self.render_pool,
            authenticator: Authenticator::new(self.tokens, address, &self.names),
            read_rate: RateLimit::new(limits.reads_burst, limits.reads_per_second),
            write_rate: RateLimit::new(limits.writes_burst, limits.writes_per_second),
            wrong_token_rate: RateLimit::new(
                limits.wrong_tokens_burst,
                limits.wrong_tokens_per_second,
            ),
            shared_rate: RateLimit::new(limits.shared_burst, limits.shared_per_second),
            logins: Logins::new(self.engine.shared_store()),
            streams: Arc::new(ConcurrencyLimit::new(
                limits.streams_per_owner_max,
                too_many_streams,
            )),
            ai_edits: ConcurrencyLimit::new(limits.ai_edits_per_owner_max, too_many_edits),
            in_flight: InFlightCalls::new(&self.engine),
            engine: self.engine,
            conversations,
            providers: self.providers,
            system_prompt: self.system_prompt,
            rounds_max: self.rounds_max,
            side_events: SideEvents::default(),
            files,
            openapi: routes.openapi(access),
            body_limits: routes.body_limits(&limits),
            page_url: page_address(address, &self.names),
            condition_clock: self.condition_clock,
            limits,
        }))
    }
}

/// Without a token, only this machine may reach the server.
pub fn refuse_open(address: SocketAddr, has_tokens: bool) -> Result<(), ListenFault> {
    match address.ip().is_loopback() || has_tokens {
        true => Ok(()),
        false => Err(ListenFault::Open(address)),
    }
}

/// The URL of the page. An unspecified address is replaced by a reachable one.
pub fn page_address(address: SocketAddr, names: &[String]) -> String {
    match names.first() {
        Some(name) if address.ip().is_unspecified() => format!("http://{name}:{}/", address.port()),
        Some(_) | None => format!("http://{}/", reachable(address)),
    }
}

/// Serves another router with the same limits on connections, headers, bodies and stalled
/// readers. A connection counts as authenticated unless the answer is 401.
pub async fn serve_router(
    listener: TcpListener,
    router: Router,
    limits: ServerLimits,
    end: impl Future<Output = ()>,
) {
    let limited = move |request: Request, next: Next| async move {
        let connection_handle = request.extensions().get::<Arc<Connection>>().cloned();
        let response = next.run(with_time_limit(request, limits.body_time_max)).await;
        if let Some(connection_handle) =
            connection_handle.filter(|_| response.status() != StatusCode::UNAUTHORIZED)
        {
            connection_handle.mark_authenticated();
        }
        response
    };
    let graceful = accept_all(listener, &router.layer(from_fn(limited)), limits, end).await;
    let _ = tokio::time::timeout(Duration::from_secs(1), graceful.shutdown()).await;
}

/// Accepts connections until `end` is ready; open ones can still be answered.
async fn accept_all(
    listener: TcpListener,
    router: &Router,
    limits: ServerLimits,
    end: impl Future<Output = ()>,
) -> Graceful {
    let connections = Connections::new(connection_limits(&limits));
    let graceful = Graceful::new();
    tokio::pin!(end);
    loop {
        tokio::select! {
            () = &mut end => return graceful,
            taken = listener.accept() => match taken {
                Ok((socket, peer)) => match connections.take(peer.ip()) {
                    Some(connection_handle) => serve(socket, connection_handle, router, limits, &graceful),
                    None => tracing::debug!(%peer, "connection refused: too many are open"),
                },
                Err(fault) => {
                    // Mostly out of file descriptors: close unauthenticated connections first.
                    tracing::warn!(%fault, "cannot accept a connection");
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

/// The address as others reach it: an unspecified one is replaced by the address that this
/// machine uses for outgoing connections.
pub fn reachable(address: SocketAddr) -> SocketAddr {
    match address.ip().is_unspecified() {
        true => SocketAddr::new(outward().unwrap_or(Ipv4Addr::LOCALHOST.into()), address.port()),
        false => address,
    }
}

/// Asks the routing table; sends nothing. The target is an address for documentation.
fn outward() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    socket.local_addr().ok().map(|address| address.ip())
}

fn serve(
    socket: TcpStream,
    connection_handle: Arc<Connection>,
    router: &Router,
    limits: ServerLimits,
    graceful: &Graceful,
) {
    // Send parts of an answer immediately.
    let _ = socket.set_nodelay(true);
    let socket = StallTimeout::new(socket, limits.stall_time_max);
    let (router, known) =
        (TowerToHyperService::new(router.clone()), Arc::clone(&connection_handle));
    let answer = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(Arc::clone(&known));
        router.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_time_max)
        .max_buf_size(64 << 10)
        .serve_connection(TokioIo::new(socket), answer)
        // For WebSockets of extensions.
        .with_upgrades();
    let mut ending = graceful.watcher();
    tokio::spawn(async move {
        let mut connection = pin!(connection);
        let mut is_asked = false;
        loop {
            tokio::select! {
                ended = connection.as_mut() => {
                    if let Err(fault) = ended {
                        tracing::debug!(%fault, "connection closed early");
                    }
                    return;
                }
                () = ending.asked(), if !is_asked => {
                    is_asked = true;
                    connection.as_mut().graceful_shutdown();
                }
                () = connection_handle.evicted() => {
                    tracing::debug!("unauthenticated connection closed to make room");
                    return;
                }
            }
        }
    });
}
