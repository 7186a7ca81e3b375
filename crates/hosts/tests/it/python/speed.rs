//! How fast a worker is. Run by hand, in a release build: `cargo test --release -p hosts -- --ignored --nocapture speed`.

use std::sync::Arc;
use std::time::Instant;

use serde_json::json;

use super::harness::Pad;
use crate::harness::runtime;

const CALLS: u32 = 5_000;

#[test]
#[ignore = "it is a measurement, not a test"]
fn measure() {
    let source = "async def trivial(n): return n
def threaded(n): return n
async def streams(n):
    for i in range(n): yield assistant_chunk('a piece of text')
TOOLS = [{'function': f, 'schema': {'name': f.__name__}} for f in (trivial, threaded, streams)]
";
    runtime().block_on(async {
        for _ in 0..3 {
            let start = Instant::now();
            let pad = Arc::new(Pad::with_files(&[("a.py", source)]));
            assert_eq!(pad.data("a.py#trivial", json!({ "n": 1 })).await, json!(1));
            eprintln!("start to the first answer: {:?}", start.elapsed());
        }
        let pad = Arc::new(Pad::with_files(&[("a.py", source)]));
        pad.data("a.py#trivial", json!({ "n": 1 })).await;
        let mut workers: Vec<_> = Vec::new();
        let mut bare: Vec<_> = Vec::new();
        for _ in 0..30 {
            let start = Instant::now();
            pad.host.warm(&pad.folder).await.unwrap();
            workers.push(start.elapsed());
            let start = Instant::now();
            std::process::Command::new("/usr/bin/python3").args(["-c", "pass"]).status().unwrap();
            bare.push(start.elapsed());
        }
        workers.sort();
        bare.sort();
        eprintln!("a new worker, ready: least {:?}, half {:?}", workers[0], workers[15]);
        eprintln!("python3 -c pass: least {:?}, half {:?}", bare[0], bare[15]);
        for pid in pad.host.worker_pids() {
            let rollup = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap();
            let own = rollup.lines().filter(|line| line.starts_with("Private_"));
            let kb = own.filter_map(|line| line.split_whitespace().nth(1)?.parse::<u32>().ok());
            eprintln!("a worker's own memory: {} kB", kb.sum::<u32>());
        }
        for name in ["trivial", "threaded"] {
            let handler = format!("a.py#{name}");
            for at_once in [1, 64] {
                pad.data(&handler, json!({ "n": 1 })).await;
                let start = Instant::now();
                let tasks: Vec<_> = (0..at_once)
                    .map(|_| {
                        let (pad, handler) = (Arc::clone(&pad), handler.clone());
                        tokio::spawn(async move {
                            for n in 0..CALLS / at_once {
                                pad.data(&handler, json!({ "n": n })).await;
                            }
                        })
                    })
                    .collect();
                for task in tasks {
                    task.await.unwrap();
                }
                let each = start.elapsed() / CALLS;
                eprintln!(
                    "{name}, {at_once} at once: {each:?} each, {:.0}/s",
                    1.0 / each.as_secs_f64()
                );
            }
        }
        let start = Instant::now();
        pad.data("a.py#streams", json!({ "n": 1000 })).await;
        eprintln!("1,000 chunks: {:?}", start.elapsed());
    });
}
