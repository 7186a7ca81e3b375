//! A way in front of a server that shows a token for whoever cannot be told one: the
//! conformance suite knows an address and nothing else.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};

use crate::mcp::support::http_server::Listening;

/// The server, and the address in front of it.
pub(crate) struct Fronted {
    pub url: String,
    _server: Listening,
}

impl Fronted {
    pub(crate) fn before(server: Listening, token: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let own = listener.local_addr().unwrap().to_string();
        let (far, token) = (server.address().to_owned(), token.to_owned());
        let url = format!("http://{own}/mcp");
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let (own, far, token) = (own.clone(), far.clone(), token.clone());
                std::thread::spawn(move || pass(client, &own, &far, &token));
            }
        });
        Self { url, _server: server }
    }
}

/// One request on each connection; a client that goes away is gone for the server too.
fn pass(mut client: TcpStream, own: &str, far: &str, token: &str) -> Option<()> {
    let (head, body) = request(&mut client)?;
    let mut server = TcpStream::connect(far).ok()?;
    let (first, rest) = head.split_once("\r\n")?;
    let kept = |line: &&str| !line.to_lowercase().starts_with("connection:");
    let rest: Vec<_> = rest.split("\r\n").filter(kept).collect();
    let rest = rest.join("\r\n").replace(own, far);
    let more = format!("Authorization: Bearer {token}\r\nConnection: close");
    write!(server, "{first}\r\n{more}\r\n{rest}").ok()?;
    server.write_all(&body).ok()?;
    let (mut from, to) = (client.try_clone().ok()?, server.try_clone().ok()?);
    std::thread::spawn(move || {
        while from.read(&mut [0; 1024]).is_ok_and(|count| count > 0) {}
        let _ = to.shutdown(Shutdown::Both);
    });
    let _ = std::io::copy(&mut server, &mut client);
    let _ = client.shutdown(Shutdown::Both);
    Some(())
}

/// A head with its empty line, and the whole body.
fn request(client: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let count = client.read(&mut piece).ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some(end) = text.find("\r\n\r\n") else { continue };
        let head = text[..end + 4].to_owned();
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
        });
        let mut body = bytes[end + 4..].to_vec();
        while body.len() < length.unwrap_or(0_usize) {
            let count = client.read(&mut piece).ok().filter(|count| *count > 0)?;
            body.extend_from_slice(&piece[..count]);
        }
        return Some((head, body));
    }
}
