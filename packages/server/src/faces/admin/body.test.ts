import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { PassThrough, Readable } from 'node:stream'
import { describe, it, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { NEW_ORGANIZATION, ORGANIZATION_PATCH } from '../../acts/organization-bodies.ts'
import { Refused } from '../../acts/refused.ts'
import { runAtOnce } from '../../base/domain/common/steps.ts'
import { ORGANIZATION_DEFAULTS, ORGANIZATION_RULES } from '../../base/domain/organization.ts'
import { documentedName } from '../../base/domain/setting-rule.ts'
import { MAX_HELD_BY_ONE, openHeldMemory } from '../../base/http/request-body.ts'
import { SourceUnreadable } from '../../work/import/row.ts'
import { readLines } from '../../work/import/tables/lines.ts'
import { boundedUploads, CallerGone, openUpload, parseBody, readBody } from './body.ts'

const FIELDS = Object.keys(ORGANIZATION_RULES).map(documentedName)
const anyField = fc.oneof(fc.constantFrom(...FIELDS), fc.constantFrom('__proto__', 'toString', ''))
const anyValue = fc.oneof(fc.jsonValue(), fc.constantFrom('km', 'en', 'Acme', true, 5, null))
const anyBody = fc.array(fc.tuple(anyField, anyValue)).map((pairs) => {
  const members = pairs.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
  return Buffer.from(`{${members.join()}}`)
})

function refusalOf(work: () => unknown): Refused | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof Refused) return error
    throw error
  }
}

describe('The settings of a body', () => {
  it('follow their rules, or the first invalid field is named', () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        const given = runAtOnce(parseBody(body))
        let settings: Record<string, unknown> = {}
        const refused = refusalOf(() => {
          settings = ORGANIZATION_PATCH.in(given)
        })
        if (refused !== undefined) {
          assert.equal(refused.status, 400)
          assert.ok(Object.hasOwn(given, refused.field!))
          return
        }
        assert.equal(Object.getPrototypeOf(settings), Object.prototype)
        assert.equal(Object.keys(settings).length, Object.keys(given).length)
        for (const [key, value] of Object.entries(settings)) {
          assert.equal(value, given[documentedName(key)])
          assert.ok(ORGANIZATION_RULES[key as keyof typeof ORGANIZATION_RULES].holds(value))
        }
      }),
    )
  })

  it('are complete for a new item', () => {
    const settings = NEW_ORGANIZATION.in({ name: 'Acme' })
    assert.deepEqual(settings, { ...ORGANIZATION_DEFAULTS, name: 'Acme' })
    const refused = refusalOf(() => NEW_ORGANIZATION.in({}))
    assert.equal(refused?.field, 'name')
  })
})

describe('A body', () => {
  it('is a JSON object, or rejected', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const refused = refusalOf(() => runAtOnce(parseBody(Buffer.from(bytes))))
        assert.equal(refused?.status ?? 400, 400)
      }),
    )
  })
})

describe('The body of a request', () => {
  it('is read while its organization, and all together, hold no more than they may', async () => {
    const holdMemory = openHeldMemory()
    const read = (organization: number) => {
      return readBody(messageOf({}), 1_000, holdMemory(organization), proceed)
    }
    {
      using held = holdMemory(1)
      held.hold(MAX_HELD_BY_ONE - 10)
      await assert.rejects(read(1), { status: 503, code: 'busy', headers: { 'Retry-After': '5' } })
      assert.equal((await read(2)).length, 11)
    }
    assert.equal((await read(1)).length, 11)
  })

  it('is refused before it is sent if it is too large, or has less room than it says', async () => {
    const holdMemory = openHeldMemory()
    using held = holdMemory(1)
    held.hold(MAX_HELD_BY_ONE - 10)
    const message = messageOf({ 'content-length': '11' })
    const read = (most: number) => readBody(message, most, holdMemory(1), assert.fail)
    await assert.rejects(read(100), { status: 503, code: 'busy' })
    await assert.rejects(read(10), { status: 413, code: 'too_large' })
    assert.equal(message.readableDidRead, false)
  })

  it('holds only the bytes that have come', async () => {
    const holdMemory = openHeldMemory()
    using held = holdMemory(1)
    const silent = Object.assign(new PassThrough(), { headers: { 'content-length': '1000' } })
    const body = readBody(silent as unknown as IncomingMessage, 1_000, held, proceed)
    assert.ok(holdMemory(1).hold(MAX_HELD_BY_ONE))
    silent.destroy()
    await assert.rejects(body, CallerGone)
  })

  it('is refused as too slow if it brings too little in ten seconds', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const sender = Object.assign(new PassThrough(), { headers: {} })
    using held = openHeldMemory()(1)
    const message = sender as unknown as IncomingMessage
    const body = readBody(message, 1_000_000, held, proceed)
    for (const bytes of [160 * 1024, 160 * 1024, 160 * 1024 - 1]) {
      sender.write(Buffer.alloc(bytes))
      await turn()
      t.mock.timers.tick(10_000)
    }
    const headers = { Connection: 'close' }
    await assert.rejects(body, { status: 408, code: 'too_slow', headers })
  })
})

const proceed = () => {}

/** A message with a body of 11 bytes. */
function messageOf(headers: IncomingMessage['headers']): IncomingMessage {
  const pieces = Readable.from([Buffer.alloc(6), Buffer.alloc(5)])
  return Object.assign(pieces, { headers }) as unknown as IncomingMessage
}

const NEVER = new AbortController().signal

test('a file of short rows is read in portions, and other requests run between them', async () => {
  const file = Buffer.from('{}\n'.repeat(100_000))
  for (const [name, body] of [
    ['a.ndjson', file],
    ['a.ndjson.gz', gzipSync(file)],
  ] as const) {
    let turns = 0
    let next = setImmediate(function count() {
      turns += 1
      next = setImmediate(count)
    })
    const portions: number[] = []
    for await (const lines of readLines(openUpload(name, body, NEVER).bytes))
      portions.push(lines.length)
    clearImmediate(next)
    const most = Math.max(...portions)
    assert.equal(
      portions.reduce((sum, each) => sum + each),
      100_000,
    )
    assert.ok(most <= 10_000, `${most} rows at once of ${name}`)
    assert.ok(turns >= portions.length - 1, `${turns} turns for ${portions.length} portions`)
  }
})

test('a file that unpacks to more bytes than allowed is cut off', async () => {
  const bomb = gzipSync(Buffer.alloc(1_000_000, ' '))
  const { bytes } = openUpload('a.geojson.gz', bomb, NEVER, 100_000)
  const message =
    "'a.geojson.gz' is larger than 100000 bytes when it is unpacked; import it from the command line"
  await assert.rejects(Array.fromAsync(bytes), { constructor: SourceUnreadable, message })
  const { bytes: whole } = openUpload(
    'a.csv.gz',
    gzipSync(Buffer.alloc(100_000, ' ')),
    NEVER,
    100_000,
  )
  assert.equal(
    (await Array.fromAsync(whole)).reduce((sum, { length }) => sum + length, 0),
    100_000,
  )
})

test('two files of an organization are read at once, and four of a process', async () => {
  const uploads = boundedUploads()
  const { promise, resolve } = Promise.withResolvers<void>()
  const sent = async () => Buffer.from('sent')
  const unasked = () => assert.fail()
  const running = [1, 1, 2].map((organization) => uploads(organization, sent, () => promise))
  await turn()
  const refused = { status: 503, code: 'busy' }
  const refuses = (organization: number, message: RegExp) =>
    assert.rejects(uploads(organization, unasked, unasked), { ...refused, message })
  await refuses(1, /of this organization/)
  const others = Promise.withResolvers<Buffer>()
  const late = uploads(2, () => others.promise, unasked)
  running.push(uploads(3, sent, () => promise))
  await turn()
  await refuses(2, /^4 files are/)
  others.resolve(Buffer.from('sent too late'))
  await assert.rejects(late, { ...refused, message: /^4 files are/ })
  resolve()
  await Promise.all(running)
  assert.equal(await uploads(1, sent, async (file) => String(file)), 'sent')
})
