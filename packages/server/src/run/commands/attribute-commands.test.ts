import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { runHere } from '../../../testing/command-line/run-here.ts'
import { json, temporaryFolder } from '../../../testing/command-line/spawned.ts'
import { fixAt, newObject } from '../../../testing/store-contract/fixture.ts'
import type { Attribute } from '../../base/domain/position/attribute.ts'
import { systemClock } from '../../base/domain/time/time.ts'
import { foldRules } from '../../engine/tracking/rules/advance.ts'
import { openStore } from '../compose.ts'

const TIME = Date.UTC(2026, 10, 20, 8)
const RULES = foldRules(systemClock)

function sent(values: Readonly<Record<string, Attribute['value']>>): Attribute[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }))
}

/** An organization with an object that sent these values, a minute apart. */
async function organizationWith(t: TestContext, rows: Parameters<typeof sent>[0][]) {
  const folder = await temporaryFolder(t)
  const data = ['--data', folder]
  const { id } = await json(['org', 'create', 'A', ...data])
  const store = await openStore({ folder })
  const object = await newObject(store, id)
  const fixes = rows.map((values, minute) => ({
    object,
    fix: fixAt(TIME + minute * 60_000, { attributes: sent(values) }),
  }))
  await store.positions.append(id, fixes, RULES)
  await store.close()
  return { object: String(object), org: ['--org', String(id), ...data] }
}

describe('The commands of attributes', () => {
  it('publish all that devices send', async (t) => {
    const { org } = await organizationWith(t, [
      { batt: 80, driver: 'Ayşe', temp1: 4.5 },
      { batteryLevel: 79 },
    ])
    const before = await json(['attributes', 'list', ...org])
    assert.deepEqual(before.items, [])
    const values = before.sent.map(({ name, value, positions }: Record<string, unknown>) => [
      ...[name, value, positions],
    ])
    assert.deepEqual(values, [
      ['batt', 80, 1],
      ['batteryLevel', 79, 1],
      ['driver', 'Ayşe', 1],
      ['temp1', 4.5, 1],
    ])
    const published = await json(['attributes', 'publish', '--all', '--yes', ...org])
    assert.deepEqual(published.published, ['battery_level', 'driver', 'temp1'])
    assert.deepEqual(published.hidden, [])
    const shown = published.items.map(
      ({ name, label, sources, value, is_public }: Record<string, unknown>) => [
        ...[name, label, sources, value, is_public],
      ],
    )
    assert.deepEqual(shown, [
      ['battery_level', 'Battery level', ['batt', 'batteryLevel'], 79, true],
      ['driver', 'Driver', ['driver'], 'Ayşe', true],
      ['temp1', 'Temperature 1', ['temp1'], 4.5, true],
    ])
    const { stdout } = await runHere(['attributes', 'list', ...org])
    assert.match(stdout, /^battery_level +number +% +Battery level +batt, batteryLevel +79 /m)
    assert.match(stdout, /^SENT BY DEVICES +LAST VALUE +AT +OBJECTS/m)
    assert.match(stdout, /^driver +Ayşe +2026-11-20T08:00:00.000Z +1 +1 +driver$/m)
  })

  it('publish no attribute that somebody hid, unless it is named', async (t) => {
    const { org } = await organizationWith(t, [
      { batteryLevel: 80, driverUniqueId: 'Ayşe', vin: 'WDB1', io9: 1, temp1: 4 },
    ])
    const publish = (...args: string[]) => json(['attributes', 'publish', ...args, '--yes', ...org])
    const shownIn = ({ items }: { items: Record<string, unknown>[] }) =>
      items.flatMap(({ name, is_public }) => (is_public ? [name] : []))
    await json(['attributes', 'set', 'battery_level', '--sources', 'batteryLevel', ...org])
    await json(['attributes', 'hide', 'battery_level', ...org])
    const first = await publish('--all', '--except', 'driverUniqueId', 'vin')
    assert.deepEqual(first.published, ['io9', 'temp1'])
    assert.deepEqual(first.hidden, ['battery_level', 'device_vin', 'driver'])
    assert.deepEqual(shownIn(first), ['io9', 'temp1'])
    const again = await publish('--all')
    assert.deepEqual([again.published, again.hidden], [[], first.hidden])
    const named = await publish('driver', 'batteryLevel')
    assert.deepEqual(named.published, ['battery_level', 'driver'])
    assert.deepEqual(named.hidden, ['device_vin'])
    assert.deepEqual(shownIn(named), ['battery_level', 'driver', 'io9', 'temp1'])
  })

  it('add, change, hide and remove an attribute, which the audit log has', async (t) => {
    const { org } = await organizationWith(t, [{ fuel: 410 }])
    const settings = ['--sources', 'fuel,io84', '--scale', '0.1', '--unit', 'l', '--is-public']
    const [made] = await json(['attributes', 'set', 'tank', ...settings, ...org])
    assert.deepEqual(made, {
      ...{ name: 'tank', type: 'number', unit: 'l', label: 'Tank', decimals: 1, scale: 0.1 },
      ...{ offset: 0, minimum: 0, maximum: null, none: [65_535] },
      ...{ sources: ['fuel', 'io84'], holds: null, ends_with_ignition: false },
      ...{ is_counter: false, maximum_rate: null },
      ...{ is_level: true, threshold: null, smoothing: 300, is_public: true },
      ...{ value: 41, value_at: '2026-11-20T08:00:00.000Z' },
      ...{ checked: 1, no_value: null, out_of_range: null, wrong_type: null },
    })
    const [changed] = await json(['attributes', 'set', 'tank', '--unit', 'none', ...org])
    assert.deepEqual(changed, { ...made, unit: null })
    const [hidden] = await json(['attributes', 'hide', 'tank', ...org])
    assert.equal(hidden.is_public, false)
    assert.deepEqual(await json(['attributes', 'remove', 'tank', '--yes', ...org]), [])

    const store = await openStore({ folder: org.at(-1)! })
    const entries = await store.audit.list({ organization: null, before: null, limit: 4 })
    await store.close()
    assert.deepEqual(
      entries.map(({ action, name, changes }) => [action, name, changes]),
      [
        ['attribute.delete', 'tank', null],
        ['attribute.update', 'tank', { is_public: { from: true, to: false } }],
        ['attribute.update', 'tank', { unit: { from: 'l', to: null } }],
        ['attribute.create', 'tank', null],
      ],
    )
  })

  it('preview a real day, as it is and with other settings', async (t) => {
    const { org, object } = await organizationWith(t, [
      { fuel: 410 },
      { door: true },
      { fuel: 'x' },
      { fuel: 65_535 },
      { fuel: 500 },
    ])
    const day = ['--object', object, '--day', '2026-11-20', ...org]
    const settings = ['--type', 'number', '--scale', '0.1', '--maximum', '45', '--none', '65535']
    const rows = await json(['attributes', 'preview', 'fuel', ...settings, ...day])
    const fuel = (minute: number) => ({
      time_device: `2026-11-20T08:0${minute}:00.000Z`,
      source: 'fuel',
    })
    assert.deepEqual(rows, [
      { ...fuel(0), value: 410, shown: 41, fault: null },
      { ...fuel(2), value: 'x', shown: null, fault: 'type' },
      { ...fuel(3), value: 65_535, shown: null, fault: 'none' },
      { ...fuel(4), value: 500, shown: null, fault: 'range' },
    ])
    const { stdout } = await runHere(['attributes', 'preview', 'fuel', ...settings, ...day])
    assert.match(stdout, /fuel +500 +no value: outside the range$/m)
    const none = await runHere(['attributes', 'preview', 'power', ...day])
    assert.match(none.stdout, /sent no power on 2026-11-20/)
    assert.deepEqual((await json(['attributes', 'list', ...org])).items, [])
  })

  it('take the type of a known name only if the values fit', async (t) => {
    const texts = { io3: '57.95%', event: 'motionchange', temp1: 4.5 }
    const { org, object } = await organizationWith(t, [texts, texts, { ...texts, temp1: 'open' }])
    const day = ['--object', object, '--day', '2026-11-20', ...org]
    const [previewed] = await json(['attributes', 'preview', 'io3', ...day])
    assert.equal(previewed.shown, '57.95%')
    const [io3] = await json(['attributes', 'set', 'level', '--sources', 'io3', ...org])
    assert.deepEqual([io3.type, io3.value], ['text', '57.95%'])
    const { items } = await json(['attributes', 'publish', '--all', '--yes', ...org])
    const shown = items.map(({ name, type, unit, value }: Record<string, unknown>) => [
      ...[name, type, unit, value],
    ])
    assert.deepEqual(shown, [
      ['event', 'text', null, 'motionchange'],
      ['level', 'text', null, '57.95%'],
      ['temp1', 'text', null, 'open'],
    ])
  })

  it('give a source a table of its own for an object', async (t) => {
    const { org, object } = await organizationWith(t, [{ adc1: 2.5 }, { adc1: 5.5 }])
    const table = '[[0.5,0],[4.5,400]]'
    const sources = `[{"name":"adc1","table":${table},"objects":[${object}],"capacity":390},"fuel"]`
    const [tank] = await json(['attributes', 'set', 'tank', '--sources', sources, ...org])
    assert.deepEqual(tank.sources, JSON.parse(sources))
    assert.deepEqual([tank.value, tank.out_of_range.count], [null, 1])
    const day = ['--object', object, '--day', '2026-11-20', ...org]
    const shown = (await json(['attributes', 'preview', 'tank', ...day])).map(
      ({ shown }: { shown: unknown }) => shown,
    )
    assert.deepEqual(shown, [200, null])
    const { stdout } = await runHere(['attributes', 'list', ...org])
    assert.match(stdout, new RegExp(`adc1 by 2 points up to 390 of ${object}, fuel`))
  })

  it('limit the values, and count what is not shown with an example', async (t) => {
    const { org, object } = await organizationWith(t, [
      ...Array(6).fill({ temp1: 4.5 }),
      { temp1: 85 },
      { temp1: -61 },
      { temp1: -127 },
      { temp1: 'open' },
    ])
    const set = async (...options: string[]) =>
      (await json(['attributes', 'set', 'cargo', '--sources', 'temp1', ...options, ...org]))[0]
    const at = (minute: number) => `2026-11-20T08:0${minute}:00.000Z`
    const wrong_type = { count: 1, value: 'open', value_at: at(9), object: Number(object) }
    const { minimum, maximum, none, ...made } = await set()
    assert.deepEqual([minimum, maximum, none], [-60, 120, [85, -127]])
    // The current value of an attribute is the newest one that its device sent.
    assert.deepEqual([made.value, made.checked], [null, 10])
    assert.deepEqual(made.wrong_type, wrong_type)
    const unshown = (value: number, value_at: string, count: number) => {
      return { count, value, value_at, object: Number(object) }
    }
    assert.deepEqual(made.no_value, unshown(-127, at(8), 2))
    assert.deepEqual(made.out_of_range, unshown(-61, at(7), 1))
    const changed = await set('--minimum', '-70', '--maximum', 'none', '--none', '-127,,open')
    assert.deepEqual([changed.minimum, changed.maximum], [-70, null])
    assert.deepEqual(changed.none, [-127, '', 'open'])
    assert.deepEqual(
      [changed.no_value.count, changed.out_of_range, changed.wrong_type],
      [2, null, null],
    )
    const open = await set('--minimum', 'none', '--none', 'none')
    assert.deepEqual([open.minimum, open.none, open.no_value], [null, null, null])
    const { stdout } = await runHere(['attributes', 'list', ...org])
    assert.match(stdout, /^cargo .* 1, e\.g\. "open" of object \d+ +no$/m)
  })

  it('refuse what is not known and what breaks a rule', async (t) => {
    const { org } = await organizationWith(t, [{ fuel: 410 }])
    for (const [args, message] of [
      [['publish'], /name the attributes, or use --all/],
      [['publish', 'fuel', '--except', 'fuel'], /--except requires --all/],
      [['publish', '--all'], /keys will also see: fuel; .*stay hidden: none; add --yes/],
      [['publish', '--all', '--yes', '--except', 'door'], /except must be .*there is no door/],
      [['publish', 'speed'], /there is no speed/],
      [['hide', 'fuel'], /names must be names in the catalogue; it has no fuel/],
      [['remove', 'fuel', '--yes'], /it has no fuel/],
      [['set', 'Fuel'], /a name of 1 to 40 characters/],
      [['set', 'fuel', '--scale', '0'], /and not 0/],
      [
        ['set', 'fuel', '--minimum', '2', '--maximum', '1'],
        /maximum must not be less than minimum/,
      ],
      [['set', 'fuel', '--minimum', 'low'], /--minimum must be a number from/],
      [['set', 'fuel', '--type', 'text', '--maximum', '1'], /maximum must be null unless type/],
      [['set', 'fuel', '--sources', ''], /--sources must be a list of 1 to 500 sources/],
      [['set', 'fuel', '--sources', '[{"name":"fuel"'], /--sources must be a list of 1 to 500/],
      [['set', 'fuel', '--type', 'text', '--is-counter'], /is_counter must be false unless type/],
    ] as const) {
      const refused = await runHere(['attributes', ...args, ...org])
      assert.notEqual(refused.code, 0, args.join(' '))
      assert.match(refused.stderr, message)
    }
  })

  it('forget the names that no attribute shows', async (t) => {
    const { org } = await organizationWith(t, [{ fuel: 410, io500: 1, io501: 2, io502: 3 }])
    const sent = async () => {
      const { sent } = await json(['attributes', 'list', ...org])
      return sent.map(({ name }: { name: string }) => name)
    }
    await json(['attributes', 'set', 'fuel', ...org])
    assert.deepEqual(await json(['attributes', 'forget', 'io501', '--yes', ...org]), ['io501'])
    assert.deepEqual(await sent(), ['fuel', 'io500', 'io502'])
    for (const [args, message] of [
      [['forget'], /name the device names, or use --all/],
      [['forget', 'io500', '--all'], /name the device names, or use --all/],
      [['forget', 'fuel', '--yes'], /no attribute shows; fuel is not one of them/],
      [['forget', 'io501', '--yes'], /io501 is not one of them/],
      [['forget', '--all'], /this forgets io500, io502; add --yes/],
    ] as const) {
      const refused = await runHere(['attributes', ...args, ...org])
      assert.notEqual(refused.code, 0, args.join(' '))
      assert.match(refused.stderr, message)
    }
    assert.deepEqual(await sent(), ['fuel', 'io500', 'io502'])
    const { stdout } = await runHere(['attributes', 'forget', '--all', '--yes', ...org])
    assert.equal(stdout, 'Forgot 2 names.\n')
    assert.deepEqual(await sent(), ['fuel'])
    const [entry] = (await json(['audit', ...org])).items
    assert.deepEqual(
      [entry.action, entry.changes],
      ['attributes.forget', { names: { to: ['io500', 'io502'] }, count: { to: 2 } }],
    )
    const none = await runHere(['attributes', 'forget', '--all', '--yes', ...org])
    assert.equal(none.stdout, 'Forgot 0 names.\n')
  })

  it('make no more entries than a catalogue has', async (t) => {
    const { org } = await organizationWith(t, [{ fuel: 410 }])
    const store = await openStore({ folder: org.at(-1)! })
    const [id] = (await store.organizations.list()).map((each) => each.id)
    await json(['attributes', 'set', 'a0', ...org])
    await store.attributes.change(id!, ([first]) =>
      Array.from({ length: 200 }, (_, index) => ({ ...first!, name: `a${index}` })),
    )
    await store.close()
    const refused = await runHere(['attributes', 'publish', '--all', '--yes', ...org])
    assert.match(refused.stderr, /at most 200 attributes; remove some first/)
  })
})
