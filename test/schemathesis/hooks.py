"""
What a valid request needs and no JSON Schema can say. Schemathesis calls `before_call` before each request; what it
made to be valid is completed here, what it made to be invalid is sent as it is.
"""

import datetime
import uuid

import schemathesis
from schemathesis.generation import GenerationMode

# Receivers and tools that the service may call in these runs do not answer: nothing leaves this machine.
ADDRESS = "http://127.0.0.1:9/"


def header(case, name):
    """The header of a request under the name that it was given, whatever its case."""
    return next((each for each in case.headers or {} if each.lower() == name), None)


def mend(context):
    """A start lies before its end; ids of other resources are those of some that exist."""
    if not isinstance(context, dict):
        return
    context.pop("incident_id", None)
    context.pop("previous_query_id", None)
    # Which names of time zones there are is known to the runtime, and to no schema.
    if isinstance(context.get("timezone"), str):
        context["timezone"] = "Europe/Paris"
    times = context.get("time_range")
    if isinstance(times, dict) and "start" in times and "end" in times:
        times["start"], times["end"] = "2026-01-31T12:00:00Z", "2026-01-31T13:00:00Z"
    elif isinstance(times, dict) and "start" in times:
        times["start"] = now()


def now():
    # A day back: neither in the future nor longer ago than anything may reach.
    yesterday = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=1)
    return yesterday.strftime("%Y-%m-%dT%H:%M:%SZ")


def settings(body, is_change):
    """Which settings there are the type of the integration says, and which of them go together."""
    config = body["config"]
    # What is a certificate or a key only a parser of them can say.
    for name in ("ca_certificate", "private_key"):
        config.pop(name, None)
    if is_change:
        config.clear()
    elif body.get("type") in ("bundle", "cloudwatch"):
        # A bundle needs a folder that is there; CloudWatch has no address of its own, what would be asked is AWS.
        body["type"] = "statuspage"
        config = body["config"] = {"base_url": ADDRESS}
    if isinstance(config.get("base_url"), str):
        config["base_url"] = ADDRESS
    if "bearer_token" in config or "username" not in config or "password" not in config:
        config.pop("username", None)
        config.pop("password", None)
    if "bearer_token" in config or "username" in config:
        config.pop("api_key", None)


def stay_here(body):
    """Whatever else is sent: no tool is asked that stands elsewhere."""
    config = body.get("config") if isinstance(body, dict) else None
    if not isinstance(config, dict):
        return
    if body.get("type") in ("datadog", "github", "pagerduty", "sentry") and "base_url" not in config:
        config["base_url"] = ADDRESS
    if body.get("type") == "cloudwatch" and isinstance(config.get("region"), str):
        config["region"] = "nowhere-1"


def series_of(body):
    """
    One record at least and 1,000 at most. A series has either regular values or points, in the order of time, and ends in a year of four digits.
    """
    for name, records in body.items():
        if isinstance(records, list):
            body[name] = records[:100]
    if not any(body.values()):
        line = {"timestamp": "2026-01-31T12:00:00Z", "service": "checkout", "severity": "error", "message": "refused"}
        body["logs"] = [line]
    for index, one in enumerate(body.get("series") or []):
        if not isinstance(one, dict):
            continue
        if "values" in one and "t0" in one and "interval_s" in one:
            one.pop("points", None)
            one["interval_s"] = max(1, min(one["interval_s"], 3600))
            one["t0"] = "2026-01-31T12:00:00Z"
        else:
            for name in ("values", "t0", "interval_s"):
                one.pop(name, None)
            one["points"] = [["2026-01-31T12:00:00Z", index], ["2026-01-31T12:01:00Z", None]]


def past(body):
    """Nothing is taken of a time that is still to come, and a change takes effect before it has."""
    then = "2026-01-31T12:00:00Z"
    times = (("changes", "recorded_at"), ("logs", "timestamp"), ("spans", "start"), ("edges", "t0"), ("events", "timestamp"))
    for kind, name in times:
        for one in body.get(kind) or []:
            if isinstance(one, dict) and isinstance(one.get(name), str) and one[name] > then:
                one[name] = then
    for one in body.get("changes") or []:
        if isinstance(one, dict) and "effective_at" in one:
            one["effective_at"] = {"from": then, "to": then}


def edges_of(body):
    """No more calls fail than are made, and calls of which none was timed took no time that anybody knows."""
    for one in body.get("edges") or []:
        if not isinstance(one, dict):
            continue
        if "calls" in one and "failed" in one:
            one["failed"] = min(one["failed"], one["calls"])
        if one.get("latency_count") == 0 and "latency_sum_ms" in one:
            one["latency_sum_ms"] = 0


@schemathesis.hook
def before_call(context, case, kwargs):
    # The gateway lets no more than 10,240 bytes of request line and headers through: 1,030 characters of four bytes,
    # twelve each once they are written into an address, never reach the service. In ASCII they do, as much too long.
    for name, value in (case.query or {}).items():
        if isinstance(value, str) and len(value) > 500:
            case.query[name] = "x" * len(value)
    stay_here(case.body)
    if case.meta is None or case.meta.generation.mode is not GenerationMode.POSITIVE:
        return
    # A cursor is what a list gave with the same filters; nobody can make one.
    if case.query:
        case.query.pop("cursor", None)
    # A key that was used with another body is refused.
    name = header(case, "idempotency-key")
    if name is not None:
        case.headers[name] = str(uuid.uuid4())
    # The version that a resource has is in no schema.
    name = header(case, "if-match")
    if name is not None:
        case.headers[name] = "*"
    # Schemathesis leaves the pattern of a header out of account.
    name = header(case, "if-none-match")
    if name is not None:
        case.headers[name] = '"3"'
    body = case.body
    if not isinstance(body, dict):
        return
    if isinstance(body.get("url"), str):
        body["url"] = ADDRESS
    if isinstance(body.get("config"), dict):
        settings(body, case.method == "PATCH")
    for name in ("since", "started_at"):
        if isinstance(body.get(name), str):
            body[name] = now()
    mend(body.get("context"))
    if case.path.endswith("/signals"):
        series_of(body)
        edges_of(body)
        past(body)
