import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from '../../harness/client.ts'
import { assertRefused } from '../../harness/envelope.ts'
import { fleetgate, type Json } from '../../harness/fleetgate.ts'
import { commandLine } from '../../harness/make-fleet.ts'
import { newDeployment } from '../../harness/new-deployment.ts'
import { PREFIX } from '../../harness/organization.ts'
import { serveHere } from '../../harness/server-here.ts'

const { jsonHere } = await commandLine()
const deployment = await newDeployment()
const run = (...args: string[]) => fleetgate([...args, ...deployment.args])
const json = (...args: string[]) => jsonHere([...args, ...deployment.args])

const { id } = await json('org', 'create', 'Acme')
const org = ['--org', String(id)]
const issued = await json('feed-token', 'issue', ...org, '--name', 'Phones', '--expires', '30d')

describe('feed tokens', () => {
  it('have a form that secret scanners know, and are shown once', async () => {
    assert.match(issued.token, /^fg_feed_[0-9A-Za-z]{36}$/)
    const { stdout } = await run('feed-token', 'list', ...org)
    assert.match(stdout, /Phones +fg_feed_\w{4}…\w{4} +active/)
    assert.ok(!stdout.includes(issued.token.slice(12, -4)))
  })

  it('are rotated with an overlap for the old one', async () => {
    const token = await json('feed-token', 'issue', ...org)
    const fresh = await json('feed-token', 'rotate', ...org, String(token.id), '--overlap', '1h')
    const left = Date.parse(fresh.replaces.expires_at) - Date.parse(fresh.created_at)
    assert.equal(left, 3_600_000)
    const listed = await json('feed-token', 'list', ...org)
    const states = listed.slice(-2).map(({ state }: Json) => state)
    assert.deepEqual(states, ['active', 'active'])
  })

  it('are revoked permanently', async () => {
    const token = await json('feed-token', 'issue', ...org)
    const revoked = await json('feed-token', 'revoke', ...org, String(token.id))
    assert.equal(revoked.state, 'revoked')
    const again = await json('feed-token', 'revoke', ...org, String(token.id))
    assert.equal(again.revoked_at, revoked.revoked_at)
    const rotated = await run('feed-token', 'rotate', ...org, String(token.id))
    assert.equal(rotated.code, 1)
    assert.match(rotated.stderr, /token \d+ is revoked; issue a new one/)
  })

  it('are not accepted by the API as keys', async (t) => {
    const server = await serveHere(deployment)
    t.after(() => server.stop())
    const headers = { 'x-api-key': issued.token }
    const answer = await request(server.api, `${PREFIX}/objects`, { headers })
    assertRefused(answer, 401, 'ERR999')
    assert.ok(!JSON.stringify(server.log).includes(issued.token))
  })

  it('are deleted with their organization', async () => {
    const other = await json('org', 'create', 'Other')
    await json('feed-token', 'issue', '--org', String(other.id))
    const asked = await run('org', 'delete', String(other.id))
    assert.match(asked.stderr, /with its keys \(0\), feed tokens \(1\), objects \(0\)/)
    await run('org', 'delete', String(other.id), '--yes')
    assert.equal((await json('feed-token', 'list', ...org)).length, 4)
  })
})
