"""A real recogniser behind OpenAI's address: Whisper tiny.en, on the processor, without a network.

Usage: recogniser.py MODEL_FOLDER. Prints its address when it is ready.
"""

import email
import io
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

from faster_whisper import WhisperModel

MODEL = WhisperModel(sys.argv[1], device="cpu", compute_type="int8", cpu_threads=1, local_files_only=True)
ONE_AT_A_TIME = Lock()


def file_of(headers, body):
    head = f"content-type: {headers['content-type']}\r\n\r\n".encode()
    parts = email.message_from_bytes(head + body).get_payload()
    return next(part.get_payload(decode=True) for part in parts if part.get_filename())


class Transcriptions(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        with ONE_AT_A_TIME:
            pieces, _ = MODEL.transcribe(
                io.BytesIO(file_of(self.headers, body)),
                language="en",
                beam_size=1,
                without_timestamps=True,
                condition_on_previous_text=False,
            )
            text = " ".join(piece.text.strip() for piece in pieces)
        answer = json.dumps({"text": text}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Transcriptions)
print(f"127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
