//! The first words with a child, and its last.

use crate::sandbox::Level;
use crate::spawn::Running;
use crate::wire::{FromChild, ToChild};

use super::outlet::Outlet;
use super::{Charter, LAST_WORDS_MAX};

/// Why a child that was started cannot be used.
pub(super) enum Unfit {
    Gap(String),
    Gone(String),
}

/// The first words with a child: its hello, and for another program, its boot.
pub(super) async fn greet(charter: &Charter, outlet: &Outlet) -> Result<Level, Unfit> {
    let FromChild::Hello { level } = outlet.inlet().next().await.map_err(Unfit::Gone)? else {
        return Err(Unfit::Gap("the child did not say hello".to_owned()));
    };
    if let Some(gap) = charter.fence.gap(&level, charter.sandbox) {
        return Err(Unfit::Gap(gap));
    }
    match &charter.boot {
        Some(order) => boot(outlet, order).await.map(|()| level),
        None => Ok(level),
    }
}

/// Tells a child what to run, and waits until it is ready.
pub(super) async fn boot(outlet: &Outlet, order: &ToChild) -> Result<(), Unfit> {
    let sent = outlet.send(order);
    sent.map_err(|fault| Unfit::Gone(format!("was not told what to run: {fault}")))?;
    let ready = async {
        let FromChild::Ready { gap } = outlet.inlet().next().await.map_err(Unfit::Gone)? else {
            return Err(Unfit::Gap("the child did not get ready".to_owned()));
        };
        gap.map_or(Ok(()), |gap| Err(Unfit::Gap(gap)))
    };
    tokio::select! {
        ready = ready => ready,
        flushed = outlet.flush() => Err(Unfit::Gone(format!("broke its channel: {flushed:?}"))),
    }
}

pub(super) async fn last_words(running: &mut Running, because: String) -> String {
    running.kill();
    match running.take_exit() {
        Some(exit) => match tokio::time::timeout(LAST_WORDS_MAX, exit).await {
            Ok(Ok(exit)) => exit.to_string(),
            _ => because,
        },
        None => because,
    }
}
