//! Compiles and links a handler and its imports without running them.
//!
//! Linking resolves every imported name. It is made to fail at the very end, so that the engine
//! never evaluates the modules.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use contract::{CodeFault, CodeFaultKind};
use rquickjs::context::intrinsic;
use rquickjs::module::Declared;
use rquickjs::{CatchResultExt, CaughtError, Context, Ctx, Error, Module, Runtime};

use super::compile::{HEAP_BYTES_MAX, ModuleSource, STACK_BYTES_MAX};
use super::error_location::parse_frame;
use super::module_loader::{ModuleLoader, set_modules};
use super::prelude;

/// The intrinsics for compiling, and promises, because linking creates one per module.
type Compiler = (intrinsic::Eval, intrinsic::RegExpCompiler, intrinsic::RegExp, intrinsic::Promise);

/// Replaces imports that cannot be resolved, so that the others are checked too.
const NOWHERE: &str = "ghosthand:nowhere";
const PROBE: &str = "ghosthand:probe";
/// A name that no module exports.
const NEVER: &str = "ghosthandNeverRuns";
/// How many faults of a handler are reported.
const FAULTS_MAX: usize = 50;

/// The faults of a handler. An error is ours, not the author's.
pub(crate) fn check(
    handler: &str,
    library: Box<dyn ModuleSource>,
) -> Result<Vec<CodeFault>, String> {
    let survey =
        Survey { handler: handler.to_owned(), sources: HashMap::new(), faults: Vec::new() };
    let survey = Arc::new(Mutex::new(survey));
    let library: Arc<Mutex<Box<dyn ModuleSource>>> = Arc::new(Mutex::new(library));
    let reader = Reader(Arc::clone(&survey), Arc::clone(&library));
    let runtime = Runtime::new().map_err(|fault| fault.to_string())?;
    runtime.set_memory_limit(HEAP_BYTES_MAX);
    runtime.set_max_stack_size(STACK_BYTES_MAX);
    set_modules(&runtime, &reader);
    let context = Context::custom::<Compiler>(&runtime).map_err(|fault| fault.to_string())?;
    context.with(|ctx| {
        let found = reader.find("", handler);
        let loaded = found.and_then(|name| reader.declare(&ctx, &name).map(|_| ()));
        if let Err(fault) = loaded.catch(&ctx) {
            lock(&survey).syntax(&fault);
            return;
        }
        if lock(&survey).faults.is_empty() {
            let probe = format!(
                "import {{ execute }} from {handler:?};\nimport {{ {NEVER} }} from {NOWHERE:?};"
            );
            let linked = Module::declare(ctx.clone(), PROBE, probe).and_then(Module::eval);
            if let Err(fault) = linked.catch(&ctx) {
                lock(&survey).unlinked(&fault);
            }
        }
    });
    let mut survey = lock(&survey);
    survey.faults.truncate(FAULTS_MAX);
    Ok(std::mem::take(&mut survey.faults))
}

fn lock<T>(held: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Survey {
    handler: String,
    /// Sources of the author's modules; `None` for ours.
    sources: HashMap<String, Option<String>>,
    faults: Vec<CodeFault>,
}

impl Survey {
    fn add(&mut self, kind: CodeFaultKind, file: &str, message: String, name: &str) {
        let (file, name) = (file.to_owned(), name.to_owned());
        self.faults.push(CodeFault { kind, file, line: 0, column: 0, message, name });
    }

    fn syntax(&mut self, fault: &CaughtError) {
        let (message, stack) = words(fault);
        let mut frames = stack.lines().filter_map(parse_frame);
        let place = frames.find(|(file, ..)| self.sources.get(*file).is_some_and(Option::is_some));
        let handler = self.handler.clone();
        let (file, line, column) = place.unwrap_or((&handler, 0, 0));
        self.add(CodeFaultKind::Syntax, file, message, "");
        if let Some(fault) = self.faults.last_mut() {
            (fault.line, fault.column) = (line, column);
        }
    }

    /// The engine says `Could not find export 'name' in module 'file'`, or another reason.
    fn unlinked(&mut self, fault: &CaughtError) {
        let (message, _) = words(fault);
        let mut quoted = message.split('\'').skip(1).step_by(2);
        let handler = self.handler.clone();
        match (quoted.next(), quoted.next()) {
            (Some(NEVER), _) => {}
            (Some("execute"), Some(file)) if file == handler => {
                self.add(CodeFaultKind::NoExecute, &handler, message.clone(), "execute");
            }
            (Some(name), Some(file)) => {
                self.add(CodeFaultKind::MissingName, file, message.clone(), name);
            }
            _ => self.add(CodeFaultKind::Syntax, &handler, message.clone(), ""),
        }
    }

    /// An import that the parent refused.
    fn refused(&mut self, base: &str, specifier: &str, because: &str) {
        let is_relative = specifier.starts_with("./") || specifier.starts_with("../");
        let kind = match is_relative {
            true => CodeFaultKind::MissingFile,
            false => CodeFaultKind::MissingPackage,
        };
        let because = because.rsplit_once("`, ").map_or(because, |(_, because)| because);
        let message = match because.strip_prefix("which ") {
            Some(because) => format!("it {because}"),
            None => because.strip_prefix("but ").unwrap_or(because).to_owned(),
        };
        self.add(kind, base, message, specifier);
    }
}

fn words(fault: &CaughtError) -> (String, String) {
    match fault {
        CaughtError::Exception(exception) => {
            (exception.message().unwrap_or_default(), exception.stack().unwrap_or_default())
        }
        CaughtError::Error(_) | CaughtError::Value(_) => (fault.to_string(), String::new()),
    }
}

#[derive(Clone)]
struct Reader(Arc<Mutex<Survey>>, Arc<Mutex<Box<dyn ModuleSource>>>);

impl ModuleLoader for Reader {
    fn find(&self, base: &str, specifier: &str) -> Result<String, Error> {
        if base == PROBE {
            return Ok(specifier.to_owned());
        }
        let found = lock(&self.1).import(base, specifier);
        let mut survey = lock(&self.0);
        match found {
            Ok((name, source)) => {
                survey.sources.entry(name.clone()).or_insert(source);
                Ok(name)
            }
            Err(because) if base.is_empty() => {
                Err(Error::new_resolving_message(base, specifier, because))
            }
            Err(because) => {
                survey.refused(base, specifier, &because);
                Ok(NOWHERE.to_owned())
            }
        }
    }

    fn declare<'js>(&self, ctx: &Ctx<'js>, name: &str) -> Result<Module<'js, Declared>, Error> {
        let source = lock(&self.0).sources.get(name).cloned().flatten();
        let source = match (source, name) {
            (Some(source), _) => source,
            (None, NOWHERE) => String::new(),
            (None, name) => {
                prelude::source(name).ok_or_else(|| Error::new_loading(name))?.to_owned()
            }
        };
        // Declaring loads the imports through this same loader, so no lock may be held.
        Module::declare(ctx.clone(), name, source)
    }
}

#[cfg(test)]
mod tests;
