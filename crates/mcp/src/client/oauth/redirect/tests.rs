//! Which redirects are accepted.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::Redirect;

async fn request(address: &str, query: &str) -> String {
    let place = address.strip_prefix("http://").unwrap().split('/').next().unwrap();
    let mut stream = TcpStream::connect(place).await.unwrap();
    let request = format!("GET /callback?{query} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer.lines().next().unwrap().to_owned()
}

#[tokio::test]
async fn only_a_redirect_with_our_state_is_accepted() {
    let redirect = Redirect::listen(None).await.unwrap();
    let address = redirect.address().to_owned();
    let waiting = tokio::spawn(redirect.wait("mine".to_owned()));
    assert!(request(&address, "code=1&state=other").await.contains("400"));
    assert!(request(&address, "code=1").await.contains("400"));
    assert!(request(&address, "code=2&state=mine&iss=x").await.contains("200"));
    let came_to = waiting.await.unwrap().unwrap();
    assert_eq!(came_to, format!("{address}?code=2&state=mine&iss=x"));
}
