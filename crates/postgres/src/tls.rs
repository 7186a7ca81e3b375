//! TLS to the server, by libpq's modes, on rustls.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};
use store::BoxFuture;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};

use crate::config::{PostgresConfig, TlsMode};

/// Makes TLS connections as the address asks for.
#[derive(Clone)]
pub(crate) struct Tls(Arc<ClientConfig>);

impl Tls {
    pub(crate) fn new(config: &PostgresConfig) -> Result<Self, String> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let checks = match config.tls {
            TlsMode::Disable | TlsMode::Prefer | TlsMode::Require => None,
            TlsMode::VerifyCa => Some((roots(config)?, Names::Any)),
            TlsMode::VerifyFull => Some((roots(config)?, Names::OfHost)),
        };
        let authorities = match checks {
            None => None,
            Some((roots, names)) => {
                let provider = Arc::clone(&provider);
                let verifier =
                    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
                Some((verifier.build().map_err(|error| error.to_string())?, names))
            }
        };
        let verifier = Verifier { authorities, provider: Arc::clone(&provider) };
        let tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth();
        Ok(Self(Arc::new(tls)))
    }
}

fn roots(config: &PostgresConfig) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    let Some(path) = &config.root_certificates else {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        return Ok(roots);
    };
    let bad = |because: String| format!("sslrootcert {}: {because}", path.display());
    let certificates = CertificateDer::pem_file_iter(path).map_err(|e| bad(e.to_string()))?;
    for certificate in certificates {
        let certificate = certificate.map_err(|error| bad(error.to_string()))?;
        roots.add(certificate).map_err(|error| bad(error.to_string()))?;
    }
    match roots.is_empty() {
        true => Err(bad("it has no certificate".to_owned())),
        false => Ok(roots),
    }
}

/// For which names a certificate must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    Any,
    OfHost,
}

/// Checks the server's certificate as far as the mode wants.
#[derive(Debug)]
struct Verifier {
    authorities: Option<(Arc<WebPkiServerVerifier>, Names)>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some((authorities, names)) = &self.authorities else {
            return Ok(ServerCertVerified::assertion());
        };
        match (authorities.verify_server_cert(certificate, others, name, ocsp, now), names) {
            // The chain is checked before the name.
            (
                Err(Error::InvalidCertificate(
                    CertificateError::NotValidForName
                    | CertificateError::NotValidForNameContext { .. },
                )),
                Names::Any,
            ) => Ok(ServerCertVerified::assertion()),
            (verified, Names::Any | Names::OfHost) => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Tls {
    type Stream = Stream<S>;
    type TlsConnect = ToHost;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> Result<ToHost, io::Error> {
        // A Unix socket has no host, and no TLS.
        let host = if host.is_empty() { "localhost" } else { host };
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        Ok(ToHost { tls: Arc::clone(&self.0), name })
    }
}

/// A TLS connection to one host, not yet made.
pub(crate) struct ToHost {
    tls: Arc<ClientConfig>,
    name: ServerName<'static>,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for ToHost {
    type Stream = Stream<S>;
    type Error = io::Error;
    type Future = BoxFuture<'static, Result<Stream<S>, io::Error>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let connector = tokio_rustls::TlsConnector::from(self.tls);
            connector.connect(self.name, stream).await.map(|stream| Stream(Box::new(stream)))
        })
    }
}

/// The encrypted stream.
pub(crate) struct Stream<S>(Box<tokio_rustls::client::TlsStream<S>>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Stream<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Stream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Stream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
