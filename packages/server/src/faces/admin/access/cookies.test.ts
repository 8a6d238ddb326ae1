import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  cookiesOf,
  deletedCookie,
  FLOW_COOKIE,
  HINT_COOKIE,
  SESSION_COOKIE,
  setCookie,
} from './cookies.ts'

const HTTP = { consoleUrl: null }
const HTTPS = { consoleUrl: 'https://console.example.com' }

describe('A cookie', () => {
  const found = (cookie?: string) => cookiesOf(HTTP, { headers: { cookie } }, SESSION_COOKIE)

  it('is found anywhere in the header, with others of the same name', () => {
    for (const [cookie, ...values] of [
      ['fleetgate_session=x', 'x'],
      ['a=1;fleetgate_session=x', 'x'],
      ['  fleetgate_session=x ; b=2', 'x'],
      ['fleetgate_session=other; fleetgate_session=x', 'other', 'x'],
      ['=;;=x;fleetgate_session=x;;', 'x'],
      ['fleetgate_session=', ''],
    ]) {
      assert.deepEqual(found(cookie), values, cookie)
    }
  })

  it('is absent if none has its name', () => {
    for (const cookie of [
      undefined,
      '',
      'fleetgate_session',
      'xfleetgate_session=x',
      'fleetgate_session2=x',
      'a=fleetgate_session=x',
    ]) {
      assert.deepEqual(found(cookie), [], cookie)
    }
  })

  it('has a name over HTTPS that other servers cannot set, and then no other', () => {
    const about = { value: 'x', lastsMs: 2_000 }
    assert.equal(
      setCookie(HTTPS, SESSION_COOKIE, about),
      '__Host-fleetgate_session=x; Path=/; HttpOnly; SameSite=Strict; Max-Age=2; Secure',
    )
    assert.equal(
      setCookie(HTTPS, FLOW_COOKIE, about),
      '__Host-fleetgate_sign_on=x; Path=/; HttpOnly; SameSite=Lax; Max-Age=2; Secure',
    )
    assert.equal(
      deletedCookie(HTTPS, HINT_COOKIE),
      '__Secure-fleetgate_id_token=; Path=/admin/v1/sign-on; HttpOnly; SameSite=Strict; Max-Age=0; Secure',
    )
    const headers = { cookie: 'fleetgate_session=planted; __Host-fleetgate_session=x' }
    assert.deepEqual(cookiesOf(HTTPS, { headers }, SESSION_COOKIE), ['x'])
    assert.deepEqual(cookiesOf(HTTP, { headers }, SESSION_COOKIE), ['planted'])
  })
})
