import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { WHOLE_RANGE } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import { PREFIX } from '../harness/organization.ts'
import { senderOf } from '../harness/sender.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const fleet = await startFleet({ full: 0, plain: 5 })
const sender = await senderOf(fleet, fleet.take(), '--create-objects')
const target = fleet.take()
const folder = temporaryFolder()

const PLACE = { time_device: '2024-06-01T08:00:00Z', latitude: 41.4, longitude: 2.2 }
const STEERING = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u

/** The names of the organization's objects, according to the API. */
async function names(): Promise<string[]> {
  return resultOf(await sender.get('/objects')).map(({ name }: Json) => name)
}

describe('The input of a caller', () => {
  const SQL = ["1' OR '1'='1", '1;DROP TABLE objects--', '1 UNION SELECT 1', '1/**/', '1\0', '$1']

  it('is never executed as SQL', async () => {
    const paths = SQL.flatMap((text) => {
      const hostile = encodeURIComponent(text)
      return [
        `/objects/${hostile}`,
        `/positions/latest?ids=${hostile}`,
        `/objects/${target.objects.van}/positions?${WHOLE_RANGE}&limit=${hostile}`,
        `/objects/${target.objects.van}/positions?${WHOLE_RANGE}&limit=1&cursor=${hostile}`,
      ]
    })
    for (const path of paths) assertRefused(await fleet.ask(() => path), 400, 'PUBLIC.400_001')
    const ident = "x'); DELETE FROM objects; --"
    assert.equal((await sender.post([{ ...PLACE, ident }])).stored, 1)
    assert.ok((await names()).includes(ident))
  })

  it('is decoded once', async () => {
    const twice = [...String(target.objects.van)].map((digit) => `%253${digit}`).join('')
    assertRefused(await fleet.ask(() => `/objects/${twice}`), 400, 'PUBLIC.400_001')
  })

  it('is returned as the JSON that was sent', async () => {
    const written = ['"},{"id":1', '\\u0000', '</script><script>', '{{7*7}}', '%0a', '=1+1']
    for (const text of written) {
      assert.equal((await sender.post([{ ...PLACE, ident: text }])).stored, 1, text)
      assert.ok((await names()).includes(text), text)
    }
  })

  it('creates no header', async () => {
    const injected = '%0d%0aX-Injected:%201'
    const paths = [
      `/objects/${injected}`,
      `/positions/latest?ids=${injected}`,
      `/objects/1/positions?from_time=${injected}&to_time=2024-05-06`,
      `/objects/1/positions?${WHOLE_RANGE}&limit=1&x=${injected}`,
    ]
    for (const path of paths) {
      const answer = await fleet.ask(() => path)
      assert.equal(answer.headers['x-injected'], undefined, path)
    }
  })

  it('changes no object if it is a name of a built-in property', async () => {
    const polluting = `{"ident":"__proto__","time_device":"${PLACE.time_device}","longitude":2,"__proto__":{"latitude":41},"constructor":{"prototype":{"latitude":41}}}`
    const sent = await sender.send('/positions', { method: 'POST', body: `[${polluting}]` })
    assert.equal(resultOf(sent).rejects[0].reason, 'missing_field')
    const query = `id=__proto__&lon=2&timestamp=1717228800&__proto__[lat]=41&constructor.prototype.lat=41`
    assertRefused(await sender.send(`/osmand?${query}`), 400, 'FEED.400_002', /lat/)
    assert.equal((await sender.post([{ ...PLACE, ident: '__proto__' }])).stored, 1)
    assert.ok((await names()).includes('__proto__'))
    assertRefused(
      await fleet.ask(() => `/objects/${target.objects.van}/positions?__proto__=2024-05-06`),
      ...([400, 'PUBLIC.400_001', /From Time/] as const),
    )
  })

  it('is refused if its type is wrong, never converted', async () => {
    const typed = [
      { ...PLACE, ident: 'a', latitude: '41.4' },
      { ...PLACE, ident: 'a', latitude: [41.4] },
      { ...PLACE, ident: ['a'] },
      { ...PLACE, ident: { toString: 'a' } },
      { ...PLACE, ident: true },
    ]
    const { stored, rejected } = await sender.post(typed)
    assert.deepEqual([stored, rejected], [0, typed.length])
  })

  it('sets a position only, whatever fields it names', async () => {
    const more = {
      id: 1,
      organization: target.id,
      name: 'renamed',
      time_server: '2001-01-01T00:00:00Z',
    }
    assert.equal((await sender.post([{ ...PLACE, ident: 'assigned', ...more }])).stored, 1)
    const object = resultOf(await sender.get('/objects')).find(
      ({ ident }: Json) => ident === 'assigned',
    )
    assert.equal(object.name, 'assigned')
    assert.notEqual(object.id, 1)
    assert.ok(Date.now() - Date.parse(object.time_server) < 60_000)
  })
})

describe('Long hostile text', () => {
  const LONG = 31_000

  /**
   * Compares the quickest of a few with the quickest of others of the same length, which does not depend on the
   * machine: with the square of the length they would take hundreds of times as long.
   */
  async function assertAsQuick(
    hostile: () => Promise<unknown>,
    plain: () => Promise<unknown>,
  ): Promise<void> {
    let [hostileMs, plainMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (let i = 0; i < 5; i += 1) {
      plainMs = Math.min(plainMs, await elapsedMs(plain))
      hostileMs = Math.min(hostileMs, await elapsedMs(hostile))
    }
    assert.ok(hostileMs < 20 * plainMs, `${hostileMs} ms, and ${plainMs} ms for plain text`)
  }

  async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
    const startedAt = performance.now()
    await work()
    return performance.now() - startedAt
  }

  const requests: [what: string, path: string, headers: Record<string, string>][] = [
    ['ids with spaces', `/positions/latest?ids=1${'+'.repeat(LONG)}1`, {}],
    ['ids of zeros', `/positions/latest?ids=${'0'.repeat(LONG)}x`, {}],
    ['a limit', `/objects/1/positions?${WHOLE_RANGE}&limit=${'0'.repeat(LONG)}`, {}],
    [
      'a time',
      `/objects/1/positions?from_time=2024-01-01T00:00:00.${'1'.repeat(LONG)}&to_time=x`,
      {},
    ],
    ['languages', '/objects/x', { 'accept-language': `${' '.repeat(LONG)}!` }],
    ['a language', '/objects/x', { 'accept-language': `a${'-a'.repeat(LONG / 2)}!` }],
    ['codings', '/objects/x', { 'accept-encoding': `a${' '.repeat(LONG)}!;q` }],
    ['tags', '/objects', { 'if-none-match': `W/"${' '.repeat(LONG)}` }],
    ['a Bearer', '/objects', { authorization: `Bearer ${' '.repeat(LONG / 2)}x` }],
    ['a Host', '/ping', { host: `${'a.'.repeat(LONG / 2)}!` }],
  ]
  for (const [what, path, headers] of requests) {
    it(`is parsed in linear time: ${what}`, async () => {
      const send = async (to: string, more: Record<string, string>) => {
        const sent = { 'x-api-key': target.key, ...more }
        const { status } = await request(fleet.server.api, PREFIX + to, { headers: sent })
        assert.ok(status < 500, String(status))
      }
      await assertAsQuick(
        () => send(path, headers),
        () => send('/objects/x', { 'x-plain': 'a'.repeat(LONG) }),
      )
    })
  }

  it('is parsed in linear time by the feed', async () => {
    // Just below the largest body of the format.
    const digits = '1'.repeat(250_000)
    const bodies = [
      `id=a&lat=1&lon=${digits}x`,
      `id=a&lat=1&lon=1&timestamp=${'T'.repeat(250_000)}`,
    ]
    const send = async (body: string) =>
      assertRefused(await sender.send('/osmand', { method: 'POST', body }), 400, 'FEED.400_002')
    const plain = `id=a&lat=1&lon=x&comment=${'a'.repeat(250_000)}`
    for (const body of bodies) {
      await assertAsQuick(
        () => send(body),
        () => send(plain),
      )
    }
  })
})

describe('The content of a file', () => {
  const importing = (name: string, text: string, ...args: string[]) => {
    const file = join(folder, name)
    writeFileSync(file, text)
    return fleet.run('import', ...args, '--org', String(sender.id), file)
  }

  it('refers to no other file, and expands no entities', async () => {
    const entities = [
      '<!DOCTYPE gpx [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
      '<!DOCTYPE gpx [<!ENTITY a "aaaaaaaaaa"><!ENTITY x "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>',
    ]
    for (const doctype of entities) {
      const point = `<trkpt lat="41" lon="2"><time>2024-06-01T08:00:00Z</time><name>&x;</name></trkpt>`
      const gpx = `<?xml version="1.0"?>${doctype}<gpx><trk><name>&x;</name><trkseg>${point}</trkseg></trk></gpx>`
      const { stdout, stderr } = await importing('entities.gpx', gpx, 'positions', '--ident', 'gpx')
      assert.doesNotMatch(stdout + stderr, /root:|a{20}/)
    }
    assert.ok(!(await names()).some((name) => /root:|a{20}/.test(name)))
  })

  it('controls no terminal', async () => {
    const hostile = '\u001b[2J\u009b31m\u202eevil'
    const csv = `ident,time_device,latitude,longitude,${hostile}\n${hostile},yesterday,41,2,1\n`
    const { stdout, stderr } = await importing('steering.csv', csv, 'positions')
    for (const line of (stdout + stderr).split('\n')) assert.doesNotMatch(line, STEERING)
    const { stored, rejects } = await sender.post([{ ...PLACE, ident: '\u202eevil' }])
    assert.deepEqual([stored, rejects[0].reason], [0, 'bad_ident'])
    const listed = await fleet.run('objects', 'list', '--org', String(sender.id))
    assert.doesNotMatch(listed.stdout, /evil/)
  })

  it('runs no command, and neither does its name', async () => {
    const made = join(folder, 'made')
    await importing(`$(touch made);\`touch made\`.csv`, 'ident\n', 'positions')
    await fleet.run('org', 'update', String(sender.id), '--name', `$(touch ${made})`)
    assert.equal(existsSync(made), false)
    assert.equal(existsSync('made'), false)
  })
})

describe('The log', () => {
  it('has only lines that Fleetgate wrote', async () => {
    const forged = '\r\n{"level":60,"msg":"forged"}\r\n'
    await sender.send('/positions', { method: 'POST', body: `[${forged}` })
    await sender.post([{ ...PLACE, ident: `a${forged}` }])
    await sender.send(`/osmand?id=${encodeURIComponent(forged)}`)
    await sender.get(`/objects/${encodeURIComponent(forged)}`, {
      headers: { 'user-agent': '{"level":60}\t', 'x-forwarded-for': '\t"forged' },
    })
    await fleet.server.stop()
    assert.ok(fleet.server.log.length > 20)
    for (const line of fleet.server.log.slice(1)) {
      assert.ok([30, 50].includes(line.level), JSON.stringify(line))
      assert.notEqual(line.msg, 'forged')
    }
  })
})
