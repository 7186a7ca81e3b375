//! Discovery in a tools folder, whatever state its files are in.

use std::time::Duration;

use hosts::PyHostConfig;
use serde_json::{Value, json};

use super::harness::Pad;
use crate::harness::{py_config, runtime};

#[test]
fn the_examples_are_described() {
    runtime().block_on(async {
        let pad = Pad::with_examples();
        let files = [
            "core/calculator.py",
            "core/web_search.py",
            "core/settings_manager.py",
            "core/balance.py",
            "features/auto.py",
            "features/one_time.py",
            "features/business_hours.py",
            "features/status.py",
            "features/cleanup.py",
            "snippets/with_metadata.py",
            "snippets/types.py",
        ];
        let reports = pad.discover(&files).await;
        for (report, file) in reports.iter().zip(files) {
            assert_eq!(report.file, file);
            assert_eq!(report.fault, None, "{file}");
        }
        let calculator = serde_json::to_value(&reports[0]).unwrap();
        assert_eq!(calculator["module"], "core.calculator");
        let item = &calculator["items"][0];
        assert_eq!(item["schema"]["parameters"]["required"], json!(["operation", "a", "b"]));
        let parameters = json!(["operation", "a", "b"]);
        let signature =
            json!({ "parameters": parameters, "required": parameters, "var_keyword": false });
        assert_eq!(item["signature"], signature);
        assert_eq!(item["doc"], "Perform basic math calculations.");
        assert_eq!((&item["order"], &item["line"]), (&json!(0), &json!(26)));
        assert_eq!(item["settings"], json!({}));
        let set = |report: usize| {
            let flags = serde_json::to_value(reports[report].items[0].flags).unwrap();
            let flags = flags.as_object().unwrap().clone();
            let set = flags.into_iter().filter(|(_, is_set)| *is_set == json!(true));
            set.map(|(name, _)| name).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(set(0), "");
        assert_eq!(set(1), "streaming");
        assert_eq!(set(2), "ui");
        assert_eq!(set(3), "ui");
        assert_eq!(set(4), "auto");
        assert_eq!(set(5), "one_time");
        assert_eq!(set(6), "conditional");
        assert_eq!(set(7), "status");
        assert_eq!(set(8), "cleanup");
        assert_eq!(set(9), "metadata");
        assert_eq!(reports[2].uses, ["kv"]);
        assert_eq!(reports[2].items[0].ui_handlers, ["save_settings"]);
        assert_eq!(reports[2].items[0].ui_feature["layout"]["type"], "modal");
        assert!(!reports[2].items[0].callable);
        assert_eq!(reports[9].items[0].signature.parameters, ["param1"]);
    });
}

#[test]
fn the_fields_of_an_item_are_passed_on() {
    let source = "from services.persona_service import persona_service
from services.ai_service import ai_service
async def f(a, ctx, b=1, metadata=None, **more): '''Does it.'''
TOOLS = [{'function': f, 'category': 'retrieval', 'side_effects': 'none', 'idempotent': True, 'latency_budget_ms': 5,
  'capabilities': {'kv': ['x/']}, 'returns': {'type': 'string'}, 'schema': {'name': 'f', 'parameters': {'properties': {'a': {}}}}}]
";
    let pad = Pad::with_files(&[("a.py", source)]);
    let report = runtime().block_on(pad.discover(&["a.py"])).remove(0);
    assert_eq!(report.uses, ["ai", "context", "personas"]);
    let item = serde_json::to_value(&report.items[0]).unwrap();
    assert_eq!(
        item["settings"],
        json!({
            "category": "retrieval", "side_effects": "none", "idempotent": true,
            "latency_budget_ms": 5, "returns": { "type": "string" }, "capabilities": { "kv": ["x/"] },
        })
    );
    let signature = json!({ "parameters": ["a", "b"], "required": ["a"], "var_keyword": true });
    assert_eq!(item["signature"], signature);
    assert_eq!(item["doc"], "Does it.");
}

#[test]
fn a_broken_file_is_a_fault_and_all_others_load() {
    let good = "def f(): return 1\nTOOLS = [{'function': f, 'schema': {'name': 'f'}}]\n";
    let mut config: PyHostConfig = py_config();
    config.limits.import_max = Duration::from_secs(2);
    let pad = Pad::with_config(
        config,
        &[
            ("a_good.py", good),
            ("b_syntax.py", "x = 1\ndef f(:\n    pass\n"),
            ("c_raises.py", "import json\n\ndef load():\n    return json.loads('{')\n\nload()\n"),
            ("d_import.py", "from services.weather import w\n"),
            ("e_exit.py", "import sys\nsys.exit(3)\n"),
            ("f_dies.py", "import os\nos._exit(3)\n"),
            ("g_crashes.py", "import ctypes\nctypes.string_at(0)\n"),
            ("h_hangs.py", "x = 1\nwhile True:\n    x += 1\n"),
            ("i_sleeps.py", "import time\ntime.sleep(1000)\n"),
            ("j_items.py", "TOOLS = [{'schema': {}},\n  {'schema': {'name': 'ok'}},\n  3]\n"),
            ("k_tools.py", "TOOLS = 'none'\n"),
            ("l_none.py", "x = 1\n"),
            (
                "m_services.py",
                "import asyncio\nfrom services.kv_store_service import kv_store\nasyncio.run(kv_store.get('k'))\n",
            ),
            ("n_good.py", good),
        ],
    );
    let files: Vec<_> = std::fs::read_dir(&pad.folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let mut files: Vec<&str> = files.iter().map(String::as_str).collect();
    files.sort_unstable();
    let reports = runtime().block_on(pad.discover(&files));
    let found: Vec<Value> = reports
        .iter()
        .map(|report| {
            let fault = report.fault.as_ref();
            let place = fault.and_then(|fault| fault.line.zip(fault.source_line.clone()));
            json!([report.file, report.items.len(), fault.map(|fault| &fault.kind), place])
        })
        .collect();
    let expected = json!([
        ["a_good.py", 1, null, null],
        ["b_syntax.py", 0, "syntax", [2, "def f(:"]],
        ["c_raises.py", 0, "raised", [4, "    return json.loads('{')"]],
        ["d_import.py", 0, "import", [1, "from services.weather import w"]],
        ["e_exit.py", 0, "exited", [2, "sys.exit(3)"]],
        ["f_dies.py", 0, "crashed", null],
        ["g_crashes.py", 0, "crashed", null],
        ["h_hangs.py", 0, "hung", null],
        ["i_sleeps.py", 0, "hung", [2, "time.sleep(1000)"]],
        ["j_items.py", 1, null, null],
        ["k_tools.py", 0, "item", [1, "TOOLS = 'none'"]],
        ["l_none.py", 0, null, null],
        ["m_services.py", 0, "raised", [3, "asyncio.run(kv_store.get('k'))"]],
        ["n_good.py", 1, null, null],
    ]);
    for (found, expected) in found.iter().zip(expected.as_array().unwrap()) {
        // Either line of the loop may be reported.
        let same = if found[2] == "hung" && found[0] == "h_hangs.py" { 3 } else { 4 };
        assert_eq!(found.as_array().unwrap()[..same], expected.as_array().unwrap()[..same]);
    }
    // Every unreadable entry is reported with its index.
    let wrong = reports[9].item_faults.iter();
    let wrong: Vec<_> = wrong.map(|fault| (fault.kind.as_str(), fault.order, fault.line)).collect();
    assert_eq!(wrong, [("item", Some(0), Some(1)), ("item", Some(2), Some(3))]);
    let fault = reports[2].fault.clone().unwrap();
    assert!(fault.message.starts_with("JSONDecodeError: Expecting property name"), "{fault:?}");
    let traceback = fault.traceback.unwrap();
    assert!(
        traceback.contains("File \"c_raises.py\", line 6, in <module>\n    load()\n"),
        "{traceback}"
    );
    assert!(!traceback.contains("json/"), "only the author's own lines: {traceback}");
    assert_eq!(
        runtime().block_on(async { pad.host.worker_pids().len() }),
        0,
        "it leaves no worker"
    );
}
