//! The handshake with a child, and its exit reason if it fails.

use crate::protocol::{FromChild, ToChild};
use crate::sandbox::Level;
use crate::spawn::Running;

use super::channel::Channel;
use super::{ChildConfig, EXIT_WAIT_MAX};

/// Why a started child cannot be used.
pub(super) enum HandshakeFault {
    Gap(String),
    Gone(String),
}

/// Waits for the hello, and boots a foreign program.
pub(super) async fn handshake(
    config: &ChildConfig,
    channel: &Channel,
) -> Result<Level, HandshakeFault> {
    let FromChild::Hello { level } = channel.reader().next().await.map_err(HandshakeFault::Gone)?
    else {
        return Err(HandshakeFault::Gap("the child did not say hello".to_owned()));
    };
    if let Some(gap) = config.sandbox.gap(&level, config.sandbox_policy) {
        return Err(HandshakeFault::Gap(gap));
    }
    match &config.boot {
        Some(order) => boot(channel, order).await.map(|()| level),
        None => Ok(level),
    }
}

/// Sends a child what to run and waits until it is ready.
pub(super) async fn boot(channel: &Channel, order: &ToChild) -> Result<(), HandshakeFault> {
    let sent = channel.send(order);
    sent.map_err(|fault| {
        HandshakeFault::Gone(format!("could not be sent its configuration: {fault}"))
    })?;
    let ready = async {
        let FromChild::Ready { gap } =
            channel.reader().next().await.map_err(HandshakeFault::Gone)?
        else {
            return Err(HandshakeFault::Gap("the child did not get ready".to_owned()));
        };
        gap.map_or(Ok(()), |gap| Err(HandshakeFault::Gap(gap)))
    };
    tokio::select! {
        ready = ready => ready,
        flushed = channel.flush() => Err(HandshakeFault::Gone(format!("broke its channel: {flushed:?}"))),
    }
}

pub(super) async fn exit_reason(running: &mut Running, because: String) -> String {
    running.kill();
    match running.take_exit() {
        Some(exit) => match tokio::time::timeout(EXIT_WAIT_MAX, exit).await {
            Ok(Ok(exit)) => exit.to_string(),
            _ => because,
        },
        None => because,
    }
}
