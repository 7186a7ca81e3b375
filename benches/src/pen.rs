//! Ghostpen's files: reading, listing, changing, saving and searching, against target times
//! (GP-26).
//!
//! The comparison is a plain scan of the same files.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use pen::posts::{NewPost, Posts, Query};
use pen::{Lang, Now, Platform, Profile, ProfileName, Workspace};
use serde_json::json;

use crate::measure::{against, best_of, cpu_time, row, time, times};

const GOLDEN: &str = include_str!("../../apps/pen/tests/data/golden-profile.json");
/// The target times.
const READ_MAX: Duration = Duration::from_millis(5);
const UPDATE_MAX: Duration = Duration::from_millis(10);
const LIST_MAX: Duration = Duration::from_millis(10);
const PAST_MAX: Duration = Duration::from_millis(20);
const SAVE_MAX: Duration = Duration::from_millis(5);
const TRACK_MAX: Duration = Duration::from_millis(5);
const INDEX_MAX: Duration = Duration::from_secs(20);
/// The first search of a new process over 10,000 posts.
const COLD_MAX: Duration = Duration::from_millis(200);
/// How often a cold search is measured; the best counts.
const COLD_TRIES: usize = 5;
const REST: Duration = Duration::from_secs(6);

const PROFILES: usize = 1_000;
const POSTS_FEW: usize = 1_000;
const POSTS_USUAL: usize = 10_000;
const POSTS_MANY: usize = 100_000;
const SEARCHES: usize = 1_000;

pub(crate) fn run() -> Result<()> {
    let dir = tempfile::tempdir()?;
    let workspace = Workspace::new(dir.path());
    workspace.create(&Profile::parse(GOLDEN)?)?;
    profiles(&workspace)?;
    small_things(&workspace)?;
    let few = tempfile::tempdir()?;
    search(few.path(), POSTS_FEW)?;
    let usual = tempfile::tempdir()?;
    search(usual.path(), POSTS_USUAL)?;
    cold(usual.path(), POSTS_USUAL)?;
    let many = tempfile::tempdir()?;
    search(many.path(), POSTS_MANY)
}

fn profiles(workspace: &Workspace) -> Result<()> {
    let name = ProfileName::default();
    let (read, _) = best_of(20, || Ok(workspace.read(&name)?))?;
    row("read_style_profile", &time(read), &against(READ_MAX, read));
    for number in 0..PROFILES - 1 {
        let text = GOLDEN.replacen("\"default\"", &format!("\"p{number}\""), 1);
        fs::write(workspace.profiles_dir().join(format!("p{number}.json")), text)?;
    }
    let (list, found) = best_of(10, || Ok(workspace.list(Lang::Uk).len()))?;
    row(&format!("list_profiles, {found}"), &time(list), &against(LIST_MAX, list));
    let changes = json!({ "voice.tone": "теплий" });
    let changes = changes.as_object().context("an object")?;
    let (update, _) =
        best_of(10, || Ok(workspace.update(&name, changes, "bench", Now::read())?))?;
    row("update_style_profile", &time(update), &against(UPDATE_MAX, update));
    Ok(())
}

fn small_things(workspace: &Workspace) -> Result<()> {
    let post = NewPost {
        content: "Плани не рятують.",
        platform: Platform::Linkedin,
        topic: "плани",
        profile_used: "default",
        style_profile_version: 3,
    };
    let (save, _) = best_of(20, || Ok(workspace.save(&post, Now::read())?))?;
    row("save_to_file", &time(save), &against(SAVE_MAX, save));
    let tracker = pen::feedback::Tracker::of(workspace);
    let category = pen::feedback::Category::TooFormal;
    let track = || Ok(tracker.track(category, "офіційно", Lang::Uk, Now::read())?);
    let (track, _) = best_of(20, track)?;
    row("track_feedback", &time(track), &against(TRACK_MAX, track));
    Ok(())
}

/// Words that posts are made of; each post has some of them, and one of its own.
const WORDS: [&str; 24] = [
    "вигорання",
    "робота",
    "клієнти",
    "ціни",
    "команда",
    "план",
    "голос",
    "тексти",
    "ранок",
    "сон",
    "гроші",
    "час",
    "помилка",
    "рішення",
    "дзвінок",
    "тиша",
    "burnout",
    "team",
    "work",
    "prices",
    "plan",
    "silence",
    "money",
    "sleep",
];

fn write_posts(folder: &Path, count: usize) -> Result<()> {
    fs::create_dir_all(folder)?;
    for number in 0..count {
        let word = |step: usize| WORDS[(number * 7 + step * (number % 5 + 1)) % WORDS.len()];
        let body: String = (0..120).map(|step| format!("{} ", word(step))).collect();
        let text = format!(
            "---\nplatform: linkedin\ntopic: {}\ncreated: 2026-01-01T00:00:00Z\nprofile_used: default\n\
             ---\n\n{body}\nунікальне{number}\n",
            word(0)
        );
        fs::write(folder.join(format!("2026-01-01-post-{number}-linkedin.md")), text)?;
    }
    Ok(())
}

fn search(root: &Path, count: usize) -> Result<()> {
    let workspace = Workspace::new(root);
    write_posts(&workspace.posts_dir(), count)?;
    let query = |keyword: String| Query { keywords: vec![keyword], platform: None, limit: 5 };
    let posts = Posts::of(&workspace);
    let start = Instant::now();
    let (_, total) = posts.search(&query("вигоранням".to_owned()));
    let index = start.elapsed();
    row(
        &format!("index of {count} posts, {total} found"),
        &time(index),
        &against(INDEX_MAX, index),
    );
    let start = Instant::now();
    let again = Posts::of(&workspace);
    again.search(&query("вигоранням".to_owned()));
    row("the first search of another process", &time(start.elapsed()), "");
    let mut took = Vec::new();
    for number in 0..SEARCHES {
        let keyword = match number % 4 {
            0 => format!("унікальне{}", number * 31 % count),
            1 => "робота team".to_owned(),
            _ => WORDS[number % WORDS.len()].to_owned(),
        };
        let start = Instant::now();
        posts.search(&query(keyword));
        took.push(start.elapsed());
    }
    took.sort_unstable();
    let at =
        |share: f64| took.get((took.len() as f64 * share) as usize).copied().unwrap_or_default();
    let (middle, p99) = (at(0.5), at(0.99));
    row(&format!("read_past_posts, {count} posts, p50"), &time(middle), "");
    row(&format!("read_past_posts, {count} posts, p99"), &time(p99), &against(PAST_MAX, p99));
    if count == POSTS_FEW {
        let (scan, _) = best_of(3, || scan(&workspace.posts_dir(), "вигорання"))?;
        row("a plain scan of the same posts", &time(scan), &times(scan, p99));
    }
    Ok(())
}

/// The first search of a new process: without any cache, then with the cache on disk; and searches
/// of the same process: after a rest, and after posts came, changed and went.
fn cold(root: &Path, count: usize) -> Result<()> {
    let workspace = Workspace::new(root);
    let cache = root.join("output").join(".posts-index");
    let query =
        Query { keywords: vec!["вигоранням".to_owned()], platform: None, limit: 5 };
    let (index, _) = best_of(COLD_TRIES, || {
        fs::remove_file(&cache)?;
        Ok(Posts::of(&workspace).search(&query))
    })?;
    row(&format!("cold, {count} posts, no cache"), &time(index), &against(COLD_MAX, index));
    fs::remove_file(&cache)?;
    let before = cpu_time();
    Posts::of(&workspace).search(&query);
    row("the same, CPU time of all threads", &time(cpu_time().saturating_sub(before)), "");
    let (load, _) = best_of(COLD_TRIES, || Ok(Posts::of(&workspace).search(&query)))?;
    row(&format!("cold, {count} posts, with its cache"), &time(load), &against(COLD_MAX, load));
    let posts = Posts::of(&workspace);
    posts.search(&query);
    // Long enough for every memory of the last look at the folder to be too old.
    #[expect(clippy::disallowed_methods, reason = "the rest itself is what is measured")]
    std::thread::sleep(REST);
    let start = Instant::now();
    posts.search(&query);
    let rested = start.elapsed();
    row(&format!("warm, {count} posts, after a rest"), &time(rested), &against(PAST_MAX, rested));
    let new = workspace.posts_dir().join("2026-01-02-new-x.md");
    let mut worst = Duration::ZERO;
    for text in ["Новий пост.", "Новий пост, змінений."] {
        fs::write(&new, text)?;
        worst = worst.max(timed(&posts, &query));
    }
    fs::remove_file(&new)?;
    worst = worst.max(timed(&posts, &query));
    row(&format!("warm, {count} posts, after a change"), &time(worst), &against(PAST_MAX, worst));
    Ok(())
}

fn timed(posts: &Posts, query: &Query) -> Duration {
    let start = Instant::now();
    posts.search(query);
    start.elapsed()
}

/// Reads and searches every file.
fn scan(folder: &Path, keyword: &str) -> Result<usize> {
    let mut found = 0;
    for entry in fs::read_dir(folder)? {
        let text = fs::read_to_string(entry?.path())?;
        found += usize::from(text.to_lowercase().contains(keyword));
    }
    Ok(found)
}
