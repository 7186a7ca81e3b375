//! Splits a long text into numbered posts, at the best place that fits.
//!
//! Must hold: every post is within the platform's limit; no word and no link is cut, unless
//! a word alone is longer than a post; nothing is lost but white space.

use unicode_segmentation::UnicodeSegmentation;

use super::Platform;
use super::x;
use crate::text::language::Lang;
use crate::text::{lines, paragraphs, sentences};

/// The maximum number of posts in a thread.
const POSTS_MAX: usize = 25;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text(Lang::En))]
pub enum ThreadFault {
    Empty,
    TooLong { posts: usize },
    LongLink { platform: Platform },
}

impl ThreadFault {
    /// The fault in the writer's language.
    pub fn text(&self, lang: Lang) -> String {
        match self {
            ThreadFault::Empty => lang.say("thread.empty").to_owned(),
            ThreadFault::TooLong { posts } => {
                lang.fill("thread.too_long", &[("posts", posts), ("most", &POSTS_MAX)])
            }
            ThreadFault::LongLink { platform } => {
                lang.fill("thread.long_link", &[("platform", platform)])
            }
        }
    }
}

/// The posts of a thread. A line `---` always begins a new post; one post gets no number.
pub fn thread(text: &str, platform: Platform) -> Result<Vec<String>, ThreadFault> {
    if text.trim().is_empty() {
        return Err(ThreadFault::Empty);
    }
    let chapters = chapters(text);
    if let [only] = chapters.as_slice()
        && platform.count(only) <= platform.limit()
    {
        return Ok(vec![(*only).to_owned()]);
    }
    // The width of the number depends on how many there are.
    for digits in 1..=3 {
        let room = platform.limit().saturating_sub(2 * digits + 2);
        let mut posts = Vec::new();
        for chapter in &chapters {
            posts.append(&mut packed(chapter, room, platform)?);
        }
        if posts.len().to_string().len() <= digits {
            if posts.len() > POSTS_MAX {
                return Err(ThreadFault::TooLong { posts: posts.len() });
            }
            let all = posts.len();
            let numbered = |(index, post): (usize, &String)| format!("{}/{all} {post}", index + 1);
            return Ok(posts.iter().enumerate().map(numbered).collect());
        }
    }
    Err(ThreadFault::TooLong { posts: POSTS_MAX * 40 })
}

/// The parts between lines of dashes.
fn chapters(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in lines(text) {
        let is_break = text[line.clone()].trim() == "---";
        if is_break {
            found.push(text[start..line.start].trim());
            start = line.end;
        }
    }
    found.push(text[start..].trim());
    found.retain(|chapter| !chapter.is_empty());
    found
}

/// Fills each post as far as possible: with paragraphs, else sentences, else words.
fn packed(text: &str, room: usize, platform: Platform) -> Result<Vec<String>, ThreadFault> {
    let mut posts: Vec<String> = Vec::new();
    let mut open = String::new();
    for (glue, piece) in pieces(text, room, platform)? {
        let longer = format!("{open}{}{piece}", if open.is_empty() { "" } else { glue });
        if platform.count(&longer) <= room {
            open = longer;
        } else {
            posts.extend(Some(std::mem::replace(&mut open, piece)).filter(|post| !post.is_empty()));
        }
    }
    posts.extend(Some(open).filter(|post| !post.is_empty()));
    Ok(posts)
}

type Pieces = Vec<(&'static str, String)>;

/// Pieces that fit into a post, each with its separator from the previous one.
fn pieces(text: &str, room: usize, platform: Platform) -> Result<Pieces, ThreadFault> {
    let mut found = Vec::new();
    for paragraph in paragraphs(text) {
        let paragraph = &text[paragraph];
        if platform.count(paragraph) <= room {
            found.push(("\n\n", paragraph.to_owned()));
            continue;
        }
        let mut glue = "\n\n";
        let mut end_before = 0;
        for sentence in sentences(paragraph) {
            if end_before > 0 {
                let gap = &paragraph[end_before..sentence.start];
                glue = if gap.contains('\n') { "\n" } else { " " };
            }
            end_before = sentence.end;
            let sentence = &paragraph[sentence];
            if platform.count(sentence) <= room {
                found.push((glue, sentence.to_owned()));
            } else {
                words_of(sentence, glue, room, platform, &mut found)?;
            }
        }
    }
    Ok(found)
}

fn words_of(
    sentence: &str,
    first_glue: &'static str,
    room: usize,
    platform: Platform,
    found: &mut Pieces,
) -> Result<(), ThreadFault> {
    let mut glue = first_glue;
    for word in sentence.split_whitespace() {
        if platform.count(word) <= room {
            found.push((glue, word.to_owned()));
        } else if x::links(word).is_empty() {
            let mut part = String::new();
            for cluster in word.graphemes(true) {
                if platform.count(&format!("{part}{cluster}")) > room {
                    found.push((glue, std::mem::take(&mut part)));
                    glue = "";
                }
                part.push_str(cluster);
            }
            found.push((glue, part));
        } else {
            return Err(ThreadFault::LongLink { platform });
        }
        glue = " ";
    }
    Ok(())
}
