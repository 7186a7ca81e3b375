//! One child as the parent sees it: its open calls, and what to do when it misbehaves.
//!
//! Must hold: every call that was opened here gets exactly one [`Ending`], unless it was
//! given up. A child that sends garbage, goes silent or dies takes its calls with it, and
//! nothing that it says later is delivered: a late result is told to the log and dropped.

mod call;
mod calls;
mod greet;
mod outlet;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{Notify, oneshot, watch};

use crate::meter::Flood;
use crate::sandbox::{Fence, Level, Sandbox};
use crate::spawn::{Launch, Role, Running, launch};
use crate::wire::{CallNo, End, FromChild, Start, ToChild};

pub(crate) use call::{Ending, Request};

use call::{OpenCall, quarantine};
use calls::Calls;
pub(crate) use calls::Numbers;
use greet::{Unfit, boot, greet, last_words};
pub(crate) use outlet::Outlet;
use outlet::{Inlet, SendFault};

/// How long a child may take to raise its fence and say hello.
const START_MAX: Duration = Duration::from_secs(10);
/// Why calls are lost that did nothing wrong.
const UNSTOPPABLE: &str = "a call beside it could not be stopped";
/// How long the system may take to say how a child died.
const LAST_WORDS_MAX: Duration = Duration::from_millis(200);

/// How a child is started and what is expected of it; the same for every child of a host.
pub(crate) struct Charter {
    /// Our own program.
    pub program: PathBuf,
    pub fence: Fence,
    pub role: Role,
    pub sandbox: Sandbox,
    /// What a program of others is told after its hello; it must answer that it is ready.
    pub boot: Option<ToChild>,
}

/// What is expected of a child, however it was started.
#[derive(Debug, Clone)]
pub(crate) struct Manners {
    pub flood: Flood,
    pub stop_grace: Duration,
    pub drain_max: Duration,
    /// While it has calls, a child that says nothing for so long is stuck. None: it may be
    /// silent.
    pub silence_max: Option<Duration>,
    pub numbers: Numbers,
}

pub(crate) struct Child {
    running: Running,
    level: Level,
    outlet: Outlet,
    calls: Mutex<Calls>,
    state: watch::Sender<State>,
    call_ended: Notify,
    manners: Manners,
    /// Why we gave it up, if we did.
    verdict: OnceLock<String>,
    runtime: Handle,
}

/// It only goes down this list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(crate) enum State {
    Live,
    /// It gets no more calls; it ends when those it has are done, or soon after.
    Retired,
    Dead,
}

impl Child {
    /// Starts a child and waits for its hello.
    pub(crate) async fn start(charter: &Charter, manners: Manners) -> Result<Arc<Self>, String> {
        let (running, level, outlet) = introduced(charter).await?;
        Ok(Self::over(running, level, outlet, manners))
    }

    /// A process that was forked for us; it is told what to run and must get ready.
    pub(crate) async fn adopt(
        mut running: Running,
        level: Level,
        order: &ToChild,
        manners: Manners,
    ) -> Result<Arc<Self>, String> {
        let channel = running.take_channel().ok_or("the child has no channel")?;
        let outlet = Outlet::new(channel).map_err(|fault| fault.to_string())?;
        match tokio::time::timeout(START_MAX, boot(&outlet, order)).await {
            Ok(Ok(())) => Ok(Self::over(running, level, outlet, manners)),
            Ok(Err(Unfit::Gap(because))) => Err(because),
            Ok(Err(Unfit::Gone(because))) => {
                Err(format!("the child {}", last_words(&mut running, because).await))
            }
            Err(_) => Err("the child did not start in time".to_owned()),
        }
    }

    /// A child that has said hello, behind this channel.
    fn over(mut running: Running, level: Level, outlet: Outlet, manners: Manners) -> Arc<Self> {
        let exit = running.take_exit();
        let child = Arc::new(Self {
            running,
            level,
            outlet,
            calls: Mutex::default(),
            state: watch::Sender::new(State::Live),
            call_ended: Notify::new(),
            manners,
            verdict: OnceLock::new(),
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

    /// How many calls it has, those included that will not go away.
    pub(crate) fn load(&self) -> usize {
        let calls = self.lock();
        calls.open.len() + calls.ghosts.len()
    }

    /// Comes back when it takes no more calls.
    pub(crate) async fn retired(&self) {
        let mut state = self.state.subscribe();
        let _ = state.wait_for(|state| *state >= State::Retired).await;
    }

    pub(crate) fn is_live(&self) -> bool {
        *self.state.borrow() == State::Live
    }

    /// Comes back when it is dead.
    pub(crate) async fn ended(&self) {
        let mut state = self.state.subscribe();
        let _ = state.wait_for(|state| *state == State::Dead).await;
    }

    pub(crate) fn kill(&self) {
        self.running.kill();
    }

    /// Starts a call.
    pub(crate) fn open(self: &Arc<Self>, request: Request) -> Result<Ticket, String> {
        let (end, ending) = oneshot::channel();
        let call = {
            let mut calls = self.lock();
            let call = calls.next(self.manners.numbers)?;
            let flood = self.manners.flood.clone();
            calls.open.insert(call, OpenCall::new(call, &request, flood, end));
            call
        };
        let handler = Arc::from(request.handler.as_str());
        let ticket = Ticket { child: Arc::clone(self), call, handler, ending, is_over: false };
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
            self.lose_all("it was gone already");
        } else if let Err(fault) = self.outlet.send(&start) {
            match &fault {
                SendFault::Frame(fault) => {
                    self.lock().open.remove(&call);
                    return Err(format!("its arguments are too large: {fault}"));
                }
                SendFault::Stuck | SendFault::Broken(_) => self.give_up(&fault.to_string()),
            }
        }
        Ok(ticket)
    }

    /// Answers a service call, if anybody still waits for it.
    pub(crate) fn reply(&self, call: CallNo, n: u32, message: &ToChild) {
        {
            let mut calls = self.lock();
            let Some(open) = calls.open.get_mut(&call) else { return };
            if n == 0 {
                return;
            }
            open.answered();
        }
        match self.outlet.send(message) {
            Ok(()) => {}
            Err(SendFault::Frame(fault)) => {
                let (code, message) = ("TOO_LARGE".to_owned(), fault.to_string());
                let refusal = ToChild::Refusal { call, n, code, message };
                if let Err(fault) = self.outlet.send(&refusal) {
                    self.give_up(&fault.to_string());
                }
            }
            Err(fault) => self.give_up(&fault.to_string()),
        }
    }

    /// Reads until the end, whatever it is.
    async fn serve(self: Arc<Self>, exit: Option<oneshot::Receiver<crate::spawn::Exit>>) {
        let mut inlet = self.outlet.inlet();
        let because = tokio::select! {
            because = Self::listen(&self, &mut inlet) => because,
            flushed = self.outlet.flush() => format!("its channel broke: {flushed:?}"),
        };
        self.running.kill();
        let exit = match exit {
            Some(exit) => tokio::time::timeout(LAST_WORDS_MAX, exit).await.ok(),
            None => None,
        };
        let because = match exit {
            Some(Ok(exit)) => format!("{because}; it {exit}"),
            _ => because,
        };
        let because = self.verdict.get().cloned().unwrap_or(because);
        tracing::debug!(pid = self.pid(), %because, "a child is gone");
        self.state.send_if_modified(|state| std::mem::replace(state, State::Dead) != State::Dead);
        self.lose_all(&because);
    }

    async fn listen(child: &Arc<Self>, inlet: &mut Inlet<'_>) -> String {
        loop {
            let heard = match child.heard(inlet).await {
                Ok(message) => child.take(message),
                Err(because) => Err(because),
            };
            if let Err(because) = heard {
                return because;
            }
        }
    }

    /// The next message. A child that must show signs of life is given up without one.
    async fn heard(&self, inlet: &mut Inlet<'_>) -> Result<FromChild, String> {
        let Some(max) = self.manners.silence_max else { return inlet.next().await };
        loop {
            let was_busy = self.load() > 0;
            match tokio::time::timeout(max, inlet.next()).await {
                Ok(message) => return message,
                Err(_) if was_busy && self.load() > 0 => {
                    let ms = max.as_millis();
                    return Err(format!("it gave no sign of life for {ms} ms"));
                }
                Err(_) => {}
            }
        }
    }

    /// Takes one message. The error means that the child does not keep to the rules.
    fn take(self: &Arc<Self>, message: FromChild) -> Result<(), String> {
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
                let handler = handler.ok_or("it asked for a module, which it reads itself")?;
                let message = match handler.import(&base, &specifier) {
                    Ok((name, source)) => ToChild::Module { call, name, source },
                    Err(because) => ToChild::NoModule { call, because },
                };
                self.outlet.send(&message).map_err(|fault| fault.to_string())
            }
            FromChild::Done { call, end } => {
                let (open, ghost) = {
                    let mut calls = self.lock();
                    calls.known(call)?;
                    calls.end(call)
                };
                self.call_ended.notify_waiters();
                match open {
                    Some(open) => open.finish(end),
                    None => {
                        let handler = ghost.as_deref().unwrap_or("unknown");
                        quarantine(call, handler, end.bytes());
                        Ok(())
                    }
                }
            }
            FromChild::Gone { call } => {
                let mut calls = self.lock();
                match calls.known(call)? {
                    Some(_) => Err(format!("it took call {call} away, which was not given up")),
                    None => {
                        calls.end(call);
                        Ok(())
                    }
                }
            }
            // Hearing it was all there is to it.
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
                        calls.ghosts.insert(call, Arc::clone(&open.handler));
                    }
                    open
                };
                // Whoever hears of its end finds another child.
                self.retire(UNSTOPPABLE);
                match open {
                    Some(open) => open.finish(End::OverLimit(limit)),
                    None => Ok(()),
                }
            }
            FromChild::Hello { .. } | FromChild::Ready { .. } | FromChild::Probed { .. } => {
                Err("it said something out of turn".to_owned())
            }
        }
    }

    /// Stops a call that nobody waits for any more; says whether it had called out.
    fn abandon(self: &Arc<Self>, call: CallNo) -> bool {
        let open = {
            let mut calls = self.lock();
            let Some(open) = calls.open.remove(&call) else { return false };
            calls.ghosts.insert(call, Arc::clone(&open.handler));
            open
        };
        self.call_ended.notify_waiters();
        if let Err(fault) = self.outlet.send(&ToChild::Cancel { call }) {
            self.give_up(&fault.to_string());
        }
        let child = Arc::clone(self);
        self.runtime.spawn(async move {
            tokio::time::sleep(child.manners.stop_grace).await;
            if child.lock().ghosts.contains_key(&call) {
                child.retire(UNSTOPPABLE);
            }
        });
        open.called_out
    }

    /// A call in it cannot be stopped, or it is used up: it takes no more of them.
    fn retire(self: &Arc<Self>, because: &'static str) {
        let was_live = self.state.send_if_modified(|state| {
            *state == State::Live && {
                *state = State::Retired;
                true
            }
        });
        if was_live {
            tracing::warn!(pid = self.pid(), "a child takes no more calls and is replaced");
            let child = Arc::clone(self);
            self.runtime.spawn(async move { child.drain(because).await });
        }
    }

    /// The calls it has may end, then the child does.
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
        let _ = tokio::time::timeout(self.manners.drain_max, drained).await;
        self.give_up(because);
    }

    /// Ends it and all it runs.
    pub(crate) fn give_up(&self, because: &str) {
        tracing::warn!(pid = self.pid(), because, "a child is killed");
        // The first reason is the real one.
        let _ = self.verdict.set(because.to_owned());
        self.running.kill();
    }

    fn lose_all(&self, because: &str) {
        let open: Vec<_> = self.lock().open.drain().collect();
        for (_, call) in open {
            call.lose(because.to_owned());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Starts a child, and takes note of its first words.
pub(crate) async fn introduced(charter: &Charter) -> Result<(Running, Level, Outlet), String> {
    let Charter { program, fence, role, .. } = charter;
    let (program, role) = (program.clone(), role.clone());
    let order = Launch { program, fence: fence.clone(), role };
    let mut running = launch(order).await.map_err(|fault| fault.to_string())?;
    let channel = running.take_channel().ok_or("the child has no channel")?;
    let outlet = Outlet::new(channel).map_err(|fault| fault.to_string())?;
    let greeting = tokio::time::timeout(START_MAX, greet(charter, &outlet)).await;
    let level = match greeting {
        Ok(Ok(level)) => level,
        Ok(Err(Unfit::Gap(because))) => return Err(because),
        Ok(Err(Unfit::Gone(because))) => {
            return Err(format!("the child {}", last_words(&mut running, because).await));
        }
        Err(_) => return Err("the child did not start in time".to_owned()),
    };
    Ok((running, level, outlet))
}

/// The right to the end of a call. Dropped, it stops the call.
pub(crate) struct Ticket {
    child: Arc<Child>,
    call: CallNo,
    handler: Arc<str>,
    ending: oneshot::Receiver<Ending>,
    is_over: bool,
}

impl Ticket {
    pub(crate) async fn ending(&mut self) -> Ending {
        let ending = (&mut self.ending).await;
        self.is_over = true;
        ending.unwrap_or_else(|_| Ending::Lost {
            because: "its call was dropped".to_owned(),
            called_out: true,
        })
    }

    /// Stops the call; says whether it had called out.
    pub(crate) fn give_up(mut self) -> bool {
        self.stop()
    }

    fn stop(&mut self) -> bool {
        self.is_over = true;
        let called_out = self.child.abandon(self.call);
        // Its end may have come at the very last moment.
        self.ending.close();
        match self.ending.try_recv() {
            Ok(Ending::Answered { called_out, bytes, .. }) => {
                quarantine(self.call, &self.handler, bytes);
                called_out
            }
            Ok(Ending::Lost { called_out, .. }) => called_out,
            Err(_) => called_out,
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.is_over {
            self.stop();
        }
    }
}

#[cfg(test)]
mod tests;
