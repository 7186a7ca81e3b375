//! The names of the web that handlers find: each is there, and costs nothing until touched.
//!
//! A name is defined as an accessor. The first touch loads the module behind it and puts the
//! real values in place of all its names.

use rquickjs::object::{Accessor, Property};
use rquickjs::{Ctx, Error, Function, Object, Value};

use super::bridge::load_module;
use super::isolate::handles;

/// Which module of ours makes which names.
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
    // Those that need the host are made with it; the others are there already.
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
