"""Keeps a copy of a fleet by GET /changes, and prints it for each line of its input."""
import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

BASE, KEY = sys.argv[1:]
START = {"from": "history", "include": "exact", "types": "positions,states,objects,trips,stops"}
EXACT = ["odometer_mm", "mileage_mm", "engine_hours_ms"]
positions, copy = {}, {"state": {}, "object": {}, "trip": {}, "stop": {}}
cursor = None


def get(query):
    url = BASE + "/public/v1/changes?" + urllib.parse.urlencode({**query, "limit": 10000})
    while True:
        try:
            request = urllib.request.Request(url, headers={"x-api-key": KEY})
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)["result"]
        except urllib.error.HTTPError as error:
            if error.code != 429:
                raise
            time.sleep(int(error.headers["Retry-After"]))


def rows_in(entry):
    first, last = entry["from_time"] or "", entry["to_time"] or "9999"
    rows = positions.get(entry["id"], {})
    return [(rows, at) for at in list(rows) if first <= at <= last]


def apply(entry, as_of):
    kind, op = entry["type"], entry["op"]
    if kind == "position" and op == "put":
        row = entry["position"]
        positions.setdefault(row["id"], {})[row["time_device"]] = {"row": row, "seq": as_of}
    elif kind == "position":
        positions.get(entry["id"], {}).pop(entry["time_device"], None)
    elif kind == "positions":
        for rows, at in rows_in(entry):
            del rows[at]
    elif kind == "counters":
        for rows, at in rows_in(entry):
            if rows[at]["seq"] < entry["seq"]:
                rows[at]["seq"] = entry["seq"]
                exact = rows[at]["row"]["exact"]
                for name in EXACT:
                    if exact[name] is not None:
                        exact[name] += entry[name]
    elif kind in copy and op == "put":
        copy[kind][entry[kind]["id"]] = entry[kind]
    elif kind in copy:
        copy[kind].pop(entry["id"], None)
        if kind == "object":
            positions.pop(entry["id"], None)
            copy["state"].pop(entry["id"], None)
            for records in (copy["trip"], copy["stop"]):
                for id in [id for id in records if records[id]["object_id"] == entry["id"]]:
                    del records[id]


for line in sys.stdin:
    more = True
    while more:
        page = get({"cursor": cursor} if cursor else START)
        for entry in page["changes"]:
            apply(entry, page["as_of"])
        cursor, more = page["cursor"], page["has_more"]
    rows = [kept["row"] for own in positions.values() for kept in own.values()]
    print(json.dumps({"position": rows, **{kind: list(of.values()) for kind, of in copy.items()}}), flush=True)
