#!/usr/bin/env python3
"""Counts what the recorded files hold, by other means than Diptych's own code, into facts.json.

    facts.py [FOLDER]      default: the testdata folder this script lies under

Chrome JSON is counted here; uftrace recordings by `uftrace dump`, Go execution traces by
`go tool trace -d=parsed`, profiles by `go tool pprof -raw` and callgrind_annotate. The words:

Chrome JSON
    form            array or object
    ph              events per phase
    names           distinct event names without metadata
    threads         distinct (pid, tid) having B, E or X; a missing tid counts as tid = pid
    calls           B + X
    extent_us       last end minus first start over all events but metadata
    depth           deepest stack, B/E and X counted apart; an X of no length at the end of another
                    is inside it
    unclosed_B, stray_E     left over when each thread's B and E, stably sorted by time, are paired
                    last-in-first-out
    E_name_mismatch E whose name differs from the B that this pairing gives it
    X_partial_overlap       X that start inside another of their thread and end after it
    out_of_file_order       B, E or X earlier than their predecessor in the file on their thread
    ts_fractional   events whose microsecond timestamp is not whole
    async           pairs of b and e by (cat, id, and pid where the id is local), unclosed, stray
    flows           starts and finishes that have the same (cat, id), and those that have not
    skipped         elements that are no event with a finite time where their phase needs one
uftrace
    records         entry, exit, lost and event lines of `uftrace dump`
    arg_lines       its lines of one argument each; retval_lines those of one return value
    sync_calls, io_calls    entries per function
Go execution trace
    Ps              without the processors that the reader makes up for the older formats
    waits           reasons of Running->Waiting transitions
    unblocks        Waiting->Runnable transitions
    regions, tasks  begins by name
pprof
    totals          sum of each value column over all samples
OTF2
    kinds           events by kind, as `otf2-print` prints them
    calls           ENTER, CALLING_CONTEXT_ENTER (one call each here), and BUFFER_FLUSH, which is shown as a
                    call of the tracer
    threads         locations that have ENTER
Perfetto
    packets         of all sequences
    types           TrackEvents by type
    calls, threads  TYPE_SLICE_BEGIN on tracks that are a thread's, and how many threads have them
    async           TYPE_SLICE_BEGIN on other tracks
Callgrind
    total, own      instructions of the program, and of functions by file:function, as
                    callgrind_annotate prints them
    called          how often functions are called, by their names, as it prints with --tree=caller
V8
    nodes, samples  of the profile
    functions       distinct names with their file and line, (root) and the like included
    extent          from start to end, in microseconds
    timeDeltas_negative     samples that are earlier than the one before
Firefox
    processes       besides the one that the others belong to
    threads, samples, markers       of all processes
"""

import collections
import gzip
import io
import json
import math
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

OVERLAP_US = 1.5e-3  # less than this is rounding, not overlap


# ---- Chrome JSON ----


def elements(text):
    """The trace's elements, its form, its display unit and why it is no valid JSON (or None)."""
    text = text.lstrip("\ufeff")
    try:
        top = json.loads(text)
    except json.JSONDecodeError as err:
        return salvage(text), "object" if text.lstrip().startswith("{") else "array", None, str(err)
    if isinstance(top, dict):
        return top.get("traceEvents", []), "object", top.get("displayTimeUnit"), None
    return top, "array", None, None


def salvage(text):
    """The whole elements of a cut or untidy event array."""
    decoder, found, at = json.JSONDecoder(), [], text.index("[") + 1
    while True:
        at = re.compile(r"[\s,]*").match(text, at).end()
        try:
            element, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError:
            return found
        found.append(element)


def number(value):
    """A finite microsecond count within int64 nanoseconds, or None."""
    try:
        v = float(value)
    except (TypeError, ValueError):
        return None
    return v if math.isfinite(v) and abs(v) < 2**63 / 1000 else None


def usable(event):
    if not isinstance(event, dict) or not isinstance(event.get("ph"), str):
        return False
    if event["ph"] == "M":
        return True
    if number(event.get("ts")) is None:
        return False
    return event["ph"] != "X" or "dur" not in event or number(event["dur"]) is not None


def pair_begins(events, facts):
    """Pairs one thread's B and E last-in-first-out and returns the deepest stack."""
    stack, deepest = [], 0
    for e in sorted(events, key=lambda e: number(e["ts"])):
        if e["ph"] == "B":
            stack.append(e.get("name"))
            deepest = max(deepest, len(stack))
        elif not stack:
            facts["stray_E"] += 1
        elif stack.pop() != e.get("name") and e.get("name"):
            facts["E_name_mismatch"] += 1
    facts["unclosed_B"] += len(stack)
    return deepest


def nest_completes(events, facts):
    """Nests one thread's X by time and returns the deepest stack."""
    spans = [(number(e["ts"]), number(e["ts"]) + (number(e.get("dur")) or 0)) for e in events]
    ends, deepest = [], 0
    for start, end in sorted(spans, key=lambda s: (s[0], -s[1])):
        while ends and (ends[-1] < start or ends[-1] == start < end):
            ends.pop()
        if ends and end > ends[-1] + OVERLAP_US:
            facts["X_partial_overlap"] += 1
        ends.append(end)
        deepest = max(deepest, len(ends))
    return deepest


def async_key(e):
    ids = e.get("id2") or {}
    if "local" in ids:
        return e.get("cat"), "local", str(ids["local"]), e.get("pid")
    return e.get("cat"), "global", str(ids.get("global", e.get("id")))


def count_async(events):
    open_, pairs, stray = collections.Counter(), 0, 0
    for e in sorted(events, key=lambda e: number(e["ts"])):
        key = async_key(e)
        if e["ph"] == "b":
            open_[key] += 1
        elif e["ph"] == "e" and open_[key]:
            open_[key] -= 1
            pairs += 1
        elif e["ph"] == "e":
            stray += 1
    return {"pairs": pairs, "unclosed": sum(open_.values()), "stray": stray}


def count_flows(events):
    """A flow is a start and the finishes of its key; a later start of the same key ends it."""
    last, matched, dangling, fulfilled = {}, 0, 0, set()
    order = {"s": 0, "t": 1, "f": 2}
    starts = 0
    for e in sorted(events, key=lambda e: (number(e["ts"]), order[e["ph"]])):
        key = (e.get("cat"), str(e.get("id")))
        if e["ph"] == "s":
            starts += 1
            last[key] = starts
        elif e["ph"] == "f" and key in last:
            matched += 1
            fulfilled.add(last[key])
        elif e["ph"] == "f":
            dangling += 1
    return {"finishes": matched, "dangling_f": dangling, "dangling_s": starts - len(fulfilled)}


def chrome(raw):
    text = raw.decode("utf-8", "replace")
    found, form, unit, broken = elements(text)
    events = [e for e in found if usable(e)]
    facts = collections.Counter()
    facts["skipped"] = len(found) - len(events)
    timed = [e for e in events if e["ph"] != "M"]
    threads = collections.defaultdict(list)
    for e in events:
        if e["ph"] in "BEX" and len(e["ph"]) == 1:
            pid = e.get("pid", 0)
            thread = threads[str(pid), str(e.get("tid", pid))]
            if thread and number(e["ts"]) < number(thread[-1]["ts"]):
                facts["out_of_file_order"] += 1
            thread.append(e)
    depth = 0
    for thread in threads.values():
        begins = [e for e in thread if e["ph"] != "X"]
        depth = max(depth, pair_begins(begins, facts))
        depth = max(depth, nest_completes([e for e in thread if e["ph"] == "X"], facts))
    for e in timed:
        ts = number(e["ts"])
        facts["ts_fractional"] += ts != int(ts)
        facts["ts_string"] += isinstance(e["ts"], str)
        facts["no_pid"] += "pid" not in e
        facts["no_tid"] += "tid" not in e
        facts["X_without_dur"] += e["ph"] == "X" and "dur" not in e
    first = min((number(e["ts"]) for e in timed), default=0)
    last = max((number(e["ts"]) + (number(e.get("dur")) or 0) for e in timed), default=0)
    ph = collections.Counter(e["ph"] for e in events)
    asyncs = [e for e in timed if e["ph"] in ("b", "e")]
    flows = [e for e in timed if e["ph"] in ("s", "t", "f")]
    notes = ["displayTimeUnit=ns"] if unit == "ns" else []
    if broken:
        notes.append(f"not valid JSON ({broken})")
    return {
        "bytes": len(raw),
        "form": form,
        "events": len(events),
        "ph": dict(sorted(ph.items())),
        "calls": ph["B"] + ph["X"],
        "depth": depth,
        "names": len({e["name"] for e in timed if "name" in e}),
        "pids": len({pid for pid, _ in threads}),
        "threads": len(threads),
        "first_us": first,
        "extent_us": round(last - first, 3),
        **({"async": count_async(asyncs)} if asyncs else {}),
        **({"flows": count_flows(flows)} if flows else {}),
        **{k: v for k, v in sorted(facts.items()) if v},
        **({"note": notes} if notes else {}),
    }


# ---- uftrace ----

SYNC = re.compile(r"pthread_|sem_|fork$|waitpid$")
IO = re.compile(r"f?(open|close|read|write)(64)?$")


def uftrace(raw):
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(raw)) as tar:
            members = tar.getmembers()
            tar.extractall(folder)
        data = pathlib.Path(folder, members[0].name)
        dump = output("uftrace", "dump", "-d", str(data))
        header = (data / "info").read_bytes()
        tasks = sorted(data.glob("[0-9]*.dat"))
        facts = count_dump(dump)
        facts["bytes_unpacked"] = sum(m.size for m in members)
        facts["bytes_dat"] = sum(p.stat().st_size for p in tasks)
        facts["tids"] = len(tasks)
        facts["format_version"] = int.from_bytes(header[8:12], "little")
        return facts


def count_dump(dump):
    records, calls, times = collections.Counter(), collections.Counter(), []
    deepest = 0
    line = re.compile(r"(\d+)\.(\d{9}) +\d+: \[(\w+) *\] (.*)")
    for m in filter(None, map(line.match, dump.splitlines())):
        kind, rest = m[3], m[4]
        if kind in ("args", "retval"):
            continue
        records[kind] += 1
        if kind in ("entry", "exit"):
            times.append(int(m[1]) * 10**9 + int(m[2]))
            deepest = max(deepest, int(rest.rsplit("depth: ", 1)[1]))
        if kind == "entry":
            calls[rest.split("(", 1)[0]] += 1
    select = lambda pattern: {f: n for f, n in sorted(calls.items()) if pattern.match(f)}
    return {
        "records": dict(sorted(records.items())),
        "arg_lines": len(re.findall(r"^ +args\[", dump, re.M)),
        "retval_lines": len(re.findall(r"^ +retval ", dump, re.M)),
        "functions": len(calls),
        "max_depth_field": deepest,
        "extent_ns": max(times) - min(times),
        "sync_calls": select(SYNC),
        "io_calls": select(IO),
    }


# ---- Go execution traces ----

STAND_IN_P = 1000000  # from here on the reader makes up processors for the older formats


def gotrace(path):
    kinds, waits, regions, tasks = (collections.Counter() for _ in range(4))
    goroutines, procs, threads, times, unblocks = set(), set(), set(), [], 0
    for line in output("go", "tool", "trace", "-d=parsed", str(path)).splitlines():
        m = re.match(r"M=(-?\d+) P=(-?\d+) G=(-?\d+) (\w+) Time=(-?\d+) ?(.*)", line)
        if not m:
            continue
        kind, rest = m[4], m[6]
        kinds[kind] += 1
        if int(m[5]) >= 0:
            times.append(int(m[5]))
        for seen, value in ((threads, m[1]), (procs, m[2]), (goroutines, m[3])):
            if value != "-1" and not (seen is procs and int(value) >= STAND_IN_P):
                seen.add(value)
        if kind == "StateTransition" and rest.startswith("GoID="):
            goroutines.add(re.match(r"GoID=(\d+)", rest)[1])
            if "Running->Waiting" in rest:
                waits[re.search(r'Reason="([^"]*)"', rest)[1]] += 1
            unblocks += "Waiting->Runnable" in rest
        elif kind in ("RegionBegin", "TaskBegin"):
            name = re.search(r'Type="([^"]*)"', rest)[1]
            (regions if kind == "RegionBegin" else tasks)[name] += 1
    with open(path, "rb") as f:
        header = f.read(16).rstrip(b"\0").decode()
    return {
        "header": header,
        "events": sum(kinds.values()),
        "kinds": dict(sorted(kinds.items())),
        "extent_ns": max(times) - min(times),
        "goroutines": len(goroutines),
        "Ms": len(threads),
        "Ps": len(procs),
        "waits": dict(sorted(waits.items())),
        "unblocks": unblocks,
        "regions": dict(sorted(regions.items())),
        "tasks": dict(sorted(tasks.items())),
    }


# ---- profiles ----


def pprof(path):
    samples, deepest, types, locations, section = [], 0, "", 0, ""
    for line in output("go", "tool", "pprof", "-raw", str(path)).splitlines():
        if m := re.match(r"(Samples|Locations|Mappings)(?::|$)", line):
            section = m[1]
        elif section == "Samples" and not types:
            types = line.replace("[dflt]", "").strip()
        elif section == "Samples" and (m := re.match(r"\s*((?:-?\d+\s*)+):((?: \d+)*)", line)):
            samples.append([int(v) for v in m[1].split()])
            deepest = max(deepest, len(m[2].split()))
        elif section == "Locations" and re.match(r"\s*\d+: 0x", line):
            locations += 1
    return {
        "types": types,
        "samples": len(samples),
        "totals": [sum(column) for column in zip(*samples)],
        "locations": locations,
        "max_depth_locations": deepest,
    }


# ---- Perfetto ----


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return value, at


def fields(data):
    """The fields of a message: number and value, which is an int or the bytes of what has a length."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(tag & 7)
            if tag & 7 == 2:
                size, at = varint(data, at)
            value, at = data[at : at + size], at + size
        yield tag >> 3, value


def perfetto(raw):
    packets = [dict(fields(p)) for number, p in fields(raw) if number == 1]
    names = {0: "TYPE_UNSPECIFIED", 1: "TYPE_SLICE_BEGIN", 2: "TYPE_SLICE_END", 3: "TYPE_INSTANT",
             4: "TYPE_COUNTER"}
    threads = {}  # by uuid of the track
    for p in packets:
        track = dict(fields(p.get(60, b"")))
        if 4 in track:
            thread = dict(fields(track[4]))
            threads[track[1]] = thread.get(1), thread.get(2)
    defaults, types, on = {}, collections.Counter(), collections.Counter()
    for p in packets:
        sequence = p.get(10)
        if p.get(13, 0) & 1:
            defaults[sequence] = 0
        if 59 in p:
            defaults[sequence] = dict(fields(dict(fields(p[59])).get(11, b""))).get(11, 0)
        if 11 in p:
            event = dict(fields(p[11]))
            types[names[event.get(9, 0)]] += 1
            if event.get(9) == 1:
                on[threads.get(event.get(11, defaults.get(sequence, 0)))] += 1
    spans = on.pop(None, 0)
    return {"packets": len(packets), "types": dict(types), "async": spans, "calls": sum(on.values()),
            "threads": len(on)}


# ---- CTF: what babeltrace2 prints ----


def ctf(path):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["tar", "-xzf", path, "-C", folder], check=True)
        for symbols in pathlib.Path(folder).rglob("*.nm"):
            symbols.unlink()
        lines = output("babeltrace2", "--names=all", "--clock-cycles", "--no-delta", folder).splitlines()
    begins = "func_entry", "pthread_mutex_lock_req", "pthread_mutex_trylock", "pthread_mutex_unlock"
    events, threads = collections.Counter(), set()
    for line in lines:
        name = re.search(r", name = ([^,]+),", line)[1]
        events[name] += 1
        if name.split(":")[1] in begins:
            threads.add(re.search(r"vtid = (\d+)", line)[1])
    calls = sum(n for name, n in events.items() if name.split(":")[1] in begins)
    return {"events": dict(events), "calls": calls, "threads": len(threads)}


# ---- Paje: lines by event, as the file's own header numbers them ----


def paje(raw):
    numbers, events, threads = {}, collections.Counter(), set()
    for line in raw.decode().splitlines():
        words = line.split()
        if line.startswith("%EventDef"):
            numbers[words[2]] = words[1]
        elif words and line[0] not in "%#":
            events[numbers[words[0]]] += 1
            if numbers[words[0]] == "PajePushState":
                threads.add(words[3])
    return {"events": dict(events), "calls": events["PajePushState"], "threads": len(threads)}


# ---- Callgrind ----


def callgrind(raw):
    with tempfile.NamedTemporaryFile() as file:
        file.write(raw)
        file.flush()
        options = ("--threshold=100", "--auto=no", "--show-percs=no", "--show=Ir")
        text = output("callgrind_annotate", *options, file.name)
        tree = output("callgrind_annotate", "--tree=caller", "--inclusive=yes", *options, file.name)
    own, total = {}, 0
    for line in text.splitlines():
        if m := re.match(r"\s*([\d,]+)\s+(\S.*)$", line):
            n, what = int(m[1].replace(",", "")), re.sub(r" \[[^]]*\]$", "", m[2])
            if what == "PROGRAM TOTALS":
                total = n
            elif ":" in what:
                own[what] = own.get(what, 0) + n
    called, times = {}, 0
    for line in tree.splitlines():  # callers come before what they call
        if m := re.match(r"\s*[\d,]+\s+<\s+\S.* \(([\d,]+)x\)", line):
            times += int(m[1].replace(",", ""))
        elif m := re.match(r"\s*[\d,]+\s+\*\s+(\S.*?)(?: \[[^]]*\])?$", line):
            name = m[1].rpartition("/")[2].partition(":")[2]
            if times:
                called[name] = called.get(name, 0) + times
            times = 0
    return {"total": total, "own": own, "called": called}


# ---- V8 ----


def cpuprofile(raw):
    profile = json.loads(raw)
    frames = [n["callFrame"] for n in profile["nodes"]]
    return {
        "nodes": len(frames),
        "functions": len({(f["functionName"], f["url"], f["lineNumber"]) for f in frames}),
        "samples": len(profile["samples"]),
        "extent": profile["endTime"] - profile["startTime"],
        "timeDeltas_negative": sum(d < 0 for d in profile["timeDeltas"]),
    }


# ---- Firefox ----


def firefox(profile):
    facts = {"processes": len(profile["processes"]), "threads": 0, "samples": 0, "markers": 0}
    for p in [profile, *profile["processes"]]:
        facts["threads"] += len(p["threads"])
        for t in p["threads"]:
            facts["samples"] += len(t["samples"]["data"])
            facts["markers"] += len(t["markers"]["data"])
    return {**facts, "version": profile["meta"]["version"]}


# ---- requests: OTLP and Jaeger ----


def spans_of(path, raw):
    """Yields trace, span, parent, service, name, start and end (ns), events of each span."""
    if path.parent.name == "jaeger":
        for t in json.loads(raw)["data"]:
            for s in t["spans"]:
                parents = [r["spanID"] for r in s["references"] if r["refType"] == "CHILD_OF"]
                start = s["startTime"] * 1000
                yield (s["traceID"], s["spanID"], parents[0] if parents else "",
                       t["processes"][s["processID"]]["serviceName"], s["operationName"], start,
                       start + s["duration"] * 1000, len(s["logs"]))
    elif raw[:1] == b"{":
        for line in raw.splitlines():
            for group in json.loads(line)["resourceSpans"]:
                service = [a["value"]["stringValue"] for a in group["resource"]["attributes"]
                           if a["key"] == "service.name"][0]
                for s in (s for scope in group["scopeSpans"] for s in scope["spans"]):
                    yield (s["traceId"], s["spanId"], s.get("parentSpanId", ""), service, s["name"],
                           int(s["startTimeUnixNano"]), int(s["endTimeUnixNano"]), len(s.get("events", [])))
    else:
        yield from spans_of_messages(raw)


def spans_of_messages(raw):
    while raw:
        size = int.from_bytes(raw[:4], "big")
        message, raw = raw[4 : 4 + size], raw[4 + size :]
        for _, group in fields(message):
            parts = list(fields(group))
            attributes = [dict(fields(a)) for n, a in fields(dict(parts)[1]) if n == 1]
            service = [dict(fields(a[2]))[1] for a in attributes if a[1] == b"service.name"][0].decode()
            for scope in (v for n, v in parts if n == 2):
                for s in (list(fields(v)) for n, v in fields(scope) if n == 2):
                    one = dict(s)
                    at = [int.from_bytes(one[n], "little") for n in (7, 8)]
                    yield (one[1].hex(), one[2].hex(), one.get(4, b"").hex(), service, one[5].decode(),
                           *at, sum(n == 11 for n, _ in s))


def requests(path, raw):
    all_spans = list(spans_of(path, raw))
    ids = {s[0] for s in all_spans}
    extent = {i: max(s[6] for s in all_spans if s[0] == i) - min(s[5] for s in all_spans if s[0] == i)
              for i in ids}
    longest = max(ids, key=lambda i: extent[i])
    shown = [s for s in all_spans if s[0] == longest]
    known = {s[1] for s in shown}
    return {"bytes": len(raw), "traces": len(ids), "spans": len(all_spans), "shown": longest,
            "shown_spans": len(shown), "services": len({s[3] for s in shown}),
            "names": len({(s[3], s[4]) for s in shown}), "events": sum(s[7] for s in shown),
            "dangling": sum(bool(s[2]) and s[2] not in known for s in shown),
            "extent_ns": extent[longest]}


# ---- all ----


def output(*command):
    ran = subprocess.run(command, check=True, capture_output=True)
    return ran.stdout.decode("utf-8", "replace")


def otf2(raw):
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(raw)) as tar:
            tar.extractall(folder)
        (anchor,) = pathlib.Path(folder).rglob("*.otf2")
        events = re.findall(r"^([A-Z_0-9]+) +(\d+) +\d+ ", output("otf2-print", str(anchor)), re.M)
    kinds = collections.Counter(kind for kind, _ in events)
    return {
        "kinds": kinds,
        "calls": kinds["ENTER"] + kinds["CALLING_CONTEXT_ENTER"] + kinds["BUFFER_FLUSH"],
        "threads": len({location for kind, location in events if kind == "ENTER"}),
    }


def count(path):
    raw = path.read_bytes()
    size = {"file_bytes": len(raw)}
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    if path.suffix == ".zst":
        raw = subprocess.run(["zstd", "-dc"], input=raw, check=True, capture_output=True).stdout
    if path.parent.name == "otf2":
        return {**size, **otf2(raw)}
    if path.parent.name == "ctf":
        return {**size, **ctf(path)}
    if ".trace" in path.name and path.parent.name == "paje":
        return {**size, "bytes": len(raw), **paje(raw)}
    if path.name.endswith(".data.tar.gz"):
        return {**size, **uftrace(raw)}
    if path.suffix == ".gotrace":
        return {**size, **gotrace(path)}
    if ".pftrace" in path.name:
        return {**size, "bytes": len(raw), **perfetto(raw)}
    if ".callgrind" in path.name:
        return {**size, "bytes": len(raw), **callgrind(raw)}
    if ".gecko" in path.name:
        return {**size, "bytes": len(raw), "firefox": firefox(json.loads(raw))}
    if ".cpuprofile" in path.name:
        return {**size, "bytes": len(raw), **cpuprofile(raw)}
    if path.parent.name in ("otlp", "jaeger"):
        return {**size, **requests(path, raw)}
    if ".pprof" in path.name:
        return {**size, "bytes": len(raw), **pprof(path)}
    return {**size, **chrome(raw)}


FORMATS = ("chrome", "uftrace", "gotrace", "pprof", "perfetto", "otf2", "ctf", "paje", "callgrind", "cpuprofile",
           "firefox", "otlp", "jaeger")


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here
    files = [p for f in FORMATS for p in (root / f).rglob("*.*")]
    facts = {str(p.relative_to(root)): count(p) for p in sorted(files) if p.is_file()}
    text = json.dumps(facts, indent=1, sort_keys=True, ensure_ascii=False)
    (root / "facts.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
