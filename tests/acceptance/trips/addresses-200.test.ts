import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { senderWith } from '../harness/sender.ts'
import { DAY, drive, MINUTE, RANGE, untilDerived } from './records-fleet.ts'

const ADDRESSES = ['start_address', 'end_address', 'address']

/** A drive whose device sends its first address a day later. */
const ROWS: Json[] = [
  ...drive('van', DAY).map(({ address: _, ...row }) => row),
  { ...drive('van', DAY + 1_440 * MINUTE).at(-1), address: 'Office' },
]

/** A fleet of which this drive is known, by this source of addresses. */
async function drivenWith(geocoder: string) {
  const fleet = await startFleet(undefined, ['--geocoder', geocoder])
  const sender = await senderWith(fleet, ROWS)
  await untilDerived(sender, sender.ids)
  assert.equal(resultOf(await sender.get(`/objects/${sender.ids[0]}`)).address, 'Office')
  const [van] = sender.ids
  const addressesIn = (rows: readonly Json[]) =>
    rows.flatMap((row) => ADDRESSES.filter((name) => name in row).map((name) => row[name]))
  return {
    async listed(type: string) {
      return addressesIn(resultOf(await sender.get(`/${type}?${RANGE}&ids=${van}`)))
    },
    async followed(type: string) {
      const { changes } = resultOf(await sender.get(`/changes?types=${type}s&ids=${van}`))
      return addressesIn(changes.flatMap((entry: Json) => entry[type] ?? []))
    },
    async printed(type: string) {
      const chosen = ['--org', `${sender.id}`, '--objects', `${van}`]
      const range = ['--from', '2026-05-04', '--to', '2026-05-04']
      return addressesIn(await fleet.json('records', type, ...chosen, ...range))
    },
  }
}

describe('The address of a start, an end or a stop that was sent without one', () => {
  it('is null without a geocoder, wherever its object is now', async () => {
    const { listed, followed, printed } = await drivenWith('off')
    for (const type of ['trips', 'stops']) {
      const shown = await listed(type)
      assert.deepEqual(shown, [null, null], type)
      assert.deepEqual(await printed(type), shown, type)
    }
    assert.deepEqual(await followed('trip'), [null, null])
  })

  it('is that of its coordinates with a geocoder, which the command line has not', async () => {
    const { listed, printed } = await drivenWith('offline')
    for (const type of ['trips', 'stops']) {
      for (const address of await listed(type)) assert.match(address, /Spain$/, type)
      assert.deepEqual(new Set(await printed(type)), new Set([null]), type)
    }
  })
})
