import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { readServe } from './serve-command.ts'
import { signOnOf } from './sign-on-options.ts'

const folder = mkdtempSync(join(tmpdir(), 'fleetgate-sign-on-'))
after(() => rmSync(folder, { recursive: true }))
const NEEDED = ['--sign-on-issuer', 'https://id.example.com', '--sign-on-client', 'fleet']
const settings = (...args: string[]) => signOnOf(readServe(args).options)

function secretFile(text: string): string {
  const file = join(folder, 'secret')
  writeFileSync(file, text)
  return file
}

describe('The options of sign-on', () => {
  it('need an issuer and a client', () => {
    assert.equal(settings(), null)
    assert.throws(() => settings(...NEEDED.slice(0, 2)), /requires --sign-on-client/)
    assert.throws(() => settings(...NEEDED.slice(2)), /requires --sign-on-issuer/)
    assert.throws(() => settings('--sign-on-only'), /requires --sign-on-issuer/)
  })

  it('have defaults', () => {
    assert.deepEqual(settings(...NEEDED), {
      issuer: new URL('https://id.example.com'),
      clientId: 'fleet',
      clientSecret: null,
      scopes: 'openid profile email',
      name: 'single sign-on',
      groupsClaim: 'groups',
      rules: [],
      trustsEmail: false,
      takesNewPeople: true,
      isOnlyWay: false,
    })
  })

  it('take rules one by one, or several from a variable', () => {
    const rules = [
      { group: 'a', gives: { role: 'operator', organization: null } },
      { group: 'CN=b,OU=c', gives: { role: 'viewer', organization: 12 } },
    ]
    const one = ['--sign-on-role', 'a=operator', '--sign-on-role', 'CN=b,OU=c=viewer:12']
    const several = ['--sign-on-role', ' a=operator; CN=b,OU=c=viewer:12 ;']
    assert.deepEqual(settings(...NEEDED, ...one)?.rules, rules)
    assert.deepEqual(settings(...NEEDED, ...several)?.rules, rules)
    assert.throws(() => settings(...NEEDED, '--sign-on-role', 'a=owner'), /'a=owner' must be/)
  })

  it('read the secret from a file, or take it', () => {
    const file = ['--sign-on-secret-file', secretFile('from the file\n')]
    assert.equal(settings(...NEEDED, ...file)?.clientSecret, 'from the file')
    const given = ['--sign-on-secret', 'given']
    assert.equal(settings(...NEEDED, ...given)?.clientSecret, 'given')
    assert.throws(() => settings(...NEEDED, ...file, ...given), /use one of --sign-on-secret/)
    secretFile(' \n')
    assert.throws(() => settings(...NEEDED, ...file), /is empty/)
    const missing = ['--sign-on-secret-file', join(folder, 'missing')]
    assert.throws(() => settings(...NEEDED, ...missing), /cannot be read/)
  })

  it('refuse a provider that is not reached by HTTPS, except on this machine', () => {
    const issuer = (url: string) => settings(...NEEDED, '--sign-on-issuer', url)?.issuer.href
    for (const url of ['http://localhost:8080/x', 'http://127.0.0.1:1/', 'http://[::1]:1/']) {
      assert.equal(issuer(url), url)
    }
    for (const url of [
      'http://id.example.com',
      'http://localhost.example.com',
      'http://10.0.0.1',
      'ftp://localhost',
      'https://user@id.example.com',
      'https://id.example.com/?tenant=1',
      'id.example.com',
    ]) {
      assert.throws(() => issuer(url), /it must be a URL/, url)
    }
  })

  it('ask for an ID token', () => {
    assert.throws(() => settings(...NEEDED, '--sign-on-scopes', 'email'), /must include openid/)
  })
})
