//! NT-02: missing settings are reported, and their tools are not offered.

use contract::Secret;
use models::HttpClient;
use pen::notion::{Kind, Limits, Parent, READ_TOOL, Settings, WRITE_TOOL};

fn settings(token: Option<&str>, database: Option<&str>) -> Settings {
    Settings::new(token.map(Secret::new), database.map(str::to_owned))
}

#[test]
fn nt_02_only_tools_that_can_work_are_offered() {
    let check = |token, database, tools: &[&str]| {
        assert_eq!(settings(token, database).tools(), tools);
    };
    check(None, None, &[]);
    check(None, Some("393abc1eedcd81a09a08d7413a049dc8"), &[]);
    check(Some("ntn_1"), None, &[READ_TOOL]);
    check(Some("ntn_1"), Some(""), &[READ_TOOL]);
    check(Some("  "), Some("393abc1eedcd81a09a08d7413a049dc8"), &[]);
    check(Some("ntn_1"), Some("393abc1eedcd81a09a08d7413a049dc8"), &[READ_TOOL, WRITE_TOOL]);
}

#[test]
fn nt_02_not_configured_has_its_word() {
    let line = || HttpClient::new(models::Limits::usual()).unwrap();
    let fault = settings(None, None).client(line(), Limits::usual()).err().unwrap();
    assert_eq!(fault.kind, Kind::NotConfigured);
    assert_eq!(fault.kind.word(), "notion_not_configured");
    assert_eq!(
        fault.kind.in_ukrainian(),
        "Notion не налаштований. Додайте NOTION_TOKEN до .env файлу."
    );
    assert_eq!(
        fault.to_string(),
        "notion: NOTION_TOKEN is not set; add NOTION_TOKEN to the .env file"
    );

    let returned = fault.returned(fault.kind.in_ukrainian());
    assert_eq!(returned["error"], "notion_not_configured");
    assert_eq!(returned["message"], fault.kind.in_ukrainian());

    let fault = settings(Some("ntn_1"), None).calendar().unwrap_err();
    assert_eq!(fault.kind, Kind::NotConfigured);
    assert!(fault.what.contains("NOTION_DATABASE_ID"));
    let set = settings(Some("ntn_1"), Some("x"));
    assert!(set.client(line(), Limits::usual()).is_ok());
    assert_eq!(set.calendar().unwrap(), Parent::Database("x".into()));
}
