//! Profiles from posts, and differences between both. GP-24, GP-25.

use serde_json::json;

use super::compare;
use super::{ProfileBuilder, correction};
use crate::clock::Now;
use crate::posts::length::Platform;
use crate::style::profile::{Kind, Profile, ProfileName};
use crate::text::language::Lang;

const GOLDEN: &str = include_str!("../../../tests/data/golden-profile.json");

fn posts() -> Vec<String> {
    let profile = Profile::parse(GOLDEN).unwrap();
    let mut posts: Vec<_> = profile.examples().into_iter().map(|one| one.text).collect();
    posts.push("Ось у чому штука: я теж боявся.\n\nІ це нормально.\n\nА ви?".to_owned());
    posts
}

fn sketch<'a>(name: &'a ProfileName, posts: &'a [String]) -> ProfileBuilder<'a> {
    let now = Now::at("2026-02-08T14:00:00Z".parse().unwrap());
    let platform = Some(Platform::Linkedin);
    ProfileBuilder { name, kind: Kind::Personal, posts, platform, lang: Lang::Uk, now }
}

#[test]
fn gp_24_a_measured_profile_is_a_whole_profile() {
    let (name, posts) = (ProfileName::default(), posts());
    let sketch = sketch(&name, &posts);
    let style = sketch.stylometry().unwrap();
    let profile = sketch.profile(&style, None).unwrap();
    assert_eq!((profile.version(), profile.examples().len()), (1, 3));
    assert!(profile.voices("signature_phrases").contains(&"ось у чому штука"));
    assert!(profile.voices("hooks")[0].contains("«"));
    assert!(profile.measured().is_some());
    assert!(profile.text().contains("\n  \"voice\": {\n    \"tone\""));
}

#[test]
fn gp_24_what_a_model_describes_stands_over_what_was_measured() {
    let (name, posts) = (ProfileName::default(), posts());
    let sketch = sketch(&name, &posts);
    let style = sketch.stylometry().unwrap();
    let described = json!({
        "voice": { "tone": "теплий, іронічний", "avoid": [], "hooks": ["питання"] },
        "platforms": { "x": { "structure": "одна думка" } },
        "why_good": ["Чесний."],
    });
    let profile = sketch.profile(&style, Some(&described)).unwrap();
    assert_eq!(profile.voice("tone"), "теплий, іронічний");
    assert_eq!(profile.voices("hooks"), ["питання"]);
    assert!(!profile.voices("avoid").is_empty(), "an empty list does not replace rules");
    assert_eq!(profile.platform(Platform::X).unwrap().structure, "одна думка");
    assert_eq!(profile.platform(Platform::X).unwrap().max_length, Some(280));
    assert_eq!(profile.examples()[0].why_good, "Чесний.");
}

#[test]
fn gp_24_a_field_is_corrected_by_hand() {
    let check = |line: &str, expected: Option<serde_json::Value>| {
        assert_eq!(correction(line).map(serde_json::Value::Object), expected, "{line}");
    };
    check("voice.tone = теплий", Some(json!({ "voice.tone": "теплий" })));
    check("voice.hooks = питання; історія", Some(json!({ "voice.hooks": ["питання", "історія"] })));
    check("platforms.x.max_length=250", Some(json!({ "platforms.x.max_length": 250 })));
    check("зроби теплішим", None);
    check("а = ", None);
}

#[test]
fn gp_25_a_profile_and_its_posts_are_compared() {
    let golden = Profile::parse(GOLDEN).unwrap();
    let (name, posts) = (ProfileName::default(), posts());
    let sketch = sketch(&name, &posts);
    let style = sketch.stylometry().unwrap();
    let lines = compare(&golden, &style, Lang::Uk);
    let fields: Vec<_> = lines.iter().map(|line| line.field.as_str()).collect();
    assert!(fields.contains(&"voice.sentence_style"), "{fields:?}");
    assert!(fields.contains(&"platforms.instagram.hashtags"), "{fields:?}");
    let own = sketch.profile(&style, None).unwrap();
    assert_eq!(compare(&own, &style, Lang::Uk), [], "a profile agrees with its own posts");
    let other = ProfileBuilder {
        posts: &["Long sentences are what this person writes all day long, and \
        nothing else. Would you believe that it works? 🔥🔥🔥 #a #b"
            .to_owned()],
        ..sketch
    };
    let lines = compare(&own, &other.stylometry().unwrap(), Lang::En);
    assert!(lines.iter().any(|line| line.field == "language"));
    assert!(lines.iter().any(|line| line.field == "measured: sentence words"), "{lines:?}");
}
