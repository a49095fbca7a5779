"""A shop that takes payments: POST /payments charges the bank and writes a row. It looks right, and pays twice."""
import json
import logging
import os
import sqlite3
import urllib.error
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def database():
    return sqlite3.connect(os.environ["DB"], timeout=10, isolation_level=None)


def bank(method, path, body=None):
    data = json.dumps(body).encode() if body else None
    request = urllib.request.Request(os.environ["BANK"] + path, data, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=2) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refusal:
        return refusal.code, json.load(refusal)


def find(order):
    row = database().execute("SELECT status, key, amount FROM payments WHERE order_no = ?", (order,)).fetchone()
    return row and dict(zip(("status", "key", "amount"), row))


def pay(key, order, amount):
    if found := find(order):
        return told(found)
    _, answer = bank("POST", "/charges", {"reference": str(uuid.uuid4()), "order": order, "amount": amount})
    status = "PAID" if answer["status"] == "SUCCESS" else "FAILED"
    database().execute("INSERT INTO payments (order_no, key, amount, status) VALUES (?, ?, ?, ?)", (order, key, amount, status))
    return told({"status": status})


def told(payment):
    return {"PAID": 200, "PENDING": 202, "FAILED": 402}[payment["status"]], {"status": payment["status"]}


class Shop(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/health":
            return self.answer(200, {"status": "up"})
        found = find(self.path.removeprefix("/payments/"))
        return self.answer(*(told(found) if found else (404, {"error": "no such payment"})))

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            self.answer(*pay(self.headers["Idempotency-Key"], body["order"], body["amount"]))
        except Exception as trouble:
            logging.error("payment %s: %r", body["order"], trouble)
            self.answer(500, {"error": "try again"})

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, text, *args):
        logging.info(text, *args)


class Server(ThreadingHTTPServer):
    request_queue_size = 128


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    database().executescript("""
        PRAGMA journal_mode = WAL;
        CREATE TABLE IF NOT EXISTS payments (
            id INTEGER PRIMARY KEY, order_no TEXT NOT NULL, key TEXT NOT NULL, amount INTEGER NOT NULL, status TEXT NOT NULL)""")
    Server(("127.0.0.1", int(os.environ["PORT"])), Shop).serve_forever()
