import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { RANGE } from '../trips/records-fleet.ts'
import { refrigerated } from './attributes-fleet.ts'
import { refrigeratedDay, shown } from './refrigerated-day.ts'

const fleet = await startFleet()

describe('Attributes of changes: 200', async () => {
  const sender = await refrigerated(fleet)
  const { van } = sender
  const day = refrigeratedDay('R-1')
  const page = async (query: string) => resultOf(await sender.get(`/changes?${query}`)) as Json
  const of = ({ changes }: Json, type: string): Json[] =>
    changes.filter((each: Json) => each.type === type).map((each: Json) => each[type])

  it('come with positions and states of any page, and cursors keep them', async () => {
    const first = await page(
      `from=history&types=positions,states&ids=${van}&include=attributes&limit=50`,
    )
    const rest = await page(`cursor=${first.cursor}&limit=1000`)
    const positions = [...of(first, 'position'), ...of(rest, 'position')]
    assert.deepEqual(
      positions.map(({ attributes }) => attributes),
      day.map(({ values }) => shown(values)),
    )
    const [latest] = resultOf(await sender.get(`/positions/latest?ids=${van}&include=attributes`))
    const [state] = of(first, 'state')
    assert.deepEqual(
      [state!.attributes, state!.attributes_at],
      [latest.attributes, latest.attributes_at],
    )
    const selected = await page(`from=snapshot&types=states&ids=${van}&attributes=door`)
    assert.deepEqual(Object.keys(of(selected, 'state')[0]!.attributes), ['door'])
    const plain = await page(`from=history&types=positions,states&ids=${van}&limit=1000`)
    assert.ok(!JSON.stringify(plain).includes('attributes'))
  })

  it('are no part of trips', async () => {
    const all = await page('from=snapshot&include=attributes&limit=10000')
    for (const type of ['trip', 'stop', 'visit']) {
      assert.ok(of(all, type).every((record) => !('attributes' in record)))
    }
  })

  it('belong to their cursor: 400 for others, and 410 when the catalogue changes what they show', async () => {
    const { cursor } = await page('from=now&attributes=door,driver')
    assert.equal((await sender.get(`/changes?cursor=${cursor}&attributes=driver,door`)).status, 200)
    for (const other of ['attributes=door', 'include=attributes']) {
      assert.equal((await sender.get(`/changes?cursor=${cursor}&${other}`)).status, 400)
    }
    const unknown = await sender.get('/changes?from=now&attributes=nothing')
    assert.equal(unknown.status, 400)
    assert.match(unknown.json.message, /"nothing"/)
    const org = ['--org', String(sender.id)]
    await fleet.run('attributes', 'set', 'temperature', ...org, '--decimals', '0')
    assert.equal((await sender.get(`/changes?cursor=${cursor}`)).status, 200)
    const { cursor: ofLevel } = await page('from=now&attributes=fuel_used')
    const level = ['--no-is-counter', '--is-level', '--threshold', '5', '--smoothing', '60']
    await fleet.run('attributes', 'set', 'fuel_used', ...org, ...level)
    assert.equal((await sender.get(`/changes?cursor=${ofLevel}`)).status, 200)
    await fleet.run('attributes', 'set', 'fuel_used', ...org, '--is-counter')
    await fleet.run('attributes', 'set', 'door', ...org, '--sources', 'otherDoor')
    assert.equal((await sender.get(`/changes?cursor=${cursor}`)).status, 410)
  })

  it('follow a late position: its row, and the state whose attribute it brings', async () => {
    const { cursor } = await page('from=now&attributes=driver,fuel_used')
    const last = day.findLast(({ values }) => values.driverCard !== undefined)!
    const time_device = new Date(last.time + 1_000).toISOString()
    await sender.post([{ ...last.row, time_device, attributes: { driverCard: 'C. Late' } }])
    const { changes } = await page(`cursor=${cursor}&limit=10000`)
    const put = changes.find(({ position }: Json) => position?.time_device === time_device)
    assert.deepEqual(put.position.attributes, { driver: 'C. Late' })
    const state = changes.findLast(({ type }: Json) => type === 'state').state
    assert.equal(state.attributes.driver, 'C. Late')
    assert.equal(state.attributes_at.driver, time_device)
    const history = resultOf(
      await sender.get(`/objects/${van}/positions?${RANGE}&attributes=driver`),
    ).find((row: Json) => row.time_device === time_device)
    assert.deepEqual(history.attributes, { driver: 'C. Late' })
  })
})
