import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { comparable } from '../harness/comparable.ts'
import { embeddedOnly, inFolder } from '../harness/deployment.ts'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { FEED_FORMATS } from '../harness/feed-formats.ts'
import { startFleet } from '../harness/fleet.ts'
import { fleetgateJson } from '../harness/fleetgate.ts'
import { OPERATIONS } from '../harness/operations.ts'
import { PREFIX } from '../harness/organization.ts'
import { exchange } from '../harness/raw-socket.ts'
import { FEED_PREFIX, senderOf } from '../harness/sender.ts'
import { serveHere } from '../harness/server-here.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const fleet = await startFleet({ full: 0, plain: 4 })
const sender = await senderOf(fleet, fleet.take())
const other = fleet.take()
const org = ['--org', String(sender.id)]
/** The output of all commands, except secrets that are shown once. */
const printed: string[] = []

async function run(...args: string[]): Promise<string> {
  const { stdout, stderr } = await fleet.run(...args)
  printed.push(stdout + stderr)
  return stdout
}

describe('A key', () => {
  it('answers alike if unknown or revoked, and differently if malformed', async () => {
    const { id, key: revoked } = await fleet.json('key', 'issue', ...org)
    await run('key', 'revoke', ...org, String(id))
    const mistyped = sender.key.slice(0, -1) + (sender.key.endsWith('A') ? 'B' : 'A')
    // The checksum is valid, but the key was never issued.
    const unknown = 'fg_live_0000000000000000000000000000003Q0jlC'
    const malformed = [mistyped, `fg_live_${'0'.repeat(36)}`, sender.feedToken, 'x']
    for (const keys of [[revoked, unknown], malformed]) {
      const answers = await Promise.all(
        keys.map((key) =>
          request(fleet.server.api, `${PREFIX}/objects`, { headers: { 'x-api-key': key } }),
        ),
      )
      for (const answer of answers) assertRefused(answer, 401, 'ERR999', 'Unauthorized')
      assert.equal(new Set(answers.map(comparable)).size, 1)
    }
  })

  it('opens the API only; a token opens the feed only', async () => {
    const ways = (secret: string): Record<string, string>[] => [
      { 'x-api-key': secret },
      { 'x-feed-token': secret },
      { authorization: `Bearer ${secret}` },
    ]
    for (const headers of ways(sender.feedToken)) {
      for (const { path } of OPERATIONS) {
        const answer = await request(fleet.server.api, PREFIX + path(sender), { headers })
        assertRefused(answer, 401, 'ERR999')
      }
    }
    for (const headers of ways(sender.key)) {
      const options = { method: 'POST', body: '[]', headers }
      const answer = await request(fleet.server.feed, `${FEED_PREFIX}/positions`, options)
      assertRefused(answer, 401, 'FEED.401_001')
    }
  })

  it('does not exist before one is issued', async () => {
    const place = inFolder(join(temporaryFolder(), 'data'))
    const { id } = await fleetgateJson(['org', 'create', '--name', 'New', ...place.args])
    const all = ['--org', String(id), ...place.args]
    assert.deepEqual(await fleetgateJson(['key', 'list', ...all]), [])
    assert.deepEqual(await fleetgateJson(['feed-token', 'list', ...all]), [])
  })
})

describe('An organization', () => {
  it("cannot change another's data, even with its idents and ids", async () => {
    const before = resultOf(await other.get('/objects'))
    const objects = resultOf(await sender.get('/objects'))
    const { van } = other.objects
    const row = { time_device: '2030-01-01T00:00:00Z', latitude: 1, longitude: 1 }
    const idents = [String(van), `${van}`, before[0].ident]
    await sender.post(idents.map((ident) => ({ ...row, ident, organization: other.id })))
    assert.deepEqual(resultOf(await other.get('/objects')), before)
    assert.equal(resultOf(await sender.get('/objects')).length, objects.length)
    const foreign = [
      'objects',
      'update',
      '--org',
      String(sender.id),
      String(van),
      '--name',
      'taken',
    ]
    assert.equal((await fleet.run(...foreign)).code, 1)
    assert.deepEqual(resultOf(await other.get('/objects')), before)
  })
})

describe('A data folder', embeddedOnly, () => {
  it('is readable by its owner only, and so is its backup, under any umask', async () => {
    const umask = process.umask(0)
    try {
      const folder = join(temporaryFolder(), 'data')
      const copy = join(temporaryFolder(), 'copy')
      const place = inFolder(folder)
      const { id } = await fleetgateJson(['org', 'create', '--name', 'New', ...place.args])
      const issued = await fleetgateJson(['key', 'issue', '--org', String(id), ...place.args])
      const server = await serveHere(place)
      const headers = { 'x-api-key': issued.key }
      resultOf(await request(server.api, `${PREFIX}/objects`, { headers }))
      await fleetgateJson(['backup', copy, ...place.args])
      for (const each of [folder, copy]) assertOwnersAlone(each)
      await server.stop()
    } finally {
      process.umask(umask)
    }
  })
})

function assertOwnersAlone(folder: string): void {
  assert.equal(statSync(folder).mode & 0o077, 0, folder)
  for (const file of readdirSync(folder)) {
    assert.equal(statSync(join(folder, file)).mode & 0o077, 0, join(folder, file))
  }
}

describe('Keys and tokens', () => {
  it('are in no log, error, metric or list, wherever a caller puts them', async () => {
    const { key, feedToken } = sender
    const { api, feed, admin, port } = fleet.server
    for (const secret of [key, feedToken]) {
      const targets = [
        `${PREFIX}/objects?key=${secret}&api_key=${secret}&token=${secret}`,
        `${PREFIX}/objects/${secret}`,
        `${PREFIX}/positions/latest?ids=${secret}`,
        `/${secret}`,
        `/docs/${secret}`,
        `http://${secret}@localhost${PREFIX}/objects`,
      ]
      for (const target of targets) {
        await request(api, target, { headers: { 'x-api-key': key, referer: secret } })
        await request(feed, target, { headers: { 'x-feed-token': feedToken } })
        await request(admin, target)
      }
      const wrongs = [...Object.keys(FEED_FORMATS).map((name) => `/${name}`), `/${secret}/none`]
      for (const path of wrongs) {
        for (const body of [`{"token":"${secret}"`, `id=${secret}`, `["${secret}"]`, secret]) {
          await sender.send(path, { method: 'POST', body })
        }
        await sender.send(`/${secret}${path}?token=${secret}&id=${secret}`, { headers: {} })
      }
      await sender.post([{ ident: secret, time_device: 0, latitude: 1, longitude: 1 }])
      const broken = `GET /?${secret} HTTP/1.1\r\nHost: a\r\nX-Api-Key : ${secret}\r\n\r\n`
      for (const each of [port, Number(new URL(feed).port)]) {
        printed.push((await exchange(each, broken)).text)
      }
    }
    printed.push((await request(admin, '/metrics')).text)
    await run('key', 'list', ...org)
    await run('feed-token', 'list', ...org, '--json')
    await run('key', 'revoke', ...org, key)
    await fleet.server.stop()
    const all = [JSON.stringify(fleet.server.log), ...printed].join('\n')
    assert.ok(fleet.server.log.length > 50)
    for (const secret of [key, feedToken]) {
      const at = all.indexOf(secret)
      assert.equal(at, -1, all.slice(Math.max(0, at - 200), at).replaceAll(secret, '…'))
    }
  })
})
