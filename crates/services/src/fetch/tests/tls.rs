//! TLS: the certificate must be for the name, from a trusted authority.
//!
//! The certificates below are for `api.example.com`, valid from 2020 to 2120, and used only here.

use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use rustls::{RootCertStore, ServerConfig};
use serde_json::json;
use tokio_rustls::TlsAcceptor;

use super::*;

const ROOT: &str = "\
    MIIBPzCB5aADAgECAhQ4Xm7ijCDNB/s8l8ZRzdz+q0ZklTAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAl0ZXN0IHJv\
    b3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMMCXRlc3Qgcm9vdDBZMBMGByqG\
    SM49AgEGCCqGSM49AwEHA0IABO5Vgz+ZGWJfLxv0o3k1EfLQdxMqXEKDsHufotxfWo4dvDWOs9gJ24HFmb7NN92u\
    UAQDa2glV2PgvCwHW1ZglqmjEzARMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhALXl74SbuHJZ\
    Qz7meQErC9r5jGlCcczL5mSC1a6hwQBSAiEAzAW5xXaMDYYbdtwiOGkY1rdqCs4pp5k7iTVhv41sMms=";
const LEAF: &str = "\
    MIIBcTCCARagAwIBAgIUMJC1WSofNy2VRi0e0LRnbcE5BjwwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJdGVzdCBy\
    b290MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAaMRgwFgYDVQQDDA9hcGkuZXhhbXBsZS5jb20w\
    WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASmXcPt6YaJigAxAbWjgAo64TxOuX5PCMZyd5xMQkPScxz7sqLdfEZn\
    Yyz+0cRPBgXZqyO1xHFiRtS5NKohRab3oz4wPDAaBgNVHREEEzARgg9hcGkuZXhhbXBsZS5jb20wCQYDVR0TBAIw\
    ADATBgNVHSUEDDAKBggrBgEFBQcDATAKBggqhkjOPQQDAgNJADBGAiEA3DuftsrXzpjfEacSIKhocCwy8bX+Q57C\
    9UgYD45FCsMCIQDFMa9YtTsHhXnbmtHpraFUqOVjECQwUB6K20/63/BtSA==";
const KEY: &str = "\
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgONtiyBmJVbhqfVMl2TATxZds8i5BVpOYvG/19l2l\
    QQ+hRANCAASmXcPt6YaJigAxAbWjgAo64TxOuX5PCMZyd5xMQkPScxz7sqLdfEZnYyz+0cRPBgXZqyO1xHFiRtS5\
    NKohRab3";

fn der(text: &str) -> Vec<u8> {
    STANDARD.decode(text).unwrap()
}

async fn server() -> Server {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from(der(LEAF))],
            PrivatePkcs8KeyDer::from(der(KEY)).into(),
        )
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    Server::start_with(
        |_| Page::ok("sealed"),
        move |stream| {
            let acceptor = acceptor.clone();
            async move { acceptor.accept(stream).await.ok() }
        },
    )
    .await
}

#[tokio::test]
async fn only_a_trusted_certificate_for_the_host_name_is_accepted() {
    let server = server().await;
    let port = server.port();
    let script =
        Script::new(&[("api.example.com", &["127.0.0.1"]), ("other.example.com", &["127.0.0.1"])]);
    let reach = NetworkAccess::this_machine(&[port]);
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(der(ROOT))).unwrap();
    let trusting =
        Network::with(reach.clone(), Arc::clone(&script) as Arc<dyn Resolver>, roots).unwrap();
    let ordinary = Network::new(reach).unwrap().with_resolver(script);

    let check = async |network: &Network, host: &str, expected: Result<&str, &str>| {
        let mut world = World::new();
        world.network = network.clone();
        let declared =
            json!({"net": [format!("*.example.com:{port}"), format!("127.0.0.1:{port}")]});
        let run = world.run("read_only", declared);
        let seen = ask(&run, "fetch", json!({"url": format!("https://{host}:{port}/")})).await;
        let seen = seen.map(|answer| answer["body"].as_str().unwrap().to_owned());
        assert_eq!(seen.as_deref(), expected.map_err(ToOwned::to_owned).as_deref(), "{host}");
    };
    check(&trusting, "api.example.com", Ok("sealed")).await;
    check(&trusting, "other.example.com", Err("UNREACHABLE")).await;
    check(&trusting, "127.0.0.1", Err("UNREACHABLE")).await;
    check(&ordinary, "api.example.com", Err("UNREACHABLE")).await;
}
