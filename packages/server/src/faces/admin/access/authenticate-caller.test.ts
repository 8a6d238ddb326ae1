import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { describe, it } from 'node:test'
import { refuseForeign } from './authenticate-caller.ts'

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

  it('is accepted from a page of the same host', () => {
    for (const host of ['127.0.0.1:7072', 'localhost:8080', '[::1]:7072', 'console.localhost:1']) {
      assert.ok(!isRefused({ headers: from(`http://${host}`) }), host)
    }
    assert.ok(isRefused({ headers: from('http://127.0.0.1:7072', '127.0.0.1:7071') }))
  })

  it('is accepted from the configured console address, on any host', () => {
    const url = 'https://console.example.com'
    assert.ok(!isRefused({ headers: { origin: url, host: '127.0.0.1:7072' } }, url))
    assert.ok(!isRefused({ headers: { origin: url, host: 'console.example.com' } }, url))
    for (const origin of ['http://console.example.com', `${url}:444`, 'https://x.example.com']) {
      assert.ok(isRefused({ headers: { origin, host: '127.0.0.1:7072' } }, url), origin)
    }
  })

  it('is accepted with a token from anywhere, and a read always', () => {
    const foreign = { origin: 'https://attacker.example', host: '127.0.0.1' }
    assert.ok(!isRefused({ headers: { ...foreign, authorization: 'Bearer x' } }))
    for (const authorization of ['Basic x', 'Bearer', 'bearerx', 'x Bearer x']) {
      assert.ok(isRefused({ headers: { ...foreign, authorization } }), authorization)
    }
    for (const method of ['GET', 'HEAD']) assert.ok(!isRefused({ headers: foreign, method }))
    assert.ok(isRefused({ headers: foreign, method: 'OPTIONS' }))
  })
})
