//! Compiles a handler and its imports to bytecode, once per child.
//!
//! The isolates that run handlers have no compiler, so `eval`, `Function` and dynamic imports do
//! not work there. The bytecode never leaves the process that made it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rquickjs::context::intrinsic;
use rquickjs::module::{Declared, WriteOptions};
use rquickjs::{CatchResultExt, CaughtError, Context, Ctx, Error, Module, Runtime};

use super::module_loader::{ModuleLoader, set_modules};
use super::prelude;

/// More than any handler needs; the parent limits the size of each source.
pub(crate) const HEAP_BYTES_MAX: usize = 256 << 20;
pub(crate) const STACK_BYTES_MAX: usize = 512 << 10;

/// The intrinsics for compiling; nothing is run.
type Compiler = (intrinsic::Eval, intrinsic::RegExpCompiler, intrinsic::RegExp);

/// A compiled handler with its imports, ready to load into an isolate.
#[derive(Default)]
pub(crate) struct Bundle {
    modules: HashMap<String, Compiled>,
    /// Resolved import statements: (module, specifier) to module.
    imports: HashMap<(String, String), Import>,
}

pub(crate) struct Import {
    pub name: String,
    /// How often the engine resolved it while compiling.
    pub follows: usize,
}

struct Compiled {
    bytecode: Arc<[u8]>,
    /// `None` for our own modules, which mean nothing to an author.
    source: Option<String>,
}

impl Bundle {
    pub(crate) fn bytecode(&self, name: &str) -> Option<Arc<[u8]>> {
        self.modules.get(name).map(|module| Arc::clone(&module.bytecode))
    }

    pub(crate) fn import(&self, base: &str, specifier: &str) -> Option<&Import> {
        self.imports.get(&(base.to_owned(), specifier.to_owned()))
    }

    pub(crate) fn source(&self, name: &str) -> Option<&str> {
        self.modules.get(name)?.source.as_deref()
    }
}

/// Where modules come from: the parent, which has file access.
pub(crate) trait ModuleSource: Send {
    /// The name of the module, and its source unless it is ours.
    fn import(&self, base: &str, specifier: &str) -> Result<(String, Option<String>), String>;
}

/// Compiles a handler. The error is for the author.
pub(crate) fn compile(handler: &str, library: Box<dyn ModuleSource>) -> Result<Bundle, String> {
    let draft = Arc::new(Mutex::new(Draft { bundle: Bundle::default(), refusal: None, library }));
    let compiled = compile_into(handler, &draft);
    let mut draft = draft.lock().unwrap_or_else(PoisonError::into_inner);
    match (draft.refusal.take(), compiled) {
        (Some(refusal), _) => Err(refusal),
        (None, Err(fault)) => Err(fault),
        (None, Ok(())) => Ok(std::mem::take(&mut draft.bundle)),
    }
}

/// Compiles one of our own modules, which import nothing.
pub(crate) fn compile_own(name: &str, source: &str) -> Result<Arc<[u8]>, String> {
    let runtime = Runtime::new().map_err(|fault| fault.to_string())?;
    let context = Context::custom::<Compiler>(&runtime).map_err(|fault| fault.to_string())?;
    context.with(|ctx| {
        let module = Module::declare(ctx.clone(), name, source).catch(&ctx);
        let module = module.map_err(|fault| fault.to_string())?;
        let bytes = module
            .write(WriteOptions {
                strip_source: true,
                strip_debug: true,
                ..WriteOptions::default()
            })
            .map_err(|fault| fault.to_string())?;
        Ok(bytes.into())
    })
}

struct Draft {
    bundle: Bundle,
    /// Why the parent refused an import.
    refusal: Option<String>,
    library: Box<dyn ModuleSource>,
}

fn compile_into(handler: &str, draft: &Arc<Mutex<Draft>>) -> Result<(), String> {
    let runtime = Runtime::new().map_err(|fault| fault.to_string())?;
    runtime.set_memory_limit(HEAP_BYTES_MAX);
    runtime.set_max_stack_size(STACK_BYTES_MAX);
    let reader = Reader(Arc::clone(draft));
    set_modules(&runtime, &reader);
    let context = Context::custom::<Compiler>(&runtime).map_err(|fault| fault.to_string())?;
    context.with(|ctx| {
        let found = reader.find("", handler);
        let loaded = found.and_then(|name| reader.declare(&ctx, &name).map(|_| ()));
        loaded.catch(&ctx).map_err(|fault| describe(&fault, draft))
    })
}

/// A syntax error with its location and source line.
fn describe(fault: &CaughtError, draft: &Mutex<Draft>) -> String {
    let CaughtError::Exception(exception) = fault else { return fault.to_string() };
    let message = exception.message().unwrap_or_default();
    let stack = exception.stack().unwrap_or_default();
    let draft = draft.lock().unwrap_or_else(PoisonError::into_inner);
    match super::error_location::error_location(&stack, &draft.bundle) {
        Some(place) => format!("{message}, at {place}"),
        None => message,
    }
}

#[derive(Clone)]
struct Reader(Arc<Mutex<Draft>>);

impl ModuleLoader for Reader {
    fn find(&self, base: &str, specifier: &str) -> Result<String, Error> {
        let mut draft = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match draft.library.import(base, specifier) {
            Ok((name, source)) => {
                let edge = (base.to_owned(), specifier.to_owned());
                let import = || Import { name: name.clone(), follows: 0 };
                draft.bundle.imports.entry(edge).or_insert_with(import).follows += 1;
                // `load` adds the bytecode; a known module keeps what it has.
                let empty = || Compiled { bytecode: Arc::from([]), source };
                draft.bundle.modules.entry(name.clone()).or_insert_with(empty);
                Ok(name)
            }
            Err(because) => {
                draft.refusal.get_or_insert(because.clone());
                Err(Error::new_resolving_message(base, specifier, because))
            }
        }
    }

    fn declare<'js>(&self, ctx: &Ctx<'js>, name: &str) -> Result<Module<'js, Declared>, Error> {
        let source = {
            let draft = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            draft.bundle.source(name).map(str::to_owned)
        };
        let source = source.or_else(|| prelude::source(name).map(str::to_owned));
        let source = source.ok_or_else(|| Error::new_loading(name))?;
        // Declaring loads the imports through this same loader, so no lock may be held.
        let module = Module::declare(ctx.clone(), name, source)?;
        let bytecode = module.write(WriteOptions::default())?;
        let mut draft = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(compiled) = draft.bundle.modules.get_mut(name) {
            compiled.bytecode = bytecode.into();
        }
        Ok(module)
    }
}
