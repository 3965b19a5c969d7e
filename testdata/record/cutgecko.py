#!/usr/bin/env python3
"""Cuts a profile that Gecko wrote to what is small enough to keep: cutgecko.py FROM TO < IN > OUT

Of each thread the samples and markers from FROM to TO (ms) remain, with the stacks, frames and texts
that they need; of the libraries those that such frames are in. All else stays as Gecko wrote it, but
for the schema of markers.
"""

import json
import sys


class Kept:
    """Rows of a table that are kept, with their new numbers."""

    def __init__(self, rows):
        self.rows, self.kept, self.number = rows, [], {}

    def take(self, i, row=None):
        if i is None:
            return None
        if i not in self.number:
            self.number[i] = len(self.kept)
            self.kept.append(self.rows[i] if row is None else row)
        return self.number[i]


def cut(thread, begin, end, seen):
    strings = Kept(thread["stringTable"])
    frames, stacks = Kept(thread["frameTable"]["data"]), Kept(thread["stackTable"]["data"])

    def frame(i):
        location = frames.rows[i][0]
        text = strings.rows[location]
        if text.startswith("0x"):
            seen.add(int(text, 16))
        return frames.take(i, [strings.take(location)] + frames.rows[i][1:])

    def stack(i):
        chain = []
        while i is not None and i not in stacks.number:
            chain.append(i)
            i = stacks.rows[i][0]
        for i in reversed(chain):
            up = stacks.rows[i][0]
            stacks.take(i, [stacks.number.get(up), frame(stacks.rows[i][1])])

    samples = [s for s in thread["samples"]["data"] if begin <= s[1] <= end]
    for s in samples:
        if s[0] is not None:
            stack(s[0])
            s[0] = stacks.number[s[0]]
    markers = []
    for m in thread["markers"]["data"]:
        at = [m[k] for k in (1, 2) if len(m) > k and m[k]]
        if at and begin <= min(at) and max(at) <= end:
            if len(m) > 5 and isinstance(m[5], dict):
                m[5].pop("stack", None)
            markers.append([strings.take(m[0])] + m[1:])
    thread["samples"]["data"], thread["markers"]["data"] = samples, markers
    thread["frameTable"]["data"], thread["stackTable"]["data"] = frames.kept, stacks.kept
    thread["stringTable"] = strings.kept


def cut_profile(profile, begin, end, origin):
    later, seen = profile["meta"]["startTime"] - origin, set()
    for thread in profile["threads"]:
        cut(thread, begin - later, end - later, seen)
    profile["libs"] = [l for l in profile["libs"] if any(l["start"] <= a < l["end"] for a in seen)]
    profile["meta"]["markerSchema"] = []
    profile.pop("profilingLog", None)
    for process in profile["processes"]:
        cut_profile(process, begin, end, origin)


profile = json.load(sys.stdin)
cut_profile(profile, float(sys.argv[1]), float(sys.argv[2]), profile["meta"]["startTime"])
json.dump(profile, sys.stdout, separators=(",", ":"))
