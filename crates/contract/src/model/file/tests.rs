//! What a model reads about a file.

use super::{FileContent, FilePart, FileRef, Sight};
use crate::Digest;

fn part(content: FileContent) -> FilePart {
    let file = FileRef {
        digest: Digest::of(b"1"),
        name: "a \"b\".csv".into(),
        media_type: "text/plain".into(),
        bytes: 1,
    };
    FilePart { file, content }
}

#[test]
fn a_model_is_told_what_it_does_not_get() {
    let check = |content: FileContent, sight, expected: Option<&str>| {
        assert_eq!(part(content).in_words(sight).as_deref(), expected);
    };
    let text = |whole_bytes, is_cut| FileContent::Text { text: "a,b".into(), whole_bytes, is_cut };
    let picture = || FileContent::Picture { base64: "AAAA".into() };
    check(text(3, false), Sight::Blind, Some("<file name=\"a 'b'.csv\">\na,b\n</file>"));
    check(
        text(9, false),
        Sight::Sees,
        Some(
            "<file name=\"a 'b'.csv\">\na,b\n[This is the beginning of the file: 3 of 9 \
             bytes.]\n</file>",
        ),
    );
    check(
        text(9, true),
        Sight::Sees,
        Some(
            "<file name=\"a 'b'.csv\">\na,b\n[This is the beginning of the file: 3 bytes; the \
             file has more than 9.]\n</file>",
        ),
    );
    check(picture(), Sight::Sees, None);
    check(
        picture(),
        Sight::Blind,
        Some(
            "[The user attached the picture \"a 'b'.csv\", but you cannot see pictures. Tell the \
             user so.]",
        ),
    );
    check(
        FileContent::Missing,
        Sight::Sees,
        Some("[The user attached the file \"a 'b'.csv\", which is gone now.]"),
    );
}

#[test]
fn the_digest_stands_for_the_content() {
    let with = serde_json::to_string(&part(FileContent::Picture { base64: "AAAA".into() }));
    let without = serde_json::to_string(&part(FileContent::NotLoaded));
    assert_eq!(with.unwrap(), without.unwrap());
}
