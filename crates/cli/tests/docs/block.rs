//! The parts of a document that are tried: fenced blocks, and the comments in front of them.
//!
//! | comment | means |
//! | --- | --- |
//! | `<!-- test: skip: REASON -->` | the next block is not tried, because of REASON |
//! | `<!-- test: exit 1 -->` | the last command of the next block ends with this code |
//! | `<!-- test: background -->` | the commands of the next block are servers; each is started, shows its output, and runs until the next one or the end of the document |
//! | `<!-- test: file PATH -->` | the next block is written to PATH |
//! | `<!-- test: setup`, lines of shell, `-->` | they are run first; `$REPOSITORY` is this repository |

/// One thing to do, and the line where it stands.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub line: usize,
    pub what: What,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// A scene, prepared by shell commands that readers do not see.
    Setup(String),
    Block(Block),
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// The word after the fence.
    pub language: String,
    pub text: String,
    pub mark: Mark,
}

/// What a comment in front of a block says about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mark {
    None,
    Skip,
    Exit(i32),
    Background,
    File(String),
}

const OPEN: &str = "<!-- test:";
const CLOSE: &str = "-->";

/// All steps of a document, in order. A comment that is not understood is an error.
pub(crate) fn steps(document: &str) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    let mut mark = Mark::None;
    let mut lines = document.lines().enumerate().map(|(at, line)| (at + 1, line));
    while let Some((line, text)) = lines.next() {
        if let Some(comment) = text.trim().strip_prefix(OPEN) {
            let mut comment = comment.to_owned();
            while !comment.contains(CLOSE) {
                let (_, more) = lines.next().ok_or(format!("line {line}: no `-->`"))?;
                comment.push('\n');
                comment.push_str(more);
            }
            let comment = comment.split(CLOSE).next().unwrap_or_default();
            match comment.trim_start().strip_prefix("setup\n") {
                Some(script) => steps.push(Step { line, what: What::Setup(script.to_owned()) }),
                None => mark = read_mark(comment.trim(), line)?,
            }
        } else if let Some(info) = text.trim_start().strip_prefix("```") {
            let fence: String = text.trim_start().chars().take_while(|c| *c == '`').collect();
            let indent = text.len() - text.trim_start().len();
            let language = info.trim_start_matches('`').trim().to_owned();
            let mut body = String::new();
            for (_, inner) in lines.by_ref().take_while(|(_, inner)| inner.trim() != fence) {
                body.push_str(inner.get(indent..).unwrap_or_default());
                body.push('\n');
            }
            let mark = std::mem::replace(&mut mark, Mark::None);
            steps.push(Step { line, what: What::Block(Block { language, text: body, mark }) });
        }
    }
    match mark {
        Mark::None => Ok(steps),
        Mark::Skip | Mark::Exit(_) | Mark::Background | Mark::File(_) => {
            Err("the last comment stands in front of no block".to_owned())
        }
    }
}

fn read_mark(comment: &str, line: usize) -> Result<Mark, String> {
    let (word, rest) = comment.split_once([' ', ':']).unwrap_or((comment, ""));
    match (word, rest.trim()) {
        ("skip", reason) if !reason.is_empty() => Ok(Mark::Skip),
        ("exit", code) => code.parse().map(Mark::Exit).map_err(|_| unknown(comment, line)),
        ("background", "") => Ok(Mark::Background),
        ("file", path) if !path.is_empty() => Ok(Mark::File(path.to_owned())),
        _ => Err(unknown(comment, line)),
    }
}

fn unknown(comment: &str, line: usize) -> String {
    format!("line {line}: `test: {comment}` is not understood; tests/docs/block.rs has the words")
}

#[test]
fn blocks_have_their_marks_and_an_unknown_mark_is_said() {
    let text = "a\n<!-- test: setup\ntouch x\n-->\n<!-- test: exit 1 -->\n\n```console\n$ a\nb\n```\n\
                <!-- test: skip: needs a key -->\n```sh\nx\n```\n";
    let block = |language: &str, text: &str, mark| {
        What::Block(Block { language: language.into(), text: text.into(), mark })
    };
    let expected = [
        Step { line: 2, what: What::Setup("touch x\n".into()) },
        Step { line: 7, what: block("console", "$ a\nb\n", Mark::Exit(1)) },
        Step { line: 12, what: block("sh", "x\n", Mark::Skip) },
    ];
    assert_eq!(steps(text).unwrap(), expected);
    for bad in ["skip", "skip:", "exit one", "backgrund", "file"] {
        let fault = steps(&format!("<!-- test: {bad} -->\n```sh\n```\n")).unwrap_err();
        assert!(fault.starts_with("line 1: "), "{bad}: {fault}");
    }
    assert!(steps("<!-- test: background -->\n").is_err());
}
