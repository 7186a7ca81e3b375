//! Rich text as Markdown: neighbours of one style are one run; marks do not touch spaces.

use serde_json::Value;

/// The text without any style.
pub fn plain(rich_text: &Value) -> String {
    let text = |run: &Value| run["plain_text"].as_str().unwrap_or_default().to_owned();
    rich_text.as_array().into_iter().flatten().map(text).collect()
}

pub(crate) fn markdown(rich_text: &Value) -> String {
    let mut runs: Vec<Run> = Vec::new();
    for run in rich_text.as_array().into_iter().flatten().map(Run::of) {
        match runs.last_mut() {
            Some(last) if last.style == run.style => last.text.push_str(&run.text),
            _ => runs.push(run),
        }
    }
    runs.iter().map(Run::markdown).collect()
}

/// The longest row of backticks in a text.
pub(crate) fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}

struct Run {
    text: String,
    style: Style,
}

#[derive(PartialEq)]
struct Style {
    marks: Vec<&'static str>,
    code: bool,
    equation: bool,
    link: Option<String>,
}

/// From the inside out.
const MARKS: [(&str, &str); 3] = [("italic", "_"), ("bold", "**"), ("strikethrough", "~~")];

impl Run {
    fn of(json: &Value) -> Self {
        let on = |name: &str| json["annotations"][name] == true;
        let text = json["plain_text"].as_str().unwrap_or_default();
        Self {
            text: json["equation"]["expression"].as_str().unwrap_or(text).to_owned(),
            style: Style {
                marks: MARKS
                    .into_iter()
                    .filter(|(name, _)| on(name))
                    .map(|(_, mark)| mark)
                    .collect(),
                code: on("code"),
                equation: json["type"] == "equation",
                link: json["href"].as_str().map(str::to_owned),
            },
        }
    }

    fn markdown(&self) -> String {
        let inner = self.text.trim();
        if inner.is_empty() {
            return self.text.clone();
        }
        let (before, after) = self.text.split_once(inner).unwrap_or_default();
        let mut text = inner.to_owned();
        if self.style.equation {
            text = format!("${text}$");
        }
        if self.style.code {
            text = coded(&text);
        }
        for mark in &self.style.marks {
            text = format!("{mark}{text}{mark}");
        }
        if let Some(link) = &self.style.link {
            text = format!("[{text}]({link})");
        }
        format!("{before}{text}{after}")
    }
}

/// Between more backticks than it holds.
fn coded(text: &str) -> String {
    match longest_run(text) {
        0 => format!("`{text}`"),
        longest => {
            let fence = "`".repeat(longest + 1);
            format!("{fence} {text} {fence}")
        }
    }
}
