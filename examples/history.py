import json, os, time, urllib.error, urllib.parse, urllib.request

API = "http://127.0.0.1:7070/public/v1"

def answer_of(url):
    request = urllib.request.Request(url, headers={"x-api-key": os.environ["FLEETGATE_API_KEY"]})
    while True:
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["result"], answer.headers.get("Link")
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503):
                raise RuntimeError(json.load(error)["message"])
            time.sleep(int(error.headers.get("Retry-After", 1)))

def rows_of(url):
    while url:
        rows, link = answer_of(url)
        yield from rows
        url = link and urllib.parse.urljoin(url, link[link.index("<") + 1 : link.index(">")])

latest, _ = answer_of(API + "/positions/latest?ids=all")
for row in latest:
    print(row["name"], row["latitude"], row["longitude"])
history = API + "/objects/1/positions?from_time=2026-11-20&to_time=2026-11-20&limit=1000"
print(sum(1 for row in rows_of(history)), "rows")
