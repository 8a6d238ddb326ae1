import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { allPages } from '../harness/pages.ts'
import { scoped } from '../harness/scoped.ts'
import { RANGE } from '../trips/records-fleet.ts'
import { NAMES, refrigerated } from './attributes-fleet.ts'
import { refrigeratedDay, shown } from './refrigerated-day.ts'

const fleet = await startFleet()

describe('Attributes of positions: 200', async () => {
  const sender = await refrigerated(fleet)
  const { van } = sender
  const day = refrigeratedDay('R-1')
  const text = async (path: string) => {
    const answer = await sender.get(path)
    assert.equal(answer.status, 200, answer.text)
    return answer.text
  }
  const rows = async (path: string) => resultOf(await sender.get(path)) as Json[]
  const expected = day.map(({ values }) => shown(values))
  const newest = (name: string) => day.findLast(({ values }) => name in shown(values))!
  const current = Object.fromEntries(NAMES.map((name) => [name, shown(newest(name).values)[name]]))
  const currentAt = Object.fromEntries(
    NAMES.map((name) => [name, new Date(newest(name).time).toISOString()]),
  )

  for (const path of [`/objects/${van}/positions?${RANGE}`, `/positions?ids=${van}&${RANGE}`]) {
    it(`come after the other fields of a history, in any format: ${path.split('?')[0]}`, async () => {
      const plain = await rows(path)
      const all = await rows(`${path}&include=attributes`)
      assert.deepEqual(
        all,
        plain.map((row, index) => ({ ...row, attributes: expected[index] })),
      )
      assert.deepEqual(Object.keys(all[0]!), [...Object.keys(plain[0]!), 'attributes'])
      assert.deepEqual(Object.keys(all[0]!.attributes), Object.keys(expected[0]!))

      const lines = (await text(`${path}&include=attributes&format=ndjson`)).trimEnd().split('\n')
      assert.deepEqual(
        lines.map((line) => JSON.parse(line)),
        all,
      )

      const features = JSON.parse(await text(`${path}&include=attributes&format=geojson`)).features
      for (const [index, { properties }] of features.entries()) {
        const found = NAMES.filter((name) => name in properties).map((name) => [
          name,
          properties[name],
        ])
        assert.deepEqual(Object.fromEntries(found), expected[index])
      }
      const [head, ...csv] = (await text(`${path}&include=attributes&format=csv`)).split('\r\n')
      assert.ok(head!.endsWith(`,address,${NAMES.join()}`), head)
      const cells = ({ door, driver, fuel_used, temperature }: Json) => [
        door ?? '',
        driver === undefined ? '' : driver.includes(',') ? '"B, ""Bo"" Diaz"' : driver,
        fuel_used ?? '',
        temperature ?? '',
      ]
      for (const [index, each] of expected.entries()) {
        assert.ok(csv[index]!.endsWith(`,${cells(each).join()}`), csv[index])
      }
      for (const format of ['gpx', 'kml']) {
        assert.equal(
          await text(`${path}&include=attributes&format=${format}`),
          await text(`${path}&format=${format}`),
        )
      }
    })
  }

  it('are those that are selected, and pages keep them', async () => {
    const path = `/objects/${van}/positions?${RANGE}&attributes=temperature,%20driver`
    const { rows: paged, pages } = await allPages(sender.get, `${path}&limit=40`)
    assert.ok(pages.length > 2)
    assert.deepEqual(paged, await rows(path))
    for (const [index, { attributes }] of paged.entries()) {
      const { driver, temperature } = expected[index]!
      assert.deepEqual(attributes, {
        ...(driver !== undefined && { driver }),
        ...(temperature !== undefined && { temperature }),
      })
    }
    const of = await allPages(sender.get, `/positions?ids=${van}&${RANGE}&limit=40&attributes=door`)
    assert.deepEqual(
      of.rows.map(({ attributes }) => attributes.door),
      expected.map(({ door }) => door),
    )
  })

  it('bind a cursor', async () => {
    const first = await sender.get(`/objects/${van}/positions?${RANGE}&limit=10&attributes=door`)
    const next = /\/public\/v1([^>]*)>/.exec(String(first.headers.link))![1]!
    for (const other of [
      next.replace('attributes=door', 'attributes=driver'),
      next.replace('&attributes=door', ''),
    ]) {
      const answer = await sender.get(other)
      assert.deepEqual([answer.status, answer.json.errorCode], [400, 'PUBLIC.400_001'])
    }
  })

  it('are those that were current at a moment, with their times', async () => {
    for (const index of [0, 61, day.length - 1]) {
      const at = new Date(day[index]!.time + 999).toISOString()
      const [row] = await rows(`/positions/at?ids=${van}&time=${at}&include=attributes`)
      const sent = day.slice(0, index + 1)
      const newestOf = (name: string) => sent.findLast(({ values }) => name in shown(values))
      const known = NAMES.filter((name) => newestOf(name) !== undefined)
      assert.deepEqual(
        [row!.attributes, row!.attributes_at],
        [
          Object.fromEntries(known.map((name) => [name, shown(newestOf(name)!.values)[name]])),
          Object.fromEntries(
            known.map((name) => [name, new Date(newestOf(name)!.time).toISOString()]),
          ),
        ],
      )
    }
  })

  it('are the current ones with their times in latest positions and details', async () => {
    const [row] = await rows(`/positions/latest?ids=${van}&include=attributes`)
    const detail = resultOf(await sender.get(`/objects/${van}?include=attributes`))
    for (const each of [row!, detail]) {
      assert.deepEqual([each.attributes, each.attributes_at], [current, currentAt])
      assert.deepEqual(Object.keys(each).slice(-2), ['attributes', 'attributes_at'])
    }
    const selected = resultOf(await sender.get(`/objects/${van}?attributes=door`))
    assert.deepEqual(selected.attributes, { door: current.door })
    const [head, line] = (
      await text(`/positions/latest?ids=${van}&attributes=driver,door&format=csv`)
    ).split('\r\n')
    assert.ok(head!.endsWith(',door,door__at,driver,driver__at'), head)
    assert.ok(line!.endsWith(`,${currentAt.driver}`), line)
  })

  it('are empty for an object that sends none', async () => {
    const { silent } = sender.objects
    const [row] = await rows(`/positions/latest?ids=${silent}&include=attributes`)
    assert.deepEqual([row!.attributes, row!.attributes_at], [{}, {}])
    const { truck } = sender.objects
    const [at] = await rows(`/positions/at?ids=${truck}&time=2026-05-05&include=attributes`)
    assert.deepEqual(at!.attributes, {})
  })

  it('do not exist beyond the scope of a key', async () => {
    const narrow = await scoped(fleet, sender, '--attributes', 'temperature')
    await sender.time.pass(10_000)
    const [row] = resultOf(await narrow.get(`/positions/latest?ids=${van}&include=attributes`))
    assert.deepEqual(row.attributes, { temperature: current.temperature })
    const refused = await narrow.get(`/objects/${van}/positions?${RANGE}&attributes=driver`)
    assert.equal(refused.status, 400)
    const bounded = await scoped(
      fleet,
      sender,
      '--data-until',
      new Date(day[100]!.time).toISOString(),
    )
    const history = resultOf(
      await bounded.get(`/objects/${van}/positions?${RANGE}&include=attributes`),
    )
    assert.deepEqual(
      history.map(({ attributes }: Json) => attributes),
      expected.slice(0, 101),
    )
    const [latest] = resultOf(await bounded.get(`/positions/latest?ids=${van}&include=attributes`))
    assert.deepEqual(latest.attributes, expected[100])
  })

  it('need no unit of the organization', async () => {
    const before = await rows(`/objects/${van}/positions?${RANGE}&include=attributes`)
    await fleet.run('org', 'update', String(sender.id), '--distance-unit', 'mi')
    const miles = await rows(`/objects/${van}/positions?${RANGE}&include=attributes`)
    await fleet.run('org', 'update', String(sender.id), '--distance-unit', 'km')
    assert.deepEqual(
      miles.map(({ attributes }) => attributes),
      before.map(({ attributes }) => attributes),
    )
    assert.notDeepEqual(miles, before)
  })
})

describe('Attributes that are not public', async () => {
  it('are no part of any answer', async () => {
    const sender = await refrigerated(fleet, 'R-2')
    await fleet.run('attributes', 'hide', '--org', String(sender.id), 'driver')
    const { van } = sender
    for (const path of [
      `/objects/${van}`,
      `/positions/latest?ids=${van}`,
      `/positions?ids=all&${RANGE}`,
    ]) {
      const separator = path.includes('?') ? '&' : '?'
      const answer = await sender.get(`${path}${separator}include=attributes`)
      assert.equal(answer.status, 200)
      assert.ok(!answer.text.includes('Kaya') && !answer.text.includes('"driver"'), path)
      const refused = await sender.get(`${path}${separator}attributes=driver`)
      assert.equal(refused.status, 400)
      assert.match(refused.json.message, /"driver"/)
    }
  })
})
