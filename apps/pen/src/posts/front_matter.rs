//! The front matter of a post: written as YAML, read line by line.

/// The metadata of a saved post.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FrontMatter {
    pub platform: String,
    pub topic: String,
    pub created: String,
    pub profile_used: String,
    pub style_profile_version: Option<u64>,
}

impl FrontMatter {
    pub(super) fn to_text(&self) -> String {
        let Self { platform, topic, created, profile_used, style_profile_version } = self;
        let mut text = format!(
            "---\nplatform: {}\ntopic: {}\ncreated: {}\nprofile_used: {}\n",
            scalar(platform),
            scalar(topic),
            scalar(created),
            scalar(profile_used),
        );
        if let Some(version) = style_profile_version {
            text.push_str(&format!("style_profile_version: {version}\n"));
        }
        text.push_str("---\n\n");
        text
    }
}

/// A scalar that YAML reads back as this text: plain, or a JSON string.
fn scalar(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | '/' | '+');
    let is_time = text.parse::<jiff::Timestamp>().is_ok();
    let starts_well = text.chars().next().is_some_and(char::is_alphabetic);
    let is_word = matches!(
        text.to_lowercase().as_str(),
        "null" | "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n"
    );
    let is_plain = starts_well && !is_word && !text.ends_with(' ') && text.chars().all(plain);
    let is_mix = text.strip_prefix("mix:").is_some_and(|rest| rest.chars().all(plain));
    match is_time || is_plain || is_mix {
        true => text.to_owned(),
        false => serde_json::Value::String(text.to_owned()).to_string(),
    }
}

/// The front matter and the post. A file without front matter is all post.
pub fn split(text: &str) -> (FrontMatter, &str) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some((head, body)) = parts(text) else { return (FrontMatter::default(), text) };
    let mut front = FrontMatter::default();
    for line in head.lines() {
        let Some((key, value)) = line.split_once(':') else { continue };
        let value = unquoted(value.trim());
        match key.trim() {
            "platform" => front.platform = value,
            "topic" => front.topic = value,
            "created" => front.created = value,
            "profile_used" => front.profile_used = value,
            "style_profile_version" => front.style_profile_version = value.parse().ok(),
            _ => {}
        }
    }
    (front, body)
}

/// The text between the first two lines of dashes, and the text after them.
fn parts(text: &str) -> Option<(&str, &str)> {
    let after = text.strip_prefix("---")?;
    let head = after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n'))?;
    let mut at = 0;
    for line in head.split_inclusive('\n') {
        if line.trim_end() == "---" {
            let body = &head[at + line.len()..];
            return Some((&head[..at], body.trim_start_matches(['\r', '\n'])));
        }
        at += line.len();
    }
    None
}

fn unquoted(value: &str) -> String {
    if value.starts_with('"') {
        return serde_json::from_str(value).unwrap_or_else(|_| value.trim_matches('"').to_owned());
    }
    match value.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(inside) => inside.replace("''", "'"),
        None => value.to_owned(),
    }
}
