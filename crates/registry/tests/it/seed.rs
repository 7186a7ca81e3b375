//! The examples of the Ghostpad reference, unchanged.

use std::collections::BTreeSet;
use std::path::Path;

use registry::{BuildStamp, Feature, Lock, Registry, Tool, diff, read_tools_with};

use crate::python_reader::PythonReader;

fn seed() -> Registry {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/seed");
    let reader = PythonReader { environments: true };
    let build = read_tools_with(&dir, &BTreeSet::new(), &reader).unwrap();
    assert!(build.faults.is_empty(), "{:#?}", build.faults);
    build.registry
}

/// What a model, a person and a surface see of a tool, in one line.
fn line(tool: &Tool) -> String {
    let contract = &tool.contract;
    let features: Vec<_> = tool.features.0.iter().map(|feature| feature.as_str()).collect();
    let mut more = Vec::new();
    more.extend(contract.auto.then_some("auto"));
    more.extend(contract.one_time.then_some("once"));
    more.extend(tool.ui.is_some().then_some("ui"));
    more.extend(contract.requires_confirmation.then_some("asks"));
    more.extend((!contract.capabilities.kv.is_empty()).then_some("kv"));
    format!("{} {} | {}", contract.tool_id, features.join(" "), more.join(" "))
}

/// GD-01
#[test]
fn gd_01_every_example_of_the_reference_is_a_tool_without_a_fault() {
    let registry = seed();
    let lines: Vec<_> = registry.in_order().into_iter().map(|tool| line(tool)).collect();
    assert_eq!(
        lines,
        [
            "background.background_task callable | auto",
            "balance.balance_widget  | ui",
            "business.business_op callable conditional | ",
            "calculator.calculator callable | ",
            "expensive.expensive_op callable | once",
            "resource.resource_tool callable cleanup | ",
            "settings_manager.settings_ui  | ui kv",
            "system_status.system_status status | ",
            "web_search.web_search callable streaming | ",
        ]
    );
}

#[test]
fn the_calculator_has_the_default_contract() {
    let registry = seed();
    let tool = registry.get("calculator.calculator").unwrap();
    let contract = serde_json::to_value(&tool.contract).unwrap();
    for (field, value) in [
        ("category", "action".into()),
        ("sideEffects", "read_only".into()),
        ("idempotent", false.into()),
        ("requiresConfirmation", false.into()),
        ("version", "0.0.0".into()),
        ("latencyBudgetMs", 3000.into()),
        ("timeoutMs", 60000.into()),
        ("allowedModes", serde_json::json!(["text"])),
    ] {
        assert_eq!(contract[field], value, "{field}");
    }
    assert_eq!(contract["parameters"]["additionalProperties"], false);
    assert_eq!(contract["parameters"]["required"], serde_json::json!(["operation", "a", "b"]));
    assert_eq!(tool.summary, "Perform basic math calculations");
    assert!(tool.documentation.contains("- `a` (number, required) First number"));
    assert_eq!(tool.handler.path, "calculator.py#calculator");
    assert_eq!(tool.handler.file(), "calculator.py");
}

#[test]
fn a_form_keeps_its_handlers_and_is_never_offered_to_a_model() {
    let registry = seed();
    let tool = registry.get("settings_manager.settings_ui").unwrap();
    assert_eq!(tool.ui.as_ref().unwrap()["id"], "settings_modal");
    assert_eq!(tool.ui_handlers, ["save_settings"]);
    assert!(!tool.has(Feature::Callable));
    let offered: Vec<_> = registry.sources().iter().map(|source| source.name.to_owned()).collect();
    assert!(!offered.contains(&"settings_manager.settings_ui".to_owned()));
    assert!(!registry.summaries().contains("settings_ui"));
}

#[test]
fn the_registry_file_and_the_lock_contain_all_of_it() {
    let registry = seed();
    let stamp =
        BuildStamp { git_commit: "abc".into(), build_timestamp: "2026-01-01T00:00:00Z".into() };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tool_registry.json");
    std::fs::write(&path, registry.to_json(&stamp).unwrap()).unwrap();
    let loaded = Registry::load(&path).unwrap();
    assert_eq!(loaded.in_order(), registry.in_order());
    assert_eq!(loaded, registry);
    let lock = dir.path().join("tools.lock");
    std::fs::write(&lock, Lock::of(&registry).to_json().unwrap()).unwrap();
    assert_eq!(diff(&Lock::load(&lock).unwrap().unwrap(), &loaded), []);
}
