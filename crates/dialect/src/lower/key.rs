//! Turns names into names that a provider accepts.

use crate::target::KeyRule;

/// How long a name may be that was shortened.
const LENGTH_MAX: usize = 64;
/// What is kept of a name that is too long, before the digest.
const KEPT_MAX: usize = 55;

/// A key as the rule takes it; `taken` says which names are gone.
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

/// A text in which every other character is an underscore.
pub(crate) fn plain_text(text: &str, extra: &[char]) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || extra.contains(&c) { c } else { '_' };
    let name: String = text.chars().map(plain).collect();
    match name.trim_matches('_').is_empty() {
        true => "field".to_owned(),
        false => name,
    }
}

/// A name of at most 64 characters; a digest of the whole keeps long ones apart.
pub(crate) fn shortened(name: &str, whole: &str) -> String {
    if name.len() <= LENGTH_MAX {
        return name.to_owned();
    }
    let kept: String = name.chars().take(KEPT_MAX).collect();
    format!("{kept}_{:08x}", digest(whole))
}

/// The wish, or the wish with the first number that makes it free.
pub(crate) fn free_name(wish: &str, taken: impl Fn(&str) -> bool) -> String {
    if !taken(wish) {
        return wish.to_owned();
    }
    let mut count = 2;
    loop {
        let suffix = format!("_{count}");
        let kept: String = wish.chars().take(LENGTH_MAX - suffix.len()).collect();
        let name = format!("{kept}{suffix}");
        if !taken(&name) {
            return name;
        }
        count += 1;
    }
}

/// FNV-1a: the same everywhere and for ever.
fn digest(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
