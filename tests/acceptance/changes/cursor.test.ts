import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { withRoom } from '../harness/organization.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const fleet = await startFleet()

describe('The cursor of GET /changes', () => {
  it('belongs to its types, ids and include, which may be left out', async () => {
    const own = fleet.take()
    const { van, truck } = own.objects
    const same = `types=states&ids=${van}&include=exact`
    const { cursor } = resultOf(await own.get(`/changes?from=now&${same}`))
    resultOf(await own.get(`/changes?cursor=${cursor}`))
    resultOf(await own.get(`/changes?cursor=${cursor}&${same}&limit=5`))
    for (const other of ['types=objects', `ids=${truck}`, 'include=quality,exact']) {
      const answer = await own.get(`/changes?cursor=${cursor}&${other}`)
      assertRefused(answer, 400, 'PUBLIC.400_001', /cursor/)
    }
  })

  it('continues with the same ids when an object has got one of them, or has been deleted', async () => {
    const own = fleet.take()
    const { van, truck } = own.objects
    // Ids of the harness are below.
    const coming = van + 1_000_000
    const same = `ids=${van},${coming}`
    const { cursor } = resultOf(await own.get(`/changes?from=now&${same}`))
    const file = join(temporaryFolder(), 'coming.csv')
    writeFileSync(file, `id,ident,name\n${coming},coming,Coming\n`)
    await fleet.run('import', 'objects', '--org', String(own.id), file)
    assert.deepEqual(resultOf(await own.get(`/changes?cursor=${cursor}&${same}`)).changes, [])
    await fleet.run('objects', 'delete', '--yes', '--org', String(own.id), String(van))
    const { changes } = resultOf(await own.get(`/changes?cursor=${cursor}&${same}`))
    assert.deepEqual(changes, [{ type: 'object', op: 'delete', id: van, seq: changes[0].seq }])
    const other = await own.get(`/changes?cursor=${cursor}&ids=${van},${truck}`)
    assertRefused(other, 400, 'PUBLIC.400_001', /^ids differs from the request/)
  })

  it('is refused for another organization', async () => {
    const { cursor } = resultOf(await fleet.take().get('/changes?from=now'))
    const answer = await fleet.take().get(`/changes?cursor=${cursor}`)
    assertRefused(answer, 400, 'PUBLIC.400_001', /^cursor is not valid/)
  })
})

describe('GET /changes without an active subscription', () => {
  it('refuses positions, and answers the other types: 403', async () => {
    const own = fleet.take()
    const all = resultOf(await own.get('/changes?from=now')).cursor
    const visits = resultOf(await own.get('/changes?from=now&types=visits')).cursor
    const objects = resultOf(await own.get('/changes?from=now&types=objects')).cursor
    await fleet.run('org', 'update', String(own.id), '--subscription', 'suspended')
    for (const query of [
      ...['types=positions&limit=0', 'from=then', `cursor=${all}&wait=26`],
      ...['types=trips', `cursor=${visits}`],
    ]) {
      const answer = await own.get(`/changes?${query}`)
      assertRefused(answer, 403, 'SUBSCRIPTION.403_002', /contact .*admin/i)
    }
    await withRoom([own])
    const { changes, cursor } = resultOf(await own.get('/changes?types=states,objects,sites'))
    const types = changes.map(({ type }: Json) => type)
    assert.deepEqual([...new Set(types)].sort(), ['object', 'retention', 'state'])
    resultOf(await own.get(`/changes?cursor=${cursor}&wait=1`))
    resultOf(await own.get(`/changes?cursor=${objects}`))
    for (const query of ['types=objects&limit=0', 'types=moods', 'cursor=forged']) {
      assertRefused(await own.get(`/changes?${query}`), 400, 'PUBLIC.400_001')
    }
  })
})
