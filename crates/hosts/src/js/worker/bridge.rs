//! The native functions of our own JavaScript; handlers never see them.
//!
//! They record a handler's requests in its [`CallState`] and return at once. The answers arrive
//! in a later slice.

use std::sync::Arc;

use rquickjs::{Ctx, Error, Exception, Function, Module, Object, TypedArray, Value};
use serde_json::value::RawValue;

use crate::protocol::{End, Throw};

use super::call_state::CallState;
use super::error_location::error_location;
use super::isolate::BundleLoader;
use super::prelude;
use super::to_json::{Unfit, text_of, to_json};
use super::{FRAME_BYTES_MAX, WorkerLimits};

/// Leaves room for the frame around the arguments.
const ARGS_BYTES_MAX: usize = FRAME_BYTES_MAX / 2;
/// What `crypto.getRandomValues` fills at once, as on the web.
const RANDOM_BYTES_MAX: usize = 65_536;

/// The `host` object that `boot.js` is called with.
pub(crate) fn host_object<'js>(
    ctx: &Ctx<'js>,
    call_state: &Arc<CallState>,
    loader: &Arc<BundleLoader>,
    limits: &WorkerLimits,
) -> Result<Object<'js>, Error> {
    let host = Object::new(ctx.clone())?;
    let function = Arc::clone(call_state);
    let send = move |ctx: Ctx<'js>, n: u32, name: String, args: Value<'js>| {
        let args = raw_json(&ctx, args, ARGS_BYTES_MAX, "the argument")?;
        function.ask(n, name, args).map_err(|limit| Exception::throw_range(&ctx, &limit))
    };
    host.set("send", Function::new(ctx.clone(), send)?)?;

    let function = Arc::clone(call_state);
    let set_timer = move |ctx: Ctx<'js>, n: u32, delay_ms: f64| {
        function.set_timer(n, delay_ms).map_err(|limit| Exception::throw_range(&ctx, &limit))
    };
    host.set("setTimer", Function::new(ctx.clone(), set_timer)?)?;

    let function = Arc::clone(call_state);
    let clear_timer = move |n: u32| function.clear_timer(n);
    host.set("clearTimer", Function::new(ctx.clone(), clear_timer)?)?;

    let (function, result_bytes_max) = (Arc::clone(call_state), limits.result_bytes_max);
    let finish = move |ctx: Ctx<'js>, value: Value<'js>| {
        function.finish(returned(&ctx, value, result_bytes_max));
    };
    host.set("finish", Function::new(ctx.clone(), finish)?)?;

    let (function, bundle, heap) =
        (Arc::clone(call_state), Arc::clone(loader), limits.heap_bytes_max);
    let fail = move |ctx: Ctx<'js>, thrown: Object<'js>| {
        function.finish(threw(&ctx, &thrown, &bundle, heap));
    };
    host.set("fail", Function::new(ctx.clone(), fail)?)?;

    let function = Arc::clone(call_state);
    let refuse = move |because: String| function.finish(End::NotStarted(because));
    host.set("refuse", Function::new(ctx.clone(), refuse)?)?;

    host.set("random", Function::new(ctx.clone(), random)?)?;
    let load = |ctx: Ctx<'js>, name: String| load_module(&ctx, &name);
    host.set("load", Function::new(ctx.clone(), load)?)?;
    Ok(host)
}

fn returned<'js>(ctx: &Ctx<'js>, value: Value<'js>, bytes_max: usize) -> End {
    let message = match to_json(ctx, value, bytes_max) {
        Ok(Some(json)) => match RawValue::from_string(json) {
            Ok(json) => return End::Returned(json),
            Err(fault) => format!("the result is not JSON: {fault}"),
        },
        Ok(None) => "`execute` returned undefined; return `{ ok: true, data: … }`".to_owned(),
        Err(Unfit::Value { at, what }) => format!("the result{} is {what}", place_in(&at)),
        Err(Unfit::Threw(_)) => {
            let thrown = ctx.catch();
            let message = text_of(ctx, &thrown).unwrap_or_default();
            format!("the result could not be read: {message}")
        }
    };
    End::Threw(Box::new(Throw { message, ..Throw::default() }))
}

fn place_in(pointer: &str) -> String {
    if pointer.is_empty() { String::new() } else { format!(" at {pointer}") }
}

/// Reads an exception that `boot.js` has reduced to plain fields.
fn threw<'js>(
    ctx: &Ctx<'js>,
    thrown: &Object<'js>,
    loader: &BundleLoader,
    heap_bytes_max: usize,
) -> End {
    let text = |name: &str| {
        let value: Value = thrown.get(name).ok()?;
        if value.is_string() { text_of(ctx, &value).ok() } else { None }
    };
    let message = text("message").unwrap_or_default();
    if text("name").as_deref() == Some("InternalError") && message == "out of memory" {
        return End::OverLimit(memory_limit(heap_bytes_max));
    }
    let details = thrown.get("details").ok().and_then(|details| {
        let json = to_json(ctx, details, ARGS_BYTES_MAX).ok()??;
        RawValue::from_string(json).ok()
    });
    let stack = text("stack").unwrap_or_default();
    End::Threw(Box::new(Throw {
        kind: text("kind"),
        message,
        retryable: thrown.get("retryable").unwrap_or(false),
        partial_side_effects: thrown.get("partialSideEffects").unwrap_or(false),
        details,
        place: loader.bundle().and_then(|bundle| error_location(&stack, &bundle)),
    }))
}

pub(crate) fn memory_limit(heap_bytes_max: usize) -> String {
    format!("{} MiB of memory", heap_bytes_max >> 20)
}

/// Serializes the arguments of a service; invalid ones throw a `TypeError` at the author's line.
fn raw_json<'js>(
    ctx: &Ctx<'js>,
    value: Value<'js>,
    bytes_max: usize,
    what: &str,
) -> Result<Box<RawValue>, Error> {
    let json = match to_json(ctx, value, bytes_max) {
        Ok(json) => json.unwrap_or_else(|| "null".to_owned()),
        Err(Unfit::Threw(fault)) => return Err(fault),
        Err(Unfit::Value { at, what: found }) => {
            let message = format!("{what}{} is {found}", place_in(&at));
            return Err(Exception::throw_type(ctx, &message));
        }
    };
    RawValue::from_string(json).map_err(|fault| Exception::throw_type(ctx, &fault.to_string()))
}

fn random(ctx: Ctx<'_>, count: usize) -> Result<TypedArray<'_, u8>, Error> {
    let mut bytes = vec![0; count.min(RANDOM_BYTES_MAX)];
    rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())
        .map_err(|fault| Exception::throw_internal(&ctx, &fault.to_string()))?;
    TypedArray::new(ctx, bytes)
}

/// Loads and runs one of our own modules, which import nothing.
pub(crate) fn load_module<'js>(ctx: &Ctx<'js>, name: &str) -> Result<Object<'js>, Error> {
    let bytecode = prelude::bytecode(name).ok_or_else(|| Error::new_loading(name))?;
    let (module, _) = declare(ctx, &bytecode)?.eval()?;
    module.namespace()
}

/// Makes a module from bytecode.
#[expect(unsafe_code, reason = "the engine offers no other way to load what it has compiled")]
pub(crate) fn declare<'js>(
    ctx: &Ctx<'js>,
    bytecode: &[u8],
) -> Result<Module<'js, rquickjs::module::Declared>, Error> {
    // SAFETY: the bytes must be valid bytecode of this very engine. They come from
    // `Module::write` in `compile`, in this process, and never from elsewhere.
    unsafe { Module::load(ctx.clone(), bytecode) }
}
