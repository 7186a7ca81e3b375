//! `[net] allow`, print and Python's libraries, with the real program and a real server on this
//! machine.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::support::program::{Run, command, run, run_with};
use crate::support::tool_tree::base;

/// A server that answers every request with what it got, and keeps the first lines.
struct Echo {
    port: u16,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Echo {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&seen);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, kept) = (stream.unwrap(), Arc::clone(&kept));
                std::thread::spawn(move || {
                    let Some((first, body)) = read_request(&mut stream) else { return };
                    kept.lock().unwrap().push(first.clone());
                    let (status, headers) = match first.contains(" /redirect ") {
                        true => ("302 Found", "location: /after\r\n"),
                        false if first.contains(" /missing ") => ("404 Not Found", ""),
                        false => ("200 OK", "x-echo: yes\r\n"),
                    };
                    let text = format!("{} {body}", first.trim_end_matches(" HTTP/1.1"));
                    let sent = if first.starts_with("HEAD") { "" } else { &text };
                    let _ = write!(
                        stream,
                        "HTTP/1.1 {status}\r\ncontent-length: {}\r\n{headers}\r\n{sent}",
                        text.len()
                    );
                });
            }
        });
        Echo { port, seen }
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

/// The first line and the body.
fn read_request(stream: &mut impl Read) -> Option<(String, String)> {
    let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let count = stream.read(&mut piece).ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
            return Some((head.lines().next()?.to_owned(), body.to_owned()));
        }
    }
}

/// A project with one tool that has this handler and this `net`.
fn project(handler: &str, source: &str, net: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let tool = dir.path().join("tools/reach-out");
    fs::create_dir_all(&tool).unwrap();
    for (file, text) in base("reach_out") {
        let with_net = format!("\"capabilities\": {{ \"net\": [{net}] }},\n  \"parameters\"");
        let text = text.replace("\"parameters\"", &with_net).replace(": 500,\n", ": 9000,\n");
        if file != "handler.js" {
            fs::write(tool.join(file), text).unwrap();
        }
    }
    fs::write(tool.join(handler), source).unwrap();
    dir
}

fn allow(dir: &Path, entries: &str) {
    fs::write(dir.join("ghosthand.toml"), format!("[net]\nallow = [{entries}]\n")).unwrap();
}

fn call(dir: &Path) -> Run {
    run(dir, &["call", "reach_out", r#"{"text": "x"}"#, "--yes"])
}

const JS: &str = "export async function execute({ args, context }) {
  const answer = await context.fetch('http://127.0.0.1:PORT/js', { method: 'POST', body: args.text });
  return { ok: true, data: await answer.text() };
}
";

#[test]
fn this_machine_is_closed_until_the_operator_opens_it_and_everybody_says_so() {
    let echo = Echo::start();
    let here = format!("\"127.0.0.1:{}\"", echo.port);
    let dir = project("handler.js", &JS.replace("PORT", &echo.port.to_string()), &here);
    let check = run(dir.path(), &["check"]);
    assert_eq!(check.code, 0, "{check:?}");
    assert!(
        check.out.contains("warning[T110]") && check.out.contains("schema.json:11"),
        "{check:?}"
    );
    assert_eq!(run(dir.path(), &["check", "--deny-warnings"]).code, 1);
    let why = run(dir.path(), &["why", "reach_out", r#"{"text": "x"}"#]);
    assert!(why.out.contains("net        closed"), "{why:?}");
    let refused = call(dir.path());
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.err.contains(&format!("allow = [{here}]")), "{refused:?}");
    assert!(!refused.out.contains("ghosthand.toml"), "the model reads this: {refused:?}");
    assert_eq!(echo.seen(), [""; 0]);

    allow(dir.path(), &here);
    assert_eq!(run(dir.path(), &["check", "--deny-warnings"]).code, 0);
    assert!(!run(dir.path(), &["why", "reach_out"]).out.contains("net        closed"));
    let doctor = run(dir.path(), &["doctor"]);
    assert!(doctor.out.contains(&here[1..here.len() - 1]), "{doctor:?}");
    let reached = call(dir.path());
    assert_eq!((reached.code, reached.out.as_str()), (0, "\"POST /js x\"\n"), "{reached:?}");

    // The contract must name it too, and another port is another host.
    allow(dir.path(), "\"127.0.0.1:1\"");
    assert_eq!(call(dir.path()).code, 1);
    let undeclared =
        project("handler.js", &JS.replace("PORT", &echo.port.to_string()), "\"a.example\"");
    allow(undeclared.path(), &here);
    let refused = call(undeclared.path());
    assert!(refused.err.contains("is not declared"), "{refused:?}");
    assert_eq!(echo.seen().len(), 1);
}

#[test]
fn an_entry_that_cannot_be_read_is_named_with_its_line() {
    let dir = tempfile::tempdir().unwrap();
    for (entries, expected) in [
        ("\"http://a.example\"", "write `intranet.example`"),
        ("\"0.0.0.0/0\"", "would allow every address"),
        ("\"10.1.2.3/8\"", "write `10.0.0.0/8`"),
        ("7.5", "quote every entry"),
    ] {
        allow(dir.path(), entries);
        let refused = run(dir.path(), &["config"]);
        assert_eq!(refused.code, 1, "{refused:?}");
        assert!(refused.err.contains("ghosthand.toml:2"), "{refused:?}");
        assert!(refused.err.contains(expected), "{refused:?}");
    }
}

/// Runs a Python handler that may reach the server, and gives what it returned.
fn python(echo: &Echo, body: &str) -> Run {
    python_with(echo, body, "")
}

/// The same with further settings.
fn python_with(echo: &Echo, body: &str, settings: &str) -> Run {
    let source = format!("BASE = 'http://127.0.0.1:{}'\n\n{body}", echo.port);
    let here = format!("\"127.0.0.1:{}\"", echo.port);
    let dir = project("handler.py", &source, &here);
    let settings = format!("[net]\nallow = [{here}]\n{settings}");
    fs::write(dir.path().join("ghosthand.toml"), settings).unwrap();
    call(dir.path())
}

#[test]
fn the_standard_library_of_python_goes_through_the_gate() {
    let echo = Echo::start();
    let asked = python(
        &echo,
        "import http.client, threading, urllib.error, urllib.request

def execute(args, context):
    post = urllib.request.Request(BASE + '/post', data=b'body', headers={'x-a': 'b'})
    found = [urllib.request.urlopen(post).read().decode()]
    found.append(urllib.request.urlopen(BASE + '/redirect').url.removeprefix(BASE))
    try:
        urllib.request.urlopen(BASE + '/missing')
    except urllib.error.HTTPError as error:
        found.append(error.code)
    connection = http.client.HTTPConnection(BASE.removeprefix('http://'))
    connection.request('HEAD', '/head')
    found.append(connection.getresponse().headers['x-echo'])
    def in_thread():
        found.append(urllib.request.urlopen(BASE + '/thread').status)
    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()
    return found
",
    );
    let expected = "[\"POST /post body\",\"/after\",404,\"yes\",200]\n";
    assert_eq!((asked.code, asked.out.as_str()), (0, expected), "{asked:?}");
}

#[test]
fn an_async_handler_may_use_urllib_too_and_an_undeclared_host_is_a_url_error() {
    let echo = Echo::start();
    let asked = python(
        &echo,
        "import asyncio, socket, urllib.error, urllib.request

async def execute(args, context):
    found = [urllib.request.urlopen(BASE + '/a').status]
    found.append((await asyncio.to_thread(urllib.request.urlopen, BASE + '/b')).status)
    try:
        urllib.request.urlopen('https://other.example/')
    except urllib.error.URLError as error:
        found.append(str(error.reason))
    for attempt in (lambda: socket.create_connection(('127.0.0.1', 9)),
                    lambda: socket.getaddrinfo('other.example', 80)):
        try:
            attempt()
        except OSError as error:
            found.append('goes through context.fetch, urllib, requests or httpx' in str(error))
    return found
",
    );
    let undeclared =
        "the host `other.example` is not declared; add it to `net` in the tool's `capabilities`";
    let expected = format!("[200,200,\"{undeclared}\",true,true]\n");
    assert_eq!((asked.code, asked.out), (0, expected), "{}", asked.err);
}

#[test]
fn a_python_tool_without_net_hears_which_capability_it_lacks() {
    let source = "import urllib.request\n\ndef execute(args, context):\n    urllib.request.urlopen('https://a.example/')\n";
    let dir = project("handler.py", source, "");
    let refused = call(dir.path());
    assert_eq!(refused.code, 1);
    assert!(
        refused.err.contains("`fetch` needs `net` in the tool's `capabilities`"),
        "{refused:?}"
    );
}

#[test]
fn what_python_prints_is_shown_wherever_it_prints() {
    let source = "import logging, sys, threading, warnings
print('while imported')

def execute(args, context):
    print('to stdout')
    sys.stdout.write('raw\\n')
    sys.stdout.buffer.write(b'bytes\\n')
    logging.getLogger('mine').info('logged')
    logging.getLogger('mine').log(25, 'noticed')
    warnings.warn('old')
    thread = threading.Thread(target=print, args=['in a thread'])
    thread.start()
    thread.join()
    print('long', 'x' * 100_000)
    print('no end', end='', flush=True)
";
    let dir = project("handler.py", source, "");
    let ran = call(dir.path());
    assert_eq!(ran.code, 0, "{ran:?}");
    for line in [
        "console  while imported",
        "console  to stdout",
        "console  raw",
        "console  bytes",
        "console  mine: logged",
        "console  mine: noticed",
        "console  in a thread",
        "console  no end",
    ] {
        assert!(ran.err.lines().any(|shown| shown == line), "{line}: {}", ran.err);
    }
    assert!(ran.err.contains("UserWarning: old"), "{}", ran.err);
    assert!(ran.err.contains("(100005 characters)") && ran.err.len() < 20_000, "{}", ran.err.len());
}

#[test]
fn a_python_tool_knows_the_time_zone_of_the_program() {
    let source = "import time\n\ndef execute(args, context):\n    return time.strftime('%z')\n";
    let dir = project("handler.py", source, "");
    let args = ["call", "reach_out", r#"{"text": "x"}"#, "--yes"];
    let ran = run_with(command(dir.path()).env("TZ", "JST-9").args(args));
    assert_eq!((ran.code, ran.out.as_str()), (0, "\"+0900\"\n"), "{ran:?}");
}

#[test]
fn requests_and_httpx_go_through_the_gate_with_and_without_await() {
    let echo = Echo::start();
    let interpreter = testkit::packages::python("python-http");
    let settings = format!("[python]\nprogram = {:?}\n", interpreter.display().to_string());
    let asked = python_with(
        &echo,
        "import asyncio, threading
import httpx, requests

def with_requests():
    answer = requests.post(BASE + '/requests', json={'a': 1}, timeout=20)
    pieces = requests.get(BASE + '/stream', stream=True).iter_content(3)
    found = [answer.text, answer.headers['x-echo'], b''.join(pieces).decode()]
    found.append(requests.get(BASE + '/redirect').url.removeprefix(BASE))
    try:
        requests.get('https://other.example/')
    except requests.ConnectionError as error:
        found.append('is not declared' in str(error))
    try:
        requests.get(BASE + '/missing').raise_for_status()
    except requests.HTTPError as error:
        found.append(error.response.status_code)
    return found

async def with_httpx():
    async with httpx.AsyncClient(base_url=BASE) as client:
        both = await asyncio.gather(client.get('/one'), client.put('/two', content=b'body'))
    found = [answer.text for answer in both]
    with httpx.Client(base_url=BASE, follow_redirects=True) as client:
        found.append(client.get('/redirect').text)
    try:
        httpx.get('https://other.example/')
    except httpx.ConnectError as error:
        found.append('is not declared' in str(error))
    try:
        httpx.get('https://other.example/', proxy='http://127.0.0.1:1')
    except OSError as error:
        found.append('no proxy' in str(error))
    return found

async def execute(args, context):
    return [await asyncio.to_thread(with_requests), await with_httpx()]
",
        &settings,
    );
    let expected = "[[\"POST /requests {\\\"a\\\": 1}\",\"yes\",\"GET /stream \",\"/after\",true,404],\
                    [\"GET /one \",\"PUT /two body\",\"GET /after \",true,true]]\n";
    assert_eq!((asked.code, asked.out.as_str()), (0, expected), "{asked:?}");
    assert_eq!(echo.seen().len(), 9);
}
