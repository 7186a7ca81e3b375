//! Trees of small files out of Markdown fences, filled up with a sound base tool.
//!
//! ```` ```json tools/x/schema.json ```` gives a file; `absent`, `hex` and `repeat` in
//! place of the language take one away, give raw bytes, or make a large one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// One fence of a golden page.
pub(crate) struct Fence {
    pub language: String,
    pub target: String,
    pub body: String,
}

/// The fences below a `## heading`.
pub(crate) fn fences(page: &str, heading: &str) -> Vec<Fence> {
    let mut found = Vec::new();
    let mut section = "";
    let mut open: Option<(usize, Fence)> = None;
    for line in page.lines() {
        let marks = line.chars().take_while(|c| *c == '`').count();
        match &mut open {
            Some((length, _)) if marks >= *length && line.len() == marks => {
                let fence = open.take().map(|(_, fence)| fence);
                found.extend(fence.filter(|_| section == heading));
            }
            Some((_, fence)) => fence.body.push_str(&format!("{line}\n")),
            None if marks >= 3 => {
                let (language, target) =
                    line[marks..].split_once(' ').unwrap_or((&line[marks..], ""));
                let fence =
                    Fence { language: language.into(), target: target.into(), body: String::new() };
                open = Some((marks, fence));
            }
            None => section = line.strip_prefix("## ").unwrap_or(section),
        }
    }
    assert!(open.is_none(), "a fence of the page is never closed");
    found
}

/// Writes the files of the fences, and the base tool's files where none is given.
pub(crate) fn write(fences: &[Fence], root: &Path) {
    let mut files: BTreeMap<String, Option<Vec<u8>>> = BTreeMap::new();
    for fence in fences {
        let content = match fence.language.as_str() {
            "absent" => None,
            "hex" => Some(bytes_of(&fence.body)),
            "repeat" => {
                let (count, text) = fence.body.split_once('\n').expect("a count, then a text");
                Some(text.trim_end().repeat(count.trim().parse().expect("a count")).into_bytes())
            }
            _ => Some(fence.body.clone().into_bytes()),
        };
        files.insert(fence.target.clone(), content);
    }
    let tools: BTreeSet<_> = files.keys().filter_map(|path| path.rsplit_once('/')).collect();
    let folders: BTreeSet<_> = tools.into_iter().map(|(folder, _)| folder.to_owned()).collect();
    let of_modules = |folder: &str| {
        let inside = files.keys().filter_map(|path| path.strip_prefix(&format!("{folder}/")));
        inside
            .filter(|name| !name.contains('/'))
            .all(|name| is_of_modules(name) || name == "tools.lock")
    };
    let folders: Vec<_> = folders.into_iter().filter(|folder| !of_modules(folder)).collect();
    for folder in folders {
        let name = folder.rsplit('/').next().unwrap_or_default().replace('-', "_");
        let has_py = files.contains_key(&format!("{folder}/handler.py"));
        for (file, text) in base(&name) {
            if file == "handler.js" && has_py && !files.contains_key(&format!("{folder}/{file}")) {
                continue;
            }
            files.entry(format!("{folder}/{file}")).or_insert_with(|| Some(text.into_bytes()));
        }
        fs::create_dir_all(root.join(folder)).expect("the folder can be made");
    }
    for (path, content) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("it can be made");
        if let Some(content) = content {
            fs::write(path, content).expect("the file can be written");
        }
    }
}

/// Is it a file that stands beside modules, and not in a tool's own directory?
pub(crate) fn is_of_modules(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or_default();
    let module = file.ends_with(".py") && file != "handler.py";
    module || ["tools.toml", "requirements.txt"].contains(&file)
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let digits: Vec<_> = hex.chars().filter_map(|c| c.to_digit(16)).collect();
    digits.chunks_exact(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect()
}

/// A sound tool of this id.
pub(crate) fn base(id: &str) -> [(&'static str, String); 4] {
    let schema = format!(
        r#"{{
  "toolId": "{id}",
  "version": "1.0.0",
  "description": "Add a note to the notebook.",
  "category": "action",
  "sideEffects": "writes",
  "idempotent": false,
  "requiresConfirmation": false,
  "allowedModes": ["text"],
  "latencyBudgetMs": 500,
  "parameters": {{
    "type": "object", "additionalProperties": false, "required": ["text"],
    "properties": {{
      "text": {{ "type": "string", "description": "What to write down.", "maxLength": 500 }}
    }}
  }}
}}
"#
    );
    let doc = "# Note\n\n## Summary\nAdds a note.\n\n## Preconditions\n- None.\n\n\
        ## Postconditions\n- The note is kept.\n\n## Invariants\n- Notes are never changed.\n\n\
        ## Failure Modes\n- **TRANSIENT**: the notebook is busy.\n\n## Examples\n\n\
        ```json\n{\"text\": \"Buy milk\"}\n```\n\n## Common Mistakes\n- Inventing the text.\n";
    [
        ("schema.json", schema),
        ("doc_summary.md", "Add a note to the notebook. Ask for the text first; never invent it.\n".into()),
        ("doc.md", doc.into()),
        (
            "handler.js",
            "export async function execute({ args, context }) {\n  return { ok: true, data: args };\n}\n".into(),
        ),
    ]
}
