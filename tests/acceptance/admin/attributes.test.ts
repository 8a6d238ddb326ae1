import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertError, startConsole } from '../harness/admin.ts'
import type { Json } from '../harness/fleetgate.ts'
import { postRows } from '../harness/sender.ts'

const { operator, server } = await startConsole()
const { get, post, patch } = operator

const { id } = await post('/organizations', { name: 'Cold chain' })
const at = `/organizations/${id}/attributes`
const object = (await post(`/organizations/${id}/objects`, { name: 'Van', ident: 'cold 1' })).id
const NOTHING = { items: [], sent: [], next: null }
const newest = async (): Promise<Json> => (await get('/audit?limit=1')).items[0]

describe('The catalogue of attributes in the admin API', () => {
  it('takes an attribute, changes, hides and removes it, and audits each', async () => {
    const given = { name: 'cargo', sources: ['temp1', 'temp1'], is_public: true }
    const { items } = await patch(at, given)
    assert.deepEqual(items, [
      {
        ...{ name: 'cargo', type: 'number', unit: '°C', label: 'Cargo', decimals: 1 },
        ...{ scale: 1, offset: 0, minimum: -60, maximum: 120, none: [85, -127] },
        ...{ sources: ['temp1'], holds: null, ends_with_ignition: false },
        ...{ is_counter: false, maximum_rate: null },
        ...{ is_level: false, threshold: null, smoothing: 300, is_public: true },
        ...{
          value: null,
          value_at: null,
          checked: 0,
          no_value: null,
          out_of_range: null,
          wrong_type: null,
        },
      },
    ])
    await patch(at, { name: 'cargo', scale: 0.1, unit: null })
    assert.deepEqual((await newest()).changes, {
      unit: { from: '°C', to: null },
      scale: { from: 1, to: 0.1 },
      none: { from: [85, -127], to: [850, -1_270] },
    })
    const hidden = await post(`${at}/hide`, { names: ['cargo'] })
    assert.equal(hidden.items[0].is_public, false)
    // Publishing all leaves hidden what somebody hid.
    const { items: same, ...all } = await post(`${at}/publish`, { names: null })
    assert.equal(same[0].is_public, false)
    assert.deepEqual(all, { sent: [], next: null, published: [], hidden: ['cargo'] })
    const dry = await post(`${at}/publish`, { names: ['cargo'], dry_run: true })
    assert.deepEqual([dry.published, dry.hidden], [['cargo'], []])
    assert.equal((await get(at)).items[0].is_public, false)
    const published = await post(`${at}/publish`, { names: ['cargo'] })
    assert.equal(published.items[0].is_public, true)
    assert.deepEqual(published.published, ['cargo'])
    assert.deepEqual(await post(`${at}/remove`, { names: ['cargo'] }), NOTHING)
    const { action, name, organization } = await newest()
    assert.deepEqual([action, name, organization], ['attribute.delete', 'cargo', id])
  })

  it('has the settings of a level as long as it is one', async () => {
    const levelOf = ({ items: [item] }: Json) => [item.is_level, item.threshold, item.smoothing]
    const tank = { name: 'tank', sources: ['fuel'] }
    assert.deepEqual(levelOf(await patch(at, tank)), [true, null, 300])
    const settings = { threshold: 20, smoothing: 60 }
    assert.deepEqual(levelOf(await patch(at, { ...tank, ...settings })), [true, 20, 60])
    assert.deepEqual(levelOf(await patch(at, { name: 'tank', type: 'text' })), [false, null, 300])
    const level = { name: 'tank', type: 'number', is_level: true, ...settings }
    assert.deepEqual(levelOf(await patch(at, level)), [true, 20, 60])
    const counter = await patch(at, { name: 'tank', is_counter: true })
    assert.deepEqual(levelOf(counter), [false, null, 300])
    await post(`${at}/remove`, { names: ['tank'] })
  })

  it('refuses what breaks a rule, and says which field', async () => {
    for (const [body, field] of [
      [{}, 'name'],
      [{ name: 'Cargo' }, 'name'],
      [{ name: 'cargo', decimals: 7 }, 'decimals'],
      [{ name: 'cargo', scale: 0 }, 'scale'],
      [{ name: 'cargo', minimum: '1' }, 'minimum'],
      [{ name: 'cargo', minimum: 2, maximum: 1 }, 'maximum'],
      [{ name: 'cargo', none: [true] }, 'none'],
      [{ name: 'cargo', sources: [] }, 'sources'],
      [{ name: 'cargo', holds: 0 }, 'holds'],
      [{ name: 'cargo', type: 'text', is_counter: true }, 'is_counter'],
      [{ name: 'cargo', is_level: true, is_counter: true }, 'is_level'],
      [{ name: 'cargo', threshold: 5 }, 'threshold'],
      [{ name: 'cargo', is_level: true, threshold: 0 }, 'threshold'],
      [{ name: 'cargo', smoothing: 60 }, 'smoothing'],
      [{ name: 'cargo', is_level: true, smoothing: 3_601 }, 'smoothing'],
      [{ name: 'cargo', color: 'red' }, 'color'],
    ] as const) {
      assertError(await operator.ask('PATCH', at, { body }), 400, 'invalid', field)
    }
    for (const names of [[], 'cargo', [1], ['cargo']]) {
      assertError(
        await operator.ask('POST', `${at}/publish`, { body: { names } }),
        400,
        'invalid',
        'names',
      )
    }
    assertError(
      await operator.ask('POST', `${at}/hide`, { body: { names: null } }),
      400,
      'invalid',
      'names',
    )
    for (const [more, field] of [
      [{ except: [] }, 'except'],
      [{ except: ['cargo'] }, 'except'],
      [{ dry_run: 'yes' }, 'dry_run'],
    ] as const) {
      const body = { names: null, ...more }
      assertError(await operator.ask('POST', `${at}/publish`, { body }), 400, 'invalid', field)
    }
    assertError(await operator.ask('GET', `${at}?limit=1001`), 400, 'invalid', 'limit')
    assert.deepEqual(await get(at), NOTHING)
  })

  it('lists what devices send in pages, and refuses to publish more than a catalogue has', async () => {
    const fleet = await post('/organizations', { name: 'Buses', create_objects: true })
    const buses = `/organizations/${fleet.id}`
    const { secret } = await post(`${buses}/feed-tokens`, { name: 'Trackers' })
    const names = Array.from({ length: 300 }, (_, n) => `名${100 + n}`)
    const rows = Array.from({ length: 5 }, (_, bus) => ({
      ...{ ident: `bus ${bus}`, latitude: 41, longitude: 2, time_device: Date.now() - 60_000 },
      attributes: Object.fromEntries(names.slice(bus * 60, bus * 60 + 60).map((name) => [name, 1])),
    }))
    await postRows(server.feed, secret, rows)
    const list = `${buses}/attributes`
    const first = await get(list)
    assert.deepEqual(
      first.sent.map(({ name }: Json) => name),
      names.slice(0, 200),
    )
    assert.equal(first.next, names[199])
    const second = await get(`${list}?after=${encodeURIComponent(first.next)}&limit=99`)
    assert.deepEqual([second.sent.length, second.next], [99, names[298]])
    const last = await get(`${list}?after=${encodeURIComponent(second.next)}`)
    assert.deepEqual([last.sent.length, last.next], [1, null])
    assertError(
      await operator.ask('POST', `${list}/publish`, { body: { names: null } }),
      409,
      'conflict',
    )
    const some = await post(`${list}/publish`, { names: names.slice(0, 200) })
    assert.equal(some.published.length, 200)
    assert.equal(some.sent[0].attributes.length, 1)
  })

  it('has no values of an object that sent none', async () => {
    const values = `/organizations/${id}/objects/${object}/attributes/values`
    const day = 'from=2026-11-20T00:00:00Z&to=2026-11-20T23:59:59Z'
    assert.deepEqual(await get(`${values}?${day}`), { items: [], positions: 0, truncated: false })
    assertError(await operator.ask('GET', values), 400, 'invalid', 'from')
  })
})
