import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { describe, it } from 'node:test'
import { newSecret, SESSION } from '../access/secret.ts'
import { cookieOf, refuseForeign } from './come-in.ts'

const { secret } = newSecret(SESSION)
const withCookie = (cookie?: string) => cookieOf({ headers: { cookie } } as IncomingMessage)

describe('The cookie of a session', () => {
  it('is found wherever it stands, among others of its name too', () => {
    for (const cookie of [
      `fleetgate_session=${secret}`,
      `a=1;fleetgate_session=${secret}`,
      `  fleetgate_session=${secret} ; b=2`,
      `fleetgate_session=other; fleetgate_session=${secret}`,
      `=;;=x;fleetgate_session=${secret};;`,
    ]) {
      assert.equal(withCookie(cookie), secret, cookie)
    }
  })

  it('is none where nothing of its name looks like a session', () => {
    for (const cookie of [
      undefined,
      '',
      'fleetgate_session',
      'fleetgate_session=',
      `fleetgate_session="${secret}"`,
      `fleetgate_session=${secret}0`,
      `xfleetgate_session=${secret}`,
      `fleetgate_session2=${secret}`,
      `a=fleetgate_session=${secret}`,
    ]) {
      assert.equal(withCookie(cookie), undefined, cookie)
    }
  })
})

type Sent = { headers: Record<string, string>; method?: string }

function isRefused({ headers, method = 'POST' }: Sent, consoleUrl?: string) {
  const message = { method, headers } as IncomingMessage
  try {
    refuseForeign(message, consoleUrl ?? null)
    return false
  } catch {
    return true
  }
}

describe('A change', () => {
  const from = (origin: string, host = new URL(origin).host) => ({ origin, host })

  it('is taken from a page of the very host that it is sent to', () => {
    for (const host of ['127.0.0.1:7072', 'localhost:8080', '[::1]:7072', 'console.localhost:1']) {
      assert.ok(!isRefused({ headers: from(`http://${host}`) }), host)
    }
    assert.ok(isRefused({ headers: from('http://127.0.0.1:7072', '127.0.0.1:7071') }))
  })

  it('is taken from where the console was said to be, whatever the host', () => {
    const url = 'https://console.example.com'
    assert.ok(!isRefused({ headers: { origin: url, host: '127.0.0.1:7072' } }, url))
    assert.ok(!isRefused({ headers: { origin: url, host: 'console.example.com' } }, url))
    for (const origin of ['http://console.example.com', `${url}:444`, 'https://x.example.com']) {
      assert.ok(isRefused({ headers: { origin, host: '127.0.0.1:7072' } }, url), origin)
    }
  })

  it('is taken with a token alone, and a look always', () => {
    const foreign = { origin: 'https://attacker.example', host: '127.0.0.1' }
    assert.ok(!isRefused({ headers: { ...foreign, authorization: 'Bearer x' } }))
    for (const authorization of ['Basic x', 'Bearer', 'bearerx', 'x Bearer x']) {
      assert.ok(isRefused({ headers: { ...foreign, authorization } }), authorization)
    }
    for (const method of ['GET', 'HEAD']) assert.ok(!isRefused({ headers: foreign, method }))
    assert.ok(isRefused({ headers: foreign, method: 'OPTIONS' }))
  })
})
