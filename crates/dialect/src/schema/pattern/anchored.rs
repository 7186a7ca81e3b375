//! Rewrites a pattern for grammars that match whole JSON strings.
//!
//! In: a pattern's text. Out: a pattern that means the same and is anchored at both ends,
//! or none. Must hold: never narrower, even if the server matches the text as it is written
//! in JSON, with its escapes, byte by byte: only printable ASCII without `"` and `\`
//! is matched by name, and a repeat is never attached to an escaped character.

/// Any text, in every engine: in some, `.` stops at the end of a line.
const ANYTHING: &str = "([^\\n]|\\n)*";
/// The largest number in a `{n,m}`; each repeat is written out in the grammar.
const REPEAT_MAX: u32 = 100;
/// How often the innermost part of nested repeats may be written out.
const WRITTEN_MAX: u32 = 1_000;
/// How deep groups may nest.
const DEPTH_MAX: usize = 8;

/// The anchored pattern; none if it cannot be expressed.
pub(crate) fn anchored(pattern: &str) -> Option<String> {
    if !pattern.is_ascii() {
        return None;
    }
    let mut reader = Reader { text: pattern.as_bytes(), at: 0 };
    let mut forms = Vec::new();
    loop {
        let start = reader.eats(b'^');
        let body = reader.sequence(0, 1)?;
        let end = reader.eats(b'$');
        let before = if start { "" } else { ANYTHING };
        let after = if end { "" } else { ANYTHING };
        forms.push(format!("{before}{body}{after}"));
        match reader.next() {
            None => break,
            Some(b'|') => {}
            Some(_) => return None,
        }
    }
    Some(match forms.as_slice() {
        [form] => format!("^{form}$"),
        forms => format!("^({})$", forms.join("|")),
    })
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
}

/// One part of a sequence, before its repeat.
enum Part {
    /// May be repeated as it stands.
    Plain(String),
    /// Needs a group around it to be repeated.
    Escaped(String),
    /// `.`, which matches what JSON writes with more than one character.
    Any,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn eats(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Parts up to the end of an alternative; `written` is how often it is repeated.
    fn sequence(&mut self, depth: usize, written: u32) -> Option<String> {
        let mut out = String::new();
        while let Some(byte) = self.peek() {
            if matches!(byte, b'|' | b')' | b'$') {
                break;
            }
            let begin = self.at;
            let part = self.part(depth, written)?;
            let (repeat, most) = self.repeat()?;
            let most = written.checked_mul(most).filter(|most| *most <= WRITTEN_MAX)?;
            match part {
                Part::Any if matches!(repeat.as_str(), "*" | "+") => out.push('.'),
                Part::Any => return None,
                Part::Escaped(text) if repeat.is_empty() => out.push_str(&text),
                Part::Escaped(text) => out.push_str(&format!("({text})")),
                Part::Plain(_) if most > written && self.text.get(begin) == Some(&b'(') => {
                    // A group is read again, now that it is known how often it repeats.
                    let end = std::mem::replace(&mut self.at, begin);
                    let Part::Plain(text) = self.part(depth, most)? else { return None };
                    self.at = end;
                    out.push_str(&text);
                }
                Part::Plain(text) => out.push_str(&text),
            }
            out.push_str(&repeat);
        }
        Some(out)
    }

    fn part(&mut self, depth: usize, written: u32) -> Option<Part> {
        match self.next()? {
            b'.' => Some(Part::Any),
            b'(' => self.group(depth, written).map(Part::Plain),
            b'[' => self.class().map(Part::Plain),
            b'\\' => self.escape(),
            b'^' | b'$' | b'*' | b'+' | b'?' | b'{' | b'}' | b']' => None,
            byte => literal(byte),
        }
    }

    fn group(&mut self, depth: usize, written: u32) -> Option<String> {
        if depth >= DEPTH_MAX || (self.eats(b'?') && !self.eats(b':')) {
            return None;
        }
        let mut forms = Vec::new();
        loop {
            forms.push(self.sequence(depth + 1, written)?);
            match self.next()? {
                b')' => break,
                b'|' => {}
                _ => return None,
            }
        }
        // A grammar has no empty rule.
        let empty = forms.iter().any(String::is_empty);
        (!empty).then(|| format!("({})", forms.join("|")))
    }

    fn escape(&mut self) -> Option<Part> {
        match self.next()? {
            b'd' => Some(Part::Plain("[0-9]".to_owned())),
            b'w' => Some(Part::Plain("[A-Za-z0-9_]".to_owned())),
            byte if byte.is_ascii_alphanumeric() => None,
            byte => literal(byte),
        }
    }

    /// A class of named characters; a negated one would match what JSON escapes.
    fn class(&mut self) -> Option<String> {
        if self.peek() == Some(b'^') {
            return None;
        }
        let mut members = [false; 128];
        loop {
            let first = match self.next()? {
                b']' => break,
                b'\\' => match self.next()? {
                    b'd' => {
                        add(&mut members, b'0', b'9')?;
                        continue;
                    }
                    b'w' => {
                        for (from, to) in [(b'A', b'Z'), (b'a', b'z'), (b'0', b'9'), (b'_', b'_')] {
                            add(&mut members, from, to)?;
                        }
                        continue;
                    }
                    byte if byte.is_ascii_alphanumeric() => return None,
                    byte => byte,
                },
                byte => byte,
            };
            let ranged = self.peek() == Some(b'-')
                && self.text.get(self.at + 1).is_some_and(|byte| *byte != b']');
            if !ranged {
                add(&mut members, first, first)?;
                continue;
            }
            self.at += 1;
            let last = match self.next()? {
                b'\\' => self.next().filter(|byte| !byte.is_ascii_alphanumeric())?,
                byte => byte,
            };
            add(&mut members, first, last)?;
        }
        written(&members)
    }

    /// A repeat, and its maximum count if it has one.
    fn repeat(&mut self) -> Option<(String, u32)> {
        let (text, most) = match self.peek() {
            Some(byte @ (b'*' | b'+' | b'?')) => {
                self.at += 1;
                (char::from(byte).to_string(), 1)
            }
            Some(b'{') => self.counted()?,
            _ => return Some((String::new(), 1)),
        };
        // Lazy or greedy makes no difference here.
        self.eats(b'?');
        let again = matches!(self.peek(), Some(b'*' | b'+' | b'?' | b'{'));
        (!again).then_some((text, most))
    }

    fn counted(&mut self) -> Option<(String, u32)> {
        let rest = self.text.get(self.at + 1..)?;
        let length = rest.iter().position(|byte| *byte == b'}')?;
        let body = std::str::from_utf8(rest.get(..length)?).ok()?;
        self.at += length + 2;
        let (least, most) = body.split_once(',').unwrap_or((body, body));
        let number = |text: &str| text.parse::<u32>().ok().filter(|value| *value <= REPEAT_MAX);
        let least = number(least)?;
        let most = if most.is_empty() { None } else { Some(number(most)?) };
        // A grammar has no empty rule.
        if most.is_some_and(|most| most < least || most == 0) {
            return None;
        }
        Some((format!("{{{body}}}"), most.unwrap_or(least).max(1)))
    }
}

fn literal(byte: u8) -> Option<Part> {
    match byte {
        b'.' | b'[' | b']' | b'(' | b')' | b'|' | b'{' | b'}' | b'*' | b'+' | b'?' | b'^'
        | b'$' => Some(Part::Escaped(format!("\\{}", char::from(byte)))),
        byte if by_name(byte) => Some(Part::Plain(char::from(byte).to_string())),
        _ => None,
    }
}

/// Whether JSON writes a character as itself.
fn by_name(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\')
}

fn add(members: &mut [bool; 128], from: u8, to: u8) -> Option<()> {
    if from > to {
        return None;
    }
    for byte in from..=to {
        *members.get_mut(usize::from(byte))? = by_name(byte).then_some(true)?;
    }
    Some(())
}

/// A class in one fixed form: ranges, then `]` escaped, `^` not first, `-` last.
fn written(members: &[bool; 128]) -> Option<String> {
    let special = |byte: u8| matches!(byte, b']' | b'^' | b'-' | b'[');
    let has = |byte: u8| members.get(usize::from(byte)) == Some(&true);
    let mut out = String::new();
    let mut byte = b' ';
    while byte <= b'~' {
        if !has(byte) || special(byte) {
            byte += 1;
            continue;
        }
        let mut last = byte;
        while has(last + 1) && !special(last + 1) {
            last += 1;
        }
        out.push(char::from(byte));
        if last > byte + 1 {
            out.push('-');
        }
        if last > byte {
            out.push(char::from(last));
        }
        byte = last + 1;
    }
    if has(b'[') {
        out.push('[');
    }
    if has(b']') {
        out.push_str("\\]");
    }
    if has(b'^') {
        if out.is_empty() {
            return None;
        }
        out.push('^');
    }
    if has(b'-') {
        out.push('-');
    }
    (!out.is_empty()).then(|| format!("[{out}]"))
}

#[cfg(test)]
mod tests;
