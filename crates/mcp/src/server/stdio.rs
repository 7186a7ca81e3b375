//! The server over standard input and output.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rmcp::ServiceExt;
use rmcp::transport::io::{StdioReader, stdio_pipes};
use tokio::io::{AsyncRead, ReadBuf};

use super::mcp_server::{McpServer, McpServerFault};
use super::session::Session;

/// Serves one client until it closes our input or `stop` completes.
pub async fn serve_stdio(
    server: McpServer,
    stop: impl Future<Output = ()>,
) -> Result<(), McpServerFault> {
    let server = server.for_client();
    let serve = async {
        let fault = |fault: String| McpServerFault::Transport(fault);
        let (input, output) = stdio_pipes();
        let input = Input { input, session: Arc::clone(&server.1) };
        let running = server.serve((input, output)).await.map_err(|why| fault(why.to_string()))?;
        running.waiting().await.map(|_| ()).map_err(|why| fault(why.to_string()))
    };
    tokio::select! {
        served = serve => served,
        () = stop => Ok(()),
    }
}

/// Standard input; its end ends the session, even if the client only listens.
struct Input {
    input: StdioReader,
    session: Arc<Session>,
}

impl AsyncRead for Input {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.input).poll_read(context, buffer);
        if polled.is_ready() && buffer.filled().len() == before {
            self.session.end();
        }
        polled
    }
}
