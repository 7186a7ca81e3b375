//! The door on standard input and output.

use rmcp::ServiceExt;
use rmcp::transport::io::stdio_pipes;

use super::door::{Door, DoorFault};

/// Serves one client until it closes our input, or until `stop` is done.
pub async fn serve_stdio(door: Door, stop: impl Future<Output = ()>) -> Result<(), DoorFault> {
    let serve = async {
        let fault = |fault: String| DoorFault::Transport(fault);
        let running =
            door.visited().serve(stdio_pipes()).await.map_err(|why| fault(why.to_string()))?;
        running.waiting().await.map(|_| ()).map_err(|why| fault(why.to_string()))
    };
    tokio::select! {
        served = serve => served,
        () = stop => Ok(()),
    }
}
