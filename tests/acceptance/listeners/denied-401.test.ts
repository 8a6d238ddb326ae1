import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ADMIN, startConsole } from '../harness/admin.ts'
import { type Answer, request } from '../harness/client.ts'
import type { Json } from '../harness/fleetgate.ts'

const console = await startConsole()
const { operator, server } = console
const { api, feed, admin } = server

type Issued = { secret: string; prefix: string }

const organization = await newOrganization('Denied')

async function newOrganization(name: string): Promise<string> {
  return `/organizations/${(await operator.post('/organizations', { name })).id}`
}

async function issued(path: string, more: object = {}): Promise<Issued & { at: string }> {
  const { secret, credential } = await operator.post(path, { name: 'a program', ...more })
  return { secret, prefix: credential.prefix, at: `${path}/${credential.id}` }
}

/** The server has no record of it. It has the form of any other secret. */
async function unknown(kind: 'keys' | 'feed-tokens'): Promise<Issued> {
  const gone = await newOrganization('Gone')
  const secret = await issued(`${gone}/${kind}`)
  await operator.delete(gone)
  return secret
}

/** One that has expired, and since when. */
async function expired(kind: 'keys' | 'feed-tokens'): Promise<Issued & { since: string }> {
  const { secret, prefix, at } = await issued(`${organization}/${kind}`)
  await operator.post(`${at}/rotate`, { overlap_hours: 0 })
  const { items } = await operator.get(`${organization}/${kind}`)
  return {
    secret,
    prefix,
    since: items.find((each: Json) => at.endsWith(`/${each.id}`)).expires_at,
  }
}

async function revoked(kind: 'keys' | 'feed-tokens'): Promise<Issued & { since: string }> {
  const { secret, prefix, at } = await issued(`${organization}/${kind}`)
  const { revoked_at } = await operator.post(`${at}/revoke`)
  return { secret, prefix, since: revoked_at }
}

const toApi = (headers: Record<string, string>) => request(api, '/public/v1/objects', { headers })
const byKey = (secret: string) => toApi({ 'x-api-key': secret })
const toFeed = (headers: Record<string, string>) =>
  request(feed, '/feed/v1/positions', { method: 'POST', headers, body: '[]' })
const byToken = (secret: string) => toFeed({ 'x-feed-token': secret })
const toAdmin = (headers: Record<string, string>) =>
  request(admin, `${ADMIN}/organizations`, { headers })
const byBearer = (secret: string) => toAdmin({ authorization: `Bearer ${secret}` })

/** The reason of a 401 in the log, and what the log shows of the secret. */
async function denied(answer: Answer, secret = ''): Promise<object> {
  assert.equal(answer.status, 401, answer.text)
  const id = answer.headers['x-request-id']
  const entry = await server.logged(({ request_id }) => request_id === id)
  const { reason, prefix, since, status } = entry
  assert.equal(status, 401)
  // At most the prefix of 12 characters, four of them random.
  if (secret.length > 12) assert.ok(!JSON.stringify(entry).includes(secret.slice(8, 13)))
  return { reason, ...(prefix && { prefix }), ...(since && { since }) }
}

const secrets = { keys: byKey, 'feed-tokens': byToken } as const

for (const [kind, ask] of Object.entries(secrets) as ['keys' | 'feed-tokens', typeof byKey][]) {
  describe(`The log line of a 401 of ${kind}`, () => {
    it('names the prefix of one that expired or was revoked, and since when', async () => {
      for (const [reason, made] of [
        ['expired', await expired(kind)],
        ['revoked', await revoked(kind)],
      ] as const) {
        const { secret, prefix, since } = made
        assert.deepEqual(await denied(await ask(secret), secret), { reason, prefix, since })
      }
    })

    it('names the prefix of one that nobody issued, and nothing else', async () => {
      const { secret, prefix } = await unknown(kind)
      assert.deepEqual(await denied(await ask(secret), secret), { reason: 'unknown', prefix })
    })

    it('names nothing of a text of another form', async () => {
      const { secret } = await issued(`${organization}/${kind}`)
      for (const text of ['hunter2-hunter2', `${secret}x`, secret.slice(0, -1), `x${secret}`]) {
        const answer = await ask(text)
        assert.deepEqual(await denied(answer, text), { reason: 'malformed' })
      }
    })

    it('says that a secret is of another kind', async () => {
      const other = kind === 'keys' ? 'feed-tokens' : 'keys'
      const { secret, prefix } = await issued(`${organization}/${other}`)
      assert.deepEqual(await denied(await ask(secret), secret), { reason: 'other_kind', prefix })
    })
  })
}

describe('The log line of a 401', () => {
  it('says that no secret was sent, or several', async () => {
    const { secret } = await issued(`${organization}/keys`)
    const several = { 'x-api-key': secret, authorization: `Bearer ${secret}` }
    assert.deepEqual(await denied(await toApi({})), { reason: 'missing' })
    assert.deepEqual(await denied(await toApi(several), secret), { reason: 'repeated' })
    assert.deepEqual(await denied(await toFeed({})), { reason: 'missing' })
    assert.deepEqual(await denied(await toAdmin({})), { reason: 'missing' })
  })

  it('says that the scenario of a test key answers so', async () => {
    const { secret, prefix } = await issued(`${organization}/keys`, { scenario: 'expired' })
    assert.deepEqual(await denied(await byKey(secret), secret), { reason: 'scenario', prefix })
  })

  it('names the prefix of an operator token that was revoked', async () => {
    const { token, secret } = await operator.post('/tokens', {
      role: 'operator',
      name: 'a program',
    })
    await operator.delete(`/tokens/${token.id}`)
    const shown = { reason: 'unknown', prefix: token.prefix }
    assert.deepEqual(await denied(await byBearer(secret), secret), shown)
  })

  it('names nothing of an operator token of another form', async () => {
    const { secret } = await issued(`${organization}/keys`)
    assert.deepEqual(await denied(await byBearer('hunter2-hunter2')), { reason: 'malformed' })
    const { reason, prefix } = (await denied(await byBearer(secret), secret)) as Json
    assert.deepEqual([reason, prefix], ['other_kind', secret.slice(0, 12)])
  })
})
