import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { request } from '../../harness/client.ts'
import { assertRefused, resultOf } from '../../harness/envelope.ts'
import { startFleet } from '../../harness/fleet.ts'
import { IDENTS } from '../../harness/fleet-data.ts'
import { PREFIX } from '../../harness/organization.ts'
import { GEOFENCES } from '../../harness/places.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'

const fleet = await startFleet({ full: 1, plain: 7 })

/** Each change is made by a command next to the running server; the very next request must show it. */
describe("A command's change is visible in the next request", () => {
  it('for a new organization and its key', async () => {
    const { id } = await fleet.json('org', 'create', '--name', 'Latecomer')
    const { key } = await fleet.json('key', 'issue', '--org', String(id))
    const headers = { 'x-api-key': key }
    const answer = await request(fleet.server.api, `${PREFIX}/objects`, { headers })
    assert.deepEqual(resultOf(answer), [])
  })

  it('for a deleted organization', async () => {
    const organization = fleet.take()
    resultOf(await organization.get('/objects'))
    const { code } = await fleet.run('org', 'delete', String(organization.id), '--yes')
    assert.equal(code, 0)
    assertRefused(await organization.get('/objects'), 401, 'ERR999')
  })

  it('for the settings of an organization', async () => {
    const organization = fleet.take()
    const id = String(organization.id)
    const latest = () => organization.get(`/positions/latest?ids=${organization.objects.van}`)
    resultOf(await latest())
    await fleet.run('org', 'update', id, '--subscription', 'suspended')
    assertRefused(await latest(), 403, 'SUBSCRIPTION.403_002')
    await fleet.run('org', 'update', id, '--subscription', 'active', '--daily-quota', '9')
    assert.equal((await latest()).headers['x-quota-limit'], '9')
    await fleet.run('org', 'update', id, '--daily-quota', 'unlimited', '--language', 'fr')
    assert.equal((await latest()).headers['x-quota-limit'], undefined)
    const missing = await organization.get('/objects/999999999')
    assert.equal(missing.headers['content-language'], 'fr')
  })

  it('for an object that is updated and deleted', async () => {
    const organization = fleet.take()
    const { van, truck } = organization.objects
    const org = ['--org', String(organization.id)]
    // The same request each time: no cached part of the last answer may survive.
    const latest = async () =>
      resultOf(await organization.get(`/positions/latest?ids=${van},${truck}`)).map(
        ({ name }: { name: string }) => name,
      )
    resultOf(await organization.get('/objects'))
    const [, truckName] = await latest()
    await fleet.run('objects', 'update', String(van), ...org, '--name', 'New name')
    assert.equal(resultOf(await organization.get(`/objects/${van}`)).name, 'New name')
    assert.deepEqual(await latest(), ['New name', truckName])
    await fleet.run('objects', 'delete', String(truck), ...org, '--yes')
    assertRefused(await organization.get(`/objects/${truck}`), 404, 'PUBLIC.404_001')
    assert.deepEqual(await latest(), ['New name'])
    const ids = resultOf(await organization.get('/objects')).map(({ id }: { id: number }) => id)
    assert.equal(ids.includes(truck), false)
  })

  it('for places that are imported, updated and deleted', async () => {
    const organization = fleet.take()
    const org = ['--org', String(organization.id)]
    assert.deepEqual(resultOf(await organization.get('/geofences')), [])
    const file = join(temporaryFolder(), 'geofences.geojson')
    writeFileSync(file, JSON.stringify(GEOFENCES))
    const first = await fleet.json('import', 'geofences', ...org, file)
    assert.deepEqual([first.read, first.accepted], [2, 2])
    const geofences = resultOf(await organization.get('/geofences'))
    assert.equal(geofences.length, 2)
    const [depot, oldTown] = geofences
    await fleet.run('geofences', 'update', String(depot.id), ...org, '--color', '#010203')
    await fleet.run('geofences', 'delete', String(oldTown.id), ...org, '--yes')
    const [updated, ...others] = resultOf(await organization.get('/geofences'))
    assert.deepEqual([updated.color, others], ['#010203', []])
  })

  it('for imported positions', async () => {
    const organization = fleet.take()
    const { silent } = organization.objects
    assert.equal(resultOf(await organization.get(`/objects/${silent}`)).latitude, null)
    const file = join(temporaryFolder(), 'positions.csv')
    writeFileSync(
      file,
      `ident,time_device,latitude,longitude\n${IDENTS.silent},2024-01-01T00:00:00Z,5,6\n`,
    )
    await fleet.json('import', 'positions', '--org', String(organization.id), file)
    assert.equal(resultOf(await organization.get(`/objects/${silent}`)).latitude, 5)
    const latest = resultOf(await organization.get(`/positions/latest?ids=${silent}`))
    assert.equal(latest[0].longitude, 6)
    const range = 'from_time=2024-01-01&to_time=2024-01-01'
    const history = resultOf(await organization.get(`/objects/${silent}/positions?${range}`))
    assert.equal(history.length, 1)
  })
})
