//! The door on standard input and output.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rmcp::ServiceExt;
use rmcp::transport::io::{StdioReader, stdio_pipes};
use tokio::io::{AsyncRead, ReadBuf};

use super::door::{Door, DoorFault};
use super::visit::Visit;

/// Serves one client until it closes our input, or until `stop` is done.
pub async fn serve_stdio(door: Door, stop: impl Future<Output = ()>) -> Result<(), DoorFault> {
    let door = door.visited();
    let serve = async {
        let fault = |fault: String| DoorFault::Transport(fault);
        let (input, output) = stdio_pipes();
        let input = Input { input, visit: Arc::clone(&door.1) };
        let running = door.serve((input, output)).await.map_err(|why| fault(why.to_string()))?;
        running.waiting().await.map(|_| ()).map_err(|why| fault(why.to_string()))
    };
    tokio::select! {
        served = serve => served,
        () = stop => Ok(()),
    }
}

/// Standard input, whose end is the end of the visit: nobody waits for a client that only
/// listened.
struct Input {
    input: StdioReader,
    visit: Arc<Visit>,
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
            self.visit.end();
        }
        polled
    }
}
