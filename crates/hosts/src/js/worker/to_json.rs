//! Serializes a JavaScript value as JSON, or says where and why it cannot be.
//!
//! `JSON.stringify` drops functions, turns `NaN` into null and has no limit. This serializer
//! refuses what would be lost silently, with its location, and checks the size while writing, so
//! a huge value costs no more than the limit. Like `JSON.stringify`, it omits `undefined`
//! properties and calls `toJSON`, which makes dates work.

use std::fmt::Write;

use rquickjs::atom::PredefinedAtom;
use rquickjs::function::This;
use rquickjs::object::Filter;
use rquickjs::{Array, Atom, Ctx, Error, Function, Object, Type, Value};

use super::JSON_DEPTH_MAX;

const PLACE_CHARACTERS_MAX: usize = 100;

/// Why a value is not JSON.
#[derive(Debug)]
pub(crate) enum Unfit {
    /// For the author: what it is, where, and what to do.
    Value { at: String, what: String },
    /// The engine threw; the exception is pending.
    Threw(Error),
}

impl From<Error> for Unfit {
    fn from(fault: Error) -> Self {
        Unfit::Threw(fault)
    }
}

/// Writes `value`; `None` if it is `undefined` as a whole.
pub(crate) fn to_json<'js>(
    ctx: &Ctx<'js>,
    value: Value<'js>,
    bytes_max: usize,
) -> Result<Option<String>, Unfit> {
    let mut writer =
        Writer { ctx, out: String::new(), at: Vec::new(), open: Vec::new(), bytes_max };
    let value = writer.stand_in(value, "")?;
    if value.is_undefined() {
        return Ok(None);
    }
    writer.write(&value)?;
    Ok(Some(writer.out))
}

struct Writer<'a, 'js> {
    ctx: &'a Ctx<'js>,
    out: String,
    /// The path to the current value.
    at: Vec<String>,
    /// The objects on that path, to detect cycles.
    open: Vec<Object<'js>>,
    bytes_max: usize,
}

impl<'js> Writer<'_, 'js> {
    fn write(&mut self, value: &Value<'js>) -> Result<(), Unfit> {
        match value.type_of() {
            Type::Null => self.out.push_str("null"),
            Type::Bool => {
                self.out.push_str(if value.as_bool() == Some(true) { "true" } else { "false" })
            }
            Type::Int | Type::Float => self.write_number(value.as_number().unwrap_or(f64::NAN))?,
            Type::String => {
                let text = text_of(self.ctx, value)?;
                self.write_text(&text)?;
            }
            Type::Array => match value.as_array() {
                Some(array) => self.write_array(array)?,
                None => return Err(self.unfit("an unknown value")),
            },
            Type::Object | Type::Proxy => match value.as_object() {
                Some(object) => self.write_object(object)?,
                None => return Err(self.unfit("an unknown value")),
            },
            Type::Undefined | Type::Uninitialized => {
                return Err(self.unfit("undefined; write null, or leave it out"));
            }
            Type::Function | Type::Constructor => return Err(self.unfit("a function")),
            Type::Symbol => return Err(self.unfit("a symbol")),
            Type::BigInt => return Err(self.unfit("a BigInt; use String(value) or Number(value)")),
            Type::Promise => return Err(self.unfit("a promise; await it")),
            Type::Exception => return Err(self.unfit("an Error; write its message")),
            Type::Module | Type::Unknown => return Err(self.unfit("an unknown value")),
        }
        if self.out.len() > self.bytes_max {
            return Err(self.unfit(&format!("beyond the limit of {} bytes", self.bytes_max)));
        }
        Ok(())
    }

    fn write_number(&mut self, number: f64) -> Result<(), Unfit> {
        if !number.is_finite() {
            return Err(self.unfit(&format!("{number}, which JSON cannot represent")));
        }
        // Integers have no decimal point, as in JavaScript.
        const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
        if number.fract() == 0.0 && number.abs() <= EXACT_MAX {
            let _ = write!(self.out, "{}", number as i64);
        } else {
            let _ = write!(self.out, "{}", serde_json::Value::from(number));
        }
        Ok(())
    }

    fn write_text(&mut self, text: &str) -> Result<(), Unfit> {
        match serde_json::to_string(text) {
            Ok(json) => self.out.push_str(&json),
            Err(fault) => return Err(self.unfit(&fault.to_string())),
        }
        Ok(())
    }

    fn write_array(&mut self, array: &Array<'js>) -> Result<(), Unfit> {
        self.enter(array.as_object())?;
        self.out.push('[');
        // Not `Array::len`, which rejects lengths beyond 2^31.
        let length: f64 = array.as_object().get(PredefinedAtom::Length)?;
        for index in 0..length as usize {
            if index > 0 {
                self.out.push(',');
            }
            self.at.push(index.to_string());
            let value = array.get(index)?;
            let value = self.stand_in(value, "")?;
            self.write(&value)?;
            self.at.pop();
        }
        self.out.push(']');
        self.open.pop();
        Ok(())
    }

    fn write_object(&mut self, object: &Object<'js>) -> Result<(), Unfit> {
        self.enter(object)?;
        self.out.push('{');
        let mut is_first = true;
        for key in object.own_keys::<Atom>(Filter::default()) {
            let key = key?;
            let name = text_of(self.ctx, &key.to_value()?)?;
            self.at.push(name.clone());
            let value = object.get(key)?;
            let value = self.stand_in(value, &name)?;
            if !value.is_undefined() {
                if !is_first {
                    self.out.push(',');
                }
                is_first = false;
                self.write_text(&name)?;
                self.out.push(':');
                self.write(&value)?;
            }
            self.at.pop();
        }
        self.out.push('}');
        self.open.pop();
        Ok(())
    }

    fn enter(&mut self, object: &Object<'js>) -> Result<(), Unfit> {
        if self.open.contains(object) {
            return Err(self.unfit("a cycle: the value contains itself"));
        }
        if self.open.len() >= JSON_DEPTH_MAX {
            return Err(self.unfit(&format!("nested deeper than {JSON_DEPTH_MAX} levels")));
        }
        self.open.push(object.clone());
        Ok(())
    }

    /// Applies `toJSON` if there is one.
    fn stand_in(&self, value: Value<'js>, key: &str) -> Result<Value<'js>, Unfit> {
        let Some(object) = value.as_object().filter(|_| !value.is_function()) else {
            return Ok(value);
        };
        let method: Value = object.get(PredefinedAtom::ToJSON)?;
        match method.into_function() {
            Some(method) => Ok(Function::call(&method, (This(value.clone()), key))?),
            None => Ok(value),
        }
    }

    fn unfit(&self, what: &str) -> Unfit {
        let at = self.at.iter().fold(String::new(), |mut at, step| {
            let _ = write!(at, "/{}", step.replace('~', "~0").replace('/', "~1"));
            at
        });
        // The engine cuts messages at 256 bytes, so a long path is shortened to keep the reason.
        let at = match at.char_indices().nth(PLACE_CHARACTERS_MAX) {
            Some((end, _)) => format!("{}…", &at[..end]),
            None => at,
        };
        Unfit::Value { at, what: what.to_owned() }
    }
}

/// The text of a string. Lone surrogates, which UTF-8 cannot encode, become U+FFFD.
pub(crate) fn text_of<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<String, Error> {
    let Some(text) = value.as_string() else {
        let text: rquickjs::Coerced<String> = value.get()?;
        return Ok(text.0);
    };
    match text.to_string() {
        Err(Error::Utf8(_)) => {
            let json =
                ctx.json_stringify(value.clone())?.map(|json| json.to_string()).transpose()?;
            Ok(whole_text(json.as_deref().unwrap_or_default()))
        }
        text => text,
    }
}

/// Decodes a JSON string in which lone surrogates are escaped.
fn whole_text(json: &str) -> String {
    let mut rest = json.trim_matches('"');
    let mut text = String::new();
    while let Some(start) = rest.find("\\ud") {
        text.push_str(&rest[..start]);
        text.push_str("\\ufffd");
        rest = rest.get(start + 6..).unwrap_or_default();
    }
    text.push_str(rest);
    serde_json::from_str(&format!("\"{text}\"")).unwrap_or_default()
}
