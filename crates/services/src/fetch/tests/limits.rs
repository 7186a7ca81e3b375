//! Responses that are too large, too slow, too many, or broken.

use std::time::{Duration, Instant};

use serde_json::json;

use super::*;

async fn check(page: impl Fn() -> Page + Send + Sync + 'static, expected: &str) {
    let server = Server::start(move |_| page()).await;
    let mut world = World::new();
    world.network = server.network();
    world.limits.fetch_time_max = Duration::from_millis(200);
    world.limits.fetch_response_bytes_max = 100_000;
    world.limits.fetch_header_bytes_max = 8 << 10;
    world.limits.fetch_headers_max = 20;
    let run = world.run("read_only", json!({"net": [server.authority()]}));
    let began = Instant::now();
    let seen = ask(&run, "fetch", json!({"url": format!("http://{}/", server.authority())})).await;
    let seen = seen.map_or_else(|code| code, |answer| answer["status"].to_string());
    assert_eq!(seen, expected);
    assert!(began.elapsed() < Duration::from_secs(5));
}

fn bytes(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

#[tokio::test]
async fn a_body_is_limited_with_and_without_content_length() {
    check(|| Page::ok(&"x".repeat(100_000)), "200").await;
    check(|| Page::ok(&"x".repeat(100_001)), "TOO_LARGE").await;
    let chunk = format!("400\r\n{}\r\n", "x".repeat(1024));
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let all = format!("{head}{}", chunk.repeat(200));
    check(move || Page::Stall(bytes(&all)), "TOO_LARGE").await;
    check(|| Page::Stall(bytes("HTTP/1.1 200 OK\r\n\r\nuntil the end")), "TIMED_OUT").await;
}

#[tokio::test]
async fn a_server_that_never_answers_times_out() {
    check(|| Page::Stall(Vec::new()), "TIMED_OUT").await;
    check(|| Page::Stall(bytes("HTTP/1.1 20")), "TIMED_OUT").await;
    check(|| Page::Stall(bytes("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc")), "TIMED_OUT")
        .await;
}

#[tokio::test]
async fn headers_are_limited_and_broken_responses_are_faults() {
    let many = |count: usize| "x-a: b\r\n".repeat(count);
    check(move || Page::with("200 OK", &many(10), ""), "200").await;
    check(move || Page::with("200 OK", &many(30), ""), "UNREACHABLE").await;
    let long = format!("x-a: {}\r\n", "b".repeat(20_000));
    check(move || Page::with("200 OK", &long, ""), "UNREACHABLE").await;
    check(|| Page::Endless(bytes("x-a: b\r\n")), "UNREACHABLE").await;
    check(|| Page::Bytes(bytes("SSH-2.0-OpenSSH\r\n")), "UNREACHABLE").await;
    check(|| Page::Bytes(Vec::new()), "UNREACHABLE").await;
    check(|| Page::Bytes(bytes("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc")), "UNREACHABLE")
        .await;
    check(|| Page::with("404 Not Found", "", "no"), "404").await;
    check(|| Page::with("302 Found", "", "nowhere"), "302").await;
}

#[tokio::test]
async fn the_number_of_requests_is_limited() {
    let server = Server::start(|_| Page::ok("")).await;
    let mut world = World::new();
    world.network = server.network();
    world.limits.fetches_max = 2;
    let run = world.run("read_only", json!({"net": [server.authority()]}));
    let asked = json!({"url": format!("http://{}/", server.authority())});
    for _ in 0..2 {
        assert!(ask(&run, "fetch", asked.clone()).await.is_ok());
    }
    assert_eq!(ask(&run, "fetch", asked).await, Err("LIMIT_REACHED".into()));
}

#[tokio::test]
async fn a_dropped_request_closes_its_connection() {
    let (gone, mut is_gone) = tokio::sync::mpsc::unbounded_channel();
    let server = Server::start_with(
        |_| Page::Stall(Vec::new()),
        move |stream| {
            let gone = gone.clone();
            async move { Some(Watched { stream, _gone: OnDrop(gone) }) }
        },
    )
    .await;
    let mut world = World::new();
    world.network = server.network();
    let run = world.run("read_only", json!({"net": [server.authority()]}));
    let asked = json!({"url": format!("http://{}/", server.authority())});
    let mut waiting = Box::pin(ask(&run, "fetch", asked));
    while server.requests().is_empty() {
        tokio::select! {
            answer = &mut waiting => unreachable!("{answer:?}"),
            () = tokio::task::yield_now() => {}
        }
    }
    drop(waiting);
    assert_eq!(is_gone.recv().await, Some(()), "the server saw the end");
}

struct OnDrop(tokio::sync::mpsc::UnboundedSender<()>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

/// A connection that reports when the server has closed it.
struct Watched {
    stream: tokio::net::TcpStream,
    _gone: OnDrop,
}

impl tokio::io::AsyncRead for Watched {
    fn poll_read(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
        buffer: &mut tokio::io::ReadBuf<'_>,
    ) -> std::task::Poll<io::Result<()>> {
        std::pin::Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl tokio::io::AsyncWrite for Watched {
    fn poll_write(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
        bytes: &[u8],
    ) -> std::task::Poll<io::Result<usize>> {
        std::pin::Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<io::Result<()>> {
        std::pin::Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<io::Result<()>> {
        std::pin::Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
