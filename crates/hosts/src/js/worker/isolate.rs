//! One fresh JavaScript state for one call, run in slices: from an event to the next wait.
//!
//! A slice begins with [`Isolate::begin`], an answer, a timer or the wish to stop, and ends
//! when nothing is left to do but wait. In between no thread is held. A state is used once
//! and thrown away, so nothing leaks from call to call.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rquickjs::context::intrinsic as i;
use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::{Context, Ctx, Error, Function, Module, Object, Runtime};

use crate::wire::{End, Start};

use super::bridge::{declare, host_object, load_module, memory_limit};
use super::compile::Bundle;
use super::desk::{Asked, Desk};
use super::watch::{Over, Watch};
use super::{WorkerLimits, names, prelude};

/// Everything of the language but the compiler.
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
    desk: Arc<Desk>,
    shelf: Arc<Shelf>,
    seat: Arc<Mutex<Option<Arc<Watch>>>>,
    heap_bytes_max: usize,
    cpu_ms_max: u64,
}

/// What arrived for a call that waits.
pub(crate) enum Event {
    Reply { n: u32, value: Box<serde_json::value::RawValue> },
    Refusal { n: u32, code: String, message: String },
    Timers,
    Abort,
}

/// What a slice left behind.
pub(crate) struct Slice {
    pub asked: Vec<Asked>,
    pub end: Option<End>,
    pub next_due: Option<Instant>,
}

impl Isolate {
    /// Makes a state that is ready for any call.
    pub(crate) fn prepare(limits: &WorkerLimits) -> Result<Self, Error> {
        let runtime = Runtime::new()?;
        runtime.set_memory_limit(limits.heap_bytes_max);
        runtime.set_max_stack_size(limits.stack_bytes_max);
        let desk = Arc::new(Desk::new(limits));
        let shelf = Arc::new(Shelf::default());
        let seat: Arc<Mutex<Option<Arc<Watch>>>> = Arc::default();
        let watched = (Arc::clone(&seat), Arc::clone(&desk));
        runtime.set_interrupt_handler(Some(Box::new(move || {
            let watch = watched.0.lock().unwrap_or_else(PoisonError::into_inner);
            watch.as_ref().is_some_and(|watch| watch.over().is_some()) || watched.1.has_ended()
        })));
        runtime.set_loader(Shelved(Arc::clone(&shelf)), Shelved(Arc::clone(&shelf)));
        let context = Context::custom::<Language>(&runtime)?;
        context.with(|ctx| {
            let boot: Function = load_module(&ctx, prelude::BOOT)?.get("boot")?;
            let handles: Object = boot.call((host_object(&ctx, &desk, &shelf, limits)?,))?;
            ctx.store_userdata(handles)?;
            names::define(&ctx)?;
            Ok::<_, Error>(())
        })?;
        let WorkerLimits { heap_bytes_max, cpu_ms_max, .. } = *limits;
        Ok(Self { context, desk, shelf, seat, heap_bytes_max, cpu_ms_max })
    }

    /// The first slice: loads the handler and calls `execute`.
    pub(crate) fn begin(&mut self, start: &Start, bundle: Arc<Bundle>, watch: Arc<Watch>) -> Slice {
        self.shelf.put(bundle);
        *self.seat.lock().unwrap_or_else(PoisonError::into_inner) = Some(watch);
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
                self.desk.answered();
                self.slice(|ctx| {
                    let value = ctx.json_parse(value.get())?;
                    handle(ctx, "settle")?.call((n, value))
                })
            }
            Event::Refusal { n, code, message } => {
                self.desk.answered();
                self.slice(|ctx| handle(ctx, "refuse")?.call((n, code, message)))
            }
            Event::Abort => self.slice(|ctx| handle(ctx, "abort")?.call(())),
            Event::Timers => {
                let now = Instant::now();
                let mut asked = Vec::new();
                loop {
                    let due = self.desk.take_due(now);
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
        let watch = self.seat.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(watch) = &watch {
            watch.enter_slice();
        }
        let is_over = || watch.as_ref().and_then(|watch| watch.over());
        self.context.with(|ctx| {
            if let Err(fault) = first(&ctx) {
                self.note_fault(&ctx, &fault);
            }
            // Between jobs as well as inside them: promises that breed promises never pass
            // the engine's own check.
            while is_over().is_none() && !self.desk.has_ended() && ctx.execute_pending_job() {}
        });
        let over = is_over();
        if let Some(watch) = &watch {
            watch.leave_slice();
        }
        Slice { asked: self.desk.take_asked(), end: self.end(over), next_due: self.desk.next_due() }
    }

    /// An exception that came back to us and not to the handler's own promise.
    fn note_fault(&self, ctx: &Ctx<'_>, fault: &Error) {
        let thrown = ctx.catch();
        let text = super::to_json::text_of(ctx, &thrown).unwrap_or_default();
        let message = if text.is_empty() || text == "null" { fault.to_string() } else { text };
        self.desk.finish(match message.contains("out of memory") {
            true => End::OverLimit(memory_limit(self.heap_bytes_max)),
            false => End::NotStarted(message),
        });
    }

    fn end(&self, over: Option<Over>) -> Option<End> {
        if let Some(end) = self.desk.take_end() {
            // An exception that the interruption itself has caused is not the handler's.
            return Some(end);
        }
        match over {
            Some(Over::Time) => Some(End::TimedOut),
            Some(Over::Cpu) => Some(End::OverLimit(format!("{} ms of CPU time", self.cpu_ms_max))),
            None if self.desk.is_waiting() => None,
            None if self.is_full() => Some(End::OverLimit(memory_limit(self.heap_bytes_max))),
            None => Some(End::Stalled),
        }
    }

    /// Whether the heap is so full that the engine could not even report it.
    fn is_full(&self) -> bool {
        let used = self.context.runtime().memory_usage().malloc_size;
        u64::try_from(used).unwrap_or(0) > self.heap_bytes_max as u64 / 10 * 9
    }
}

/// One of the functions that `boot.js` gave us.
fn handle<'js>(ctx: &Ctx<'js>, name: &str) -> Result<Function<'js>, Error> {
    handles(ctx)?.get(name)
}

/// What `boot.js` gave us; out of reach for handlers.
pub(crate) fn handles<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>, Error> {
    Ok(ctx.userdata::<Object>().ok_or(Error::Unknown)?.clone())
}

/// The bundle of the call, for the engine's loader.
#[derive(Default)]
pub(crate) struct Shelf {
    bundle: Mutex<Option<Arc<Bundle>>>,
    /// How often import statements were followed.
    followed: Mutex<HashMap<(String, String), usize>>,
}

impl Shelf {
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
        // Bytecode is followed when it is read and again when it is linked. Once more, and it
        // is no statement but an `import()`.
        (*count <= 2 * import.follows).then(|| import.name.clone())
    }
}

struct Shelved(Arc<Shelf>);

impl Resolver for Shelved {
    fn resolve<'js>(
        &mut self,
        _: &Ctx<'js>,
        base: &str,
        specifier: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> Result<String, Error> {
        self.0.follow(base, specifier).ok_or_else(|| {
            Error::new_resolving_message(
                base,
                specifier,
                "import() is not available; use import at the top",
            )
        })
    }
}

impl Loader for Shelved {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> Result<Module<'js, Declared>, Error> {
        let bytecode = self.0.bundle().and_then(|bundle| bundle.bytecode(name));
        declare(ctx, &bytecode.ok_or_else(|| Error::new_loading(name))?)
    }
}
