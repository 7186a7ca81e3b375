//! Scripted sessions whose every message goes through a real socket, in virtual time.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use futures_util::{SinkExt, StreamExt};
use models::{Key, Provider};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, accept_async};
use voice::{OwnParts, Presence, RoadKind, Run, ScriptWire, all_capabilities, parse_script};

use super::{Link, LinkEvent};
use crate::provider::{ProviderRoad, RoadOptions};

/// A link of ours, and the far end of its socket.
struct SocketWire {
    runtime: Runtime,
    listener: TcpListener,
    link: Link,
    events: mpsc::Receiver<LinkEvent>,
    far: Option<WebSocketStream<TcpStream>>,
    generation: u64,
    carried: usize,
}

impl SocketWire {
    fn new(kind: RoadKind) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (listener, link, events) = runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let road = road(kind, listener.local_addr().unwrap());
            let (link, events) = Link::start(road);
            (listener, link, events)
        });
        Self { runtime, listener, link, events, far: None, generation: 0, carried: 0 }
    }
}

fn road(kind: RoadKind, address: SocketAddr) -> ProviderRoad {
    let row = all_capabilities().iter().find(|row| row.road == kind).unwrap().clone();
    let base_url = format!("http://{address}/v1");
    let provider = Provider::compatible("loopback", &base_url, Key::NotNeeded);
    let own = OwnParts { speech: Presence::Present, transcription: Presence::Present };
    ProviderRoad::new(row, provider, RoadOptions { voice: None, own }).unwrap()
}

impl ScriptWire for SocketWire {
    fn connect(&mut self) {
        self.link.connect();
        self.generation += 1;
        let (listener, events) = (&self.listener, &mut self.events);
        let accepted = self.runtime.block_on(async {
            let (stream, _) = listener.accept().await.unwrap();
            let far = accept_async(stream).await.unwrap();
            // An old connection that was still open ends first.
            while !matches!(events.recv().await, Some(LinkEvent::Connected(_))) {}
            far
        });
        self.far = Some(accepted);
    }

    fn lose(&mut self) {
        if self.far.take().is_none() {
            return;
        }
        let events = &mut self.events;
        let lost = self.runtime.block_on(events.recv());
        assert!(matches!(lost, Some(LinkEvent::Lost(_, Some(_)))), "{lost:?}");
    }

    fn send(&mut self, text: &str) -> String {
        // Without a connection, a message goes nowhere; the road must not need it.
        let Some(far) = &mut self.far else { return String::new() };
        self.link.send(self.generation, text.to_owned());
        self.carried += 1;
        self.runtime.block_on(async {
            loop {
                match far.next().await.unwrap().unwrap() {
                    Message::Text(text) => return text.to_string(),
                    // The link asks for a sign of life whenever it likes.
                    Message::Ping(_) => {}
                    other => panic!("{other:?}"),
                }
            }
        })
    }

    fn receive(&mut self, text: &str) -> String {
        let Some(far) = &mut self.far else { return text.to_owned() };
        self.carried += 1;
        let events = &mut self.events;
        self.runtime.block_on(async {
            far.send(Message::text(text)).await.unwrap();
            match events.recv().await {
                Some(LinkEvent::Message(_, text)) => text,
                other => panic!("{other:?}"),
            }
        })
    }
}

/// The decisions by their times: what happens in one instant has no order between roads. Live
/// writes down what was said when it pauses or answers.
fn decisions(run: &Run) -> BTreeMap<String, Vec<String>> {
    let mut by_time: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in run.decisions().into_iter().filter(|line| !line.contains(" said \"")) {
        let (time, what) = line.split_at(9);
        by_time.entry(time.to_owned()).or_default().push(what.to_owned());
    }
    by_time.values_mut().for_each(|lines| lines.sort());
    by_time
}

#[track_caller]
fn same_over_sockets(script: &str) {
    let parsed = parse_script(script).unwrap();
    let expected = decisions(&parsed.run_on("cascade").unwrap());
    for kind in [RoadKind::Realtime, RoadKind::Live, RoadKind::Gemini] {
        let mut wire = SocketWire::new(kind);
        let run = parsed.run_over(kind.as_str(), &mut wire).unwrap();
        let text = run.text();
        assert!(run.failures.is_empty(), "{}: {:?}\n{text}", kind.as_str(), run.failures);
        assert_eq!(decisions(&run), expected, "{} over its socket\n{text}", kind.as_str());
        let sent = run.sent.iter().filter(|one| matches!(one, voice::Outgoing::Message(_))).count();
        assert!(wire.carried >= sent + run.received.len(), "{} were carried", wire.carried);
    }
}

#[test]
fn vx_11_a_tool_call_and_an_interruption() {
    same_over_sockets(
        "tool look reads\n\
         at 0s user says \"what time is it\" for 1.2s\n\
         at 2s provider calls look {} as call-number-1\n\
         at 2.3s tool call-number-1 returns {}\n\
         at 2.5s provider says \"It is three o'clock. Do you want anything else?\" for 4s\n\
         at 4s user interrupts with \"in Riga\"\n\
         at 6s provider says \"Five there.\" for 1s\n\
         expect u1 cut\n\
         expect u2 heard\n",
    );
}

#[test]
fn vx_11_an_approval_by_voice_and_a_farewell() {
    same_over_sockets(
        "tool book writes asks\ntool end_voice_session writes repeatable\n\
         at 0s user says \"book a table\" for 1.2s\n\
         at 2s provider calls book {\"name\":\"Ana\"} as call-number-1\n\
         at 12s user says \"yes\" for 1s\n\
         at 14s tool call-number-1 returns {}\n\
         at 14.5s provider says \"Done.\" for 1s\n\
         at 17s user says \"goodbye\" for 1s\n\
         at 19s provider calls end_voice_session {\"final_message\":\"Goodbye!\"} as c2\n\
         at 19.2s tool c2 returns {} with [{\"type\":\"END_VOICE_SESSION\",\"after\":\"farewell_spoken\"}]\n\
         expect approved\n\
         expect session ended\n",
    );
}

#[test]
fn vx_13_a_socket_lost_in_a_write_on_each_road() {
    let script = "tool book writes budget 1s\n\
         at 0s user says \"book a table\" for 1.2s\n\
         at 2s provider calls book {} as call-number-1\n\
         at 2.5s connection lost\n\
         at 3s tool call-number-1 returns {\"booked\":true}\n\
         at 4s connection back\n\
         at 4.5s provider says \"It is booked.\" for 1s\n\
         expect at 4s connection back\n\
         expect at 4s call-number-1 answered\n\
         expect u1 heard\n\
         expect 1 times handler runs\n";
    let parsed = parse_script(script).unwrap();
    for kind in [RoadKind::Realtime, RoadKind::Live, RoadKind::Gemini] {
        let in_memory = parsed.run_on(kind.as_str()).unwrap();
        let mut wire = SocketWire::new(kind);
        let run = parsed.run_over(kind.as_str(), &mut wire).unwrap();
        assert!(run.failures.is_empty(), "{:?}\n{}", run.failures, run.text());
        assert_eq!(run.log, in_memory.log, "{}", kind.as_str());
    }
}
