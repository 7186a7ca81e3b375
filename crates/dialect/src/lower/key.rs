//! Turns names into names that a provider accepts.

use crate::target::KeyRule;

/// The maximum length of a shortened name.
const LENGTH_MAX: usize = 64;
/// How much of a long name is kept before the digest.
const KEPT_MAX: usize = 55;

/// A key that the rule allows; `taken` says which names are in use.
pub(crate) fn wire_key(key: &str, rule: KeyRule, taken: impl Fn(&str) -> bool) -> String {
    if rule.takes(key) {
        return key.to_owned();
    }
    let extra: &[char] = match rule {
        KeyRule::Any => return key.to_owned(),
        KeyRule::Plain => &['_', '.', '-'],
        KeyRule::Identifier => &['_'],
    };
    let mut name = plain_text(key, extra);
    if rule == KeyRule::Identifier
        && !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
    {
        name.insert(0, '_');
    }
    free_name(&shortened(&name, key), taken)
}

/// The text with all other characters replaced by underscores.
pub(crate) fn plain_text(text: &str, extra: &[char]) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || extra.contains(&c) { c } else { '_' };
    let name: String = text.chars().map(plain).collect();
    match name.trim_matches('_').is_empty() {
        true => "field".to_owned(),
        false => name,
    }
}

/// A name of at most 64 characters; a digest keeps long ones distinct.
pub(crate) fn shortened(name: &str, whole: &str) -> String {
    if name.len() <= LENGTH_MAX {
        return name.to_owned();
    }
    let prefix: String = name.chars().take(KEPT_MAX).collect();
    format!("{prefix}_{:08x}", digest(whole))
}

/// The name, or the name with the first number that makes it unique.
pub(crate) fn free_name(wish: &str, taken: impl Fn(&str) -> bool) -> String {
    if !taken(wish) {
        return wish.to_owned();
    }
    let mut count = 2;
    loop {
        let suffix = format!("_{count}");
        let prefix: String = wish.chars().take(LENGTH_MAX - suffix.len()).collect();
        let name = format!("{prefix}{suffix}");
        if !taken(&name) {
            return name;
        }
        count += 1;
    }
}

/// FNV-1a: stable across machines and versions.
fn digest(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
