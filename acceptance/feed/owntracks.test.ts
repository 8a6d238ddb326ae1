import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { IDENTS } from '../harness/fleet-data.ts'
import { firstAnswer } from '../harness/raw-socket.ts'
import { recordedRequest } from '../harness/recorded-request.ts'
import { type Sender, senderOf } from '../harness/sender.ts'
import {
  assertDetail,
  assertHistory,
  assertLatest,
  historyOf,
  objectsOf,
  readerOf,
  type SentFix,
} from '../harness/sent-fix.ts'

const fleet = await startFleet({ full: 0, plain: 4 })

/** The content of each recorded request, read from its bytes. */
const RECORDED = {
  'owntracks-android': {
    ...{ ident: 'owntracks/jane/5t', time_device: '2019-03-06T12:21:18.000Z' },
    ...{ latitude: 46.0681247, longitude: 11.1512805, altitude: 440, speed: 0 },
  },
  'owntracks-ios': {
    ident: 'owntracks/ckrey/22A67880-15C3-41A6-9157-25545C7993AC',
    ...{ time_device: '2025-01-06T10:59:29.000Z', latitude: 37, longitude: -122, altitude: 0 },
  },
  'owntracks-moving': {
    ...{ ident: 'JJ', time_device: '2017-06-13T10:21:56.000Z' },
    ...{ latitude: 48.85833, longitude: 2.29513, altitude: 167, angle: 271, speed: 61 },
  },
  'owntracks-queclink': {
    ...{ ident: 'owntracks/qtripp/865284041968706', time_device: '2025-01-10T14:26:07.000Z' },
    ...{ latitude: 47.420051, longitude: 13.654704, altitude: 1113, angle: 113, speed: 0 },
  },
} satisfies Record<string, SentFix>

/** Sends the recorded bytes with the password of the app. */
function replay({ feedToken }: Sender, name: string) {
  const { port } = new URL(fleet.server.feed)
  const basic = Buffer.from(`jane:${feedToken}`).toString('base64')
  const setting = { path: '/feed/v1/owntracks', header: `Authorization: Basic ${basic}` }
  return firstAnswer(Number(port), recordedRequest(name, setting))
}

describe('Recorded requests of OwnTracks', () => {
  const fixes: SentFix[] = Object.values(RECORDED)

  for (const unit of ['km', 'mi'] as const) {
    it(`are shown with their place and time, in ${unit}`, async () => {
      const sender = await senderOf(
        fleet,
        fleet.take(),
        '--create-objects',
        '--distance-unit',
        unit,
      )
      for (const name of [...Object.keys(RECORDED), 'owntracks-lwt']) {
        const answer = await replay(sender, name)
        assert.deepEqual([answer.status, answer.body], [200, '[]'], name)
      }
      const objects = await objectsOf(sender)
      await assertLatest(sender, objects, fixes, unit)
      const { 'owntracks-moving': moving, 'owntracks-queclink': stopped } = RECORDED
      await assertDetail(sender, objects, moving, { move: moving.time_device }, unit)
      await assertHistory(sender, objects, [stopped], unit)
      // A message without a position creates no object: only the fleet's own objects and these exist.
      assert.equal(objects.size, 4 + fixes.length)
    })
  }

  it('change nothing when sent again', async () => {
    const sender = await senderOf(fleet, fleet.take(), '--create-objects')
    const replayAll = async () => {
      for (const name of Object.keys(RECORDED)) {
        assert.equal((await replay(sender, name)).status, 200, name)
      }
    }
    await replayAll()
    const read = readerOf(sender, await objectsOf(sender), 'JJ')
    const before = await read()
    await replayAll()
    await replayAll()
    assert.deepEqual(await read(), before)
  })
})

describe('Wrong requests of OwnTracks', async () => {
  const sender = await senderOf(fleet, fleet.take())
  const { van } = sender.objects
  const post = (body: string) => sender.send('/owntracks', { method: 'POST', body })
  const location = { _type: 'location', topic: IDENTS.van, tst: 1717228800, lat: 41.4, lon: 2.2 }
  const send = (changes: object) => post(JSON.stringify({ ...location, ...changes }))

  const refused: [string, object, RegExp][] = [
    ['no name', { topic: undefined }, /^missing_field: topic or tid /],
    ['an unknown name', { topic: 'owntracks/a/b' }, /^unknown_ident: .*'owntracks\/a\/b'/],
    ['no time', { tst: undefined }, /^missing_field: tst /],
    ['an invalid time', { tst: true }, /^bad_time: tst /],
    ['no latitude', { lat: null }, /^missing_field: lat /],
    ['a longitude in text', { lon: '2.2' }, /^bad_number: lon /],
    ['a velocity in words', { vel: 'fast' }, /^bad_number: vel /],
  ]
  for (const [what, changes, message] of refused) {
    it(`are answered with 400: ${what}`, async () => {
      assertRefused(await send(changes), 400, 'FEED.400_002', message)
    })
  }

  it('are answered with 400 if they are no message, or encrypted', async () => {
    for (const body of ['{"_type":"location"', '[]', '1', '{}', '{"_type":7}']) {
      assertRefused(await post(body), 400, 'FEED.400_001')
    }
    assertRefused(await send({ _type: 'encrypted' }), 400, 'FEED.400_001', /encryption key/)
  })

  it('are acknowledged and ignored if they are not a location', async () => {
    for (const body of ['', '{"_type":"transition"}', '{"_type":"lwt"}']) {
      const { status, text } = await post(body)
      assert.deepEqual([status, text], [200, '[]'])
    }
  })

  it('leave stored positions unchanged', async () => {
    const before = await historyOf(sender, van)
    assert.equal((await send({})).status, 200)
    const after = await historyOf(sender, van)
    assert.deepEqual(after.slice(0, -1), before)
    assert.equal(after.at(-1).time_device, '2024-06-01T08:00:00.000Z')
  })
})
