//! Platforms and topics as people write them. GP-19.

use super::{PlatformChoice, Request};
use crate::posts::length::Platform;

#[track_caller]
fn check(line: &str, platform: PlatformChoice, topic: &str) {
    let request = Request::parse(line);
    assert_eq!((request.platform, request.topic.as_str()), (platform, topic), "{line}");
}

#[test]
fn gp_19_the_platform_is_read_from_the_request() {
    let named = PlatformChoice::Named;
    check("напиши пост про вигорання для LinkedIn", named(Platform::Linkedin), "вигорання");
    check("пост в інсту про ціни", named(Platform::Instagram), "ціни");
    check("твіт про ціни", named(Platform::X), "ціни");
    check("write a post about prices for X", named(Platform::X), "prices");
    check("tweet about prices", named(Platform::X), "prices");
    check("вигорання", PlatformChoice::Unsaid, "вигорання");
    check(
        "напиши пост про алгоритми Instagram для LinkedIn",
        named(Platform::Linkedin),
        "алгоритми Instagram",
    );
    check("пост про LinkedIn", PlatformChoice::Unsaid, "LinkedIn");
    check("для LinkedIn: як я звільнився", named(Platform::Linkedin), "як я звільнився");
    check(
        "вигорання для LinkedIn і для Instagram",
        PlatformChoice::Several(vec![Platform::Linkedin, Platform::Instagram]),
        "вигорання",
    );
    check("x і y у рівнянні", PlatformChoice::Unsaid, "x і y у рівнянні");
    check("в телеграм про каву", named(Platform::Telegram), "каву");
    check("напиши пост про каву для Телеграму", named(Platform::Telegram), "каву");
    check("пост для Facebook про каву", named(Platform::Facebook), "каву");
    check("у фейсбук про каву", named(Platform::Facebook), "каву");
    let both = || PlatformChoice::Several(vec![Platform::Linkedin, Platform::Instagram]);
    check("пост про сон для LinkedIn і Instagram", both(), "сон");
    check("post about sleep for LinkedIn and Instagram", both(), "sleep");
    check("для LinkedIn та Instagram: як я звільнився", both(), "як я звільнився");
    check("сон для LinkedIn, Instagram", both(), "сон");
    check(
        "сон для LinkedIn, Instagram і X",
        PlatformChoice::Several(vec![Platform::Linkedin, Platform::Instagram, Platform::X]),
        "сон",
    );
    check("пост про LinkedIn і цілі", PlatformChoice::Unsaid, "LinkedIn і цілі");
    check("пост про LinkedIn і Instagram", PlatformChoice::Unsaid, "LinkedIn і Instagram");
    check("пост про LinkedIn та Instagram для X", named(Platform::X), "LinkedIn та Instagram");
    check("пост для телеги про каву", named(Platform::Telegram), "каву");
    check("для X: як я звільнився", named(Platform::X), "як я звільнився");
    check("кава в тг", named(Platform::Telegram), "кава");
    check("стара телега діда", PlatformChoice::Unsaid, "стара телега діда");
    check("post about coffee for Threads", named(Platform::Threads), "coffee");
}
