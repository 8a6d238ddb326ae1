import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startConsole } from '../harness/admin.ts'
import type { Json } from '../harness/fleetgate.ts'
import { postRows } from '../harness/sender.ts'
import { filledAndDrained } from '../levels/tank.ts'
import { DAY } from '../trips/records-fleet.ts'
import { refrigeratedDay } from './refrigerated-day.ts'

const console = await startConsole()
const { get, patch, post } = console.operator

describe('The track of a day in the console: 200', () => {
  it('has the numbers of the catalogue at its positions, public or not', async () => {
    const { id: organization } = await post('/organizations', {
      name: 'Cold',
      create_objects: true,
    })
    const at = `/organizations/${organization}`
    const { secret } = await post(`${at}/feed-tokens`, { name: 'tracker' })
    const day = refrigeratedDay('R-1')
    await postRows(
      console.server.feed,
      secret,
      day.map(({ row }) => row),
    )
    const temperature = { name: 'temperature', label: 'Load', unit: '°C', scale: 0.1, decimals: 1 }
    await patch(`${at}/attributes`, { ...temperature, type: 'number', sources: ['temp1'] })
    await patch(`${at}/attributes`, { name: 'driver', type: 'text', sources: ['driverCard'] })
    await patch(`${at}/attributes`, { name: 'nothing', type: 'number', sources: ['absent'] })
    const objects = (await get(`${at}/objects`)) as Json
    const [{ id }] = objects.items ?? objects
    const [from, to] = [DAY, DAY + 86_399_999].map((time) => new Date(time).toISOString())
    const track = await get(`${at}/objects/${id}/track?from=${from}&to=${to}`)
    assert.equal(track.points.length, day.length)
    assert.deepEqual(track.attributes, [
      {
        ...{ name: 'temperature', label: 'Load', unit: '°C' },
        values: day.map(({ values }) => values.temp1! / 10),
      },
    ])
    assert.deepEqual(track.texts, [
      {
        ...{ name: 'driver', label: 'Driver' },
        changes: day.flatMap(({ time, values: { driverCard } }) =>
          driverCard === undefined ? [] : [[time, driverCard]],
        ),
      },
    ])
    assert.deepEqual(track.levels, [])
  })

  it('has what was used of each level', async () => {
    const { id: organization } = await post('/organizations', { name: 'Far', create_objects: true })
    const at = `/organizations/${organization}`
    const { secret } = await post(`${at}/feed-tokens`, { name: 'tracker' })
    await patch(`${at}/attributes`, { name: 'fuel', is_level: true })
    await postRows(console.server.feed, secret, filledAndDrained('lorry'))
    const day = '2026-05-04'
    const list = () => get(`${at}/levels?from_time=${day}&to_time=${day}`)
    // The server derives them when somebody asks for them.
    while ((await list()).derived_until === null);
    const { items } = (await list()) as Json
    const amounts = items.map(({ kind, amount }: Json) => [kind, amount])
    const track = await get(
      `${at}/objects/${items[0].object_id}/track?from=${day}T00:00:00Z&to=${day}T23:59:59Z`,
    )
    const [{ used, filled, drained, ...entry }] = track.levels
    assert.deepEqual(entry, { name: 'fuel', label: 'Fuel', unit: 'l' })
    assert.deepEqual(amounts, [
      ['filled', filled],
      ['drained', drained],
    ])
    // 300 l - 170 l + 140.5 l that were filled in - 80 l that were drained, smoothed.
    assert.ok(Math.abs(used - 190) < 5, `${used} l`)
  })
})
