import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { allPages } from '../harness/pages.ts'
import { senderWith } from '../harness/sender.ts'
import { RANGE } from '../trips/records-fleet.ts'
import { PUBLISHED, type Report, SET } from './reported-sensors.ts'

/*
 * Each report is a vehicle with a position every two minutes.
 */

const fleet = await startFleet()
const START = Date.UTC(2026, 4, 4, 8)
const STEP_MS = 120_000
const GITHUB = 'https://github.com/'

describe('Sensors that people reported:', () => {
  describe('with the settings of their publication', async () => assertAll(PUBLISHED))
  describe('with a setting of the operator', async () => assertAll(SET))
})

async function assertAll(reports: readonly Report[]): Promise<void> {
  const idents = reports.map((_, index) => `${reports === SET ? 'set' : 'sent'}-${index}`)
  const sender = await senderWith(
    fleet,
    reports.flatMap(({ name, sent }, report) =>
      sent.map((value, index) => ({
        ident: idents[report],
        time_device: START + index * STEP_MS,
        ...{ latitude: 50 + index * 0.01, longitude: 13, speed: 33, ignition: true },
        attributes: { [name]: value },
      })),
    ),
  )
  const org = ['--org', String(sender.id)]
  await fleet.run('attributes', 'publish', '--all', '--yes', ...org)
  for (const { attribute, set = [] } of reports) {
    if (set.length > 0) await fleet.run('attributes', 'set', attribute, ...set, ...org)
  }
  const ids = `ids=${sender.ids}`
  const all = async (path: string) => (await allPages(sender.get, path)).rows as Json[]
  const rows = await all(`/positions?${ids}&${RANGE}&include=attributes`)
  const latest = await all(`/positions/latest?${ids}&include=attributes`)
  const days = await all(`/days?${ids}&from_date=2026-05-04&to_date=2026-05-04&include=attributes`)
  for (const [index, { source, says, attribute, shown, gain }] of reports.entries()) {
    it(`${says} (${GITHUB}${source})`, () => {
      const object = sender.ids[index]
      const own = rows.filter(({ id }) => id === object)
      assert.deepEqual(
        own.map(({ attributes }) => attributes[attribute] ?? null),
        shown,
      )
      const last = shown.findLast((value) => value !== null)
      assert.equal(latest.find(({ id }) => id === object)!.attributes[attribute], last)
      const day = days.find(({ object_id }) => object_id === object)!.attributes[attribute]
      if (gain !== undefined) assert.equal(day.gain, gain)
      const numbers = shown.filter((value) => typeof value === 'number')
      // Those of a level are of its smoothed values.
      if (numbers.length > 0 && !/^fuel(_level|$)/.test(attribute)) {
        assert.deepEqual([day.min, day.max], [Math.min(...numbers), Math.max(...numbers)])
      }
    })
  }
}
