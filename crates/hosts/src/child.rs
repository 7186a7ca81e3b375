//! A child process as its parent sees it: its open calls, and how misbehaviour is handled.
//!
//! Must hold: every call opened here gets exactly one [`CallOutcome`], unless it was abandoned. A
//! child that sends garbage, goes silent or dies fails its calls, and nothing it sends later is
//! delivered: a late result is logged and dropped.

mod call;
mod calls;
mod channel;
mod handshake;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{Notify, oneshot, watch};

use crate::protocol::meter::FloodLimits;
use crate::protocol::{CallNo, End, FromChild, Start, ToChild};
use crate::sandbox::{Level, Sandbox, SandboxPolicy};
use crate::spawn::{Launch, Role, Running, launch};

pub(crate) use call::{CallOutcome, Request};

use call::{OpenCall, log_late_result};
pub(crate) use calls::CallNumbering;
use calls::CallTable;
pub(crate) use channel::Channel;
use channel::{ChannelReader, SendFault};
use handshake::{HandshakeFault, boot, exit_reason, handshake};

/// How long a child may take to apply its sandbox and say hello.
const START_MAX: Duration = Duration::from_secs(10);
/// Why calls fail that did nothing wrong.
const UNSTOPPABLE: &str = "another call in its child could not be stopped";
/// How long the system may take to report how a child died.
const EXIT_WAIT_MAX: Duration = Duration::from_millis(200);

/// How to start a child; the same for every child of a host.
pub(crate) struct ChildConfig {
    /// Our own program.
    pub program: PathBuf,
    pub sandbox: Sandbox,
    pub role: Role,
    pub sandbox_policy: SandboxPolicy,
    /// Sent to a foreign program after its hello; it must answer `Ready`.
    pub boot: Option<ToChild>,
}

/// Limits of a child, however it was started.
#[derive(Debug, Clone)]
pub(crate) struct ChildLimits {
    pub flood: FloodLimits,
    pub stop_grace: Duration,
    pub drain_max: Duration,
    /// How long a child with calls may send nothing before it counts as stuck; `None` for no
    /// limit.
    pub silence_max: Option<Duration>,
    pub numbering: CallNumbering,
}

pub(crate) struct Child {
    running: Running,
    level: Level,
    channel: Channel,
    calls: Mutex<CallTable>,
    state: watch::Sender<State>,
    call_ended: Notify,
    child_limits: ChildLimits,
    /// Why we killed it, if we did.
    kill_reason: OnceLock<String>,
    runtime: Handle,
}

/// States only advance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(crate) enum State {
    Live,
    /// Takes no more calls; ends when its calls are done, or soon after.
    Retired,
    Dead,
}

impl Child {
    /// Starts a child and waits for its hello.
    pub(crate) async fn start(
        config: &ChildConfig,
        child_limits: ChildLimits,
    ) -> Result<Arc<Self>, String> {
        let (running, level, channel) = launch_child(config).await?;
        Ok(Self::from_parts(running, level, channel, child_limits))
    }

    /// Takes over a forked process: sends it what to run and waits until it is ready.
    pub(crate) async fn from_fork(
        mut running: Running,
        level: Level,
        order: &ToChild,
        child_limits: ChildLimits,
    ) -> Result<Arc<Self>, String> {
        let channel = running.take_channel().ok_or("the child has no channel")?;
        let channel = Channel::new(channel).map_err(|fault| fault.to_string())?;
        match tokio::time::timeout(START_MAX, boot(&channel, order)).await {
            Ok(Ok(())) => Ok(Self::from_parts(running, level, channel, child_limits)),
            Ok(Err(HandshakeFault::Gap(because))) => Err(because),
            Ok(Err(HandshakeFault::Gone(because))) => {
                Err(format!("the child {}", exit_reason(&mut running, because).await))
            }
            Err(_) => Err("the child did not start in time".to_owned()),
        }
    }

    /// A child that has completed its handshake.
    fn from_parts(
        mut running: Running,
        level: Level,
        channel: Channel,
        child_limits: ChildLimits,
    ) -> Arc<Self> {
        let exit = running.take_exit();
        let child = Arc::new(Self {
            running,
            level,
            channel,
            calls: Mutex::default(),
            state: watch::Sender::new(State::Live),
            call_ended: Notify::new(),
            child_limits,
            kill_reason: OnceLock::new(),
            runtime: Handle::current(),
        });
        tokio::spawn(Arc::clone(&child).serve(exit));
        child
    }

    pub(crate) fn pid(&self) -> u32 {
        self.running.pid()
    }

    pub(crate) fn level(&self) -> &Level {
        &self.level
    }

    /// The number of its calls, including abandoned ones that still run.
    pub(crate) fn load(&self) -> usize {
        let calls = self.lock();
        calls.open.len() + calls.abandoned.len()
    }

    /// Waits until it takes no more calls.
    pub(crate) async fn retired(&self) {
        let mut state = self.state.subscribe();
        let _ = state.wait_for(|state| *state >= State::Retired).await;
    }

    pub(crate) fn is_live(&self) -> bool {
        *self.state.borrow() == State::Live
    }

    /// Waits until it is dead.
    pub(crate) async fn ended(&self) {
        let mut state = self.state.subscribe();
        let _ = state.wait_for(|state| *state == State::Dead).await;
    }

    pub(crate) fn kill(&self) {
        self.running.kill();
    }

    /// Starts a call.
    pub(crate) fn open(self: &Arc<Self>, request: Request) -> Result<CallHandle, String> {
        let (end, outcome) = oneshot::channel();
        let call = {
            let mut calls = self.lock();
            let call = calls.next(self.child_limits.numbering)?;
            let flood = self.child_limits.flood.clone();
            calls.open.insert(call, OpenCall::new(call, &request, flood, end));
            call
        };
        let handler = Arc::from(request.handler.as_str());
        let handle = CallHandle { child: Arc::clone(self), call, handler, outcome, is_over: false };
        let start = ToChild::Start(Box::new(Start {
            call,
            bundle: request.bundle,
            handler: request.handler,
            part: request.part,
            args: request.args,
            context: request.context,
            time_ms: u64::try_from(request.time.as_millis()).unwrap_or(u64::MAX),
        }));
        if *self.state.borrow() == State::Dead {
            self.fail_all("it had already ended");
        } else if let Err(fault) = self.channel.send(&start) {
            match &fault {
                SendFault::Frame(fault) => {
                    self.lock().open.remove(&call);
                    return Err(format!("its arguments are too large: {fault}"));
                }
                SendFault::Stuck | SendFault::Broken(_) => self.give_up(&fault.to_string()),
            }
        }
        Ok(handle)
    }

    /// Answers a service call, unless the call has ended.
    pub(crate) fn reply(&self, call: CallNo, n: u32, message: &ToChild) {
        {
            let mut calls = self.lock();
            let Some(open) = calls.open.get_mut(&call) else { return };
            if n == 0 {
                return;
            }
            open.answered();
        }
        match self.channel.send(message) {
            Ok(()) => {}
            Err(SendFault::Frame(fault)) => {
                let (code, message) = ("TOO_LARGE".to_owned(), fault.to_string());
                let refusal = ToChild::Refusal { call, n, code, message };
                if let Err(fault) = self.channel.send(&refusal) {
                    self.give_up(&fault.to_string());
                }
            }
            Err(fault) => self.give_up(&fault.to_string()),
        }
    }

    /// Reads messages until the child ends.
    async fn serve(self: Arc<Self>, exit: Option<oneshot::Receiver<crate::spawn::Exit>>) {
        let mut reader = self.channel.reader();
        let because = tokio::select! {
            because = Self::listen(&self, &mut reader) => because,
            flushed = self.channel.flush() => format!("its channel broke: {flushed:?}"),
        };
        self.running.kill();
        let exit = match exit {
            Some(exit) => tokio::time::timeout(EXIT_WAIT_MAX, exit).await.ok(),
            None => None,
        };
        let because = match exit {
            Some(Ok(exit)) => format!("{because}; it {exit}"),
            _ => because,
        };
        let because = self.kill_reason.get().cloned().unwrap_or(because);
        tracing::debug!(pid = self.pid(), %because, "a child is gone");
        self.state.send_if_modified(|state| std::mem::replace(state, State::Dead) != State::Dead);
        self.fail_all(&because);
    }

    async fn listen(child: &Arc<Self>, reader: &mut ChannelReader<'_>) -> String {
        loop {
            let next_message = match child.next_message(reader).await {
                Ok(message) => child.handle_message(message),
                Err(because) => Err(because),
            };
            if let Err(because) = next_message {
                return because;
            }
        }
    }

    /// The next message, or an error if the child is silent for too long.
    async fn next_message(&self, reader: &mut ChannelReader<'_>) -> Result<FromChild, String> {
        let Some(max) = self.child_limits.silence_max else { return reader.next().await };
        loop {
            let was_busy = self.load() > 0;
            match tokio::time::timeout(max, reader.next()).await {
                Ok(message) => return message,
                Err(_) if was_busy && self.load() > 0 => {
                    let ms = max.as_millis();
                    return Err(format!("it sent nothing for {ms} ms"));
                }
                Err(_) => {}
            }
        }
    }

    /// Handles one message. An error means that the child violated the protocol.
    fn handle_message(self: &Arc<Self>, message: FromChild) -> Result<(), String> {
        match message {
            FromChild::Call { call, n, name, args } => {
                let mut calls = self.lock();
                match calls.known(call)? {
                    Some(open) => open.serve(self, n, name, &args),
                    None => Ok(()),
                }
            }
            FromChild::Import { call, base, specifier } => {
                let handler = {
                    let mut calls = self.lock();
                    let Some(open) = calls.known(call)? else { return Ok(()) };
                    open.modules.clone()
                };
                let handler = handler.ok_or("it requested a module, which it must read itself")?;
                let message = match handler.import(&base, &specifier) {
                    Ok((name, source)) => ToChild::Module { call, name, source },
                    Err(because) => ToChild::NoModule { call, because },
                };
                self.channel.send(&message).map_err(|fault| fault.to_string())
            }
            FromChild::Done { call, end } => {
                let (open, abandoned) = {
                    let mut calls = self.lock();
                    calls.known(call)?;
                    calls.end(call)
                };
                self.call_ended.notify_waiters();
                match open {
                    Some(open) => open.finish(end),
                    None => {
                        let handler = abandoned.as_deref().unwrap_or("unknown");
                        log_late_result(call, handler, end.bytes());
                        Ok(())
                    }
                }
            }
            FromChild::Gone { call } => {
                let mut calls = self.lock();
                match calls.known(call)? {
                    Some(_) => Err(format!("it dropped call {call}, which was not cancelled")),
                    None => {
                        calls.end(call);
                        Ok(())
                    }
                }
            }
            // Receiving it was all that matters.
            FromChild::Beat => Ok(()),
            FromChild::Spent => {
                self.retire("its child had run out of memory or threads");
                Ok(())
            }
            FromChild::Stuck { call, limit } => {
                let open = {
                    let mut calls = self.lock();
                    calls.known(call)?;
                    let open = calls.open.remove(&call);
                    if let Some(open) = &open {
                        calls.abandoned.insert(call, Arc::clone(&open.handler));
                    }
                    open
                };
                // Retire first, so that the caller finds another child.
                self.retire(UNSTOPPABLE);
                match open {
                    Some(open) => open.finish(End::OverLimit(limit)),
                    None => Ok(()),
                }
            }
            FromChild::Hello { .. } | FromChild::Ready { .. } | FromChild::Probed { .. } => {
                Err("it sent an unexpected message".to_owned())
            }
        }
    }

    /// Stops a call whose caller is gone; returns whether it had used services.
    fn abandon(self: &Arc<Self>, call: CallNo) -> bool {
        let open = {
            let mut calls = self.lock();
            let Some(open) = calls.open.remove(&call) else { return false };
            calls.abandoned.insert(call, Arc::clone(&open.handler));
            open
        };
        self.call_ended.notify_waiters();
        if let Err(fault) = self.channel.send(&ToChild::Cancel { call }) {
            self.give_up(&fault.to_string());
        }
        let child = Arc::clone(self);
        self.runtime.spawn(async move {
            tokio::time::sleep(child.child_limits.stop_grace).await;
            if child.lock().abandoned.contains_key(&call) {
                child.retire(UNSTOPPABLE);
            }
        });
        open.used_services
    }

    /// Takes no more calls, because one cannot be stopped or a resource is used up.
    fn retire(self: &Arc<Self>, because: &'static str) {
        let was_live = self.state.send_if_modified(|state| {
            *state == State::Live && {
                *state = State::Retired;
                true
            }
        });
        if was_live {
            tracing::warn!(pid = self.pid(), "a child is retired and replaced");
            let child = Arc::clone(self);
            self.runtime.spawn(async move { child.drain(because).await });
        }
    }

    /// Waits for the remaining calls, then kills the child.
    async fn drain(&self, because: &str) {
        let drained = async {
            loop {
                let ended = self.call_ended.notified();
                if self.lock().open.is_empty() {
                    return;
                }
                ended.await;
            }
        };
        let _ = tokio::time::timeout(self.child_limits.drain_max, drained).await;
        self.give_up(because);
    }

    /// Kills the child and everything it runs.
    pub(crate) fn give_up(&self, because: &str) {
        tracing::warn!(pid = self.pid(), because, "a child is killed");
        // The first reason is the real one.
        let _ = self.kill_reason.set(because.to_owned());
        self.running.kill();
    }

    fn fail_all(&self, because: &str) {
        let open: Vec<_> = self.lock().open.drain().collect();
        for (_, call) in open {
            call.lose(because.to_owned());
        }
    }

    fn lock(&self) -> MutexGuard<'_, CallTable> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Launches a child and completes the handshake.
pub(crate) async fn launch_child(
    config: &ChildConfig,
) -> Result<(Running, Level, Channel), String> {
    let ChildConfig { program, sandbox, role, .. } = config;
    let (program, role) = (program.clone(), role.clone());
    let order = Launch { program, sandbox: sandbox.clone(), role };
    let mut running = launch(order).await.map_err(|fault| fault.to_string())?;
    let channel = running.take_channel().ok_or("the child has no channel")?;
    let channel = Channel::new(channel).map_err(|fault| fault.to_string())?;
    let handshake = tokio::time::timeout(START_MAX, handshake(config, &channel)).await;
    let level = match handshake {
        Ok(Ok(level)) => level,
        Ok(Err(HandshakeFault::Gap(because))) => return Err(because),
        Ok(Err(HandshakeFault::Gone(because))) => {
            return Err(format!("the child {}", exit_reason(&mut running, because).await));
        }
        Err(_) => return Err("the child did not start in time".to_owned()),
    };
    Ok((running, level, channel))
}

/// A handle to an open call. Dropping it stops the call.
pub(crate) struct CallHandle {
    child: Arc<Child>,
    call: CallNo,
    handler: Arc<str>,
    outcome: oneshot::Receiver<CallOutcome>,
    is_over: bool,
}

impl CallHandle {
    pub(crate) async fn outcome(&mut self) -> CallOutcome {
        let outcome = (&mut self.outcome).await;
        self.is_over = true;
        outcome.unwrap_or_else(|_| CallOutcome::Lost {
            because: "its call was dropped".to_owned(),
            used_services: true,
        })
    }

    /// Stops the call; returns whether it had used services.
    pub(crate) fn give_up(mut self) -> bool {
        self.stop()
    }

    fn stop(&mut self) -> bool {
        self.is_over = true;
        let used_services = self.child.abandon(self.call);
        // Its result may have arrived at the last moment.
        self.outcome.close();
        match self.outcome.try_recv() {
            Ok(CallOutcome::Answered { used_services, bytes, .. }) => {
                log_late_result(self.call, &self.handler, bytes);
                used_services
            }
            Ok(CallOutcome::Lost { used_services, .. }) => used_services,
            Err(_) => used_services,
        }
    }
}

impl Drop for CallHandle {
    fn drop(&mut self) {
        if !self.is_over {
            self.stop();
        }
    }
}

#[cfg(test)]
mod tests;
