"""A shop that takes payments: the row and the reference at the bank are stored before the bank is asked for money."""
import json
import logging
import os
import sqlite3
import threading
import time
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
    try:  # of several at the same time, the unique order lets one through
        database().execute(
            "INSERT INTO payments (order_no, key, amount, status, reference, asked_at) VALUES (?, ?, ?, 'PENDING', ?, ?)",
            (order, key, amount, str(uuid.uuid4()), time.time()))
    except sqlite3.IntegrityError:
        found = find(order)
        if found is None or found["amount"] != amount:
            return 422, {"error": "this order or key was used for another payment"}
        return told(found)
    finish(order)
    return told(find(order))


def finish(order, asked=False):
    """Asks the bank, always with the same reference. An answer that is lost changes nothing: the payment stays PENDING."""
    amount, reference = database().execute("SELECT amount, reference FROM payments WHERE order_no = ?", (order,)).fetchone()
    try:
        code, answer = bank("GET", "/charges/" + reference) if asked else (404, {})
        if code == 404:
            code, answer = bank("POST", "/charges", {"reference": reference, "order": order, "amount": amount})
    except (OSError, ValueError) as trouble:
        logging.error("payment %s is not known yet: %r", order, trouble)
        return
    status = {(200, "SUCCESS"): "PAID", (200, "FAILED"): "FAILED", (402, "FAILED"): "FAILED"}.get((code, answer.get("status")))
    if status:
        database().execute("UPDATE payments SET status = ? WHERE order_no = ? AND status = 'PENDING'", (status, order))


def reconcile():
    """Finishes what was left: after a crash, a lost answer, a bank that was away."""
    while True:
        time.sleep(0.5)
        try:
            old = "SELECT order_no FROM payments WHERE status = 'PENDING' AND asked_at < ?"
            for (order,) in database().execute(old, (time.time() - 3,)).fetchall():
                finish(order, asked=True)
        except Exception as trouble:
            logging.error("reconciling: %r", trouble)


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
            id INTEGER PRIMARY KEY, order_no TEXT NOT NULL UNIQUE, key TEXT NOT NULL UNIQUE, amount INTEGER NOT NULL,
            status TEXT NOT NULL, reference TEXT NOT NULL, asked_at REAL NOT NULL)""")
    threading.Thread(target=reconcile, daemon=True).start()
    Server(("127.0.0.1", int(os.environ["PORT"])), Shop).serve_forever()
