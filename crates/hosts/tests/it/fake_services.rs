//! Fake services: an in-memory key-value store, files below a directory, and a log of all calls.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use policy::{BoxFuture, ServiceFault, Services};
use serde_json::{Value, json};

/// The console levels of the engine.
const LEVELS: [&str; 4] = ["debug", "info", "warn", "error"];

#[derive(Default)]
pub(crate) struct FarSide {
    root: Option<PathBuf>,
    asked: Mutex<Vec<(String, Value)>>,
    kv: Mutex<BTreeMap<String, (Value, u64)>>,
    is_messaging_down: Mutex<bool>,
}

impl FarSide {
    pub(crate) fn with_root(root: &Path) -> Self {
        Self { root: Some(root.to_owned()), ..Self::default() }
    }

    pub(crate) fn asked(&self) -> Vec<(String, Value)> {
        self.asked.lock().unwrap().clone()
    }

    /// The arguments of all calls of one service.
    pub(crate) fn asked_for(&self, name: &str) -> Vec<Value> {
        let asked = self.asked();
        asked.into_iter().filter(|(asked, _)| asked == name).map(|(_, args)| args).collect()
    }

    pub(crate) fn break_messaging(&self) {
        *self.is_messaging_down.lock().unwrap() = true;
    }

    pub(crate) fn stored(&self, key: &str) -> Option<Value> {
        self.kv.lock().unwrap().get(key).map(|(value, _)| value.clone())
    }

    fn answer(&self, name: &str, args: &Value) -> Result<Value, ServiceFault> {
        let text = |key: &str| args[key].as_str().unwrap_or_default().to_owned();
        match name {
            "console" if !LEVELS.contains(&text("level").as_str()) => {
                panic!("no level of the console: {args}")
            }
            "chunk" | "progress" | "audit.log" | "console" => Ok(Value::Null),
            "messaging.send" if *self.is_messaging_down.lock().unwrap() => {
                Err(fault("UNREACHABLE", "the client is not connected"))
            }
            "messaging.send" => Ok(Value::Null),
            "echo" => Ok(args.clone()),
            "attachments.list" => Ok(json!([{ "id": "sha256:1", "name": "a.txt",
                "mediaType": "text/plain", "bytes": 3, "hasText": true }])),
            "attachments.text" => Ok(json!({ "text": "one", "isCut": false })),
            // What is not UTF-8.
            "attachments.bytes" => Ok(json!("AP+A")),
            "secrets.get" if text("name") == "token" => Ok(json!("s3cret")),
            "secrets.get" => Err(fault("FORBIDDEN", "the tool does not name this secret")),
            "kv.get" | "kv.set" | "kv.delete" | "kv.list" | "kv.exists" | "kv.keys" => {
                self.kv(name, args)
            }
            "personas.names" => Ok(json!(["Ada", "Bo"])),
            "personas.list" => Ok(json!([{ "id": 1, "name": "Ada" }, { "id": 2, "name": "Bo" }])),
            "messages.system" => Ok(json!("message-1")),
            "ai.complete" if args.get("schema").is_some() => Ok(json!({ "value": { "n": 1 } })),
            "ai.complete" => Ok(json!(format!("<p>{}</p>", text("prompt").len()))),
            _ if name.starts_with("kv.") => self.list(name, args),
            "files.list" | "files.read" | "files.stat" | "files.write" => self.files(name, args),
            "fetch" => Ok(json!({
                "status": 200,
                "statusText": "OK",
                "url": args["url"],
                "headers": [["content-type", "application/json"]],
                "body": args.to_string(),
            })),
            "fetch.binary" => Ok(json!({ "status": 404, "headers": [], "bodyBase64": "/wD+" })),
            other => Err(fault("NOT_AVAILABLE", &format!("there is no service {other}"))),
        }
    }

    fn kv(&self, name: &str, args: &Value) -> Result<Value, ServiceFault> {
        let mut kv = self.kv.lock().unwrap();
        let key = args["key"].as_str().unwrap_or_default().to_owned();
        if key.starts_with("other/") {
            return Err(fault("FORBIDDEN", "the tool does not name this prefix"));
        }
        match name {
            "kv.get" => Ok(kv.get(&key).map_or(
                Value::Null,
                |(value, revision)| json!({ "value": value, "revision": revision }),
            )),
            "kv.set" => {
                let held = kv.get(&key).map(|(_, revision)| *revision);
                if args.get("expectedRevision").is_some_and(|wanted| *wanted != json!(held)) {
                    return Err(fault("CONFLICT", "the revision has changed"));
                }
                let revision = held.unwrap_or(0) + 1;
                kv.insert(key, (args["value"].clone(), revision));
                Ok(json!({ "revision": revision }))
            }
            "kv.delete" => Ok(json!(kv.remove(&key).is_some())),
            "kv.exists" => Ok(json!(kv.contains_key(&key))),
            _ => {
                let prefix = args["prefix"].as_str().unwrap_or_default();
                Ok(kv.keys().filter(|key| key.starts_with(prefix)).cloned().collect())
            }
        }
    }

    /// Lists that grow and shrink at both ends.
    fn list(&self, name: &str, args: &Value) -> Result<Value, ServiceFault> {
        let mut kv = self.kv.lock().unwrap();
        let key = args["key"].as_str().unwrap_or_default().to_owned();
        let held = kv.entry(key).or_insert((json!([]), 0));
        let list = held.0.as_array_mut().unwrap();
        let place = |number: &Value, length: usize| {
            let number = number.as_i64().unwrap();
            let number = if number < 0 { number + i64::try_from(length).unwrap() } else { number };
            usize::try_from(number.max(0)).unwrap()
        };
        Ok(match name {
            "kv.lpush" => {
                list.insert(0, args["value"].clone());
                json!(list.len())
            }
            "kv.rpush" => {
                list.push(args["value"].clone());
                json!(list.len())
            }
            "kv.lpop" if list.is_empty() => Value::Null,
            "kv.lpop" => list.remove(0),
            "kv.rpop" => list.pop().unwrap_or_default(),
            "kv.llen" => json!(list.len()),
            "kv.lrange" => {
                let (start, stop) =
                    (place(&args["start"], list.len()), place(&args["stop"], list.len()));
                list.iter().skip(start).take((stop + 1).saturating_sub(start)).cloned().collect()
            }
            "kv.lremove_at" => {
                let index = place(&args["index"], list.len());
                let is_there = index < list.len();
                if is_there {
                    list.remove(index);
                }
                json!(is_there)
            }
            other => return Err(fault("NOT_AVAILABLE", &format!("there is no service {other}"))),
        })
    }

    pub(crate) fn store(&self, key: &str, value: Value) {
        self.kv.lock().unwrap().insert(key.into(), (value, 1));
    }

    fn files(&self, name: &str, args: &Value) -> Result<Value, ServiceFault> {
        let path = args["path"].as_str().unwrap_or_default();
        let missing = || fault("NOT_FOUND", &format!("there is no {path}"));
        let root = self.root.as_ref().ok_or_else(missing)?;
        if path.split('/').any(|step| step == "..") || path.starts_with('/') {
            return Err(fault("FORBIDDEN", "outside the roots"));
        }
        let place = root.join(path);
        let revision = |text: &str| {
            text.bytes().fold(7_u64, |sum, byte| sum * 31 % 1_000_003 + u64::from(byte))
        };
        match name {
            "files.list" => {
                let mut found = Vec::new();
                list(&place, path, &mut found).map_err(|_| missing())?;
                Ok(Value::from(found))
            }
            "files.read" => std::fs::read_to_string(place).map(Value::from).map_err(|_| missing()),
            "files.stat" => Ok(std::fs::read_to_string(place)
                .map_or(Value::Null, |text| json!({ "path": path, "revision": revision(&text) }))),
            _ => {
                let held = std::fs::read_to_string(&place).ok().map(|text| revision(&text));
                if args.get("expectedRevision").is_some_and(|wanted| *wanted != json!(held)) {
                    return Err(fault("CONFLICT", "the file has changed"));
                }
                let text = args["text"].as_str().unwrap_or_default();
                std::fs::write(place, text).map_err(|_| missing())?;
                Ok(json!({ "revision": revision(text) }))
            }
        }
    }
}

impl Services for FarSide {
    fn call(&self, name: &str, args: Value) -> BoxFuture<'static, Result<Value, ServiceFault>> {
        self.asked.lock().unwrap().push((name.to_owned(), args.clone()));
        if name == "kv.get" && args["key"] == "panic" {
            panic!("a service that breaks");
        }
        if (name == "kv.get" && args["key"] == "never")
            || (name == "chunk" && args["text"] == "never")
        {
            return Box::pin(std::future::pending());
        }
        let answer = self.answer(name, &args);
        Box::pin(async move {
            tokio::task::yield_now().await;
            answer
        })
    }
}

fn fault(code: &str, message: &str) -> ServiceFault {
    ServiceFault { code: code.into(), message: message.into() }
}

fn list(place: &Path, path: &str, found: &mut Vec<Value>) -> std::io::Result<()> {
    let mut entries: Vec<_> = std::fs::read_dir(place)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = format!("{path}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            list(&entry.path(), &path, found)?;
        } else {
            found.push(json!({ "path": path }));
        }
    }
    Ok(())
}
