//! Opens one connection: TCP, TLS, the handshake.

use std::time::Duration;

use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_tungstenite::tungstenite::http::Uri;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use super::ProviderRoad;

/// How long a connection may take, from the name to the end of the handshake.
const TIME_MAX: Duration = Duration::from_secs(10);
/// The longest message of a provider: a minute of speech in base64 has 4 MB.
const MESSAGE_BYTES_MAX: usize = 16 << 20;
/// Most messages are a piece of speech of some 10 kB.
const BUFFER_BYTES: usize = 16 << 10;

/// An open connection.
pub(crate) type Socket = WebSocketStream<Box<dyn Stream>>;

/// With TLS or without.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// Why there is no connection, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConnectFault {
    pub message: String,
    /// Whether the next try would end the same way.
    pub is_final: bool,
}

impl ConnectFault {
    fn passing(message: String) -> Self {
        Self { message, is_final: false }
    }

    fn lasting(message: String) -> Self {
        Self { message, is_final: true }
    }
}

impl ProviderRoad {
    pub(crate) async fn connect(&self) -> Result<Socket, ConnectFault> {
        match timeout(TIME_MAX, self.open()).await {
            Ok(opened) => opened,
            Err(_) => Err(ConnectFault::passing(format!(
                "{} did not answer within {} s",
                self.name(),
                TIME_MAX.as_secs()
            ))),
        }
    }

    async fn open(&self) -> Result<Socket, ConnectFault> {
        let request = self.request().map_err(|fault| ConnectFault::lasting(fault.to_string()))?;
        let stream = self.stream(request.uri()).await?;
        let config = WebSocketConfig::default()
            .max_message_size(Some(MESSAGE_BYTES_MAX))
            .max_frame_size(Some(MESSAGE_BYTES_MAX))
            .read_buffer_size(BUFFER_BYTES)
            .write_buffer_size(0);
        match client_async_with_config(request, stream, Some(config)).await {
            Ok((socket, _)) => Ok(socket),
            Err(fault) => Err(self.refused(fault)),
        }
    }

    async fn stream(&self, uri: &Uri) -> Result<Box<dyn Stream>, ConnectFault> {
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
        let is_plain = uri.scheme_str() == Some("ws");
        let port = uri.port_u16().unwrap_or(if is_plain { 80 } else { 443 });
        let lost = |why: std::io::Error| {
            ConnectFault::passing(format!("{} cannot be reached: {why}", self.name()))
        };
        let tcp = TcpStream::connect((host, port)).await.map_err(lost)?;
        // Pieces of speech are small, and each is wanted at once.
        tcp.set_nodelay(true).map_err(lost)?;
        if is_plain {
            return Ok(Box::new(tcp));
        }
        let name = ServerName::try_from(host.to_owned());
        let name = name.map_err(|_| ConnectFault::lasting(format!("`{host}` is no host name")))?;
        let tls = TlsConnector::from(self.tls.clone()).connect(name, tcp).await.map_err(lost)?;
        Ok(Box::new(tls))
    }

    /// A refused handshake in words. Wrong requests and keys stay wrong.
    fn refused(&self, fault: tungstenite::Error) -> ConnectFault {
        let name = self.name();
        let tungstenite::Error::Http(response) = fault else {
            let why = self.shown(&fault.to_string());
            return ConnectFault::passing(format!("{name} breaks the handshake off: {why}"));
        };
        let status = response.status().as_u16();
        let body = response.body().as_deref().unwrap_or_default();
        let body = self.shown(&String::from_utf8_lossy(body));
        let text = match body.is_empty() {
            true => format!("{name} refuses the connection with {status}"),
            false => format!("{name} refuses the connection with {status}: {body}"),
        };
        match status {
            408 | 425 | 429 | 500.. => ConnectFault::passing(text),
            401 | 403 => ConnectFault::lasting(format!("{text}; check the key")),
            _ => ConnectFault::lasting(text),
        }
    }
}
