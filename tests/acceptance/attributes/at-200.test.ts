import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { scoped } from '../harness/scoped.ts'
import { senderWith } from '../harness/sender.ts'
import { DAY } from '../trips/records-fleet.ts'
import { setCatalogue } from './attributes-fleet.ts'

const fleet = await startFleet()
const SECOND = 1_000
/** Positions up to the moment of which a value may be the first. */
const LOOKS_BACK = 1_000

describe('Attributes of positions at a moment: 200', async () => {
  const iso = (second: number) => new Date(DAY + second * SECOND).toISOString()
  const sender = await senderWith(
    fleet,
    Array.from({ length: LOOKS_BACK + 1 }, (_, second) => ({
      ident: 'van',
      time_device: iso(second),
      latitude: 41,
      longitude: 2,
      speed: 0,
      ignition: true,
      attributes: {
        ...(second === 0 && { driverCard: 'A. Kaya' }),
        ...(second === 500 && { door: true }),
        ...(second === 600 && { temp1: 55 }),
      },
    })),
  )
  await setCatalogue(fleet, sender)
  const van = sender.ids[0]!
  const path = (second: number) => `/positions/at?ids=${van}&time=${iso(second)}&include=attributes`
  const at = async (get: typeof sender.get, second: number) => {
    const [row] = resultOf(await get(path(second))) as Json[]
    return [row!.attributes, row!.attributes_at]
  }

  it('are of the last 1,000 positions up to it', async () => {
    const [door, temperature] = [{ door: true }, { temperature: 5.5 }]
    const [doorAt, temperatureAt] = [{ door: iso(500) }, { temperature: iso(600) }]
    assert.deepEqual(await at(sender.get, LOOKS_BACK - 1), [
      { ...door, driver: 'A. Kaya', ...temperature },
      { ...doorAt, driver: iso(0), ...temperatureAt },
    ])
    assert.deepEqual(await at(sender.get, LOOKS_BACK), [
      { ...door, ...temperature },
      { ...doorAt, ...temperatureAt },
    ])
    assert.deepEqual(await at(sender.get, 499), [{ driver: 'A. Kaya' }, { driver: iso(0) }])
  })

  it('are those that still hold, as in latest positions', async () => {
    const hour = 3_600
    const times: (readonly [hours: number, ignition: boolean, driver?: string])[] = [
      ...([
        [0, true, 'A. Kaya'],
        [2, true],
        [3, false],
        [4, true],
      ] as const),
      ...([
        [5, true, 'B. Diaz'],
        [28, true],
        [30, true],
      ] as const),
    ]
    const truck = await senderWith(
      fleet,
      times.map(([hours, ignition, driverCard]) => ({
        ident: 'truck',
        time_device: iso(hours * hour),
        ...{ latitude: 41, longitude: 2 + hours / 100, speed: 0, ignition },
        attributes: { ...(driverCard && { driverCard }), door: true },
      })),
    )
    await setCatalogue(fleet, truck)
    const set = ['attributes', 'set', 'driver', '--org', String(truck.id)]
    const driverAt = async (hours: number) => {
      const asked = `ids=${truck.ids[0]}&attributes=driver`
      const path = `/positions/at?${asked}&time=${iso(hours * hour)}`
      const [row] = resultOf(await truck.get(path)) as Json[]
      return row!.attributes.driver
    }
    const drivers = () => Promise.all(times.map(([hours]) => driverAt(hours)))
    const [kaya, diaz] = ['A. Kaya', 'B. Diaz']
    // The catalogue takes 24 hours for texts.
    assert.deepEqual(await drivers(), [kaya, kaya, kaya, kaya, diaz, diaz, undefined])
    await truck.time.pass(10_000)
    await fleet.run(...set, '--ends-with-ignition')
    assert.deepEqual(await drivers(), [kaya, kaya, undefined, undefined, diaz, diaz, undefined])
    await truck.time.pass(10_000)
    await fleet.run(...set, '--holds', 'none')
    assert.deepEqual((await drivers()).at(-1), diaz)
    const latest = `/positions/latest?ids=${truck.ids[0]}&attributes=driver`
    assert.equal(resultOf(await truck.get(latest))[0].attributes.driver, diaz)
    await fleet.run(...set, '--holds', '24')
    assert.deepEqual(resultOf(await truck.get(latest))[0].attributes, {})
    // A packet without an ignition changes no earlier moment.
    const now = { ident: 'truck', time_device: iso(31 * hour), latitude: 41, longitude: 2.31 }
    await truck.post([now])
    assert.deepEqual([await driverAt(2), await driverAt(3)], [kaya, undefined])
  })

  it('are of the range of a key', async () => {
    const key = await scoped(fleet, sender, '--data-from', iso(550), '--data-until', iso(700))
    assert.deepEqual(await at(key.get, 900), [{ temperature: 5.5 }, { temperature: iso(600) }])
  })

  it('have a column for the time of each in CSV', async () => {
    const { text } = await sender.get(`${path(700)}&attributes=door&format=csv`)
    const [head, row] = text.split('\r\n')
    assert.ok(head!.endsWith(',door,door__at'), head)
    assert.ok(row!.endsWith(`,true,${iso(500)}`), row)
  })
})
