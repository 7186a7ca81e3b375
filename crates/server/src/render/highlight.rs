//! Syntax colours for code: comments, strings, numbers, keywords, functions and types.
//!
//! One pass in linear time with a few facts about each language, without a grammar (decision
//! 0016). Unknown languages stay plain. Invariant: without its tags, the output is the escaped
//! input.

use std::fmt::Write;

/// What the scanner needs to know about a language.
struct Language {
    names: &'static [&'static str],
    keywords: &'static str,
    line_comments: &'static [&'static str],
    block_comment: Option<(&'static str, &'static str)>,
    quotes: &'static [&'static str],
}

const SLASHES: &[&str] = &["//"];
const HASH: &[&str] = &["#"];
const BLOCK: Option<(&str, &str)> = Some(("/*", "*/"));
const DOUBLE_SINGLE: &[&str] = &["\"", "'"];

const LANGUAGES: &[Language] = &[
    Language {
        names: &["rust", "rs"],
        keywords: "as async await break const continue crate dyn else enum extern false fn for if \
                   impl in let loop match mod move mut pub ref return self Self static struct \
                   super trait true type unsafe use where while",
        line_comments: SLASHES,
        block_comment: BLOCK,
        quotes: &["\""],
    },
    Language {
        names: &["javascript", "js", "jsx", "typescript", "ts", "tsx", "mjs"],
        keywords: "async await break case catch class const continue default delete do else enum \
                   export extends false finally for from function if implements import in \
                   instanceof interface let new null of return static super switch this throw \
                   true try type typeof undefined var void while yield",
        line_comments: SLASHES,
        block_comment: BLOCK,
        quotes: &["`", "\"", "'"],
    },
    Language {
        names: &["python", "py"],
        keywords: "and as assert async await break case class continue def del elif else except \
                   False finally for from global if import in is lambda match None nonlocal not \
                   or pass raise return True try while with yield",
        line_comments: HASH,
        block_comment: None,
        quotes: &["\"\"\"", "'''", "\"", "'"],
    },
    Language {
        names: &["json", "jsonc", "json5"],
        keywords: "true false null",
        line_comments: SLASHES,
        block_comment: BLOCK,
        quotes: &["\""],
    },
    Language {
        names: &["bash", "sh", "shell", "zsh", "console"],
        keywords: "case do done elif else esac export fi for function if in local return then \
                   until while",
        line_comments: HASH,
        block_comment: None,
        quotes: DOUBLE_SINGLE,
    },
    Language {
        names: &["go"],
        keywords: "break case chan const continue default defer else fallthrough false for func go \
                   goto if import interface map nil package range return select struct switch true \
                   type var",
        line_comments: SLASHES,
        block_comment: BLOCK,
        quotes: &["`", "\"", "'"],
    },
    Language {
        names: &["c", "cpp", "c++", "h", "hpp", "java", "kotlin", "kt", "csharp", "cs", "swift"],
        keywords: "abstract auto bool boolean break case catch char class const continue default \
                   do double else enum extends extern false final float for fun func if implements \
                   import include int interface let long namespace new null nullptr override \
                   package private protected public return short static struct super switch \
                   template this throw throws true try typedef union unsigned using val var void \
                   volatile when while",
        line_comments: SLASHES,
        block_comment: BLOCK,
        quotes: DOUBLE_SINGLE,
    },
    Language {
        names: &["sql"],
        keywords: "ALTER AND AS ASC BEGIN BY CASE COMMIT CREATE DELETE DESC DISTINCT DROP ELSE END \
                   EXISTS FROM GROUP HAVING IN INDEX INNER INSERT INTO IS JOIN KEY LEFT LIKE LIMIT \
                   NOT NULL ON OR ORDER OUTER PRIMARY RIGHT SELECT SET TABLE THEN UNION UNIQUE \
                   UPDATE VALUES WHEN WHERE and as asc by create delete desc drop from group in \
                   insert into is join left like limit not null on or order select set table update \
                   values where",
        line_comments: &["--"],
        block_comment: BLOCK,
        quotes: DOUBLE_SINGLE,
    },
    Language {
        names: &["toml", "yaml", "yml", "ini", "dockerfile", "make", "makefile", "ruby", "rb"],
        keywords: "true false null yes no def end class module FROM RUN COPY CMD ENV WORKDIR",
        line_comments: HASH,
        block_comment: None,
        quotes: DOUBLE_SINGLE,
    },
    Language {
        names: &["css", "scss"],
        keywords: "important media supports keyframes import",
        line_comments: &[],
        block_comment: BLOCK,
        quotes: DOUBLE_SINGLE,
    },
];

/// Longer code is not coloured.
const CODE_BYTES_MAX: usize = 200_000;

/// The code as HTML, with `<span class="hl-…">` around recognised tokens.
pub(crate) fn highlighted(code: &str, language: &str) -> String {
    let name = language.to_ascii_lowercase();
    let mut out = String::with_capacity(code.len() * 2);
    if name == "diff" || name == "patch" {
        code.split_inclusive('\n').for_each(|line| diff_line(line, &mut out));
        return out;
    }
    let language = LANGUAGES.iter().find(|one| one.names.contains(&name.as_str()));
    match language.filter(|_| code.len() <= CODE_BYTES_MAX) {
        Some(language) => Reader { language, rest: code }.read(&mut out),
        None => escape(code, &mut out),
    }
    out
}

fn diff_line(line: &str, out: &mut String) {
    match line.as_bytes().first() {
        Some(b'+') => put("added", line, out),
        Some(b'-') => put("removed", line, out),
        Some(b'@') => put("comment", line, out),
        Some(_) | None => escape(line, out),
    }
}

struct Reader<'a> {
    language: &'a Language,
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn read(mut self, out: &mut String) {
        while let Some(first) = self.rest.chars().next() {
            if let Some(length) = self.comment() {
                put("comment", self.take(length), out);
            } else if let Some(length) = self.string() {
                put("string", self.take(length), out);
            } else if first.is_ascii_digit() {
                let is_part = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_';
                put("number", self.take_while(is_part), out);
            } else if first.is_alphabetic() || first == '_' {
                let word = self.take_while(|c| c.is_alphanumeric() || c == '_');
                match self.kind_of(word) {
                    Some(kind) => put(kind, word, out),
                    None => escape(word, out),
                }
            } else {
                escape(self.take(first.len_utf8()), out);
            }
        }
    }

    fn comment(&self) -> Option<usize> {
        if self.language.line_comments.iter().any(|start| self.rest.starts_with(start)) {
            return Some(self.rest.find('\n').unwrap_or(self.rest.len()));
        }
        let (start, end) = self.language.block_comment?;
        let inside = self.rest.strip_prefix(start)?;
        let length = inside.find(end).map(|at| start.len() + at + end.len());
        Some(length.unwrap_or(self.rest.len()))
    }

    /// A string with a one-character quote ends at the end of its line at the latest.
    fn string(&self) -> Option<usize> {
        let quote = *self.language.quotes.iter().find(|quote| self.rest.starts_with(**quote))?;
        let over_lines = quote.len() > 1 || quote == "`";
        let mut at = quote.len();
        while let Some(next) = self.rest.get(at..).and_then(|rest| rest.chars().next()) {
            if self.rest.get(at..).is_some_and(|rest| rest.starts_with(quote)) {
                return Some(at + quote.len());
            }
            match next {
                '\n' if !over_lines => return Some(at),
                '\\' => {
                    let escaped = self.rest.get(at + 1..).and_then(|rest| rest.chars().next());
                    at += 1 + escaped.map_or(0, char::len_utf8);
                }
                other => at += other.len_utf8(),
            }
        }
        Some(self.rest.len())
    }

    fn kind_of(&self, word: &str) -> Option<&'static str> {
        if self.language.keywords.split_whitespace().any(|keyword| keyword == word) {
            return Some("keyword");
        }
        if self.rest.starts_with('(') || self.rest.starts_with("!(") {
            return Some("function");
        }
        let mut chars = word.chars();
        let is_type = chars.next().is_some_and(char::is_uppercase)
            && chars.next().is_some_and(char::is_lowercase);
        is_type.then_some("type")
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        let length = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        self.take(length)
    }
}

fn put(kind: &str, text: &str, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = write!(out, "<span class=\"hl-{kind}\">");
    escape(text, out);
    out.push_str("</span>");
}

pub(crate) fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LANGUAGES, escape, highlighted};

    /// `[k:…]` for a keyword, and so on.
    fn short(code: &str, language: &str) -> String {
        let html = highlighted(code, language).replace("</span>", "]");
        let kinds =
            ["comment", "string", "number", "keyword", "function", "type", "added", "removed"];
        kinds.iter().fold(html, |html, kind| {
            html.replace(&format!("<span class=\"hl-{kind}\">"), &format!("[{}:", &kind[..1]))
        })
    }

    #[test]
    fn code_is_coloured() {
        let check = |language: &str, code: &str, expected: &str| {
            assert_eq!(short(code, language), expected, "{language}");
        };
        check(
            "rust",
            "fn a() -> Vec {} // <x>",
            "[k:fn] [f:a]() -&gt; [t:Vec] {} [c:// &lt;x&gt;]",
        );
        check("RUST", "let x = 1_000u8; /* a", "[k:let] x = [n:1_000u8]; [c:/* a]");
        check("py", "x = '''a\nb''' # c", "x = [s:&#39;&#39;&#39;a\nb&#39;&#39;&#39;] [c:# c]");
        check("js", "`a ${b}` + \"c\\\"d\"", "[s:`a ${b}`] + [s:&quot;c\\&quot;d&quot;]");
        check("json", "{\"a\": true}", "{[s:&quot;a&quot;]: [k:true]}");
        check("sh", "echo \"a\nfi", "echo [s:&quot;a]\n[k:fi]");
        check("diff", "+a\n-b\n c", "[a:+a\n][r:-b\n] c");
        check("rust", "super::a", "[k:super]::a");
        check("js", "super.a", "[k:super].a");
        check("java", "super.a", "[k:super].a");
        check("klingon", "if <b>", "if &lt;b&gt;");
        check("rust", "\"\\", "[s:&quot;\\]");
    }

    #[test]
    fn without_its_tags_the_output_is_the_input() {
        let code = "fn їжак(\"🦔\\\n', /* <script> */ `x` 'a' 0x1F_ # -- \"\"\" \\ é";
        let mut plain = String::new();
        escape(code, &mut plain);
        for language in LANGUAGES.iter().flat_map(|one| one.names) {
            let html = highlighted(code, language).replace("</span>", "");
            let bare: String = html.split("<span class=\"hl-").enumerate().fold(
                String::new(),
                |text, (at, part)| match at {
                    0 => text + part,
                    _ => text + part.split_once("\">").unwrap().1,
                },
            );
            assert_eq!(bare, plain, "{language}");
        }
    }
}
