# A complete worker for Python 3.9 or newer that needs no packages. It claims an agent's tasks, counts the words in
# their context and uploads the counts as a table.
# BOSUN_URL=http://127.0.0.1:8787 BOSUN_KEY=bsn_… AGENT_ID=word-counter python3 examples/worker.py
import json
import os
import re
import signal
import sys
import threading
import time
from collections import Counter
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import Request, urlopen

URL = os.environ.get("BOSUN_URL", "http://127.0.0.1:8787")
KEY = os.environ["BOSUN_KEY"]
AGENT_ID = os.environ.get("AGENT_ID")
LEASE_SECONDS = int(os.environ.get("LEASE_SECONDS", "60"))
PAUSE_SECONDS = int(os.environ.get("PAUSE_MS", "0")) / 1000
TIMEOUT_SECONDS = 30
shutdown = threading.Event()


class Stopped(Exception):
    """The process is shutting down, or the worker no longer holds the task."""


def send(method, path, body, headers):
    """Sends one request and returns the response envelope. Raises an error if there is none."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json", **headers}
    request = Request(f"{URL}/agents/tasks/{path}", data, sent, method=method)
    try:
        with urlopen(request, timeout=TIMEOUT_SECONDS) as response:
            text = response.read()
    except HTTPError as failure:
        text = failure.read()
    envelope = json.loads(text)
    if "data" not in envelope and "error" not in envelope:
        raise ValueError("The response is not from Bosun.")
    return envelope


def call(method, path, body, headers=None, retries=True):
    """Calls the API and returns the response data. Retries transient errors, because reports can be safely repeated."""
    wait_seconds = 0.25
    while True:
        try:
            envelope = send(method, path, body, headers or {})
        except (OSError, HTTPException, ValueError, TypeError) as failure:
            envelope = {"error": {"message": str(failure), "retryable": True}}
        if "data" in envelope:
            return envelope["data"]
        error = envelope["error"]
        if not error["retryable"] or not retries:
            raise RuntimeError(error["message"])
        print(f"{path}: {error['message']}; retrying", flush=True)
        if shutdown.wait(wait_seconds):
            raise Stopped
        wait_seconds = min(2 * wait_seconds, 5)


def work(task):
    """Works on one task: sends heartbeats in a thread, reports progress, uploads a file and reports the result."""
    task_id, lease, context = task["taskId"], task["lease"], task["context"]
    done, gone = threading.Event(), threading.Event()

    def report(body, retries=True):
        body = {"lease": lease["token"], **body}
        return call("POST", f"{task_id}/report", body, retries=retries)

    def send_heartbeats():
        while not done.wait(lease["seconds"] / 3):
            try:
                if report({"type": "heartbeat"})["stop"]:
                    gone.set()
            except Stopped:
                return
            except RuntimeError:
                gone.set()

    def pause(seconds):
        ends_at = time.monotonic() + seconds
        while True:
            if shutdown.is_set() or gone.is_set():
                raise Stopped
            left = ends_at - time.monotonic()
            if left <= 0:
                return
            shutdown.wait(min(left, 0.1))

    threading.Thread(target=send_heartbeats, daemon=True).start()
    try:
        question = context.get("askFirst")
        if question and not task["answers"]:
            report({"type": "blocked", "question": question})
            return
        words = re.findall(r"[^\W_]+", context.get("text", context.get("csv", "")).lower())
        if not words:
            raise ValueError("Neither context.text nor context.csv contains words.")
        every = -(-len(words) // 10)
        for read in range(every, len(words) + 1, every):
            progress = max(task["progress"], 99 * read // len(words))
            report({"type": "progress", "progress": progress, "phase": f"read {read} words"})
            pause(PAUSE_SECONDS)
        counts = Counter(words).most_common()
        table = "\n".join(["word,count", *(f"{word},{count}" for word, count in counts)])
        headers = {"Bosun-Lease": lease["token"], "Content-Type": "text/csv"}
        call("PUT", f"{task_id}/deliverables/words.csv", table.encode(), headers)
        summary = f"{len(words)} words, {len(counts)} of them distinct."
        insights = [f'Occurrences of "{word}": {count}' for word, count in counts[:3]]
        report({"type": "completed", "result": {"summary": summary, "insights": insights}})
    except Exception as error:
        if gone.is_set():
            return
        # On shutdown, return the task so that another worker can continue it.
        if shutdown.is_set():
            end = {"type": "released"}
        else:
            print(f"{task_id}: {error}", file=sys.stderr, flush=True)
            end = {"type": "failed", "error": {"message": str(error) or type(error).__name__}}
        try:
            report(end, retries=not shutdown.is_set())
        except (RuntimeError, Stopped):
            pass
    finally:
        done.set()


for number in (signal.SIGTERM, signal.SIGINT):
    signal.signal(number, lambda *_: shutdown.set())
claim = {"leaseSeconds": LEASE_SECONDS, "waitSeconds": 5, "worker": os.environ.get("WORKER_NAME", "python")}
if AGENT_ID:
    claim["agentId"] = AGENT_ID
print(f"Working for {AGENT_ID or 'the agent that the key is bound to'} at {URL}; press Ctrl-C to stop.", flush=True)
try:
    while not shutdown.is_set():
        for claimed in call("POST", "claim", claim)["tasks"]:
            work(claimed)
except Stopped:
    pass
except RuntimeError as error:
    sys.exit(str(error))
