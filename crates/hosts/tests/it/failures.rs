//! Around a call: cancelling, lost children, other calls, the end of the host.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hosts::sandbox::SandboxPolicy;
use hosts::{JsHost, JsHostConfig};
use policy::{HandlerFailure, HandlerOutcome};
use serde_json::json;

use crate::fake_services::FarSide;
use crate::harness::{Script, body, config, program, runtime};

const WEDGE: &str = "const list = []; list.length = 2 ** 32 - 1; return list.join('');";

fn one_child() -> JsHostConfig {
    JsHostConfig { children: 1, ..config() }
}

/// Long enough that a stoppable call is never taken for an unstoppable one, even on a busy
/// machine.
fn patient() -> JsHostConfig {
    JsHostConfig { stop_grace: Duration::from_secs(60), ..one_child() }
}

/// Returns when `condition` holds; the test runner's timeout bounds it.
pub(crate) async fn until(condition: impl Fn() -> bool) {
    while !condition() {
        tokio::task::yield_now().await;
    }
}

pub(crate) fn is_alive(pid: u32) -> bool {
    // A dead child that was not reaped yet is a zombie.
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !status.is_empty() && !status.contains(") Z ")
}

#[test]
fn a_hundred_other_calls_survive_a_call_that_cannot_be_stopped() {
    runtime().block_on(async {
        let host = Arc::new(JsHost::start(one_child()));
        host.level().await.unwrap();
        let before = host.child_pids();
        // It must begin before its limit even on a busy machine, or nothing is stuck.
        let far: Arc<FarSide> = Arc::default();
        let wedge = tokio::spawn({
            let (host, far) = (Arc::clone(&host), Arc::clone(&far));
            let script = body(&format!("await context.kv.get('k'); {WEDGE}")).far(&far);
            async move { script.limit_ms(2_000).run_on(&host).await }
        });
        until(|| !far.asked().is_empty()).await;
        let bystanders: Vec<_> = (0..100)
            .map(|n| {
                let host = Arc::clone(&host);
                tokio::spawn(async move {
                    // Some compute, some wait, some call services: all in the same child.
                    let script = body(
                        "await context.kv.get('k');
                         await new Promise((resolve) => setTimeout(resolve, args.n * 5));
                         await context.kv.set(`k${args.n}`, args.n);
                         return args.n;",
                    );
                    script.args(json!({ "n": n })).never_repeated().run_on(&host).await
                })
            })
            .collect();
        for (n, bystander) in bystanders.into_iter().enumerate() {
            let finished = bystander.await.unwrap();
            assert_eq!(finished.answer, HandlerOutcome::Returned(json!(n)));
            assert_eq!(finished.attempts, 1, "a call that writes is never started twice");
        }
        let finished = wedge.await.unwrap();
        assert_eq!(
            finished.answer,
            HandlerOutcome::Broke(HandlerFailure::TimedOut { limit_ms: 2_000 })
        );
        // Its child is replaced and ends.
        until(|| !is_alive(before[0])).await;
        assert_eq!(
            body("return 1;").run_on(&host).await.answer,
            HandlerOutcome::Returned(json!(1))
        );
        assert_ne!(host.child_pids(), before);
    });
}

#[test]
fn a_lost_call_runs_again_only_if_it_is_safe_and_used_no_service() {
    let innocent = || body("for (let i = 0; i < 3e9; i += 1) {}\nreturn 'never';").limit_ms(30_000);
    let asking = || body("await context.kv.set('k', 1); await context.kv.get('never');");
    let lose = |script: Script| {
        runtime().block_on(async move {
            let host = Arc::new(JsHost::start(one_child()));
            host.level().await.unwrap();
            let pid = host.child_pids()[0];
            let running = {
                let (host, far) = (Arc::clone(&host), Arc::clone(&script.far));
                let task = tokio::spawn(async move { script.run_on(&host).await });
                (task, far)
            };
            // Killed while the call runs in it.
            until(|| !running.1.asked().is_empty() || cpu_of(pid) > 2).await;
            kill(pid);
            if host.child_pids() != [pid] {
                until(|| host.child_pids().len() == 1).await;
            }
            let killed_twice = async {
                until(|| host.child_pids().first().is_some_and(|next| *next != pid)).await;
                let next = host.child_pids()[0];
                until(|| cpu_of(next) > 2 || !is_alive(next)).await;
                kill(next);
            };
            tokio::select! {
                finished = running.0 => finished.unwrap(),
                () = async { killed_twice.await; std::future::pending::<()>().await } => unreachable!(),
            }
        })
    };
    let died = |answer: &HandlerOutcome| {
        matches!(answer, HandlerOutcome::Broke(HandlerFailure::Died { .. }))
    };

    let finished = lose(asking());
    assert!(died(&finished.answer), "{finished:?}");
    assert_eq!((finished.attempts, finished.used_services), (1, true));

    let finished = lose(innocent().never_repeated());
    assert!(died(&finished.answer), "{finished:?}");
    assert_eq!((finished.attempts, finished.used_services), (1, false));

    let finished = lose(innocent());
    assert!(died(&finished.answer), "{finished:?}");
    assert_eq!((finished.attempts, finished.used_services), (2, false));
}

fn kill(pid: u32) {
    let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
    let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
}

/// CPU ticks that a child has used itself.
fn cpu_of(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let fields: Vec<_> = after_name.split_whitespace().collect();
    fields.get(11).and_then(|ticks| ticks.parse().ok()).unwrap_or_default()
}

#[test]
fn dropping_the_future_notifies_the_handler_and_stops_it() {
    runtime().block_on(async {
        let host = Arc::new(JsHost::start(patient()));
        let far: Arc<FarSide> = Arc::default();
        let script = body(
            "context.signal.addEventListener('abort', () => context.audit.log('heard', context.signal.aborted));
             await context.kv.get('never');",
        )
        .far(&far);
        let pids = async {
            host.level().await.unwrap();
            host.child_pids()
        }
        .await;
        let task = tokio::spawn({
            let host = Arc::clone(&host);
            async move { script.run_on(&host).await }
        });
        until(|| !far.asked_for("kv.get").is_empty()).await;
        task.abort();
        let _ = task.await;
        // The child continues, and what the handler requested after its end was not served.
        assert_eq!(body("return 1;").run_on(&host).await.answer, HandlerOutcome::Returned(json!(1)));
        assert_eq!(host.child_pids(), pids);
        assert_eq!(far.asked_for("audit.log"), Vec::<serde_json::Value>::new());
    });
}

#[test]
fn a_dropped_loop_does_not_block_its_child() {
    runtime().block_on(async {
        let host = Arc::new(JsHost::start(patient()));
        host.level().await.unwrap();
        let pids = host.child_pids();
        for _ in 0..5 {
            let far: Arc<FarSide> = Arc::default();
            let script = body("await context.kv.get('k'); for (;;) {}").far(&far);
            let task = tokio::spawn({
                let host = Arc::clone(&host);
                async move { script.run_on(&host).await }
            });
            until(|| !far.asked().is_empty()).await;
            task.abort();
            let _ = task.await;
        }
        assert_eq!(
            body("return 1;").run_on(&host).await.answer,
            HandlerOutcome::Returned(json!(1))
        );
        assert_eq!(host.child_pids(), pids);
    });
}

#[test]
fn a_late_result_is_never_delivered() {
    runtime().block_on(async {
        let host = JsHost::start(one_child());
        host.level().await.unwrap();
        let far: Arc<FarSide> = Arc::default();
        // It returns after its limit; the result is dropped and its requests are not served.
        let late = body("for (const end = Date.now() + 350; Date.now() < end; ) {}\nawait context.kv.set('late', 1);\nreturn 'late';");
        let finished = late.far(&far).limit_ms(300).run_on(&host).await;
        assert_eq!(finished.answer, HandlerOutcome::Broke(HandlerFailure::TimedOut { limit_ms: 300 }));
        assert_eq!(body("return 1;").run_on(&host).await.answer, HandlerOutcome::Returned(json!(1)));
        assert_eq!(far.stored("late"), None);
    });
}

#[test]
fn no_child_outlives_its_host() {
    let runtime = runtime();
    let pids = runtime.block_on(async {
        let host = JsHost::start(config());
        host.level().await.unwrap();
        let _ = body(WEDGE).limit_ms(300).run_on(&host).await;
        until(|| host.child_pids().len() == 2).await;
        host.child_pids()
    });
    assert_eq!(pids.len(), 2);
    runtime.block_on(until(|| !pids.iter().copied().any(is_alive)));
}

#[test]
fn without_a_program_or_a_sandbox_nothing_starts() {
    let broken = |program: &str| {
        let config = JsHostConfig::with_program(program.into());
        runtime().block_on(async move { body("return 1;").run_on(&JsHost::start(config)).await })
    };
    let missing = broken("/nowhere/ghosthand");
    assert!(
        matches!(&missing.answer, HandlerOutcome::Broke(HandlerFailure::NotStarted { because })
        if because.contains("could not be started")),
        "{missing:?}"
    );
    assert_eq!((missing.attempts, missing.used_services), (0, false));
    // A foreign program ends without a hello.
    let foreign = broken("/bin/true");
    assert!(
        matches!(&foreign.answer, HandlerOutcome::Broke(HandlerFailure::NotStarted { because })
        if because.contains("ended with code 0")),
        "{foreign:?}"
    );
}

#[test]
fn a_missing_file_is_reported_without_a_child() {
    let tools = tempfile::tempdir().unwrap();
    let answer = runtime().block_on(async {
        let host = JsHost::start(config());
        let run = |handler: &'static str| hosts::HandlerRun {
            owner: "ana",
            tools_dir: tools.path(),
            code: None,
            handler,
            args: &serde_json::Value::Null,
            context: &serde_json::Value::Null,
            services: Arc::<FarSide>::default(),
            time_limit: Duration::from_secs(10),
            repeat: hosts::Repeat::Safe,
        };
        host.run_handler(run("none/handler.js")).await.answer
    });
    let because = "but there is no file none/handler.js".to_owned();
    assert_eq!(answer, HandlerOutcome::Broke(HandlerFailure::NotStarted { because }));
}

#[test]
fn an_edited_handler_is_used_by_the_next_call() {
    let tools = tempfile::tempdir().unwrap();
    let write = |value: &str| {
        std::fs::create_dir_all(tools.path().join("t")).unwrap();
        let source = "import { value } from './value.js';\nexport const execute = () => value;";
        std::fs::write(tools.path().join("t/handler.js"), source).unwrap();
        std::fs::write(tools.path().join("t/value.js"), format!("export const value = '{value}';"))
            .unwrap();
    };
    runtime().block_on(async {
        let host = JsHost::start(config());
        for value in ["first", "second", "third one"] {
            write(value);
            let finished = host.run_handler(run_in(tools.path())).await;
            assert_eq!(finished.answer, HandlerOutcome::Returned(json!(value)));
        }
    });
}

fn run_in(tools: &Path) -> hosts::HandlerRun<'_> {
    hosts::HandlerRun {
        owner: "ana",
        tools_dir: tools,
        code: None,
        handler: "t/handler.js",
        args: &serde_json::Value::Null,
        context: &serde_json::Value::Null,
        services: Arc::<FarSide>::default(),
        time_limit: Duration::from_secs(60),
        repeat: hosts::Repeat::Safe,
    }
}

#[test]
fn best_effort_runs_with_the_available_protections() {
    let config = JsHostConfig {
        sandbox: SandboxPolicy::BestEffort,
        ..JsHostConfig::with_program(program())
    };
    let finished =
        runtime().block_on(async { body("return 1;").run_on(&JsHost::start(config)).await });
    assert_eq!(finished.answer, HandlerOutcome::Returned(json!(1)));
}

#[test]
fn a_thousand_calls_wait_at_once() {
    runtime().block_on(async {
        let host = Arc::new(JsHost::start(config()));
        let far: Arc<FarSide> = Arc::default();
        let tasks: Vec<_> = (0..1_000)
            .map(|_| {
                let (host, far) = (Arc::clone(&host), Arc::clone(&far));
                tokio::spawn(async move {
                    body("await new Promise((resolve) => setTimeout(resolve, 10)); return 1;")
                        .far(&far)
                        .run_on(&host)
                        .await
                })
            })
            .collect();
        for task in tasks {
            assert_eq!(task.await.unwrap().answer, HandlerOutcome::Returned(json!(1)));
        }
    });
}
