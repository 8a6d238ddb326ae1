import assert from 'node:assert/strict'
import { it } from 'node:test'
import { runHere } from '../../../testing/command-line/run-here.ts'
import { json, temporaryFolder } from '../../../testing/command-line/spawned.ts'
import { ORGANIZATION_RULES } from '../../base/domain/organization.ts'
import { documentedName } from '../../base/domain/setting-rule.ts'

it('an organization is created, shown, changed, listed and deleted', async (t) => {
  const data = ['--data', await temporaryFolder(t)]
  const created = await json(['org', 'create', 'Acme Logistics', ...data])
  assert.deepEqual(Object.keys(created), [
    'id',
    ...Object.keys(ORGANIZATION_RULES).map(documentedName),
    'created_at',
    'updated_at',
  ])
  const { id, created_at } = created
  assert.ok(Number.isInteger(id))
  assert.equal(created.daily_quota, null)

  const settings = ['--distance-unit', 'mi', '--language', 'ar', '--subscription', 'suspended']
  const other = await json([
    'org',
    'create',
    '--name',
    'B',
    '--daily-quota',
    '7',
    ...settings,
    '--create-objects',
    ...data,
  ])
  assert.deepEqual(
    [other.distance_unit, other.language, other.subscription, other.daily_quota],
    ['mi', 'ar', 'suspended', 7],
  )

  assert.equal(other.create_objects, true)

  const updated = await json(['org', 'update', `${id}`, '--daily-quota', '500', ...data])
  assert.deepEqual(updated, { ...created, daily_quota: 500, updated_at: updated.updated_at })
  const unlimited = await json(['org', 'update', `${id}`, '--daily-quota', 'unlimited', ...data])
  assert.equal(unlimited.daily_quota, null)
  assert.equal((await json(['org', 'show', `${id}`, ...data])).created_at, created_at)

  const fed = ['--create-objects', '--max-objects', '500', '--retention-days', '400']
  fed.push('--max-places', '60', '--max-vertices', '7000')
  const kept = await json(['org', 'update', `${id}`, ...fed, ...data])
  assert.deepEqual([kept.create_objects, kept.retention_days], [true, 400])
  assert.match(
    (await runHere(['org', 'show', `${id}`, ...data])).stdout,
    /create_objects +yes\nmax_objects +500\nmax_places +60\nmax_vertices +7000\nretention_days +400\ndisclosure_days +400\nsignal_timeout_hours +24\ntime_zone +UTC\nmaximum_gap +60\nfuture_tolerance +10\nmaximum_age +365\ncorrect_rollover +no\n/,
  )
  const unfed = ['--no-create-objects', '--retention-days', 'none']
  const forEver = await json(['org', 'update', `${id}`, ...unfed, ...data])
  assert.deepEqual([forEver.create_objects, forEver.retention_days], [false, null])

  const quiet = await json(['org', 'update', `${id}`, '--signal-timeout-hours', '6', ...data])
  assert.equal(quiet.signal_timeout_hours, 6)
  const local = await json(['org', 'update', `${id}`, '--time-zone', 'Asia/Kathmandu', ...data])
  assert.equal(local.time_zone, 'Asia/Kathmandu')
  const rare = await json(['org', 'update', `${id}`, '--maximum-gap', '180', ...data])
  assert.equal(rare.maximum_gap, 180)
  const clocks = ['--future-tolerance', '60', '--maximum-age', '30', '--correct-rollover']
  const strict = await json(['org', 'update', `${id}`, ...clocks, ...data])
  assert.deepEqual(
    [strict.future_tolerance, strict.maximum_age, strict.correct_rollover],
    [60, 30, true],
  )
  for (const [setting, value, says] of [
    ['--retention-days', '36501', /must be a whole number from 1 to 36500, or none/],
    ['--retention-days', '', /must be a whole number from 1 to 36500, or none/],
    ['--signal-timeout-hours', '', /must be a whole number from 1 to 8760/],
    ['--future-tolerance', '1441', /must be a whole number from 1 to 1440/],
    ['--maximum-age', '0', /must be a whole number from 1 to 36500/],
    ['--time-zone', '', /must be an IANA time zone such as Europe\/Madrid/],
  ] as const) {
    const wrong = await runHere(['org', 'update', `${id}`, setting, value, ...data])
    assert.equal(wrong.code, 2)
    assert.match(wrong.stderr, says)
  }

  const nothing = await runHere(['org', 'update', `${id}`, ...data])
  assert.equal(nothing.code, 2)
  assert.match(nothing.stderr, /nothing to change/)

  const table = await runHere(['org', 'list', ...data])
  assert.match(table.stdout, /Acme Logistics +km +en +active +unlimited +none +2/)

  const asked = await runHere(['org', 'delete', `${id}`, ...data])
  assert.equal(asked.code, 2)
  assert.match(
    asked.stderr,
    /deletes organization 1, 'Acme Logistics', with its keys \(0\), feed tokens \(0\), links \(0\), objects \(0\).*--yes/,
  )
  assert.equal((await json(['org', 'list', ...data])).length, 2)

  assert.deepEqual(await json(['org', 'delete', `${id}`, '--yes', ...data]), { id, deleted: true })
  const gone = await runHere(['org', 'show', `${id}`, '--json', ...data])
  assert.deepEqual([gone.code, gone.stdout], [1, ''])
  assert.match(gone.stderr, /there is no organization 1; 'fleetgate org list' lists/)
})
