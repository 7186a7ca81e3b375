//! Opening: what is refused, and that it is left as it was.

use postgres::{PostgresConfig, PostgresOpenFault, PostgresOptions, PostgresStore};
use testkit::postgres::{PostgresServer, PostgresVersion};

use crate::subject::{open, options, run};

async fn refused(address: &str, options: PostgresOptions) -> PostgresOpenFault {
    let config: PostgresConfig = address.parse().unwrap();
    PostgresStore::open(&config, options).await.unwrap_err()
}

#[test]
fn what_is_not_a_store_is_refused_and_left_as_it_was() {
    let server = PostgresServer::start(PostgresVersion::Debian);
    run(async {
        let address = server.socket_address();
        // The schema of everything else.
        let taken = PostgresOptions { schema: "pg_catalog".to_owned(), ..options() };
        let fault = refused(&address, taken).await;
        assert!(matches!(fault, PostgresOpenFault::NotAStore { .. }), "{fault}");
        for bad in ["", "Ghost", "a-b", "1a", "a;drop"] {
            let options = PostgresOptions { schema: bad.to_owned(), ..options() };
            let fault = refused(&address, options).await;
            assert_eq!(fault, PostgresOpenFault::Schema { schema: bad.to_owned() });
        }
        let newer = options();
        drop(open(&address, newer.clone()).await);
        let (client, connection) =
            tokio_postgres::connect(&address, tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        let schema = &newer.schema;
        client.batch_execute(&format!("update {schema}.version set number = 99")).await.unwrap();
        let fault = refused(&address, newer).await;
        assert!(matches!(fault, PostgresOpenFault::Newer { found: 99, known: 1, .. }), "{fault}");
        client
            .batch_execute("create database old encoding 'SQL_ASCII' template template0")
            .await
            .unwrap();
        let ascii = address.replace(":///postgres?", ":///old?");
        let fault = refused(&ascii, options()).await;
        assert!(matches!(fault, PostgresOpenFault::Encoding { .. }), "{fault}");
    });
}

#[test]
fn a_fault_names_the_place_and_never_the_password() {
    let server = PostgresServer::start(PostgresVersion::Debian);
    run(async {
        let port = server.port();
        let wrong = format!("postgres://ghost:s3cret@127.0.0.1:{port}/postgres?sslmode=disable");
        let fault = refused(&wrong, options()).await;
        assert!(matches!(fault, PostgresOpenFault::Refused { .. }), "{fault}");
        assert!(fault.to_string().starts_with("postgres://127.0.0.1:"), "{fault}");
        let tls = format!("postgres://ghost:s3cret@127.0.0.1:{port}/postgres?sslmode=require");
        let fault_tls = refused(&tls, options()).await;
        let nobody = "postgres://ghost:s3cret@127.0.0.1:1/postgres";
        let fault_nobody = refused(nobody, options()).await;
        assert!(matches!(fault_nobody, PostgresOpenFault::Unreachable { .. }), "{fault_nobody}");
        for fault in [fault, fault_tls, fault_nobody] {
            assert!(!format!("{fault} {fault:?}").contains("s3cret"), "{fault:?}");
        }
        // Of several hosts the first that answers and can be written to is taken.
        let several = format!("127.0.0.1:1,127.0.0.1:{port}/");
        let address = server.tcp_address(port).replace(&format!("127.0.0.1:{port}/"), &several);
        let store = open(&address, options()).await;
        let status = store.status().await.unwrap();
        assert!(status.version.starts_with("1"), "{status:?}");
        assert_eq!((status.standbys, status.is_encrypted, status.has_pooler), (0, false, false));
    });
}
