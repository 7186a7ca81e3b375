//! A fresh JavaScript state for one call, run in slices.
//!
//! A slice begins with [`Isolate::begin`] or an event and ends when the call can only wait; in
//! between it occupies no thread. An isolate is used once, so nothing leaks between calls.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rquickjs::context::intrinsic as i;
use rquickjs::module::Declared;
use rquickjs::{Context, Ctx, Error, Function, Module, Object, Runtime};

use crate::protocol::{End, Start};

use super::WorkerLimits;
use super::bridge::{declare, host_object, load_module, memory_limit};
use super::call_state::{CallState, ServiceCall};
use super::compile::Bundle;
use super::deadline::{Deadline, Exceeded};
use super::module_loader::{ModuleLoader, set_modules};
use super::prelude;
use super::web_globals;

/// The whole language except the compiler.
type Language = (
    i::Date,
    i::RegExpCompiler,
    i::RegExp,
    i::Json,
    i::Proxy,
    i::MapSet,
    i::TypedArrays,
    i::Promise,
    i::WeakRef,
);

pub(crate) struct Isolate {
    context: Context,
    call_state: Arc<CallState>,
    loader: Arc<BundleLoader>,
    deadline_slot: Arc<Mutex<Option<Arc<Deadline>>>>,
    heap_bytes_max: usize,
    cpu_ms_max: u64,
}

/// An event for a waiting call.
pub(crate) enum Event {
    Reply { n: u32, value: Box<serde_json::value::RawValue> },
    Refusal { n: u32, code: String, message: String },
    Timers,
    Abort,
}

/// The result of a slice.
pub(crate) struct Slice {
    pub asked: Vec<ServiceCall>,
    pub end: Option<End>,
    pub next_due: Option<Instant>,
}

impl Isolate {
    /// Creates an isolate that is ready for any call.
    pub(crate) fn prepare(limits: &WorkerLimits) -> Result<Self, Error> {
        let runtime = Runtime::new()?;
        runtime.set_memory_limit(limits.heap_bytes_max);
        runtime.set_max_stack_size(limits.stack_bytes_max);
        let call_state = Arc::new(CallState::new(limits));
        let loader = Arc::new(BundleLoader::default());
        let deadline_slot: Arc<Mutex<Option<Arc<Deadline>>>> = Arc::default();
        let watched = (Arc::clone(&deadline_slot), Arc::clone(&call_state));
        runtime.set_interrupt_handler(Some(Box::new(move || {
            let deadline = watched.0.lock().unwrap_or_else(PoisonError::into_inner);
            deadline.as_ref().is_some_and(|deadline| deadline.over().is_some())
                || watched.1.has_ended()
        })));
        set_modules(&runtime, &LoaderHandle(Arc::clone(&loader)));
        let context = Context::custom::<Language>(&runtime)?;
        context.with(|ctx| {
            let boot: Function = load_module(&ctx, prelude::BOOT)?.get("boot")?;
            let handles: Object = boot.call((host_object(&ctx, &call_state, &loader, limits)?,))?;
            ctx.store_userdata(handles)?;
            web_globals::define(&ctx)?;
            Ok::<_, Error>(())
        })?;
        let WorkerLimits { heap_bytes_max, cpu_ms_max, .. } = *limits;
        Ok(Self { context, call_state, loader, deadline_slot, heap_bytes_max, cpu_ms_max })
    }

    /// The first slice: loads the handler and calls `execute`.
    pub(crate) fn begin(
        &mut self,
        start: &Start,
        bundle: Arc<Bundle>,
        deadline: Arc<Deadline>,
    ) -> Slice {
        self.loader.put(bundle);
        *self.deadline_slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(deadline);
        self.slice(|ctx| {
            let args = ctx.json_parse(start.args.get())?;
            let context = ctx.json_parse(start.context.get())?;
            let module = Module::import(ctx, start.handler.as_str())?;
            handle(ctx, "run")?.call((module, args, context))
        })
    }

    /// A later slice.
    pub(crate) fn resume(&mut self, event: Event) -> Slice {
        match event {
            Event::Reply { n, value } => {
                self.call_state.answered();
                self.slice(|ctx| {
                    let value = ctx.json_parse(value.get())?;
                    handle(ctx, "settle")?.call((n, value))
                })
            }
            Event::Refusal { n, code, message } => {
                self.call_state.answered();
                self.slice(|ctx| handle(ctx, "refuse")?.call((n, code, message)))
            }
            Event::Abort => self.slice(|ctx| handle(ctx, "abort")?.call(())),
            Event::Timers => {
                let now = Instant::now();
                let mut asked = Vec::new();
                loop {
                    let due = self.call_state.take_due(now);
                    let mut slice = self.slice(|ctx| match due {
                        Some(n) => handle(ctx, "fire")?.call((n,)),
                        None => Ok(()),
                    });
                    asked.append(&mut slice.asked);
                    if due.is_none() || slice.end.is_some() {
                        return Slice { asked, ..slice };
                    }
                }
            }
        }
    }

    fn slice(&mut self, first: impl for<'js> FnOnce(&Ctx<'js>) -> Result<(), Error>) -> Slice {
        let deadline = self.deadline_slot.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(deadline) = &deadline {
            deadline.enter_slice();
        }
        let is_over = || deadline.as_ref().and_then(|deadline| deadline.over());
        self.context.with(|ctx| {
            if let Err(fault) = first(&ctx) {
                self.note_fault(&ctx, &fault);
            }
            // Checked between jobs too: chains of promises never reach the engine's interrupt
            // check.
            while is_over().is_none() && !self.call_state.has_ended() && ctx.execute_pending_job() {
            }
        });
        let over = is_over();
        if let Some(deadline) = &deadline {
            deadline.leave_slice();
        }
        Slice {
            asked: self.call_state.take_asked(),
            end: self.end(over),
            next_due: self.call_state.next_due(),
        }
    }

    /// Records an exception that did not go through the handler's promise.
    fn note_fault(&self, ctx: &Ctx<'_>, fault: &Error) {
        let thrown = ctx.catch();
        let text = super::to_json::text_of(ctx, &thrown).unwrap_or_default();
        let message = if text.is_empty() || text == "null" { fault.to_string() } else { text };
        self.call_state.finish(match message.contains("out of memory") {
            true => End::OverLimit(memory_limit(self.heap_bytes_max)),
            false => End::NotStarted(message),
        });
    }

    fn end(&self, over: Option<Exceeded>) -> Option<End> {
        if let Some(end) = self.call_state.take_end() {
            // An end that the handler reached itself takes precedence over a limit.
            return Some(end);
        }
        match over {
            Some(Exceeded::Time) => Some(End::TimedOut),
            Some(Exceeded::Cpu) => {
                Some(End::OverLimit(format!("{} ms of CPU time", self.cpu_ms_max)))
            }
            None if self.call_state.is_waiting() => None,
            None if self.is_full() => Some(End::OverLimit(memory_limit(self.heap_bytes_max))),
            None => Some(End::Stalled),
        }
    }

    /// Whether the heap is too full for the engine to report it.
    fn is_full(&self) -> bool {
        let used = self.context.runtime().memory_usage().malloc_size;
        u64::try_from(used).unwrap_or(0) > self.heap_bytes_max as u64 / 10 * 9
    }
}

/// One of the functions returned by `boot.js`.
fn handle<'js>(ctx: &Ctx<'js>, name: &str) -> Result<Function<'js>, Error> {
    handles(ctx)?.get(name)
}

/// The functions returned by `boot.js`; handlers cannot reach them.
pub(crate) fn handles<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>, Error> {
    Ok(ctx.userdata::<Object>().ok_or(Error::Unknown)?.clone())
}

/// Resolves and loads the modules of the call's bundle for the engine.
#[derive(Default)]
pub(crate) struct BundleLoader {
    bundle: Mutex<Option<Arc<Bundle>>>,
    /// How often each import was resolved.
    followed: Mutex<HashMap<(String, String), usize>>,
}

impl BundleLoader {
    fn put(&self, bundle: Arc<Bundle>) {
        *self.bundle.lock().unwrap_or_else(PoisonError::into_inner) = Some(bundle);
    }

    pub(crate) fn bundle(&self) -> Option<Arc<Bundle>> {
        self.bundle.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn follow(&self, base: &str, specifier: &str) -> Option<String> {
        let bundle = self.bundle()?;
        let import = bundle.import(base, specifier)?;
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        let count = followed.entry((base.to_owned(), specifier.to_owned())).or_default();
        *count += 1;
        // The engine resolves an import statement once when it reads the bytecode and once when
        // it links. Any further resolution is a dynamic `import()`.
        (*count <= 2 * import.follows).then(|| import.name.clone())
    }
}

#[derive(Clone)]
struct LoaderHandle(Arc<BundleLoader>);

impl ModuleLoader for LoaderHandle {
    fn find(&self, base: &str, specifier: &str) -> Result<String, Error> {
        self.0.follow(base, specifier).ok_or_else(|| {
            Error::new_resolving_message(
                base,
                specifier,
                "import() is not available; use import at the top",
            )
        })
    }

    fn declare<'js>(&self, ctx: &Ctx<'js>, name: &str) -> Result<Module<'js, Declared>, Error> {
        let bytecode = self.0.bundle().and_then(|bundle| bundle.bytecode(name));
        declare(ctx, &bytecode.ok_or_else(|| Error::new_loading(name))?)
    }
}
