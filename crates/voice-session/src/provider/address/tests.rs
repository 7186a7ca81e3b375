//! Where a speech model is reached, and how its name is read.

use models::{Key, Provider, Secret};
use voice::{OwnParts, Presence, RoadKind, all_capabilities};

use super::socket_address;
use crate::provider::{ProviderRoad, RoadFault, RoadOptions};

#[test]
fn each_road_has_its_address_below_the_usual_one() {
    let check = |road, base: &str, expected: &str| {
        assert_eq!(socket_address(road, base, "a model/1").unwrap(), expected);
    };
    let openai = "https://api.openai.com/v1";
    check(RoadKind::Realtime, openai, "wss://api.openai.com/v1/realtime?model=a%20model%2F1");
    check(RoadKind::Live, openai, "wss://api.openai.com/v1/live/sessions");
    check(RoadKind::Live, "http://127.0.0.1:8000/v1/", "ws://127.0.0.1:8000/v1/live/sessions");
    let bidi = "google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent";
    check(
        RoadKind::Gemini,
        "https://generativelanguage.googleapis.com/v1beta",
        &format!("wss://generativelanguage.googleapis.com/ws/{bidi}"),
    );
    check(RoadKind::Gemini, "http://127.0.0.1:9", &format!("ws://127.0.0.1:9/ws/{bidi}"));
    assert!(socket_address(RoadKind::Live, "ftp://example.org", "m").is_err());
    assert!(socket_address(RoadKind::Cascade, openai, "m").is_err());
}

fn road_of(kind: RoadKind, provider: Provider) -> Result<ProviderRoad, RoadFault> {
    let row = all_capabilities().iter().find(|row| row.road == kind).unwrap().clone();
    let own = OwnParts { speech: Presence::Absent, transcription: Presence::Absent };
    ProviderRoad::new(row, provider, RoadOptions { voice: None, own })
}

#[test]
fn the_key_is_in_a_header_of_the_handshake_and_debug_output_hides_it() {
    let key = || Key::Given(Secret::new("sk-canary-1234"));
    let cases = [
        (RoadKind::Realtime, Provider::openai(key()), "authorization", "Bearer sk-canary-1234"),
        (RoadKind::Live, Provider::openai(key()), "authorization", "Bearer sk-canary-1234"),
        (RoadKind::Gemini, Provider::gemini(key()), "x-goog-api-key", "sk-canary-1234"),
    ];
    for (kind, provider, header, expected) in cases {
        let road = road_of(kind, provider).unwrap();
        let request = road.request().unwrap();
        assert_eq!(request.headers()[header], expected);
        assert!(!format!("{request:?}").contains("canary"), "{request:?}");
        assert!(!request.uri().to_string().contains("canary"));
        assert_eq!(road.shown(" no sk-canary-1234 here "), "no [secret] here");
    }
}

#[test]
fn a_missing_key_and_a_wrong_address_are_said_at_once() {
    let check = |kind, provider, expected: &str| {
        let fault = road_of(kind, provider).err().unwrap();
        assert!(fault.to_string().contains(expected), "{fault}");
    };
    let missing = Provider::openai(Key::Missing);
    check(RoadKind::Realtime, missing, "`openai` needs a key, and `OPENAI_API_KEY` is not set");
    let odd = Provider::compatible("odd", "somewhere", Key::NotNeeded);
    check(RoadKind::Realtime, odd, "`somewhere`: an address begins with http:// or https://");
    let broken = Provider::openai(Key::Given(Secret::new("two\nlines")));
    check(RoadKind::Live, broken, "the key has characters that no header can have");
}
