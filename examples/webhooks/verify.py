import base64, hashlib, hmac, time

def is_genuine(secret, headers, body, now=None):
    sent_at = headers.get("webhook-timestamp", "")
    if not sent_at.isdigit() or abs((now or time.time()) - int(sent_at)) > 300:
        return False
    key = base64.b64decode(secret[len("whsec_"):])
    signed = f"{headers['webhook-id']}.{sent_at}.".encode() + body
    right = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(each.encode(), right.encode()) for each in given)
