//! Pages, blocks, databases and data sources, as Notion returns them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::{Made, Trip};

/// Everything behind one token.
#[derive(Debug)]
pub(super) struct Workspace {
    next: u64,
    pub(super) pages: BTreeMap<String, Value>,
    /// By the id of the page or block above.
    pub(super) children: BTreeMap<String, Vec<Value>>,
    pub(super) databases: BTreeMap<String, Value>,
    pub(super) sources: BTreeMap<String, Value>,
    pub(super) markdown: BTreeMap<String, (String, bool)>,
    pub(super) knows_markdown: bool,
    pub(super) trips: Vec<(String, Trip)>,
    made: BTreeSet<String>,
}

impl Default for Workspace {
    fn default() -> Self {
        Self {
            next: 0,
            pages: BTreeMap::new(),
            children: BTreeMap::new(),
            databases: BTreeMap::new(),
            sources: BTreeMap::new(),
            markdown: BTreeMap::new(),
            knows_markdown: true,
            trips: Vec::new(),
            made: BTreeSet::new(),
        }
    }
}

impl Workspace {
    /// Ids grow in the order of creation.
    fn id(&mut self) -> String {
        self.next += 1;
        format!("393abc1e-edcd-81aa-8000-{:012x}", self.next)
    }

    pub(super) fn add_page(&mut self, title: &str, blocks: &Value) -> String {
        let properties =
            json!({ "title": { "id": "title", "type": "title", "title": runs(title) } });
        let parent = json!({ "type": "workspace", "workspace": true });
        let id = self.insert_page(&parent, &properties);
        self.append(&id, blocks);
        id
    }

    fn insert_page(&mut self, parent: &Value, properties: &Value) -> String {
        let id = self.id();
        let page = json!({
            "object": "page", "id": id,
            "created_time": "2026-07-04T09:12:00.000Z",
            "last_edited_time": "2026-07-04T09:12:00.000Z",
            "parent": parent, "in_trash": false, "is_locked": false,
            "properties": properties,
            "url": format!("https://app.notion.com/p/{}", id.replace('-', "")),
            "public_url": null,
        });
        self.pages.insert(id.clone(), page);
        id
    }

    /// Creates a page for a request.
    pub(super) fn make_page(&mut self, parent: &Value, sent: &Value, blocks: &Value) -> Value {
        let mut properties = Map::new();
        for (name, value) in sent.as_object().into_iter().flatten() {
            properties.insert(name.clone(), with_type(value));
        }
        let id = self.insert_page(parent, &Value::Object(properties));
        self.append(&id, blocks);
        if let Some(above) = parent["page_id"].as_str() {
            let title = title(&self.pages[&id]);
            let block = json!({
                "object": "block", "id": id, "type": "child_page", "has_children": true,
                "in_trash": false, "child_page": { "title": title },
            });
            self.children.entry(above.to_owned()).or_default().push(block);
        }
        self.made.insert(id.clone());
        self.pages.get(&id).cloned().unwrap_or_default()
    }

    pub(super) fn append(&mut self, above: &str, blocks: &Value) -> Vec<Value> {
        let mut added = Vec::new();
        for block in blocks.as_array().into_iter().flatten() {
            let id = self.id();
            let kind = kind_of(block).to_owned();
            let mut content = block[&kind].clone();
            let below = match content.get("children") {
                Some(_) => content["children"].take(),
                None => block["children"].clone(),
            };
            if let Some(content) = content.as_object_mut() {
                content.remove("children");
                for name in ["rich_text", "caption"] {
                    if let Some(text) = content.get_mut(name) {
                        *text = answered(text);
                    }
                }
            }
            let has_children = below.as_array().is_some_and(|below| !below.is_empty());
            let made = json!({
                "object": "block", "id": id, "in_trash": false,
                "has_children": has_children, "type": kind, kind.as_str(): content,
            });
            self.append(&id, &below);
            self.children.entry(above.to_owned()).or_default().push(made.clone());
            added.push(made);
        }
        added
    }

    pub(super) fn add_database(&mut self, sources: &[(&str, Value)]) -> (String, Vec<String>) {
        let id = self.id();
        let mut listed = Vec::new();
        for (name, columns) in sources {
            let source = self.id();
            listed.push(json!({ "id": source, "name": name }));
            let json = json!({
                "object": "data_source", "id": source, "title": runs(name),
                "properties": columns, "in_trash": false,
                "parent": { "type": "database_id", "database_id": id },
            });
            self.sources.insert(source, json);
        }
        let ids = listed.iter().filter_map(|source| source["id"].as_str()).map(str::to_owned);
        let ids = ids.collect();
        let database =
            json!({ "object": "database", "id": id, "data_sources": listed, "in_trash": false });
        self.databases.insert(id.clone(), database);
        (id, ids)
    }

    /// The rows of a source with that title, newest first.
    pub(super) fn rows(&self, source: &str, wanted: &Value) -> Vec<Value> {
        let pages = self.pages.values().rev();
        let here = pages.filter(|page| page["parent"]["data_source_id"] == source);
        here.filter(|page| wanted.is_null() || title(page) == *wanted).cloned().collect()
    }

    pub(super) fn made(&self) -> Vec<Made> {
        let made = |id: &String| Made {
            id: id.clone(),
            parent: self.pages[id]["parent"].clone(),
            properties: self.pages[id]["properties"].clone(),
            blocks: self.children.get(id).cloned().unwrap_or_default(),
        };
        self.made.iter().map(made).collect()
    }
}

/// The type of a block may be given by the key of its content.
pub(super) fn kind_of(block: &Value) -> &str {
    let keys = block.as_object().into_iter().flatten().map(|(key, _)| key.as_str());
    let mut keys = keys.filter(|key| !matches!(*key, "object" | "type" | "children"));
    block["type"].as_str().or_else(|| keys.next()).unwrap_or_default()
}

pub(super) fn text_of(block: &Value) -> String {
    let content = &block[kind_of(block)];
    let runs = content["rich_text"].as_array().into_iter().flatten();
    runs.filter_map(|run| run["plain_text"].as_str()).collect()
}

fn title(page: &Value) -> Value {
    let properties = page["properties"].as_object().into_iter().flatten();
    let found = properties.map(|(_, value)| value).find(|value| value["type"] == "title");
    let runs = found.and_then(|value| value["title"].as_array().cloned()).unwrap_or_default();
    runs.iter().filter_map(|run| run["plain_text"].as_str()).collect::<String>().into()
}

fn with_type(value: &Value) -> Value {
    let mut value = value.clone();
    let kind = value.as_object().and_then(|object| object.keys().next().cloned());
    if let (Some(kind), Some(object)) = (kind, value.as_object_mut()) {
        for name in ["title", "rich_text"] {
            if let Some(text) = object.get_mut(name) {
                *text = answered(text);
            }
        }
        object.insert("type".to_owned(), kind.into());
    }
    value
}

fn runs(text: &str) -> Value {
    answered(&json!([{ "text": { "content": text } }]))
}

/// Rich text as Notion returns it: with its plain text and annotations.
fn answered(rich_text: &Value) -> Value {
    let whole = |run: &Value| {
        let mut run = run.clone();
        let plain = run["text"]["content"].clone();
        if let (Some(object), true) = (run.as_object_mut(), plain.is_string()) {
            object.entry("type").or_insert("text".into());
            object.entry("plain_text").or_insert(plain);
            object.entry("annotations").or_insert(json!({
                "bold": false, "italic": false, "strikethrough": false,
                "underline": false, "code": false, "color": "default",
            }));
            object.entry("href").or_insert(Value::Null);
        }
        run
    };
    rich_text.as_array().into_iter().flatten().map(whole).collect()
}
