//! Reads the import statements of a Python file without running Python.

/// The imports of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Imports {
    pub statements: Vec<Import>,
    /// Whether it loads code by other means than statements, so that anything may be loaded.
    pub is_dynamic: bool,
}

/// `from ..path import names`, or `import path` without names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Import {
    pub level: usize,
    pub path: Vec<String>,
    pub names: Vec<String>,
}

/// Names that load code by other means.
const LOADERS: [&str; 6] =
    ["importlib", "__import__", "runpy", "pkgutil", "__loader__", "__spec__"];
/// The same, unless they belong to something else, such as `re.compile`.
const BUILTINS: [&str; 3] = ["exec", "eval", "compile"];

pub(super) fn imports(text: &str) -> Imports {
    let tokens = tokens(text);
    let after_dot = |at: usize| at > 0 && tokens.get(at - 1) == Some(&Token::Sign('.'));
    // Every word counts, even in import statements.
    let is_dynamic = tokens.iter().enumerate().any(|(at, token)| match token {
        Token::Word(word) => LOADERS.contains(word) || (BUILTINS.contains(word) && !after_dot(at)),
        Token::Sign(_) | Token::Line => false,
    });
    let mut found = Imports { is_dynamic, ..Imports::default() };
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let is_attribute = after_dot(at);
        at += 1;
        match token {
            Token::Word("from") if !is_attribute => at = from(&tokens, at, &mut found.statements),
            Token::Word("import") if !is_attribute => {
                at = plain(&tokens, at, &mut found.statements);
            }
            Token::Word(_) | Token::Sign(_) | Token::Line => {}
        }
    }
    found
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    Sign(char),
    Line,
}

/// Words and punctuation, without strings and comments; lines inside brackets are joined.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut depth = 0usize;
    while let Some(c) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let used = match c {
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '\'' | '"' => quoted(rest, c),
            '\n' => {
                if depth == 0 {
                    found.push(Token::Line);
                }
                1
            }
            // The next character belongs to it, even a line end.
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            c if is_word(c) => {
                let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                found.push(Token::Word(&rest[..end]));
                end
            }
            c if c.is_whitespace() => c.len_utf8(),
            sign => {
                match sign {
                    '(' | '[' | '{' => depth += 1,
                    ')' | ']' | '}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                found.push(Token::Sign(sign));
                sign.len_utf8()
            }
        };
        rest = &rest[used..];
    }
    found
}

/// The length of the string literal that begins here.
fn quoted(rest: &str, quote: char) -> usize {
    let triple: String = [quote; 3].iter().collect();
    let (open, is_long) = if rest.starts_with(&triple) { (3, true) } else { (1, false) };
    let mut at = open;
    while let Some(c) = rest[at..].chars().next() {
        match c {
            '\\' => at += 1 + rest[at + 1..].chars().next().map_or(0, char::len_utf8),
            '\n' if !is_long => return at,
            _ if is_long && rest[at..].starts_with(&triple) => return at + 3,
            c if !is_long && c == quote => return at + 1,
            c => at += c.len_utf8(),
        }
    }
    rest.len()
}

/// After `from`: returns where to continue. Without `import` it is not an import.
fn from(tokens: &[Token<'_>], start: usize, found: &mut Vec<Import>) -> usize {
    let mut import = Import::default();
    let mut at = start;
    loop {
        match tokens.get(at) {
            Some(Token::Sign('.')) if import.path.is_empty() => import.level += 1,
            Some(Token::Sign('.')) => {}
            Some(Token::Word("import")) => break,
            Some(Token::Word(word)) => import.path.push((*word).to_owned()),
            _ => return start,
        }
        at += 1;
    }
    at += 1;
    loop {
        match tokens.get(at) {
            Some(Token::Word("as")) => at += 1,
            Some(Token::Word(word)) => import.names.push((*word).to_owned()),
            Some(Token::Sign('*')) => import.names.push("*".to_owned()),
            Some(Token::Sign('(' | ',')) => {}
            _ => break,
        }
        at += 1;
    }
    found.push(import);
    at
}

/// After `import`: one or several paths.
fn plain(tokens: &[Token<'_>], start: usize, found: &mut Vec<Import>) -> usize {
    let mut at = start;
    let mut path = Vec::new();
    loop {
        match tokens.get(at) {
            Some(Token::Word("as")) => at += 1,
            Some(Token::Word(word)) => path.push((*word).to_owned()),
            Some(Token::Sign('.')) => {}
            Some(Token::Sign(',')) => {
                found.push(Import { path: std::mem::take(&mut path), ..Import::default() });
            }
            _ => break,
        }
        at += 1;
    }
    if !path.is_empty() {
        found.push(Import { path, ..Import::default() });
    }
    at
}
