//! Web APIs as lazy globals: they cost nothing until a handler touches them.
//!
//! A name is defined as an accessor. The first access loads its module and defines all names of
//! that module.

use rquickjs::object::{Accessor, Property};
use rquickjs::{Ctx, Error, Function, Object, Value};

use super::bridge::load_module;
use super::isolate::handles;

/// Our modules and the names that they define.
const NAMES: [(&str, &[&str]); 9] = [
    ("ghosthand:abort", &["AbortController", "AbortSignal", "Event", "EventTarget"]),
    ("ghosthand:base64", &["atob", "btoa"]),
    ("ghosthand:clone", &["structuredClone"]),
    ("ghosthand:console", &["console"]),
    ("ghosthand:crypto", &["crypto"]),
    ("ghosthand:encoding", &["TextEncoder", "TextDecoder"]),
    ("ghosthand:fetch", &["Headers", "Response"]),
    (
        "ghosthand:timers",
        &["setTimeout", "setInterval", "clearTimeout", "clearInterval", "queueMicrotask"],
    ),
    ("ghosthand:url", &["URL", "URLSearchParams"]),
];

pub(crate) fn define<'js>(ctx: &Ctx<'js>) -> Result<(), Error> {
    let globals = ctx.globals();
    for (module, names) in NAMES {
        for name in names {
            let get = move |ctx: Ctx<'js>| reveal(&ctx, module, names, name);
            let set = move |value: Value<'js>| put(&value.ctx().globals(), name, value.clone());
            globals.prop(*name, Accessor::new(get, set).configurable())?;
        }
    }
    Ok(())
}

fn reveal<'js>(
    ctx: &Ctx<'js>,
    module: &str,
    names: &[&str],
    wanted: &str,
) -> Result<Value<'js>, Error> {
    let exports = load_module(ctx, module)?;
    // Modules that need the host export `make`.
    let made = match exports.get::<_, Option<Function>>("make")? {
        Some(make) => make.call((handles(ctx)?,))?,
        None => exports,
    };
    for name in names {
        put(&ctx.globals(), name, made.get(*name)?)?;
    }
    made.get(wanted)
}

fn put<'js>(globals: &Object<'js>, name: &str, value: Value<'js>) -> Result<(), Error> {
    globals.prop(name, Property::from(value).writable().configurable())
}
