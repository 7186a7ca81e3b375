//! A minimal HTTP/1.1 client: one connection on loopback, one request at a time.
//!
//! Minimal, so that only the server is measured.

use std::net::SocketAddr;

use anyhow::{Context, Result, bail, ensure};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;

const BODY_BYTES_MAX: usize = 1 << 20;

/// A connection that stays open.
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
}

/// A response, and in how many chunks the server sent it.
pub(crate) struct HttpResponse {
    pub body: Vec<u8>,
    pub pieces: usize,
}

/// How the end of a body is found.
enum Body {
    Length(usize),
    Chunked,
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream), address })
    }

    /// Posts JSON and reads the whole answer.
    pub(crate) async fn post(&mut self, path: &str, json: &[u8]) -> Result<HttpResponse> {
        self.post_with(path, "", json).await
    }

    /// The same with more headers, each with its line end.
    pub(crate) async fn post_with(
        &mut self,
        path: &str,
        headers: &str,
        json: &[u8],
    ) -> Result<HttpResponse> {
        self.ask("POST", path, headers, json).await
    }

    /// Sends JSON and reads the whole answer.
    pub(crate) async fn send(
        &mut self,
        method: &str,
        path: &str,
        json: &[u8],
    ) -> Result<HttpResponse> {
        self.ask(method, path, "", json).await
    }

    async fn ask(
        &mut self,
        method: &str,
        path: &str,
        headers: &str,
        json: &[u8],
    ) -> Result<HttpResponse> {
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n{headers}\
             content-length: {}\r\n\r\n",
            self.address,
            json.len()
        );
        self.stream.write_all(&[head.as_bytes(), json].concat()).await?;
        match self.read_head().await? {
            Body::Length(length) => {
                Ok(HttpResponse { body: self.read_bytes(length).await?, pieces: 1 })
            }
            Body::Chunked => self.read_chunks().await,
        }
    }

    /// Requests an endless body and returns its lines, including chunk lengths.
    pub(crate) async fn lines(mut self, path: &str) -> Result<Lines<BufReader<TcpStream>>> {
        let head = format!("GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", self.address);
        self.stream.write_all(head.as_bytes()).await?;
        self.read_head().await?;
        Ok(self.stream.lines())
    }

    async fn read_head(&mut self) -> Result<Body> {
        let status = self.read_line().await?;
        ensure!(status.starts_with("HTTP/1.1 2"), "the server answers: {status}");
        let mut body = status.starts_with("HTTP/1.1 204").then_some(Body::Length(0));
        loop {
            let line = self.read_line().await?.to_ascii_lowercase();
            match line.split_once(':').map(|(name, value)| (name, value.trim())) {
                Some(("content-length", length)) => body = Some(Body::Length(length.parse()?)),
                Some(("transfer-encoding", "chunked")) => body = Some(Body::Chunked),
                Some(_) => {}
                None => return body.context("an answer says where its body ends"),
            }
        }
    }

    async fn read_chunks(&mut self) -> Result<HttpResponse> {
        let (mut body, mut pieces) = (Vec::new(), 0);
        loop {
            let length = usize::from_str_radix(&self.read_line().await?, 16)?;
            ensure!(body.len() + length <= BODY_BYTES_MAX, "an answer is too long");
            body.append(&mut self.read_bytes(length).await?);
            ensure!(self.read_line().await?.is_empty(), "a chunk ends with its line");
            if length == 0 {
                return Ok(HttpResponse { body, pieces });
            }
            pieces += 1;
        }
    }

    async fn read_bytes(&mut self, length: usize) -> Result<Vec<u8>> {
        ensure!(length <= BODY_BYTES_MAX, "an answer is too long");
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes).await?;
        Ok(bytes)
    }

    async fn read_line(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line).await? == 0 {
            bail!("the server hung up");
        }
        line.truncate(line.trim_end().len());
        Ok(line)
    }
}
