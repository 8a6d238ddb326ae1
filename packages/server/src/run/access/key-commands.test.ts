import assert from 'node:assert/strict'
import { it } from 'node:test'
import { runHere } from '../../../testing/command-line/run-here.ts'
import { json, temporaryFolder } from '../../../testing/command-line/spawned.ts'
import { looksLike, TEST_KEY } from '../../base/access/secret.ts'
import type { Credential } from '../../base/domain/credential.ts'
import { formatDate, utcDay } from '../../base/domain/time/time.ts'
import { openStore } from '../compose.ts'

it('a scope is given, changed part by part, and removed', async (t) => {
  const folder = await temporaryFolder(t)
  const data = ['--data', folder]
  const org = ['--org', String((await json(['org', 'create', 'A', ...data])).id), ...data]
  const scope = ['--operations', 'positions,objects', '--data-from', '2026-12-01']
  const times = ['--data-until', '2026-12-07', '--window-share', '3']
  const issued = await json(['key', 'issue', ...scope, ...times, ...org])
  const whole = {
    operations: ['objects', 'positions'],
    objects: null,
    data_from: '2026-12-01T00:00:00.000Z',
    data_until: '2026-12-07T23:59:59.999Z',
    window_share: 3,
  }
  assert.deepEqual(issued.scope, whole)
  const update = (...changes: string[]) => ['key', 'update', String(issued.id), ...changes, ...org]
  const later = await json(update('--data-until', '2026-12-14T12:00:00Z', '--window-share', 'all'))
  const expected = { ...whole, data_until: '2026-12-14T12:00:00.000Z', window_share: null }
  assert.deepEqual(later.scope, expected)
  const rotated = await json(['key', 'rotate', String(issued.id), ...org])
  assert.deepEqual(rotated.scope, expected)
  const list = await runHere(['key', 'list', ...org])
  assert.match(list.stdout, /operations=objects,positions data_from=2026-12-01T00:00:00.000Z/)
  const cleared = await json(
    update('--operations', 'all', '--data-from', 'all', '--data-until', 'all'),
  )
  assert.equal(cleared.scope, null)
  for (const [changes, message] of [
    [['--operations', 'object'], /--operations must be a list of objects, detail/],
    [['--objects', '7'], /objects must be ids of the organization's objects; it has no 7/],
    [['--objects', '7,x'], /--objects must be a list of up to 1000 ids of objects/],
    [['--data-from', 'today'], /--data-from must be a date such as 2026-11-20/],
    [['--window-share', '1001'], /--window-share must be a whole number from 1 to 1000/],
    [['--window-share', '11'], /window_share must be a whole number from 1 to 10/],
    [[...scope, '--data-until', '2026-11-01'], /data_from must not be later than data_until/],
    [[], /nothing to change; set/],
  ] as const) {
    const refused = await runHere(update(...changes))
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, message)
  }
  const unknown = await runHere(['key', 'update', '99', '--window-share', '3', ...org])
  assert.match(unknown.stderr, /organization \d+ has no API key 99/)
})

it('several grants are given, replaced and removed', async (t) => {
  const data = ['--data', await temporaryFolder(t)]
  const org = ['--org', String((await json(['org', 'create', 'A', ...data])).id), ...data]
  const first = 'objects=all;from=2026-11-20;until=2026-11-21T08:00:00Z'
  const given = ['--grant', first, '--grant', 'from=2026-12-01']
  const { id, scope } = await json(['key', 'issue', ...given, ...org])
  assert.deepEqual(scope.grants[0], {
    ...{ objects: null, from: '2026-11-20T00:00:00.000Z' },
    ...{ until: '2026-11-21T08:00:00.000Z', attributes: null },
  })
  assert.equal(scope.grants.length, 2)
  const update = async (...options: string[]) =>
    (await json(['key', 'update', String(id), ...options, ...org])).scope
  assert.deepEqual((await update('--window-share', '3')).grants, scope.grants)
  const plain = await update('--grant', 'from=2026-11-20')
  assert.deepEqual([plain.data_from, plain.window_share], ['2026-11-20T00:00:00.000Z', 3])
  assert.equal(await update('--grant', 'all', '--data-from', 'all', '--window-share', 'all'), null)
})

it('a test key is issued with a scenario and without a scope', async (t) => {
  const folder = await temporaryFolder(t)
  const data = ['--data', folder]
  const org = ['--org', String((await json(['org', 'create', 'A', ...data])).id), ...data]
  const plain = await json(['key', 'issue', '--test', ...org])
  assert.ok(looksLike(TEST_KEY, plain.key))
  assert.deepEqual([plain.scenario, plain.scope], ['standard', null])
  const cut = await json(['key', 'issue', '--test', '--scenario', 'cut', ...org])
  const listed = await json(['key', 'list', ...org])
  assert.deepEqual(
    listed.map(({ scenario }: { scenario: string }) => scenario),
    ['standard', 'cut'],
  )
  assert.match((await runHere(['key', 'list', ...org])).stdout, /SCENARIO[\s\S]* cut/)
  const rotated = await json(['key', 'rotate', String(cut.id), ...org])
  assert.ok(looksLike(TEST_KEY, rotated.key) && rotated.scenario === 'cut')
  for (const [args, message] of [
    [['issue', '--scenario', 'cut'], /--scenario requires --test/],
    [['issue', '--test', '--scenario', 'broken'], /standard, suspended/],
    [['issue', '--test', '--window-share', '3'], /a test key has no scope/],
    // The organization has no such object.
    [['issue', '--test', '--objects', '1'], /a test key has no scope/],
    [['update', String(cut.id), '--objects', '1'], /is a test key, which has no scope/],
  ] as const) {
    const refused = await runHere(['key', ...args, ...org])
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, message)
  }
})

it('a key is shown to people once, with a word of warning', async (t) => {
  const data = ['--data', await temporaryFolder(t)]
  await json(['org', 'create', 'A', ...data])
  const { stdout } = await runHere(['key', 'issue', '--org', '1', ...data])
  assert.match(stdout, /key +fg_live_[0-9A-Za-z]{36}\n/)
  assert.match(stdout, /will not be shown again/)
})

it('a recipient and a purpose are given, listed, kept by a rotation, and required', async (t) => {
  const data = ['--data', await temporaryFolder(t)]
  await json(['org', 'create', 'A', ...data])
  const org = ['--org', '1', ...data]
  const { id: bare } = await json(['key', 'issue', ...org])
  await json(['org', 'update', '1', '--keys-need-purpose', ...data])
  const words = ['--recipient', 'Insurer Ltd', '--purpose', 'Claims']
  const issued = await json(['key', 'issue', ...words, ...org])
  assert.deepEqual([issued.recipient, issued.purpose], ['Insurer Ltd', 'Claims'])
  const rotated = await json(['key', 'rotate', String(issued.id), ...org])
  assert.deepEqual([rotated.recipient, rotated.purpose], ['Insurer Ltd', 'Claims'])
  const listed = (await runHere(['key', 'list', ...org])).stdout
  assert.match(listed, /RECIPIENT +PURPOSE[\s\S]*recipient or purpose missing/)
  assert.match(listed, /Insurer Ltd +Claims/)
  for (const [args, code, message] of [
    [['issue', '--recipient', 'Insurer Ltd'], 2, /purpose is missing: in this organization each/],
    [['rotate', String(bare)], 1, /recipient is missing.*; set both on the key, then rotate it/],
    [['update', String(issued.id), '--purpose', ''], 2, /purpose is missing/],
    [['issue', '--recipient', ' '], 2, /it must be text of 1 to 200 characters/],
  ] as const) {
    const refused = await runHere(['key', ...args, ...org])
    assert.equal(refused.code, code)
    assert.match(refused.stderr, message)
  }
  const updated = await json(['key', 'update', String(bare), ...words, ...org])
  assert.deepEqual([updated.recipient, updated.lacks_purpose], ['Insurer Ltd', false])
  assert.equal((await runHere(['key', 'rotate', String(bare), ...org])).code, 0)
})

it('disclosures are shown day by day, as totals, and of one recipient', async (t) => {
  const data = ['--data', await temporaryFolder(t)]
  await json(['org', 'create', 'A', ...data])
  const org = ['--org', '1', ...data]
  const words = ['--recipient', 'Insurer Ltd', '--purpose', 'Claims']
  const { id: key } = await json(['key', 'issue', ...words, ...org])
  const opened = await openStore({ folder: data[1]! })
  const [{ disclosee }] = (await opened.keys.list(1)) as [Credential]
  const day = utcDay(Date.now())
  const count = {
    organization: 1,
    day,
    source: 'key',
    reader: key,
    object: 7,
    requests: 2,
  } as const
  await opened.disclosures.add([
    { ...count, disclosee, data: 'positions', rows: 30 },
    { ...count, disclosee: 0, data: 'detail', rows: 2 },
  ])
  await opened.close()
  const shown = await json(['key', 'disclosures', ...org])
  assert.deepEqual(
    shown.map(({ recipient, data: of, rows }: Row) => [recipient, of, rows]),
    [
      [null, 'detail', 2],
      ['Insurer Ltd', 'positions', 30],
    ],
  )
  const of = ['--recipient', 'Insurer Ltd']
  assert.equal((await json(['key', 'disclosures', ...of, ...org])).length, 1)
  const totals = await json(['key', 'disclosures', '--totals', ...of, ...org])
  const date = formatDate(day)
  assert.deepEqual(totals, [
    {
      ...{ source: 'key', recipient: 'Insurer Ltd', purpose: 'Claims', data: 'positions' },
      ...{ readers: 1, objects: 1, first_date: date, last_date: date, rows: 30 },
    },
  ])
})

type Row = { recipient: string | null; data: string; rows: number }
