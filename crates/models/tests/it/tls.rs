//! TLS: the certificate must be trusted and issued for the host name.
//!
//! The certificates below are for `localhost`, valid from 2020 to 2120, and used only here.

use std::sync::Arc;

use contract::{FaultKind, Wire};
use models::{Certificates, HttpClient, Limits, ListedModel, Provider, SystemClock, list_models};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::conversation::provider;

const ROOT: &str = "\
    MIIBSTCB8aADAgECAgEBMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCXRlc3Qgcm9vdDAgFw0yMDAxMDEwMDAwMD\
    BaGA8yMTIwMDEwMTAwMDAwMFowFDESMBAGA1UEAwwJdGVzdCByb290MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD\
    QgAEhEO48D9ixpOlpj1ZHPQadCRmvHsvoHN8XTUqzgF4yOJK6TBcle8iqggWbR9yl2yrSDIZSDqNe7aMbAjsMx\
    7tIqMyMDAwDwYDVR0TAQH/BAUwAwEB/zAdBgNVHQ4EFgQUV8n5O86Ghi/Hb+pu1s/lJwyOD3IwCgYIKoZIzj0E\
    AwIDRwAwRAIgDgsOFgllUFE07GDHphf5ZtPyNvFTLin5vKh3ICgnQ/gCIGC2U3SbfUxr3smUedjqsM+AeHr6t9\
    RRQpWh/Ac81owE";
const LEAF: &str = "\
    MIIBkTCCATegAwIBAgIBAjAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAl0ZXN0IHJvb3QwIBcNMjAwMTAxMDAwMD\
    AwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEH\
    A0IABCTT25EynNvh4GjbQtXYo7aJq1y7bwNU144uNX0MHGVRxSGuppHFUBxGL0viFuCCqVDVhLs3rHT2n11rm+\
    HT29+jeDB2MBQGA1UdEQQNMAuCCWxvY2FsaG9zdDAJBgNVHRMEAjAAMBMGA1UdJQQMMAoGCCsGAQUFBwMBMB0G\
    A1UdDgQWBBQWJ8LSgrPcqJiJbn5x7CVuXnvmFzAfBgNVHSMEGDAWgBRXyfk7zoaGL8dv6m7Wz+UnDI4PcjAKBg\
    gqhkjOPQQDAgNIADBFAiEAqgBi+QClItxNk5CqO4AA1GP7K91dDA8snJKft9h1WIgCIBs4IcPXLjR362ZtQI3c\
    kb6vKD9jxPIgoGuXhgCqZj1d";
const KEY: &str = "\
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgJGxymxoZDWNFJt9HLsYuCpEhSUYhupE2zxOnVw\
    ud3/2hRANCAAQk09uRMpzb4eBo20LV2KO2iatcu28DVNeOLjV9DBxlUcUhrqaRxVAcRi9L4hbggqlQ1YS7N6x0\
    9p9da5vh09vf";

fn pem(kind: &str, content: &str) -> String {
    format!("-----BEGIN {kind}-----\n{content}\n-----END {kind}-----\n")
}

fn acceptor() -> TlsAcceptor {
    let leaf = CertificateDer::from_pem_slice(pem("CERTIFICATE", LEAF).as_bytes()).unwrap();
    let key = PrivateKeyDer::from_pem_slice(pem("PRIVATE KEY", KEY).as_bytes()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![leaf], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

/// The port of a server that has one model.
async fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let acceptor = acceptor();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // A client that does not trust us disconnects during the handshake.
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).await;
            let body = r#"{"data":[{"id":"sealed"}]}"#;
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
            let answer = format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
            let _ = stream.write_all(answer.as_bytes()).await;
            let _ = stream.shutdown().await;
        }
    });
    port
}

async fn listed(
    trust: Certificates,
    host: &str,
    port: u16,
) -> Result<Vec<ListedModel>, (FaultKind, String)> {
    let limits = Limits { retries_max: 0, ..Limits::usual() };
    let line = HttpClient::with(limits, Arc::new(SystemClock), trust).unwrap();
    let base_url = format!("https://{host}:{port}/v1");
    let provider = Provider { base_url, ..provider(Wire::Chat) };
    list_models(&line, &provider).await.map_err(|fault| (fault.kind, fault.fix))
}

#[tokio::test]
async fn only_a_trusted_certificate_for_the_host_name_is_accepted() {
    let port = server().await;
    let trusting = || Certificates::usual().and_pem(pem("CERTIFICATE", ROOT).as_bytes()).unwrap();
    let models = listed(trusting(), "localhost", port).await.unwrap();
    assert_eq!(models[0].name, "sealed");
    for (trust, host) in [(trusting(), "127.0.0.1"), (Certificates::usual(), "localhost")] {
        let (kind, fix) = listed(trust, host, port).await.unwrap_err();
        assert_eq!(kind, FaultKind::Unreachable);
        assert!(fix.starts_with("check the address, or add the certificate authority"), "{fix}");
    }
}

#[test]
fn an_invalid_certificate_is_a_fault() {
    for bad in ["", "hello", &pem("CERTIFICATE", "aGVsbG8="), &pem("PRIVATE KEY", KEY)] {
        let fault = Certificates::usual().and_pem(bad.as_bytes()).err().unwrap();
        assert_eq!(fault.kind, FaultKind::Unreachable, "{bad}");
    }
}
