//! Tools that a test needs, written as an author writes them.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::tool_folder;

/// A project of its own: tools, a store, settings.
pub(crate) struct Project {
    dir: TempDir,
}

impl Project {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("tools")).unwrap();
        Self { dir }
    }

    /// With the tools that most tests use.
    pub(crate) fn usual() -> Self {
        let project = Self::new();
        project.tool("echo", json!({}), "return { ok: true, data: { said: args.text } };");
        project.tool("plain", json!({}), "return { ok: true, data: 'just a text' };");
        let fail = "throw new ToolError('NOT_FOUND', 'no such thing', { retryable: false });";
        project.tool("fail", json!({}), fail);
        let steps = "await context.system('one'); await context.progress(0.5, 'half'); \
                     await context.assistant('two'); return { ok: true, data: {} };";
        project.tool("steps", json!({ "sideEffects": "read_only" }), steps);
        let wait = "await context.progress(0.1, 'waiting'); \
                    await new Promise((done) => setTimeout(done, 60_000)); \
                    return { ok: true, data: {} };";
        project.tool("wait", json!({ "latencyBudgetMs": 60_000 }), wait);
        let long = "return { ok: true, data: { lines: Array(5000).fill('ä line of text…') } };";
        project.tool("long", json!({}), long);
        let note = "const n = ((await context.kv.get('notes/n'))?.value ?? 0) + 1; \
                    await context.kv.set('notes/n', n); \
                    return { ok: true, data: { n } };";
        let writes = json!({
            "category": "action", "sideEffects": "writes", "idempotent": false,
            "requiresConfirmation": true, "capabilities": { "kv": ["notes/"] },
            "returns": { "type": "object", "required": ["n"],
                         "properties": { "n": { "type": "integer" } } },
        });
        project.tool("note", writes, note);
        project
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        self.write_bytes(name, text.as_bytes())
    }

    pub(crate) fn write_bytes(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// A tool with one optional text argument, changed as the test says.
    pub(crate) fn tool(&self, id: &str, changes: Value, body: &str) {
        let mut schema = json!({
            "toolId": id, "version": "1.0.0", "description": format!("Do {id}."),
            "category": "utility", "sideEffects": "none", "idempotent": true,
            "requiresConfirmation": false, "allowedModes": ["text"], "latencyBudgetMs": 5_000,
            "parameters": { "type": "object", "additionalProperties": false, "properties": {
                "text": { "type": "string", "description": "A text." } } },
        });
        for (name, value) in changes.as_object().unwrap() {
            schema[name] = value.clone();
        }
        let handler = format!(
            "import {{ ToolError }} from '../_core/error-types.js';\n\
             export async function execute({{ args, context }}) {{\n{body}\n}}\n"
        );
        let folder = format!("tools/{}", id.replace('_', "-"));
        let summary = format!("Do {id}.\nUse it to test.\n");
        let path = self.path().join(&folder);
        tool_folder::write_tool(&path, &schema.to_string(), &summary, "{}").unwrap();
        self.write(&format!("{folder}/handler.js"), &handler);
    }
}
