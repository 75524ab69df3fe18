"""One customer's life with a shop, from the first card to a report that adds up to the cent, with Python alone.

    python docs/examples/life_of_a_payment.py [http://127.0.0.1:12190]

Customer → profile → a payment that saves its card → a charge without the customer → a partial capture → two refunds
→ a dispute → evidence with a file → won → a CSV report, told of by a signed webhook. It ends with 1 at the first
surprise.
"""

from __future__ import annotations

import csv
import hashlib
import hmac
import io
import json
import sys
import threading
import urllib.error
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, HTTPServer
from queue import Queue
from typing import Any

BASE = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:12190"
KEY = f"snd_life_{uuid.uuid4().hex}"  # each key has its own merchant
TOLD: Queue[tuple[bytes, str]] = Queue()
PATIENCE_S = 60
RECEIPT = b"%PDF-1.7 received with thanks"


def send(method: str, path: str, data: bytes | None, kind: str = "application/json", **headers: str) -> Any:
    """One call; an error ends the program."""
    url = path if path.startswith("http") else BASE + path
    request = urllib.request.Request(url, data, {"api-key": KEY, "Content-Type": kind, **headers}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return answer.read()
    except urllib.error.HTTPError as refused:
        sys.exit(f"{method} {path} was refused: {refused.code} {refused.read().decode()}")


def call(method: str, path: str, body: object = None, **headers: str) -> Any:
    """One call with a JSON body, and its JSON."""
    return json.loads(send(method, path, None if body is None else json.dumps(body).encode(), **headers))


def upload(path: str, fields: dict[str, str], name: str, content: bytes) -> Any:
    """One file as a browser's form would send it (RFC 7578), without a library."""
    mark = uuid.uuid4().hex
    parts = [
        f'--{mark}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{text}\r\n' for key, text in fields.items()
    ]
    parts.append(f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n')
    head = "".join(parts) + "Content-Type: application/pdf\r\n\r\n"
    data = head.encode() + content + f"\r\n--{mark}--\r\n".encode()
    return json.loads(send("PUT", path, data, f"multipart/form-data; boundary={mark}"))


def check(what: str, found: object, wanted: object) -> None:
    if found != wanted:
        sys.exit(f"{what}: {found!r}, and not {wanted!r}")
    print(f"{what}: {found}")


class Shop(BaseHTTPRequestHandler):
    """The shop's own server: it stores events and answers 200."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        TOLD.put((body, self.headers["X-Webhook-Signature-512"]))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Logs nothing."""


def report(kind: str, profile: str, shop: str, secret: str) -> list[dict[str, str]]:
    """Requests a report, waits for its webhook, and downloads its file."""
    of_profile = {"X-Profile-Id": profile}  # signed with this profile's key
    asked = {"timeRange": {"startTime": "2000-01-01"}, "emails": ["owner@shop.example.com"], "returnUrl": shop}
    check("a report is asked for", call("POST", f"/analytics/v1/profile/report/{kind}", asked, **of_profile), None)
    body, signature = TOLD.get(timeout=PATIENCE_S)
    check(f"the notice of the {kind} is signed", signature, hmac.digest(secret.encode(), body, hashlib.sha512).hex())
    told = json.loads(body)
    check("it says", told["event_type"], "report_generation.completed")
    text = send("GET", told["data"]["download_url"], None).decode()
    return list(csv.DictReader(io.StringIO(text)))


def main(shop: str) -> None:
    customer = call("POST", "/customers", {"name": "Jane Doe", "email": "jane@example.com"})["customer_id"]
    merchant = call("POST", "/payments", {"amount": 0, "currency": "EUR", "profile_id": "pro_first"})["merchant_id"]
    secret = "a secret that only the shop knows"
    profile = call(
        "POST", f"/account/{merchant}/business_profile", {"profile_name": "shop", "payment_response_hash_key": secret}
    )["profile_id"]

    # the first payment: the card is saved for later, with the customer's consent
    consent = {"acceptance_type": "online", "online": {"ip_address": "203.0.113.7", "user_agent": "a browser"}}
    card = {"card_number": "4242424242424242", "card_exp_month": "12", "card_exp_year": "2035", "card_cvc": "123"}
    first = call("POST", "/payments", {
        "amount": 2500, "currency": "EUR", "profile_id": profile, "customer_id": customer, "confirm": True,
        "payment_method": "card", "payment_method_data": {"card": card}, "setup_future_usage": "off_session",
        "customer_acceptance": consent,
    })  # fmt: skip
    check("the first payment", first["status"], "succeeded")
    method = first["payment_method_id"]
    saved = call("GET", f"/customers/{customer}/payment_methods")["customer_payment_methods"]
    check("saved methods", [one["payment_method_id"] for one in saved], [method])

    # the next month: charged without the customer, captured in part
    call("POST", "/_sandbox/clock/advance", {"by": "30d"})
    later = call("POST", "/payments", {
        "amount": 9999, "currency": "EUR", "profile_id": profile, "customer_id": customer, "confirm": True,
        "off_session": True, "capture_method": "manual",
        "recurring_details": {"type": "payment_method_id", "data": method},
    })  # fmt: skip
    check("the charge without the customer", later["status"], "requires_capture")
    number = later["payment_id"]
    captured = call("POST", f"/payments/{number}/capture", {"amount_to_capture": 7999})
    check("captured in part", (captured["status"], captured["amount_received"]), ("partially_captured", 7999))

    # two refunds, and a dispute over the rest
    for amount in (1000, 499):
        refund = call("POST", "/refunds", {"payment_id": number, "amount": amount, "reason": "returned"})
        check(f"a refund of {amount}", refund["status"], "succeeded")
    opened = call("POST", f"/_sandbox/payments/{number}/dispute", {"reason": "product_not_received"})
    check("the customer disputes what is left", opened["amount"], "6500")
    dispute = opened["dispute_id"]
    fields = {"dispute_id": dispute, "evidence_type": "receipt"}
    file = upload("/disputes/evidence", fields, "receipt.pdf", RECEIPT)["file_id"]
    check("the file is kept as it was", send("GET", f"/files/{file}", None), RECEIPT)
    won = call("POST", "/disputes/evidence", {"dispute_id": dispute, "uncategorized_text": "winning_evidence"})
    check("the dispute", won["dispute_status"], "dispute_won")
    state = call("GET", f"/payments/{number}")["state_metadata"]
    check("given back", state["total_refunded_amount"], 1499)
    check("disputed still", state["total_disputed_amount"], None)

    # the books
    rows = {row["payment_id"]: row for row in report("payments", profile, shop, secret)}
    received = sum(int(row["amount_received"]) for row in rows.values())
    refunded = sum(int(row["amount_refunded"]) for row in rows.values())
    check("received", received, 2500 + 7999)
    check("given back", refunded, sum(int(row["amount"]) for row in report("refunds", profile, shop, secret)))
    (fought,) = report("dispute", profile, shop, secret)
    check("fought over", (fought["dispute_status"], fought["amount"]), ("dispute_won", "6500"))
    check("what is left to the cent", received - refunded, 2500 + 7999 - 1000 - 499)


if __name__ == "__main__":
    with HTTPServer(("127.0.0.1", 0), Shop) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        main(f"http://127.0.0.1:{server.server_port}/reports")
        server.shutdown()
