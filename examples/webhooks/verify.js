import { createHmac, timingSafeEqual } from 'node:crypto'

export function isGenuine(secret, headers, body, now = Date.now() / 1000) {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': given = '' } = headers
  if (!(Math.abs(now - Number(time)) <= 300)) return false
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const right = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest()
  return given.split(' ').some((each) => {
    const [version, text = ''] = each.split(',')
    const signature = Buffer.from(text, 'base64')
    return (
      version === 'v1' && signature.length === right.length && timingSafeEqual(signature, right)
    )
  })
}
