//! The local address that the browser is redirected to after a login.

use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;

use axum::Router;
use axum::extract::RawQuery;
use axum::http::StatusCode;
use axum::response::Html;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

/// An HTTP server for one redirect.
pub struct Redirect {
    listener: TcpListener,
    address: String,
}

const PATH: &str = "/callback";
const DONE: &str = "<!doctype html><title>Ghosthand</title>\
    <p>Ghosthand has received the answer. You can close this page and return to the terminal.";
const NOT_MINE: &str = "<!doctype html><title>Ghosthand</title>\
    <p>This is not the login that Ghosthand is waiting for. Use the latest link.";
/// How long the response may take to reach the browser.
const PAGE_MAX: Duration = Duration::from_secs(2);

impl Redirect {
    pub async fn listen(port: Option<u16>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0))).await?;
        let address = format!("http://{}{PATH}", listener.local_addr()?);
        Ok(Self { listener, address })
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    /// Waits for a redirect with this state; returns its full URL.
    pub async fn wait(self, state: String) -> io::Result<String> {
        let Self { listener, address } = self;
        let (sender, mut answers) = mpsc::channel(1);
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let expected = format!("state={state}");
        let page = move |RawQuery(query): RawQuery| async move {
            let query = query.unwrap_or_default();
            if !query.split('&').any(|pair| pair == expected) {
                return (StatusCode::BAD_REQUEST, Html(NOT_MINE));
            }
            // A second redirect is ignored.
            let _ = sender.try_send(query);
            (StatusCode::OK, Html(DONE))
        };
        let app = Router::new().route(PATH, get(page));
        let serving = axum::serve(listener, app).with_graceful_shutdown(async {
            let _ = stopped.await;
        });
        let serving = tokio::spawn(serving.into_future());
        let answer = answers.recv().await;
        let _ = stop.send(());
        let _ = tokio::time::timeout(PAGE_MAX, serving).await;
        let query = answer.ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(format!("{address}?{query}"))
    }
}

#[cfg(test)]
mod tests;
